"""What least-squares boosting leaves of the residuals, from how well each round's hypothesis goes along with them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import Form, each, nonnegative, one_of, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exp

LEAST_SQUARES_STEPS = Condition(
    "least-squares-steps",
    "the fit starts at zero, and each round adds its hypothesis by the step that leaves the least squares",
)


@theorem(
    kind="training-error",
    statement=(
        r"\tfrac1m\sum_i(y_i-f_T(x_i))^2=R_0\prod_t(1-\rho_t^2)\le R_0e^{-\sum_t\rho_t^2};\qquad"
        r"\mathrm{err}_S(\mathrm{sgn}f_T)\le\prod_t(1-\rho_t^2)\text{ for }y_i=\pm1"
    ),
    assumes=(LEAST_SQUARES_STEPS,),
)
def l2boost_training_loss(
    correlations: Iterable[Number], start: Number = 1, form: Form = "sharp"
) -> float:
    """What is left of the mean square, and of the training errors, after rounds of least-squares boosting.

    Theorem  Let r be what is left of the target, rho_t = <r, h_t> / (|r| |h_t|) for the hypothesis h_t
             of round t, and let f grow by the step that minimises the squares. Then a round
             multiplies the mean of r^2 by exactly 1 - rho_t^2, so that start times the product of
             these is left (sharp), at most start times exp(-sum rho_t^2) (textbook). With labels -1
             and +1, start is 1, and no more than what is left of the examples have another sign
             than f: each of them has (y - f)^2 >= 1.
    Needs    correlations rho: numbers between 0 and 1, one or more.  start: the mean of y^2, finite,
             >= 0.  form: "sharp" or "textbook".
    Gives    an upper bound on the mean square residual, rounded up.
    Source   Friedman, Greedy function approximation: a gradient boosting machine (2001), Algorithm 2;
             Buhlmann & Yu, Boosting with the L2 loss (2003); Sakulwongtana, Supervised Learning
             (lecture notes), Remark 28, with the square loss of Remark 29. The product is derived.

    Examples
    --------
    >>> round(l2boost_training_loss([0.4, 0.3, 0.3]), 6)
    0.695604
    >>> round(l2boost_training_loss([0.4, 0.3, 0.3], form="textbook"), 6)
    0.71177
    """
    rho = [number.low for number in each("correlations", correlations, unit)]
    require(len(rho) > 0, "correlations", "a sequence of at least one number", rho)
    one_of("form", form, "sharp", "textbook")
    first = nonnegative("start", start)
    squares = [r * r for r in rho]
    if form == "textbook":
        return (first * exp(-sum(squares, start=Fraction(0)))).up()
    # Numerators and denominators apart spare a gcd in every round.
    factors = [1 - square for square in squares]
    top = math.prod(factor.numerator for factor in factors)
    return (first * Fraction(top, math.prod(factor.denominator for factor in factors))).up()
