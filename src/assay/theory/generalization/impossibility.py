"""What no learner can do: without assumptions some target is always missed."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import Form, count, inside_unit, one_of, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exp, ln, power, sqrt

# Below this many bits a power is taken in integers and exact.
_EXACT_BITS = 20_000
# The scan for the first number of points takes about a second at this size.
_SCAN_LIMIT = 50_000


def _power(base: Fraction, times: int) -> Enclosure:
    """A number between 0 and 1 to a whole power, however large."""
    if base in (0, 1) or times * base.denominator.bit_length() <= _EXACT_BITS:
        return Enclosure(base**times, base**times)
    return power(base, times)


@theorem(
    "T74",
    kind="error",
    statement=(
        r"\max_f\mathbb E[\mathrm{err}]\ge\tfrac12\left(1-\tfrac1N\right)^m,\qquad"
        r"2m\le N\Rightarrow\max_f\Pr[\mathrm{err}_D(A(S))>\tfrac18]\ge\tfrac17"
    ),
    assumes=(
        Condition(
            "nothing-known-of-target",
            "nothing is known about the target but that it has two labels",
        ),
    ),
)
def no_free_lunch(rows: int, points: int, above: Number | None = None) -> float:
    """An error that every learner makes on some target.

    Theorem  Draw m examples uniformly from N points. Whatever the learner, some labelling f of
             the points gives it an expected error of at least (1 - 1/N)^m / 2; and for some
             f its error exceeds a with probability at least (E - a) / (1 - a), where E is
             that expectation. For 2 m <= N and a = 1/8 this is at least 1/7.
    Needs    rows m: whole, >= 0.  points N: whole, >= 1.  above a: 0 <= a < 1, or nothing.
    Gives    a lower bound, rounded down: on the expected error, or on the probability of an
             error above a (below 0 it says nothing).
    Source   Wolpert, The lack of a priori distinctions between learning algorithms (1996);
             Shalev-Shwartz & Ben-David, Understanding Machine Learning, Theorem 5.1; Sakulwongtana,
             Supervised Learning (lecture notes), Theorem 1.1. The exact average over all labellings
             is from the proof.

    Examples
    --------
    >>> no_free_lunch(rows=2, points=4)
    0.28125
    >>> round(no_free_lunch(rows=1, points=2, above="1/8"), 6)
    0.142857
    """
    m, n = count("rows", rows), count("points", points, at_least=1)
    expected = _power(1 - Fraction(1, n), m) / 2
    if above is None:
        return expected.down()
    a = unit("above", above)
    require(a.low < 1, "above", "below 1", above)
    return ((expected - a) / (1 - a)).down()


@theorem(
    "T75",
    kind="error",
    statement=r"\Pr[\mathrm{Bin}(N-m,\tfrac12)\ge\varepsilon N]\ge\delta",
    assumes=(
        Condition(
            "nothing-known-of-target",
            "nothing is known about the target but that it has two labels",
        ),
        Condition("enough-points", "there are at least N different points"),
    ),
)
def no_free_lunch_large(
    rows: int, error: Number, probability: Number, form: Literal["first", "hoeffding"] = "first"
) -> int:
    """Points among which every learner fails this badly, this surely, on some target.

    Theorem  Draw m examples uniformly from N points, label all points by fair coins. At least
             N - m points stay unseen, so any learner errs on at least epsilon N points with
             probability P[Bin(N - m, 1/2) >= epsilon N] or more; where this reaches the given
             probability, some fixed labelling does it too.
    Needs    rows m: whole, >= 0.  error epsilon: 0 < epsilon < 1/2.  probability:
             strictly between 0 and 1.  form: "first" or "hoeffding".
    Gives    the first N with exactly computed binomial tails, or a (larger) N in closed form.
    Source   Shalev-Shwartz & Ben-David, Understanding Machine Learning, Theorem 5.1, made
             quantitative; Sakulwongtana, Supervised Learning (lecture notes), Theorem 7.3.

    Examples
    --------
    >>> no_free_lunch_large(rows=10, error=0.4, probability=0.9)
    110
    """
    one_of("form", form, "first", "hoeffding")
    m, e = count("rows", rows), inside_unit("error", error)
    require(e.low < Fraction(1, 2), "error", "below 1/2", error)
    p = inside_unit("probability", probability)
    enough = m + _unseen_points(m, e, p)
    if form == "hoeffding":
        return enough
    require(enough <= _SCAN_LIMIT, "form", f"'hoeffding' beyond {_SCAN_LIMIT} points", form)
    return _first(m, e.low, p.low)


def _unseen_points(rows: int, error: Enclosure, probability: Enclosure) -> int:
    """How many unseen points Hoeffding's inequality asks for: a n - c sqrt(n) - b >= 0."""
    a, b = Fraction(1, 2) - error, error * rows
    c = sqrt(ln(1 / (1 - probability)) / 2)
    return (((c + sqrt(c**2 + 4 * a * b)) / (2 * a)) ** 2).ceil()


def _first(rows: int, error: Fraction, probability: Fraction) -> int:
    """Raise the number of unseen points one by one, keeping the tail as an integer."""
    unseen = 1
    while math.ceil(error * (unseen + rows)) > unseen:
        unseen += 1
    # Here every unseen point must be missed: one way, and the tail holds nothing else.
    need, ways, tail = unseen, 1, 1
    while tail * probability.denominator < probability.numerator << unseen:
        # Pascal: the tail at n + 1 is twice the tail at n, plus the ways to lack one head.
        before = ways * need // (unseen - need + 1)
        unseen, tail, ways = unseen + 1, 2 * tail + before, ways + before
        if math.ceil(error * (unseen + rows)) > need:
            tail -= ways
            ways = ways * (unseen - need) // (need + 1)
            need += 1
    return unseen + rows


@theorem(
    "T76",
    kind="identity",
    statement=r"\Pr[\text{unseen}]=(1-\varepsilon)^m\le e^{-\varepsilon m}",
    assumes=(
        Condition(
            "independent-examples", "the examples are independent draws from one distribution"
        ),
    ),
)
def unseen_point(mass: Number, rows: int, form: Form = "sharp") -> float:
    """How likely a point is absent from a sample.

    Theorem  A point of probability epsilon is missed by all m independent draws with
             probability (1 - epsilon)^m (sharp), which is at most e^(-epsilon m) (textbook).
    Needs    mass epsilon: 0 <= epsilon <= 1.  rows m: whole, >= 0.  form: "sharp" or "textbook".
    Gives    an upper bound on a probability, rounded up.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Remark 46.

    Examples
    --------
    >>> round(unseen_point(mass=0.01, rows=100), 6)
    0.366032
    """
    one_of("form", form, "sharp", "textbook")
    e, m = unit("mass", mass), count("rows", rows)
    return (exp(-e * m) if form == "textbook" else _power(1 - e.low, m)).up()
