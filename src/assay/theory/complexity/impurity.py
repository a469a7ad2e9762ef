"""Impurities of a node of a decision tree: how mixed its classes are, and what dividing it takes away."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

from assay.errors import require
from assay.theory.needs import each, nonnegative
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, log2

Impurity = Literal["gini", "entropy", "misclassification"]
#: What questions may be compared by: by how much an impurity falls, or the gain ratio.
Score = Literal["gini", "entropy", "misclassification", "gain_ratio"]
_IMPURITIES = ("gini", "entropy", "misclassification")


def impurity(counts: Iterable[Number], measure: Impurity = "gini") -> Enclosure:
    """How mixed the classes are: from zero, for one class, up to the value for equal shares.

    Examples
    --------
    >>> impurity([1, 1]).up(), round(impurity([3, 2], "entropy").up(), 6)
    (0.5, 0.970951)
    """
    require(measure in _IMPURITIES, "impurity", f"one of {', '.join(_IMPURITIES)}", measure)
    weights = [c.low for c in each("counts", counts, nonnegative)]
    total = sum(weights, start=Fraction(0))
    require(total > 0, "the sum of the counts", "above zero", float(total))
    shares = [weight / total for weight in weights if weight]
    if measure == "gini":
        return exact(sum((p * (1 - p) for p in shares), start=Fraction(0)))
    if measure == "misclassification":
        return exact(1 - max(shares))
    # A share of one has a logarithm of zero, and enclosures of zero stay exact.
    return sum((exact(p) * log2(1 / p) for p in shares if p < 1), start=exact(0))


def split_info(parts: Iterable[Iterable[Number]]) -> Enclosure:
    """The entropy of a division itself: how finely it divides, whatever the classes are.

    Examples
    --------
    >>> round(split_info([[2, 0], [3, 2], [0, 3]]).up(), 6)
    1.485475
    """
    sizes = [sum(group, start=Fraction(0)) for group in _groups(parts)]
    return impurity(sizes, "entropy")


def _groups(parts: Iterable[Iterable[Number]]) -> list[list[Fraction]]:
    groups = [[c.low for c in each("parts", part, nonnegative)] for part in parts]
    require(len(groups) > 0, "the number of parts", "at least 1", 0)
    alike = len({len(group) for group in groups}) == 1
    require(alike, "parts", "lists of one length", [len(group) for group in groups])
    return groups


@theorem(
    "T105",
    kind="identity",
    statement=(
        r"1-\sum_cp_c^2=\sum_cp_c(1-p_c),\qquad "
        r"I(p)-\sum_j\tfrac{w_j}wI(p_j)\ge0\text{ for concave }I"
    ),
)
def impurity_identities(parts: Iterable[Iterable[Number]], measure: Score = "gini") -> float:
    """By how much dividing a node lowers its impurity: never below zero.

    Theorem  With p_c the share of class c, the Gini impurity 1 - sum p_c^2 is sum p_c (1 - p_c). It,
             the entropy -sum p_c log2 p_c and the misclassification 1 - max p_c are zero for one
             class and largest for C equal shares, where they are 1 - 1/C, log2 C and 1 - 1/C.
             All three are concave, so their mean over the parts of a node, weighted by the parts'
             sizes, is at most the impurity of the node; for misclassification both are often equal.
             The gain in entropy is at most the entropy of the division itself, SplitInfo, so the
             gain ratio, the one over the other, lies between 0 and 1.
    Needs    parts: one or more lists of counts, each count >= 0, all of one length, no list all
             zero.  measure: "gini", "entropy", "misclassification" or "gain_ratio"; for the last
             two parts or more.
    Gives    the impurity of all parts together less the mean over the parts, rounded up; or the
             gain ratio, rounded up.
    Source   Breiman, Friedman, Olshen & Stone, Classification and Regression Trees (1984), chapter
             4; Quinlan, Induction of decision trees (1986), and C4.5: Programs for Machine Learning
             (1993), section 2.2; Classification (lecture slides), "Gini impurity"; Sakulwongtana,
             Supervised Learning (lecture notes), Definition 4.5.

    Examples
    --------
    >>> impurity_identities([[2, 0], [3, 2], [0, 3]])
    0.26
    >>> round(impurity_identities([[2, 0], [3, 2], [0, 3]], "entropy"), 6)
    0.514525
    >>> round(impurity_identities([[2, 0], [3, 2], [0, 3]], "gain_ratio"), 6)
    0.34637
    """
    known = (*_IMPURITIES, "gain_ratio")
    require(measure in known, "measure", f"one of {', '.join(known)}", measure)
    groups = _groups(parts)
    if measure == "gain_ratio":
        require(len(groups) > 1, "the number of parts", "at least 2 for a gain ratio", len(groups))
        return min((_fall(groups, "entropy") / split_info(groups)).up(), 1.0)
    return _fall(groups, measure).up()


def _fall(groups: list[list[Fraction]], measure: Impurity) -> Enclosure:
    sizes = [sum(group, start=Fraction(0)) for group in groups]
    total = sum(sizes, start=Fraction(0))
    before = impurity(
        [sum(column, start=Fraction(0)) for column in zip(*groups, strict=True)], measure
    )
    within = sum(
        (
            exact(size / total) * impurity(group, measure)
            for group, size in zip(groups, sizes, strict=True)
        ),
        start=exact(0),
    )
    return before - within
