"""Least squares and ridge: how far a vector can be from the best one, from what it leaves unsolved."""

from __future__ import annotations

from assay.theory.claim import Condition
from assay.theory.needs import nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Number


@theorem(
    "T91",
    kind="identity",
    statement=(
        r"X^\top Xw=X^\top y;\qquad"
        r"\|y-Xv\|^2-\min_w\|y-Xw\|^2\le\|X^\top(y-Xv)\|^2/\sigma_{\min}^2"
    ),
    assumes=(Condition("least-singular-value", "the singular value is the least of X above zero"),),
)
def ols_normal_equations(gradient: Number, singular: Number) -> float:
    """How far a sum of squares is above the least possible.

    Theorem  A vector w minimises ||y - Xw||^2 exactly when X'Xw = X'y, that is when the
             residual is orthogonal to every column. For any v, the sum of squares exceeds
             the least one by at most ||X'(y - Xv)||^2 / s^2, s being the least singular
             value of X above zero.
    Needs    gradient ||X'(y - Xv)||: finite, >= 0.  singular s: finite, > 0.
    Gives    an upper bound on the excess, rounded up; zero when the equations hold.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Propositions 1.1 and 1.2; the
             excess is derived.

    Examples
    --------
    >>> ols_normal_equations(gradient=0.5, singular=2)
    0.0625
    """
    left, least = nonnegative("gradient", gradient), positive("singular", singular)
    return ((left / least) ** 2).up()


@theorem(
    "T92",
    kind="identity",
    statement=(
        r"(X^\top X+\lambda I)^{-1}X^\top y=X^\top(XX^\top+\lambda I)^{-1}y;\qquad "
        r"P(w)-\min P\le\lambda\|w-X^\top\alpha\|^2,\ \alpha=(y-Xw)/\lambda"
    ),
)
def ridge_primal_dual(penalty: Number, distance: Number) -> float:
    """How far the objective of ridge regression is above the least possible.

    Theorem  Let P(w) = ||y - Xw||^2 + l ||w||^2, l > 0. For any w put a = (y - Xw) / l. The gap
             between P(w) and the dual objective at a is l ||w - X'a||^2. It is zero exactly for the
             minimiser, so that the primal and the dual form give the same vector.
    Needs    penalty l: finite, > 0.  distance ||w - X'a||: finite, >= 0.
    Gives    an upper bound on P(w) - min P, rounded up.
    Source   Saunders, Gammerman & Vovk, Ridge regression learning algorithm in dual variables
             (1998); Sakulwongtana, Supervised Learning (lecture notes), Proposition 2.1; the gap
             is derived.

    Examples
    --------
    >>> ridge_primal_dual(penalty=2, distance=0.5)
    0.5
    """
    weight, apart = positive("penalty", penalty), nonnegative("distance", distance)
    return (weight * apart**2).up()
