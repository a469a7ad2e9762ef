"""Training error of AdaBoost from the weighted errors of its rounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import Form, one_of, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact, exp, sqrt

REWEIGHTING = Condition(
    "adaboost-weights",
    "the weights start equal; a hypothesis of weighted error e gets the vote ln((1 - e) / e) / 2 "
    "and each weight is multiplied by exp(-vote * y * h), then normalised",
)
WEIGHTED_VOTE = Condition(
    "output-is-sign-of-votes", "the output is the sign of the weighted sum of the votes"
)


@theorem(
    "T81",
    kind="training-error",
    statement=(
        r"\mathrm{err}_S(H)\le\prod_t2\sqrt{\varepsilon_t(1-\varepsilon_t)}"
        r"\le e^{-2\sum_tg_t^2},\quad g_t=\tfrac12-\varepsilon_t"
    ),
    assumes=(REWEIGHTING, WEIGHTED_VOTE),
)
def adaboost_training_error(round_errors: Sequence[Number], form: Form = "sharp") -> float:
    """Share of the training examples that AdaBoost can still get wrong.

    Theorem  If the weighted errors of the rounds were e_1, ..., e_T, the weighted vote is wrong on
             at most the product of 2 sqrt(e_t (1 - e_t)) of the training examples (sharp), hence at
             most exp(-2 sum_t (1/2 - e_t)^2) (textbook).
    Needs    round_errors e: numbers between 0 and 1, at least one.  form: "sharp" or "textbook".
    Gives    an upper bound on the fraction, rounded up.
    Source   Freund & Schapire, A decision-theoretic generalization of on-line learning and an
             application to boosting (1997), Theorem 6; Sakulwongtana, Supervised Learning (lecture
             notes), Theorem 4.2.

    Examples
    --------
    >>> round(adaboost_training_error([0.3, 0.3, 0.3]), 6)
    0.769873
    >>> round(adaboost_training_error([0.3, 0.3, 0.3], form="textbook"), 6)
    0.786628
    """
    must = "a sequence of numbers"
    require(isinstance(round_errors, Iterable), "round_errors", must, round_errors)
    errors = [unit(f"round_errors[{i}]", error).low for i, error in enumerate(round_errors)]
    must = "a sequence of at least one number"
    require(len(errors) >= 1, "round_errors", must, round_errors)
    one_of("form", form, "sharp", "textbook")
    if form == "textbook":
        return exp(-2 * sum((Fraction(1, 2) - e) ** 2 for e in errors)).up()
    # One root of the whole product; numerators and denominators apart spare a gcd in every round.
    factors = [4 * e * (1 - e) for e in errors]
    top = math.prod(factor.numerator for factor in factors)
    return sqrt(Fraction(top, math.prod(factor.denominator for factor in factors))).up()


@theorem(
    "L20",
    kind="potential",
    statement=(
        r"Z_t=2\sqrt{\varepsilon_t(1-\varepsilon_t)},\quad"
        r"\prod_tZ_t=\tfrac1m\sum_ie^{-y_if(x_i)}\ge\mathrm{err}_S(H)"
    ),
    assumes=(REWEIGHTING, WEIGHTED_VOTE),
)
def adaboost_normalizer_potential(round_error: Number) -> float:
    """By how much one round of AdaBoost shrinks the mean exponential loss.

    Theorem  A round of weighted error e multiplies the mean of exp(-y f) over the training examples
             by exactly 2 sqrt(e (1 - e)); that mean is never below the training error.
    Needs    round_error e: a number between 0 and 1.
    Gives    the factor, rounded up.
    Source   Freund & Schapire, A decision-theoretic generalization of on-line learning and an
             application to boosting (1997), proof of Theorem 6.

    Examples
    --------
    >>> round(adaboost_normalizer_potential(0.3), 6)
    0.916515
    """
    e = unit("round_error", round_error).low
    return sqrt(exact(4 * e * (1 - e))).up()
