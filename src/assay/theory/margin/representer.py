"""The representer theorem: a machine with a squared-norm penalty is a weighted sum of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.margin.matrices import symmetric, times, vector
from assay.theory.needs import positive
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, exp

SmoothLoss = Literal["square", "squared-hinge", "exponential", "logistic"]


def _square(y: Fraction, f: Fraction) -> Enclosure:
    return exact(2 * (f - y))


def _squared_hinge(y: Fraction, f: Fraction) -> Enclosure:
    return exact(-2 * y * max(Fraction(0), 1 - y * f))


def _exponential(y: Fraction, f: Fraction) -> Enclosure:
    return -y * exp(-y * f)


def _logistic(y: Fraction, f: Fraction) -> Enclosure:
    return -y / (1 + exp(y * f))


_SLOPES: dict[str, Callable[[Fraction, Fraction], Enclosure]] = {
    "square": _square,
    "squared-hinge": _squared_hinge,
    "exponential": _exponential,
    "logistic": _logistic,
}


class Stationary(NamedTuple):
    """What a minimiser makes zero."""

    residual: float
    """The largest |alpha + V' / (2 penalty)| over the rows, rounded up."""
    scores: tuple[Fraction, ...]
    """f on the rows: the Gram matrix times the alphas, exactly."""


@theorem(
    "T93",
    kind="identity",
    statement=r"w=\sum_i\alpha_i\phi(x_i),\quad\alpha_i=-\tfrac1{2\lambda}V'(y_i,f(x_i)),\quad"
    r"\min_\alpha\sum_iV(y_i,(K\alpha)_i)+\lambda\,\alpha^\top K\alpha",
    assumes=(
        Condition(
            "gram-matrix-of-kernel",
            "the Gram matrix is that of a kernel: symmetric and positive semidefinite",
        ),
    ),
)
def representer(
    gram: Sequence[Sequence[Number]],
    y: Sequence[Number],
    alphas: Sequence[Number],
    penalty: Number,
    loss: SmoothLoss = "square",
) -> Stationary:
    """How far coefficients are from those of the best machine.

    Theorem  Among all w in the feature space, one that makes the summed losses V(y, w . phi(x)) plus
             the penalty times its squared norm least is a sum of alpha phi(x) over the rows; for a
             differentiable V its coefficients may be taken as alpha = -V'(y, f(x)) / (2 penalty), V'
             the slope in the prediction. For a convex V these equations are enough.
    Needs    gram: a symmetric table of finite numbers.  y: as many finite numbers as rows; -1 or +1
             for all losses but the square.  alphas: as many finite numbers.  penalty: finite,
             > 0.  loss: "square" (y - f)^2, "squared-hinge", "exponential" or "logistic" (natural).
    Gives    the largest violation of the equations, rounded up, and the scores of the machine.
    Source   Kimeldorf & Wahba, Some results on Tchebycheffian spline functions (1971); Schölkopf,
             Herbrich & Smola, A generalized representer theorem (2001); Sakulwongtana, Supervised
             Learning (lecture notes), Theorem 2.1, with sign and penalty as derived here.

    Examples
    --------
    >>> third = Fraction(1, 3)
    >>> representer([[1, 2], [2, 4]], [1, 2], [third / 2, third], penalty=1).residual
    0.0
    """
    names = ", ".join(repr(name) for name in _SLOPES)
    require(loss in _SLOPES, "loss", f"one of {names}", loss)
    table = symmetric("gram", gram)
    goals, weights = vector("y", y, len(table)), vector("alphas", alphas, len(table))
    if loss != "square":
        for place, goal in enumerate(goals):
            require(abs(goal) == 1, f"y[{place}]", "-1 or +1", y[place])
    twice, slope = 2 * positive("penalty", penalty).low, _SLOPES[loss]
    scores = times(table, weights)
    misses = [
        alpha + slope(goal, score) / twice
        for alpha, goal, score in zip(weights, goals, scores, strict=True)
    ]
    return Stationary(max(max(miss.up(), -miss.down()) for miss in misses), scores)
