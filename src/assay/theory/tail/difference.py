"""Two models on the same rows: whether the new one is better, and by how much, from the rows where they differ."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from assay.errors import BadData, require
from assay.theory.claim import DRAWN, FIRST, SETTLED, Condition, difference_claims
from assay.theory.needs import count, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, double_above, double_below
from assay.theory.tail.betting import ORDER_FIXED, bounded_betting
from assay.theory.tail.binomial import IID, lower_rate, tail_at_most, upper_rate
from assay.theory.tail.integer_verifier import confirm_rate, confirm_rate_at_least
from assay.theory.tail.integers import MOST_ROWS, binomial_tail, sixty_digits
from assay.theory.tail.rates import whole_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from assay.types import Floats

BOTH_FIXED_BEFORE = Condition(
    "both-fixed-before", "both models were fixed before these rows were seen"
)

_HALF = Fraction(1, 2)
# How delta is shared: four fifths for which model is wrong where one is, a tenth for each end of how often one is.
_WHICH, _HOW_OFTEN = Fraction(4, 5), Fraction(1, 10)
# What a difference of two doubles between 0 and 1, and the sum of 1 and it, can lose together.
_LOST = 2.0**-52


def _confirm_better(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    whole_only(inputs, "only_old", "only_new")
    only_old, only_new = _differing(inputs["only_old"], inputs["only_new"])
    level = inside_unit("delta", inputs["delta"]).low
    rows = only_old + only_new
    # So many of the rows that differ are too many for a fair coin, or for any that comes up less often.
    better = rows > 0 and confirm_rate_at_least(only_old, rows, level, _HALF, at_length)[0]
    sound = promised <= -1 or (promised <= 0 and better)
    return sound, promised == (0 if better else -1)


@theorem(
    kind="difference",
    statement=r"\mathrm{err}_D(h_0)-\mathrm{err}_D(h_1)>0\quad\text{if}\quad "
    r"2^{-(b+c)}\sum_{i\ge b}\binom{b+c}i\le\delta",
    assumes=(IID, BOTH_FIXED_BEFORE),
    claim=difference_claims(DRAWN, FIRST, quantities=("better",)),
    checker=_confirm_better,
)
def mcnemar_better(only_old: int, only_new: int, delta: Number) -> int:
    """Whether the new model's error is below the old one's.

    Theorem  Of the rows that exactly one model gets wrong, let b be the old one's and c the new one's. If
             the new model is not better, each is the old one's with chance one half at most, and b of
             them or more have probability 2^-(b+c) sum_{i >= b} C(b+c, i) at most. So where that is
             delta or less, the new model is better, with probability at least 1 - delta.
    Needs    only_old b, only_new c: whole, zero or more.  delta: strictly between 0 and 1.
    Gives    0, which the difference of the two errors is above; or -1, which says nothing. Decided
             without rounding.
    Source   McNemar, Note on the sampling error of the difference between correlated proportions
             (Psychometrika 1947), with the exact tail instead of the normal one.

    Examples
    --------
    >>> mcnemar_better(only_old=40, only_new=20, delta=0.05), mcnemar_better(20, 20, 0.05)
    (0, -1)
    """
    b, c = _differing(only_old, only_new)
    level = inside_unit("delta", delta).low
    return 0 if b and tail_at_most(c, b + c, _HALF, level) else -1


def mcnemar_p(only_old: int, only_new: int) -> float:
    """The smallest delta at which `mcnemar_better` says that the new model is, rounded up.

    Examples
    --------
    >>> round(mcnemar_p(only_old=40, only_new=20), 12)
    0.006744646866
    """
    b, c = _differing(only_old, only_new)
    if b == 0:
        return 1.0
    return min(_tail_above(c, b + c), 1.0)


@sixty_digits
def _tail_above(errors: int, rows: int) -> float:
    """P[Bin(rows, 1/2) <= errors], rounded up; sixty digits lose far less than one part in 10^30."""
    log = binomial_tail(errors, rows, _HALF).log
    above = (log + Decimal("1e-30")).exp()
    return double_above(Fraction(above))


def _confirm_difference(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    whole_only(inputs, "only_old", "only_new", "rows")
    b, m, n = _paired(inputs["only_old"], inputs["only_new"], inputs["rows"])
    level = inside_unit("delta", inputs["delta"]).low
    which, often = _WHICH * level, _HOW_OFTEN * level
    theta, least, most = _ends(b, m, n, level)
    sound = m == 0 or confirm_rate_at_least(b, m, which, theta, at_length)[0]
    sound = sound and confirm_rate_at_least(m, n, often, least, at_length)[0]
    sound = sound and confirm_rate(m, n, often, most, at_length)[0]
    bound = _least_difference(theta, least, most)
    slack = Fraction(1, 10**12)
    return sound and -1 <= promised <= bound, promised + slack >= bound


@theorem(
    kind="difference",
    statement=r"\mathrm{err}_D(h_0)-\mathrm{err}_D(h_1)\ge\min_{q_L\le q\le q_U}q\,(2\theta_L-1),\quad "
    r"\theta_L=\mathrm{CP}_-(b,m,\tfrac45\delta),\ "
    r"q_{L,U}=\mathrm{CP}_{-,+}(m,n,\tfrac1{10}\delta),\ m=b+c",
    assumes=(IID, BOTH_FIXED_BEFORE),
    claim=difference_claims(DRAWN, FIRST, quantities=("difference",)),
    checker=_confirm_difference,
)
def paired_difference(only_old: int, only_new: int, rows: int, delta: Number) -> float:
    """By how much the new model's error is below the old one's; negative where it may be above.

    Theorem  The difference of the errors is q (2 theta - 1), where q is the chance that exactly one model is
             wrong on a row, and theta the chance that it then is the old one. With probability at least
             1 - delta, theta is at least its exact bound at 4 delta / 5, given how many rows differ, and q
             lies between its exact bounds at delta / 10 each.
    Needs    only_old b, only_new c: whole, zero or more.  rows n: whole, at least 1 and at least b + c.
             delta: strictly between 0 and 1.
    Gives    a lower bound on err(old) - err(new), rounded down.
    Source   Derived from Clopper & Pearson (Biometrika 1934), and Boole (1854) for the three bounds.

    Examples
    --------
    >>> round(paired_difference(only_old=40, only_new=20, rows=1000, delta=0.05), 12)
    0.003949003726
    """
    b, m, n = _paired(only_old, only_new, rows)
    return double_below(_least_difference(*_ends(b, m, n, inside_unit("delta", delta).low)))


def _ends(b: int, m: int, n: int, level: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """theta from below, q from below and from above."""
    often = _HOW_OFTEN * level
    theta = Fraction(lower_rate(b, m, _WHICH * level)) if m else Fraction(0)
    return theta, Fraction(lower_rate(m, n, often)), Fraction(upper_rate(m, n, often))


def _least_difference(theta: Fraction, least: Fraction, most: Fraction) -> Fraction:
    return (least if theta >= _HALF else most) * (2 * theta - 1)


@theorem(
    kind="difference",
    statement=r"\mathbb E[\ell_0-\ell_1]\ge1-2U,\quad U\text{ by betting on }\tfrac12(\ell_1-\ell_0+1)",
    assumes=(IID, BOTH_FIXED_BEFORE, ORDER_FIXED),
    claim=difference_claims(
        DRAWN, FIRST, SETTLED, quantities=("loss-difference", "unit-mean-loss-difference")
    ),
)
def paired_loss_difference(
    old_losses: ArrayLike, new_losses: ArrayLike, delta: Number, anytime: bool = False
) -> float:
    """By how much the new model's mean loss is below the old one's; negative where it may be above.

    Theorem  If both losses lie between 0 and 1, so does (new - old + 1) / 2. An upper bound U on its mean, which
             `bounded_betting` gives, makes 1 - 2 U a lower bound on the mean of old - new.
    Needs    old_losses, new_losses: of the same rows in the order in which they were drawn, at least one, each
             between 0 and 1.  delta: strictly between 0 and 1.  anytime: whether more rows may follow after a look.
    Gives    a lower bound on the mean of old - new, rounded down; -1 where no difference is excluded.
    Source   Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting
             (JRSS B 2024), on the differences of pairs.

    Examples
    --------
    >>> old = [0.5 + 0.4 * (i * (5**0.5 - 1) / 2 % 1) for i in range(1, 201)]
    >>> new = [0.5 * loss for loss in old]
    >>> round(paired_loss_difference(old, new, 0.05), 6)
    0.322462
    """
    shares = _half_differences(old_losses, new_losses)
    return double_below(1 - 2 * Fraction(bounded_betting(shares, delta, anytime)))


def _half_differences(old_losses: ArrayLike, new_losses: ArrayLike) -> Floats:
    """(new - old + 1) / 2 for each row, never below it."""
    import numpy as np

    from assay.theory.tail.betting import losses_in_unit

    old, new = losses_in_unit(old_losses), losses_in_unit(new_losses)
    if old.size != new.size:
        raise BadData(
            f"the two models' losses must be of the same rows, but are of {old.size} and {new.size}."
        )
    return np.asarray(np.minimum((new - old + 1.0) / 2 + _LOST, 1.0))


def _differing(only_old: Any, only_new: Any) -> tuple[int, int]:
    b, c = count("only_old", only_old), count("only_new", only_new)
    require(b + c <= MOST_ROWS, "only_old", f"at most {MOST_ROWS} together with only_new", b)
    return b, c


def _paired(only_old: Any, only_new: Any, rows: Any) -> tuple[int, int, int]:
    """b, b + c and n."""
    b, c = _differing(only_old, only_new)
    n = count("rows", rows, at_least=1)
    require(n <= MOST_ROWS, "rows", f"at most {MOST_ROWS}", rows)
    require(b + c <= n, "rows", f"at least the {b + c} on which one model is wrong", rows)
    return b, b + c, n
