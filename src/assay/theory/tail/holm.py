"""Holm's steps: which of several hypotheses can be rejected at once, and what each step may spend."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from assay.errors import require
from assay.theory.needs import count, each, inside_unit, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number


@theorem(
    kind="identity",
    statement=r"r=\min\Big\{j:p_{(j+1)}>\frac\delta{K-j}\Big\}:\quad\Pr[\text{one of the }r\text{ hypotheses with the "
    r"smallest }p\text{ is true}]\le\delta",
)
def holm_steps(p_values: Iterable[Number], delta: Number) -> int:
    """How many of several hypotheses can be rejected, so that probably all of these are false.

    Theorem  Let p_i be at most u with probability at most u where hypothesis i is true, for every u, whatever the
             p-values have to do with each other. Take K of them, smallest first, and reject while
             p_(j+1) <= delta / (K - j). With probability at least 1 - delta no true one is rejected.
    Needs    p_values: at least one, each between 0 and 1.  delta: strictly between 0 and 1.
    Gives    the number r of hypotheses that are rejected: those with the r smallest p-values. Decided without
             rounding.
    Source   Holm, A simple sequentially rejective multiple test procedure (Scandinavian Journal of
             Statistics 1979).

    Examples
    --------
    >>> holm_steps([0.01, 0.02, 0.04], 0.05), holm_steps([0.02, 0.02, 0.04], 0.05)
    (3, 0)
    """
    listed = [p.low for p in each("p_values", p_values, unit)]
    require(bool(listed), "p_values", "at least one number", listed)
    return len(step_down(len(listed), lambda i, level: listed[i] <= level, delta))


def step_down(
    hypotheses: int, rejects: Callable[[int, Fraction], bool], delta: Number, declared: int = 0
) -> list[int]:
    """Holm's steps for tests at any level: the places of the hypotheses that are rejected, in the order of the steps.

    Parameters
    ----------
    hypotheses : int
        How many there are.
    rejects : callable
        Whether the hypothesis of a place is rejected at a level. What is rejected at one level must be at every
        larger one.
    delta : number
        The probability that any true hypothesis is rejected.
    declared : int, optional
        How many hypotheses were declared, where there are more than can be tested now.

    Examples
    --------
    >>> p = [0.04, 0.01, 0.02]
    >>> step_down(3, lambda i, level: p[i] <= level, 0.05)
    [1, 2, 0]
    """
    many = max(count("hypotheses", hypotheses), count("declared", declared))
    level = inside_unit("delta", delta).low
    rejected: list[int] = []
    left = list(range(hypotheses))
    while left:
        # Which of those that pass is taken first makes no difference to the set: the next level is larger.
        share = step_share(level, many, len(rejected))
        passing = next((place for place in left if rejects(place, share)), None)
        if passing is None:
            break
        rejected.append(passing)
        left.remove(passing)
    return rejected


def step_share(delta: Fraction, hypotheses: int, rejected: int) -> Fraction:
    """What the next step may spend, after so many of the hypotheses were rejected.

    Examples
    --------
    >>> step_share(Fraction(1, 20), 5, 0), step_share(Fraction(1, 20), 5, 4)
    (Fraction(1, 100), Fraction(1, 20))
    """
    return delta / (hypotheses - rejected)
