"""Chernoff's bound: how likely a sum of bounded variables falls far below its expectation."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exp


@theorem(
    "T40",
    kind="error",
    statement=r"\Pr[X\le k]\le\exp\!\left(-\frac{(\mu-k)^2}{2\mu}\right)",
    assumes=(
        Condition("independent-unit-variables", "the variables are independent and lie in [0, 1]"),
    ),
)
def chernoff_lower_tail(expected: Number, at_most: Number) -> float:
    """How likely a sum of independent variables in [0, 1] is small.

    Theorem  If X is a sum of independent variables in [0, 1] with expectation mu, and
             0 <= k <= mu, then X <= k with probability at most e^(-(mu - k)^2 / (2 mu)).
    Needs    expected mu: finite, > 0.  at_most k: 0 <= k <= mu.
    Gives    an upper bound on a probability, rounded up.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Theorem 4.1; after Chernoff,
             A measure of asymptotic efficiency for tests of a hypothesis based on the sum of
             observations (1952).

    Examples
    --------
    >>> round(chernoff_lower_tail(expected=6.6, at_most=5), 6)
    0.823708
    """
    mu, k = positive("expected", expected), nonnegative("at_most", at_most)
    require(k.low <= mu.low, "at_most", f"at most the expected sum {expected!r}", at_most)
    return exp(-((mu - k) ** 2) / (2 * mu)).up()
