"""Regret of forward least squares: squared errors of forecasts made one by one, against any linear forecaster."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, ln

FORWARD = Condition(
    "forward-least-squares",
    "every number is forecast by least squares with the penalty, as if it had been seen to be 1/2",
)
UNIT_NUMBERS = Condition("unit-numbers", "every number that is forecast lies between 0 and 1")


@theorem(
    kind="regret",
    statement=(
        r"\sum_t(\hat y_t-y_t)^2-\min_\theta\Big\{"
        r"\sum_t(\tfrac12+\langle\theta,x_t\rangle-y_t)^2+\lambda\|\theta\|^2\Big\}"
        r"\le\tfrac14\ln\frac{\det V_T}{\det\lambda I}"
    ),
    assumes=(UNIT_NUMBERS, FORWARD),
)
def forward_ridge_receipt(log_determinant: Number) -> float:
    """What forward least squares lose beyond the best linear forecaster and its penalty, on every run.

    Theorem  For numbers in [0, 1], the squared errors of forward least squares exceed those of any
             forecaster 1/2 + <theta, x>, with n |theta|^2 added, by at most ln(det V / det n I) / 4, where
             V = n I + sum x x'.
    Needs    log_determinant ln(det V / det n I): finite, >= 0.
    Gives    an upper bound, rounded up.
    Source   Vovk, Competitive on-line statistics (2001); Azoury & Warmuth, Relative loss bounds for
             on-line density estimation (2001).

    Examples
    --------
    >>> forward_ridge_receipt(log_determinant=8)
    2.0
    """
    return (nonnegative("log_determinant", log_determinant) / 4).up()


@theorem(
    kind="regret",
    statement=(
        r"\sum_t(\hat y_t-y_t)^2-\sum_t(\tfrac12+\langle\theta,x_t\rangle-y_t)^2"
        r"\le\lambda S^2+\tfrac D4\ln\Big(1+\frac{TL^2}{\lambda D}\Big)"
    ),
    assumes=(
        UNIT_NUMBERS,
        Condition("linear-comparator", "the comparator is linear, and its vector no longer than S"),
        Condition("rows-within-norm", "no row of features is longer than the feature norm"),
        FORWARD,
    ),
)
def forward_ridge_regret(
    rounds: int, dimension: int, feature_norm: Number, parameter_norm: Number, penalty: Number
) -> float:
    """What forward least squares lose beyond a linear forecaster, before the run is seen.

    Theorem  For T numbers in [0, 1] and rows in D dimensions of length L at most, the squared errors of
             forward least squares exceed those of any 1/2 + <theta, x> with |theta| <= S by at most
             n S^2 + (D / 4) ln(1 + T L^2 / (n D)).
    Needs    rounds T: whole, >= 1.  dimension D: whole, >= 1.  feature_norm L: finite, > 0.
             parameter_norm S: finite, >= 0.  penalty n: finite, > 0.
    Gives    an upper bound, rounded up.
    Source   Vovk, Competitive on-line statistics (2001); Azoury & Warmuth, Relative loss bounds for
             on-line density estimation (2001).

    Examples
    --------
    >>> round(forward_ridge_regret(10000, 5, feature_norm=1, parameter_norm=1, penalty=1), 6)
    10.501753
    """
    return oracle_regret(rounds, dimension, feature_norm, parameter_norm, penalty).up()


def oracle_regret(
    rounds: int, dimension: int, feature_norm: Number, parameter_norm: Number, penalty: Number
) -> Enclosure:
    """The same before it is rounded."""
    t = count("rounds", rounds, at_least=1)
    d = count("dimension", dimension, at_least=1)
    norm, penalised = positive("feature_norm", feature_norm), positive("penalty", penalty)
    short = nonnegative("parameter_norm", parameter_norm)
    require(short.high >= 0, "parameter_norm", "zero or more", parameter_norm)
    return penalised * short * short + d * ln(1 + t * norm * norm / (penalised * d)) / 4
