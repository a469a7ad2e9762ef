"""Nearest neighbours: their error in the limit, safe pruning, and the trouble with dimension."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import Form, count, each, one_of, real, unit
from assay.theory.registry import theorem, without_number
from assay.theory.rounding import Number, exact, sqrt

# 2^-1100 is far below the smallest double.
_DEEPEST = 1100


@theorem(
    "T84",
    kind="error",
    holds="limit",
    statement=r"R_{1NN}\le R^*\left(2-\tfrac{C}{C-1}R^*\right)\le2R^*",
    assumes=(
        Condition(
            "independent-examples", "the examples are independent draws from one distribution"
        ),
        Condition("examples-to-infinity", "the number of examples tends to infinity"),
        Condition("ties-ignore-labels", "ties in distance are broken independently of the labels"),
    ),
)
def cover_hart(
    bayes_error: Number, classes: int = 2, neighbors: int = 1, form: Form = "sharp"
) -> float:
    """The error that the nearest-neighbour rule tends to.

    Theorem  With C classes and Bayes error R, the error of the nearest-neighbour rule tends to
             at most R (2 - R C / (C - 1)) (sharp), hence 2 R (textbook). With two classes the
             same is true of the majority of any odd number of neighbours; of an even number
             it is not.
    Needs    bayes_error R: 0 <= R <= 1 - 1/C.  classes C: whole, >= 2.  neighbors: whole, >= 1;
             odd, and above 1 only with two classes.  form: "sharp" or "textbook".
    Gives    an upper bound on the limit, rounded up.
    Source   Cover & Hart, Nearest neighbor pattern classification (1967); for an odd number of
             neighbours Devroye, Györfi & Lugosi, A Probabilistic Theory of Pattern Recognition
             (1996), chapter 5; Sakulwongtana, Supervised Learning (lecture notes), Theorem 1.2,
             for every number of neighbours, which is false for two.

    Examples
    --------
    >>> cover_hart(bayes_error=0.25), cover_hart(bayes_error=0.25, form="textbook")
    (0.375, 0.5)
    """
    one_of("form", form, "sharp", "textbook")
    r, c = unit("bayes_error", bayes_error), count("classes", classes, at_least=2)
    highest = 1 - Fraction(1, c)
    require(r.low <= highest, "bayes_error", f"at most {highest} with {c} classes", bayes_error)
    k = count("neighbors", neighbors, at_least=1)
    require(k % 2 == 1, "neighbors", "an odd number", neighbors)
    require(k == 1 or c == 2, "neighbors", f"1 with {c} classes", neighbors)
    return (2 * r if form == "textbook" else r * (2 - r / highest)).up()


without_number(
    "T85",
    "knn-consistency",
    kind="error",
    holds="limit",
    statement=r"k(m)\to\infty,\ k(m)/m\to0\;\Rightarrow\;\mathrm{err}_D(k\mathrm{NN})\to R^*",
    source="Stone, Consistent nonparametric regression (1977); Sakulwongtana, Supervised Learning (lecture notes), "
    "Remark 5.",
)


@theorem(
    "T89",
    kind="identity",
    statement=(
        r"\mathrm{dist}(q,\mathrm{box})=\left\|\max(0,\,\ell-q,\,q-u)\right\|"
        r"\le\mathrm{dist}(q,p)\quad\forall p\in\mathrm{box}"
    ),
    assumes=(Condition("subtree-in-box", "every point of the subtree lies in the box"),),
)
def kd_tree_pruning(
    query: Iterable[Number],
    low: Iterable[Number],
    high: Iterable[Number],
    metric: Literal["euclidean", "manhattan"] = "euclidean",
) -> float:
    """The distance from a query to a box: no point in the box is nearer.

    Theorem  In each coordinate a point of the box is at least max(0, low - q, q - high) away
             from q, so the length of that vector is a lower bound on all distances. A subtree
             whose box is farther than the best point so far cannot hold a better one.
    Needs    query, low, high: finite numbers, equally many and at least one, low <= high in
             each.  metric: "euclidean" or "manhattan".
    Gives    the distance, rounded down: pruning by it never loses a neighbour.
    Source   Friedman, Bentley & Finkel, An algorithm for finding best matches in logarithmic
             expected time (1977); Classification (lecture slides), "Nearest neighbor search
             pruning".

    Examples
    --------
    >>> kd_tree_pruning(query=[0, 0], low=[3, 4], high=[5, 5])
    5.0
    >>> kd_tree_pruning(query=[0, 0], low=[3, 4], high=[5, 5], metric="manhattan")
    7.0
    """
    known = metric in ("euclidean", "manhattan")
    require(known, "metric", "'euclidean' or 'manhattan'", metric)
    at = [x.low for x in each("query", query, real)]
    lows = [x.low for x in each("low", low, real)]
    highs = [x.low for x in each("high", high, real)]
    require(bool(at), "query", "a point with at least one coordinate", query)
    must = f"as long as the query, {len(at)} numbers"
    require(len(lows) == len(at), "low", must, low)
    require(len(highs) == len(at), "high", must, high)
    ordered = all(a <= b for a, b in zip(lows, highs, strict=True))
    require(ordered, "high", f"at least low {low!r} in every coordinate", high)
    gaps = [max(Fraction(0), a - q, q - b) for q, a, b in zip(at, lows, highs, strict=True)]
    if metric == "manhattan":
        return exact(sum(gaps, start=Fraction(0))).down()
    return sqrt(sum((gap**2 for gap in gaps), start=Fraction(0))).down()


@theorem(
    "T90", kind="identity", statement=r"\frac{\mathrm{vol}(B_{1/2})}{\mathrm{vol}(B_1)}=2^{-d}"
)
def curse_of_dimension(dimension: int) -> float:
    """The part of a ball that lies within half its radius.

    Theorem  Volume in d dimensions scales with the d-th power of length, so the concentric
             ball of half the radius holds 2^(-d) of the volume: in many dimensions nearly all
             points of a ball are far from its centre.
    Needs    dimension d: whole, >= 1.
    Gives    the exact part, rounded up where doubles end.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Remark 6.

    Examples
    --------
    >>> curse_of_dimension(dimension=10)
    0.0009765625
    """
    d = count("dimension", dimension, at_least=1)
    return exact(Fraction(1, 1 << min(d, _DEEPEST))).up()
