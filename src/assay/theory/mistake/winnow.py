"""Mistake bounds of Winnow (threshold d): disjunctions, DNF, linear separators, and its two potentials."""

from __future__ import annotations

from fractions import Fraction

from assay.errors import require
from assay.theory.claim import BUILT, LABELLED, Condition, run_claim
from assay.theory.needs import Form, count, nonnegative, one_of, positive
from assay.theory.registry import theorem, without_number
from assay.theory.rounding import Enclosure, Number, exact, ln, log2

_LEAST_FACTOR = 1 + Fraction(1, 10**9)
# Powers with so many digits are compared exactly; a file is not trusted to ask for larger ones.
_MOST_BITS = 1_000_000
RULE = Condition(
    "winnow-updates",
    "the weights start at one, the threshold is the number of features, the factor is two",
)


@theorem(
    "T08",
    kind="mistakes",
    statement=r"M\le3k\lceil\log_2d\rceil+1\le2+3k(\log_2d+1)",
    assumes=(
        Condition(
            "labels-monotone-disjunction-of-k",
            "the labels are a monotone disjunction of k of the d boolean features",
        ),
        RULE,
    ),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def winnow_disjunction_mistakes(literals: int, features: int, form: Form = "sharp") -> int:
    """Mistakes of Winnow on a monotone disjunction.

    Theorem  Each mistake on a positive example doubles a relevant weight, which is never halved
             and stops below 2 d: at most k ceil(log2 d) of them. Each adds less than d to the
             total weight, and each mistake on a negative removes at least d / 2 of it, so there
             are at most twice as many of those, plus one.
    Needs    literals k: whole, 0 <= k <= d.  features d: whole, >= 1.
             form: "sharp" (3 k ceil(log2 d) + 1) or "textbook" (2 + 3 k (log2 d + 1)).
    Gives    the largest whole number the bound allows.
    Source   Littlestone, Learning quickly when irrelevant attributes abound (1988); Mansour,
             Introduction to Machine Learning, lecture 4 (2012), Theorem 4.7; the sharp form keeps
             the whole numbers of its proof.

    Examples
    --------
    >>> winnow_disjunction_mistakes(literals=3, features=1000)
    91
    >>> winnow_disjunction_mistakes(literals=3, features=1000, form="textbook")
    100
    """
    d = count("features", features, at_least=1)
    k = count("literals", literals)
    require(k <= d, "literals", f"at most the number of features {d}", literals)
    one_of("form", form, "sharp", "textbook")
    if form == "textbook":
        return (2 + 3 * k * (log2(d) + 1)).floor()
    return 3 * k * _ceil_log2(d) + 1


@theorem(
    "T09",
    kind="mistakes",
    statement=r"M\le3kd+1\le2+3k(d+1)",
    assumes=(
        Condition(
            "labels-monotone-dnf",
            "the labels are a monotone disjunctive normal form of k terms over d boolean features",
        ),
        Condition(
            "winnow-on-products", "Winnow runs on all 2^d products of features, with threshold 2^d"
        ),
    ),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def winnow_dnf_mistakes(terms: int, features: int, form: Form = "sharp") -> int:
    """Mistakes of Winnow on the product features, on a monotone DNF.

    Theorem  A monotone DNF of k terms is a disjunction of k of the 2^d product features, so the
             bound for disjunctions holds with log2 of 2^d, which is d.
    Needs    terms k: whole, >= 0.  features d: whole, >= 1.
             form: "sharp" (3 k d + 1) or "textbook" (2 + 3 k (d + 1)).
    Gives    a whole number.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Remark 40, which states the
             order; the constants are those of Littlestone, Learning quickly when irrelevant
             attributes abound (1988), in the product features.

    Examples
    --------
    >>> winnow_dnf_mistakes(terms=2, features=5)
    31
    """
    k = count("terms", terms)
    d = count("features", features, at_least=1)
    one_of("form", form, "sharp", "textbook")
    return 2 + 3 * k * (d + 1) if form == "textbook" else 3 * k * d + 1


ANY_FACTOR = Condition(
    "winnow-updates-any-factor",
    "the weights start at one, the threshold is the number of features, the factor is as given",
)
SEPARATED = Condition(
    "labels-separated-by-weights",
    "weights of zero or more, of the given sum, add up to at least 1 on every positive example and to at most 1 less "
    "the gap on every negative one, of boolean features",
)


@theorem(
    kind="mistakes",
    statement=(
        r"M\le u+v,\quad u\le\frac{W\lceil\log_ad\rceil+(1-g)\frac a{a-1}}{1-(1-g)\,a},\quad "
        r"v<a\,u+\frac a{a-1}"
    ),
    assumes=(SEPARATED, ANY_FACTOR),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def winnow_separator_mistakes(
    weight: Number, gap: Number, features: int, factor: Number = 2, rounding: Number = 0
) -> int:
    """Mistakes of Winnow on a linear separator with weights of zero or more, such as r of k.

    Theorem  Let weights m_i >= 0 of sum W add up to 1 or more on the positive examples, and to at
             most 1 - g on the negative ones. A promotion raises sum m_i log_a w_i by 1 or more, a
             demotion lowers it by at most 1 - g, and it never exceeds W ceil(log_a d), because a
             weight is raised only while it is below d: u - (1 - g) v <= W ceil(log_a d). A promotion
             adds at most (a - 1) d to the total weight, a demotion removes (1 - 1 / a) d or more, and
             it starts at d and stays above zero: v < a u + a / (a - 1).
             At least r of k features is W = k / r with g = 1 / r; a disjunction is r = 1.
    Needs    weight W: finite, >= 0.  gap g: 0 < g <= 1.  features d: whole, >= 1.
             factor a: >= 1.000000001, with (1 - g) a below 1.  rounding s: at least 0, below 1 / 4: by
             which part sums and products of weights may be off.
    Gives    the largest whole number that both allow.
    Source   Littlestone, Learning quickly when irrelevant attributes abound (1988), Theorem 9; Mansour,
             Introduction to Machine Learning, lecture 4 (2012), Section 4.6. The constants are
             derived, those of whole numbers kept.

    Examples
    --------
    >>> winnow_separator_mistakes(weight="5/3", gap="1/3", features=100, factor="7/6")
    539
    >>> winnow_separator_mistakes(weight=3, gap=1, features=1000)
    91
    """
    d = count("features", features, at_least=1)
    w, g, a = nonnegative("weight", weight), positive("gap", gap), positive("factor", factor)
    s = nonnegative("rounding", rounding)
    require(g.high <= 1, "gap", "a number above 0, at most 1", gap)
    require(s.high < Fraction(1, 4), "rounding", "a number of at least 0, below 1/4", rounding)
    added = (a * (1 + s) - 1) * (1 + s)
    removed = (1 - (1 + s) / a) * (1 - s)
    good = a.low >= _LEAST_FACTOR and removed.low > 0 and (1 - (1 - g) * (added / removed)).low > 0
    require(good, "factor", "at least 1.000000001, and below 1 / (1 - gap)", factor)
    missed = (w * _steps(d, a, s) + (1 - g) / removed) / (1 - (1 - g) * (added / removed))
    most = missed.floor()
    return most + ((1 + most * added) / removed).ceil() - 1


def winnow_factor(gap: Number) -> float:
    """A factor with which Winnow learns separators of a gap: 1 + gap / 2.

    Examples
    --------
    >>> winnow_factor("1/3")
    1.1666666666666667
    """
    g = positive("gap", gap)
    require(g.high <= 1, "gap", "a number above 0, at most 1", gap)
    return float(1 + g.low / 2)


def _steps(features: int, factor: Enclosure, rounding: Enclosure) -> int:
    """The factors that take 1 to the number of features or above, which no logarithm need decide."""
    if features == 1 and not rounding.high:
        return 0
    top = features / (1 - rounding)
    most = (ln(top.high) / ln(factor.low)).ceil()
    # Where the quotient is whole, its enclosure is not.
    if 0 < most * factor.low.numerator.bit_length() <= _MOST_BITS and (
        factor.low ** (most - 1) >= top.high
    ):
        most -= 1
    return most


without_number(
    "T10",
    "winnow-margin-order",
    kind="mistakes",
    holds="order",
    statement=r"M_{\text{Winnow}}=O\!\left(\left(\tfrac{L_1(w^*)L_\infty(X)}{\alpha}\right)^2\log d"
    r"\right),\quad M_{\text{perceptron}}=O\!\left(\left(\tfrac{L_2(w^*)L_2(X)}{\alpha}\right)^2"
    r"\right)",
    source="Mansour, Introduction to Machine Learning, lecture 4 (2012), Section 4.6; Littlestone, "
    "Learning quickly when irrelevant attributes abound (1988).",
)


@theorem(
    "L04",
    kind="potential",
    statement=r"0<\sum_iw_i\le d+d\,M_+-\tfrac d2M_-",
    assumes=(Condition("boolean-features", "the features are boolean"), RULE),
)
def winnow_weight_potential(features: int, missed_positives: int, missed_negatives: int) -> float:
    """How much weight Winnow can hold after some mistakes.

    Theorem  A positive example is missed when its weights sum to less than d, and doubling them
             adds that sum; a negative one when they sum to at least d, and halving removes half.
             So the total is at most d + d M+ - (d / 2) M-, and it is above zero.
    Needs    features d: whole, >= 1.  missed_positives M+: whole, >= 0.  missed_negatives M-:
             whole, >= 0.
    Gives    an upper bound on the total weight, rounded up; a run in which it is not above zero
             did not follow the rule.
    Source   Littlestone, Learning quickly when irrelevant attributes abound (1988); Mansour,
             Introduction to Machine Learning, lecture 4 (2012), proof of Theorem 4.7.

    Examples
    --------
    >>> winnow_weight_potential(features=8, missed_positives=3, missed_negatives=1)
    28.0
    """
    d = count("features", features, at_least=1)
    added = count("missed_positives", missed_positives)
    removed = count("missed_negatives", missed_negatives)
    return (d * (1 + added - exact(removed) / 2)).up()


@theorem(
    "L05",
    kind="potential",
    statement=r"\max_iw_i\le2^{\lceil\log_2d\rceil}<2d",
    assumes=(Condition("boolean-features", "the features are boolean"), RULE),
)
def winnow_largest_weight_potential(features: int) -> float:
    """How heavy a single weight of Winnow can become.

    Theorem  A weight is doubled only in a sum below the threshold d, hence only while it is
             below d itself; being a power of two, it never exceeds the first one at or above d.
    Needs    features d: whole, >= 1.
    Gives    an upper bound on every weight, exact up to the range of doubles.
    Source   Littlestone, Learning quickly when irrelevant attributes abound (1988); Mansour,
             Introduction to Machine Learning, lecture 4 (2012), proof of Theorem 4.7.

    Examples
    --------
    >>> winnow_largest_weight_potential(features=10)
    16.0
    """
    return exact(2 ** _ceil_log2(count("features", features, at_least=1))).up()


def _ceil_log2(number: int) -> int:
    """The number of doublings that take 1 to the given number or above, in integers."""
    return (number - 1).bit_length()
