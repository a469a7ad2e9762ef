"""What leaving out one row at a time says about a rule of nearest neighbours."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import Form, count, inside_unit, one_of
from assay.theory.registry import theorem
from assay.theory.rounding import Number, sqrt
from assay.theory.tail.binomial import IID

RULE_FIXED = Condition(
    "neighbour-rule-fixed", "neighbours, distance and weights were fixed before the rows were seen"
)
LOCAL = Condition(
    "local-rule", "the rule looks only at the nearest rows, and ties are broken by their places"
)
TWO_CLASSES = Condition(
    "two-classes-equal-votes",
    "where majorities are spoken of: two classes, and one vote for each neighbour",
)

# Beyond this the powers in the chance of a decisive vote grow unwieldy, and it is taken to be one.
_MOST_EXACT = 4000


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D\le\mathrm{LOO}(S)+\sqrt{\frac1\delta\Bigl(\frac1{4(m-1)}+\frac{3k}m\Bigr)}",
    assumes=(IID, RULE_FIXED, LOCAL, TWO_CLASSES),
)
def neighbors_leave_one_out(
    errors: int,
    rows: int,
    neighbors: int,
    delta: Number,
    vote: Literal["any", "majority"] = "any",
    form: Form = "sharp",
) -> float:
    """The error of a rule of k nearest neighbours, from leaving out one row at a time.

    Theorem  Let the rule see only the k nearest of m independent rows. The mean square of the
             difference between its error and the share of rows that it gets wrong when they are
             left out is at most s = 1 / (4 (m - 1)) + 3 k / m. With two classes and majorities
             it is at most 1 / (4 (m - 1)) + k c (2 / m + 1 / (m - 1)), where c is the largest chance
             that one of k independent votes decides. So with probability at least 1 - delta the
             error is at most the share plus sqrt(s / delta). The textbook has s = (6 k + 1) / m.
    Needs    errors: whole, 0 <= errors <= m.  rows m: whole, >= k + 1, and >= k + 2 for "majority".
             neighbors k: whole, >= 1.  delta: strictly between 0 and 1.  vote: "any", or
             "majority" for two classes whose neighbours have one vote each.  form: "sharp" or
             "textbook".
    Gives    an upper bound on the error, rounded up; it may exceed 1.
    Source   Rogers & Wagner, A finite sample distribution-free performance bound for local
             discrimination rules (1978); Devroye, Györfi & Lugosi, A Probabilistic Theory of Pattern
             Recognition (1996), chapter 24. The constants of the sharp form are from the proof in
             the documentation.

    Examples
    --------
    >>> round(neighbors_leave_one_out(errors=800, rows=10_000, neighbors=5, delta=0.05), 6)
    0.254643
    >>> round(neighbors_leave_one_out(800, 10_000, 5, 0.05, vote="majority"), 6)
    0.161982
    """
    one_of("vote", vote, "any", "majority")
    one_of("form", form, "sharp", "textbook")
    k = count("neighbors", neighbors, at_least=1)
    least = k + (2 if vote == "majority" else 1)
    m, wrong = count("rows", rows, at_least=least), count("errors", errors)
    require(wrong <= m, "errors", f"at most the number of rows {m}", errors)
    level = inside_unit("delta", delta)
    return (Fraction(wrong, m) + sqrt(_mean_square(m, k, vote, form) / level)).up()


def _mean_square(m: int, k: int, vote: str, form: str) -> Fraction:
    if form == "textbook":
        return Fraction(6 * k + 1, m)
    # Three times a prediction changes as a row comes or goes, which needs the row to be a neighbour.
    changes = Fraction(3 * k, m)
    if vote == "majority":
        decided = k * decisive_vote(k)
        changes = min(changes, decided * (Fraction(2, m) + Fraction(1, m - 1)))
    return Fraction(1, 4 * (m - 1)) + changes


def decisive_vote(neighbors: int) -> Fraction:
    """The largest chance that one of k independent votes, of a row that is exchanged for another, decides.

    The others are k - 1 draws of 0 or 1 with some chance p of a 1, of which exactly floor(k / 2) must be 1, and
    the row's own vote must be the one that the other row does not have. The largest of these over p is given,
    as an exact fraction; 1 for more than 4000 neighbours.

    Examples
    --------
    >>> decisive_vote(1), decisive_vote(3)
    (Fraction(1, 1), Fraction(8, 27))
    """
    k = count("neighbors", neighbors, at_least=1)
    if k > _MOST_EXACT:
        return Fraction(1)
    ones = k // 2
    ways = math.comb(k - 1, ones)
    return max(ways * _highest(a, k - a) for a in (ones, ones + 1))


def _highest(a: int, b: int) -> Fraction:
    """The largest value of p^a (1 - p)^b, at p = a / (a + b)."""
    return Fraction(a**a * b**b, (a + b) ** (a + b))
