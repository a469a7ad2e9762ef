"""The other ends of intervals: errors bounded from below, and shares of which more is better from above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.theory.claim import (
    BUILT,
    DRAWN,
    FIRST,
    TOLD,
    holdout_claims,
    metric_claim,
    other_end,
    ranking_claim,
)
from assay.theory.needs import counts, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, double_above
from assay.theory.tail.binomial import FIXED_BEFORE, IID, lower_rate, upper_rate
from assay.theory.tail.concordance import (
    ORDER_BEFORE_SCORES,
    ORDERED,
    PAIRS_DISJOINT,
    TIES_SETTLED,
    area_from_below,
    pairs_in,
)
from assay.theory.tail.integer_verifier import confirm_rate, confirm_rate_at_least, read_counts
from assay.theory.tail.rates import (
    CLASSES_FIRST,
    SAME_PREVALENCE,
    counts_by_class,
    hits_by_class,
    hits_in,
    successes_of,
    whole_only,
)

_COUNTS = ("true_positives", "false_positives", "false_negatives")


def _confirm_error(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    return confirm_rate_at_least(*read_counts(inputs), promised, at_length)


@theorem(
    kind="rate",
    statement=r"\mathrm{err}_D(h)\ge\inf\{p:\Pr[\mathrm{Bin}(n,p)\ge k]\ge\delta\}",
    assumes=(IID, FIXED_BEFORE),
    claim=tuple(map(other_end, holdout_claims(DRAWN, FIRST))),
    checker=_confirm_error,
)
def error_at_least(errors: int, rows: int, delta: Number) -> float:
    """How large the error rate is at least.

    Theorem  If h errs on k of n independent rows it was not fitted to, its error rate is above every p with
             P[Bin(n, p) >= k] <= delta, with probability at least 1 - delta.
    Needs    errors k: whole, 0 <= k <= n.  rows n: whole, >= 1.  delta: strictly between 0 and 1.
    Gives    the largest double p with P[Bin(n, p) >= k] <= delta, decided without rounding.
    Source   Clopper & Pearson, The use of confidence or fiducial limits (Biometrika 1934).

    Examples
    --------
    >>> round(error_at_least(errors=50, rows=1000, delta=0.05), 6)
    0.039164
    """
    k, n = counts(errors, rows)
    return lower_rate(k, n, inside_unit("delta", delta).low)


def _confirm_share(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    whole_only(inputs, "successes", "rows")
    k, n = successes_of(inputs["successes"], inputs["rows"])
    return confirm_rate(k, n, inside_unit("delta", inputs["delta"]).low, promised, at_length)


@theorem(
    kind="error",
    statement=r"p\le\sup\{t:\Pr[\mathrm{Bin}(n,t)\le k]\ge\delta\}",
    assumes=(IID, FIXED_BEFORE),
    claim=other_end(
        metric_claim(
            DRAWN, FIRST, quantities=("accuracy", "precision", "recall", "specificity", "jaccard")
        )
    ),
    checker=_confirm_share,
)
def rate_at_most(successes: int, rows: int, delta: Number) -> float:
    """How large a success rate is at most: accuracy, precision, recall, specificity, Jaccard.

    Theorem  If k of n independent rows are successes, their rate is below every p with P[Bin(n, p) <= k] <= delta,
             with probability at least 1 - delta, given how many rows the denominator counts.
    Needs    successes k: whole, 0 <= k <= n.  rows n: whole, >= 1, those in the denominator.  delta: strictly
             between 0 and 1.
    Gives    the smallest double p with P[Bin(n, p) <= k] <= delta, decided without rounding.
    Source   Clopper & Pearson, The use of confidence or fiducial limits (Biometrika 1934).

    Examples
    --------
    >>> round(rate_at_most(successes=180, rows=200, delta=0.05), 9)
    0.932738599
    """
    k, n = successes_of(successes, rows)
    return upper_rate(k, n, inside_unit("delta", delta).low)


def _confirm_f1(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    whole_only(inputs, *_COUNTS)
    hits, rows = hits_in(*(inputs[name] for name in _COUNTS))
    level = inside_unit("delta", inputs["delta"]).low
    if not 0 < promised < 2:
        return False, True
    return confirm_rate(hits, rows, level, promised / (2 - promised), at_length)


@theorem(
    kind="error",
    statement=r"F_1\le\frac{2J_U}{1+J_U},\quad J_U=\sup\{t:\Pr[\mathrm{Bin}(m,t)\le\mathrm{TP}]\ge\delta\},\quad "
    r"m=\mathrm{TP}+\mathrm{FP}+\mathrm{FN}",
    assumes=(IID, FIXED_BEFORE, SAME_PREVALENCE),
    claim=other_end(metric_claim(DRAWN, FIRST, DRAWN, quantities=("f1",))),
    checker=_confirm_f1,
)
def f1_at_most(
    true_positives: int, false_positives: int, false_negatives: int, delta: Number
) -> float:
    """How large the F1 score of a class is at most.

    Theorem  Given that m rows are not true negatives, the true positives among them are binomial with the
             Jaccard index J as their rate, and F1 = 2 J / (1 + J) grows with J. So an upper bound for J is
             one for F1, at the same level.
    Needs    true_positives, false_positives, false_negatives: whole, zero or more, not all zero.  delta:
             strictly between 0 and 1.
    Gives    an upper bound, rounded up.
    Source   Derived from Clopper & Pearson (Biometrika 1934): the argument stands in the statement.

    Examples
    --------
    >>> round(f1_at_most(true_positives=180, false_positives=20, false_negatives=30, delta=0.05), 9)
    0.905066339
    """
    hits, rows = hits_in(true_positives, false_positives, false_negatives)
    return double_above(_upper_f1(hits, rows, inside_unit("delta", delta).low))


def _upper_f1(hits: int, rows: int, level: Fraction) -> Fraction:
    """F1 for the largest Jaccard index that is not excluded, or one a hair above; one without rows."""
    jaccard = Fraction(upper_rate(hits, rows, level)) if rows else Fraction(1)
    return 2 * jaccard / (1 + jaccard)


def _confirm_means(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    classes = counts_by_class(inputs["successes"], inputs["rows"])
    level = inside_unit("delta", inputs["delta"]).low / len(classes)
    highs = [Fraction(upper_rate(k, n, level)) for k, n in classes]
    sound = all(
        confirm_rate(k, n, level, high, at_length)[0]
        for (k, n), high in zip(classes, highs, strict=True)
    )
    return _at_least_the_mean(promised, highs, sound)


@theorem(
    kind="error",
    statement=r"\frac1K\sum_cp_c\le\frac1K\sum_c\sup\{t:\Pr[\mathrm{Bin}(n_c,t)\le k_c]\ge\delta/K\}",
    assumes=(IID, FIXED_BEFORE),
    claim=other_end(
        metric_claim(DRAWN, FIRST, quantities=("balanced-accuracy", "macro-precision"), listed=True)
    ),
    checker=_confirm_means,
)
def mean_rate_at_most(successes: Sequence[int], rows: Sequence[int], delta: Number) -> float:
    """How large a mean of rates over classes is at most: balanced accuracy, macro precision.

    Theorem  With probability at least 1 - delta the K bounds of the classes, each at level delta / K, hold at
             once, and so does their mean.
    Needs    successes k_c and rows n_c: as many whole numbers as classes, 0 <= k_c <= n_c, n_c >= 1.  delta:
             strictly between 0 and 1.
    Gives    an upper bound, rounded up.
    Source   Clopper & Pearson (Biometrika 1934) for each class, Boole (1854) for all of them.

    Examples
    --------
    >>> round(mean_rate_at_most(successes=[180, 90], rows=[200, 120], delta=0.05), 9)
    0.881188007
    """
    classes = counts_by_class(successes, rows)
    level = inside_unit("delta", delta).low / len(classes)
    return _mean_above([Fraction(upper_rate(k, n, level)) for k, n in classes])


def _confirm_macro(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    classes = hits_by_class(*(inputs[name] for name in _COUNTS))
    level = inside_unit("delta", inputs["delta"]).low / len(classes)
    highs = [_upper_f1(hits, rows, level) for hits, rows in classes]
    sound = all(
        rows == 0 or confirm_rate(hits, rows, level, high / (2 - high), at_length)[0]
        for (hits, rows), high in zip(classes, highs, strict=True)
    )
    return _at_least_the_mean(promised, highs, sound)


@theorem(
    kind="error",
    statement=r"\frac1K\sum_cF_{1,c}\le\frac1K\sum_c\frac{2J_c}{1+J_c},\quad "
    r"J_c=\sup\{t:\Pr[\mathrm{Bin}(m_c,t)\le\mathrm{TP}_c]\ge\delta/K\}",
    assumes=(IID, FIXED_BEFORE, SAME_PREVALENCE, CLASSES_FIRST),
    claim=other_end(metric_claim(DRAWN, FIRST, DRAWN, TOLD, quantities=("macro-f1",), listed=True)),
    checker=_confirm_macro,
)
def macro_f1_at_most(
    true_positives: Sequence[int],
    false_positives: Sequence[int],
    false_negatives: Sequence[int],
    delta: Number,
) -> float:
    """How large the mean of the F1 scores of all classes is at most.

    Theorem  With probability at least 1 - delta the K bounds of the classes, each at level delta / K, hold at
             once, and so does their mean. A class that no row is of, and none is taken for, may have any score.
    Needs    true_positives, false_positives, false_negatives: as many whole numbers as classes, zero or more,
             not all of them zero.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up.
    Source   Derived from Clopper & Pearson (Biometrika 1934) for each class, Boole (1854) for all of them.

    Examples
    --------
    >>> round(macro_f1_at_most([180, 90], [20, 30], [30, 20], delta=0.05), 9)
    0.874057389
    """
    classes = hits_by_class(true_positives, false_positives, false_negatives)
    level = inside_unit("delta", delta).low / len(classes)
    return _mean_above([_upper_f1(hits, rows, level) for hits, rows in classes])


def _confirm_area(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    whole_only(inputs, "concordant", "tied", "pairs")
    above, tied, pairs = pairs_in(inputs["concordant"], inputs["tied"], inputs["pairs"])
    level = inside_unit("delta", inputs["delta"]).low
    if tied == 0:
        return confirm_rate(above, pairs, level, promised, at_length)
    bound = 1 - area_from_below(pairs - above - tied, tied, pairs, level)
    return bound <= promised, promised <= bound + Fraction(1, 10**12)


@theorem(
    kind="error",
    statement=r"\mathrm{AUC}\le\sup\{t:\Pr[\mathrm{Bin}(n,t)\le k]\ge\delta\}",
    assumes=(IID, FIXED_BEFORE, ORDER_BEFORE_SCORES, PAIRS_DISJOINT, TIES_SETTLED),
    claim=other_end(ranking_claim(DRAWN, FIRST, ORDERED, BUILT, BUILT)),
    checker=_confirm_area,
)
def concordance_at_most(concordant: int, tied: int, pairs: int, delta: Number) -> float:
    """How large the area under the ROC curve is at most.

    Theorem  With the labels exchanged, pairs that were ranked rightly are ranked wrongly, and the area is what is left
             of one. So one minus the lower bound of `concordance_at_least` for the pairs that are ranked wrongly
             is an upper bound on the area.
    Needs    concordant k, tied: whole, zero or more, together at most n.  pairs n: whole, at least 1; with ties at
             most 10^9.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up.
    Source   Hanley & McNeil, The meaning and use of the area under a ROC curve (Radiology 1982); Clopper & Pearson
             (Biometrika 1934); with ties Waudby-Smith & Ramdas (JRSS B 2024).

    Examples
    --------
    >>> round(concordance_at_most(concordant=180, tied=0, pairs=200, delta=0.05), 9)
    0.932738599
    """
    above, tie, n = pairs_in(concordant, tied, pairs)
    level = inside_unit("delta", delta).low
    if tie == 0:
        return upper_rate(above, n, level)
    return double_above(1 - area_from_below(n - above - tie, tie, n, level))


def _mean_above(values: Sequence[Fraction]) -> float:
    return double_above(sum(values, Fraction(0)) / len(values))


def _at_least_the_mean(
    promised: Fraction, highs: Sequence[Fraction], sound: bool
) -> tuple[bool, bool]:
    """Whether a promise is at least the mean of bounds that hold, and whether it is no larger."""
    mean = sum(highs, Fraction(0)) / len(highs)
    return sound and promised >= mean, promised <= mean * (1 + Fraction(1, 10**12))
