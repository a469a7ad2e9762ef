"""How far a machine with a squared-norm penalty is from the best one: by a dual value, or by its gradient."""

from __future__ import annotations

from assay.theory.claim import Condition
from assay.theory.needs import nonnegative, positive, real
from assay.theory.registry import theorem
from assay.theory.rounding import Number

CONVEX = Condition("convex-losses", "every loss is a convex function of the prediction")
FEASIBLE = Condition(
    "conjugate-feasible",
    "the conjugate of every loss is finite at its coefficient, and with a bias that is not penalised the "
    "coefficients sum to zero",
)
GROWS = Condition(
    "strongly-convex", "the objective less half its curvature times the squared norm is convex"
)
SLOPE = Condition(
    "gradient-of-objective", "the gradient is one of the objective, there where the fit ended"
)


@theorem(
    kind="identity",
    statement=r"P(w,b)-\min P\le P(w,b)+\tfrac12\Bigl\|\sum_i\beta_i\phi(x_i)\Bigr\|^2+\sum_iV_i^*(-\beta_i),"
    r"\quad P(w,b)=\tfrac12\|w\|^2+\sum_iV_i(w\cdot\phi(x_i)+b)",
    assumes=(CONVEX, FEASIBLE),
)
def penalised_duality(objective: Number, square: Number, conjugate: Number) -> float:
    """The duality gap of a machine with any convex loss: how far it can be from the best one.

    Theorem  Let P(w, b) be half the squared norm of w plus convex losses V_i of the scores
             w . phi(x_i) + b, and V_i* their conjugates. For any beta, with a sum of zero if there is a bias,
             no machine's P is below -||v||^2 / 2 - sum of V_i*(-beta_i), v being the sum of
             beta_i phi(x_i). The conjugates V*(-beta): -y beta for the hinge loss C max(0, 1 - y f) and
             0 <= y beta <= C; -y beta + beta^2 / 4C for its square; -y beta + e |beta| for
             C max(0, |y - f| - e) and |beta| <= C; -c h(y beta / c) for the logistic loss c ln(1 + exp(-y f)),
             h(p) = -p ln p - (1 - p) ln(1 - p).
    Needs    objective P(w, b): a finite number.  square ||v||^2: finite, >= 0.  conjugate, the sum of
             V_i*(-beta_i): a finite number.
    Gives    P(w, b) less that value, rounded up: an upper bound on P(w, b) - min P.
    Source   Fenchel (1949); Rockafellar, Convex Analysis (1970), section 31; Drucker, Burges, Kaufman,
             Smola & Vapnik, Support vector regression machines (1996), for the loss with e.

    Examples
    --------
    >>> penalised_duality(objective=4.5, square=4, conjugate=-6)
    0.5
    """
    value, norm = real("objective", objective), nonnegative("square", square)
    return (value + norm / 2 + real("conjugate", conjugate)).up()


@theorem(
    kind="identity",
    statement=r"P(v)-\min P\le\frac{\|g\|^2}{2\sigma},\qquad g\in\partial P(v),\quad "
    r"P-\tfrac\sigma2\|\cdot\|^2\text{ convex}",
    assumes=(GROWS, SLOPE),
)
def strongly_convex_excess(gradient: Number, curvature: Number) -> float:
    """How far an objective is above its least value, from its gradient.

    Theorem  If P less s / 2 times the squared norm is convex, s > 0, and g is a gradient of P at v, no value
             of P is below P(v) - ||g||^2 / 2s. With losses convex in the prediction and the penalty
             l ||w||^2, s = 2 l.
    Needs    gradient ||g||: finite, >= 0.  curvature s: finite, > 0.
    Gives    an upper bound on P(v) - min P, rounded up; zero where the gradient vanishes.
    Source   Polyak, Gradient methods for the minimisation of functionals (1963); Boyd & Vandenberghe, Convex
             Optimization (2004), section 9.1.2.

    Examples
    --------
    >>> strongly_convex_excess(gradient=0.5, curvature=2)
    0.0625
    """
    length, grows = nonnegative("gradient", gradient), positive("curvature", curvature)
    return (length**2 / (2 * grows)).up()
