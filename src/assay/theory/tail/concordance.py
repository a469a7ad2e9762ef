"""The area under the ROC curve: the chance that a positive row scores above a negative one, from disjoint pairs."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from assay.errors import require
from assay.theory.claim import BUILT, DRAWN, FIRST, Condition, Known, ranking_claim
from assay.theory.needs import count, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, double_below
from assay.theory.tail.binomial import FIXED_BEFORE, IID, lower_rate
from assay.theory.tail.integer_verifier import confirm_rate_at_least
from assay.theory.tail.integers import MOST_ROWS
from assay.theory.tail.rates import whole_only
from assay.theory.tail.unit_bets import MOST_UNITS, excluded_from

PAIRS_DISJOINT = Condition(
    "disjoint-pairs",
    "each positive row is paired with a negative one of its own, without regard to their scores",
)
ORDER_BEFORE_SCORES = Condition(
    "order-before-scores",
    "the order of the rows was fixed before their scores were seen, and not chosen for the pairs that it makes",
)
# Whoever puts the rows into another order chooses among pairings; nobody can compute that he did not.
ORDERED = Known("not asked", ("declared", "assumed", "by construction"))
TIES_SETTLED = Condition(
    "ties-settled",
    "equal scores were settled by a fair coin, or it was known before the pairs were seen that they count a half",
)


def _confirm(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    whole_only(inputs, "concordant", "tied", "pairs")
    above, tied, pairs = pairs_in(inputs["concordant"], inputs["tied"], inputs["pairs"])
    level = inside_unit("delta", inputs["delta"]).low
    if tied == 0:
        return confirm_rate_at_least(above, pairs, level, promised, at_length)
    bound = area_from_below(above, tied, pairs, level)
    return 0 <= promised <= bound, promised + Fraction(1, 10**12) >= bound


@theorem(
    kind="rate",
    statement=r"\mathrm{AUC}\ge\inf\{t:\Pr[\mathrm{Bin}(n,t)\ge k]\ge\delta\},\quad "
    r"\text{with ties }1-\sup\Big\{t:\tfrac1{64}\sum_{j=1}^{64}\prod_i\big(1-\tfrac j{64}(x_i-t)\big)"
    r"<\tfrac1\delta\Big\},\ x_i\in\{0,\tfrac12,1\}",
    assumes=(IID, FIXED_BEFORE, ORDER_BEFORE_SCORES, PAIRS_DISJOINT, TIES_SETTLED),
    claim=ranking_claim(DRAWN, FIRST, ORDERED, BUILT, BUILT),
    checker=_confirm,
)
def concordance_at_least(concordant: int, tied: int, pairs: int, delta: Number) -> float:
    """The area under the ROC curve.

    Theorem  The area is the chance that a positive row scores above a negative one, a tie counting half. Over
             n disjoint pairs drawn independently, those in which it does are binomial with that rate where
             ties are settled by a fair coin. Where a tie counts a half instead, sixty-four gamblers bet on
             x = 1, 1/2 or 0 for a pair the wrong way round, tied or right, as in `unit_mean_betting`.
    Needs    concordant k, tied: whole, zero or more, together at most n.  pairs n: whole, at least 1; with ties at
             most 10^9.  delta: strictly between 0 and 1.
    Gives    a lower bound, rounded down.
    Source   Hanley & McNeil, The meaning and use of the area under a ROC curve (Radiology 1982); Clopper & Pearson
             (Biometrika 1934); with ties Waudby-Smith & Ramdas (JRSS B 2024).

    Examples
    --------
    >>> concordance_at_least(concordant=180, tied=0, pairs=200, delta=0.05)
    0.8580107484090549
    >>> round(concordance_at_least(concordant=170, tied=20, pairs=200, delta=0.05), 6)
    0.841505
    """
    above, tie, n = pairs_in(concordant, tied, pairs)
    level = inside_unit("delta", delta).low
    if tie == 0:
        return lower_rate(above, n, level)
    return double_below(area_from_below(above, tie, n, level))


def area_from_below(above: int, tied: int, pairs: int, level: Fraction) -> Fraction:
    """The largest area that sixty-four gamblers exclude, a tie counting a half."""
    one = Fraction(1)
    kinds = [
        (Fraction(0), one, above),
        (Fraction(1, 2), one, tied),
        (one, one, pairs - above - tied),
    ]
    return 1 - Fraction(excluded_from([kind for kind in kinds if kind[2]], level))


def pairs_in(concordant: Any, tied: Any, pairs: Any) -> tuple[int, int, int]:
    """Concordant, tied and all pairs as whole numbers, refused where they do not fit together."""
    n = count("pairs", pairs, at_least=1)
    above, tie = count("concordant", concordant), count("tied", tied)
    most = MOST_UNITS if tie else MOST_ROWS
    require(n <= most, "pairs", f"at most {most}", pairs)
    require(above + tie <= n, "concordant", f"at most {n - tie} of {n} pairs, {tie} tied", above)
    return above, tie, n
