"""The error of a majority of independent voters: the exact sum and four bounds on it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, nonnegative
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact, exp

_FORMS = ("exact", "refined", "hoeffding", "chernoff", "simplified")


@theorem(
    "T82",
    kind="error",
    statement=(
        r"P[\text{majority wrong}]=\sum_{i=0}^{T}\binom{2T+1}{i}(\tfrac12+\gamma)^i"
        r"(\tfrac12-\gamma)^{2T+1-i}\le e^{-2((2T+1)\gamma+1/2)^2/(2T+1)}\le e^{-2(2T+1)\gamma^2}"
    ),
    assumes=(
        Condition("voters-independent", "the voters err independently of one another"),
        Condition(
            "voters-with-edge",
            "each voter is right with probability 1/2 plus the edge (at least, for the bounds)",
        ),
    ),
)
def crowd_majority_error(
    voters: int,
    edge: Number,
    form: Literal["exact", "refined", "hoeffding", "chernoff", "simplified"] = "exact",
) -> float:
    """Probability that the majority of independent voters is wrong.

    Theorem  Of n = 2 T + 1 independent voters, each right with probability 1/2 + g, at most T are
             right with probability sum_{i <= T} C(n, i) (1/2 + g)^i (1/2 - g)^(n - i) (exact). This
             is at most exp(-2 (n g + 1/2)^2 / n) (refined), exp(-2 n g^2) (hoeffding),
             exp(-(m - T)^2 / (2 m)) with m = n (1/2 + g) (chernoff), and exp(-4 g^2 T / 5)
             (simplified).
    Needs    voters n: whole, >= 1, odd.  edge g: 0 <= g <= 1/2.  form: "exact", "refined",
             "hoeffding", "chernoff" or "simplified".
    Gives    the probability, or a bound on it, rounded up.
    Source   Hoeffding, Probability inequalities for sums of bounded random variables (1963);
             Sakulwongtana, Supervised Learning (lecture notes), Remark 25; Blum, Hopcroft & Kannan,
             Foundations of Data Science, Section 6.7; the refined exponent is derived.

    Examples
    --------
    >>> round(crowd_majority_error(voters=11, edge=0.1), 6)
    0.246502
    >>> round(crowd_majority_error(voters=11, edge=0.1, form="refined"), 6)
    0.62785
    """
    n = count("voters", voters, at_least=1)
    require(n % 2 == 1, "voters", "an odd number, so that no vote is tied", voters)
    g = nonnegative("edge", edge)
    require(g.low <= Fraction(1, 2), "edge", "at most 1/2", edge)
    require(form in _FORMS, "form", f"one of {', '.join(map(repr, _FORMS))}", form)
    t = n // 2
    if form == "exact":
        return exact(_at_most_half(n, Fraction(1, 2) + g.low)).up()
    if form == "refined":
        return exp(-2 * (n * g + Fraction(1, 2)) ** 2 / n).up()
    if form == "hoeffding":
        return exp(-2 * n * g**2).up()
    if form == "chernoff":
        mean = n * (Fraction(1, 2) + g)
        return exp(-((mean - t) ** 2) / (2 * mean)).up()
    return exp(-Fraction(4, 5) * g**2 * t).up()


def _at_most_half(n: int, right: Fraction) -> Fraction:
    """P[Binomial(n, right) <= n // 2], in integers: one division at the end."""
    a, denominator = right.numerator, right.denominator
    b, half = denominator - a, n // 2
    # Horner's rule in a, downwards: the power of b and the binomial coefficient follow along.
    total, power_of_b, choices = 0, 1, math.comb(n, half)
    for i in range(half, -1, -1):
        total = total * a + choices * power_of_b
        power_of_b *= b
        choices = choices * i // (n - i + 1)
    return Fraction(total * b ** (n - half), denominator**n)
