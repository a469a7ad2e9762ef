"""What boosting by parts of the best steps leaves of a convex loss, round after round."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import each, nonnegative, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number

SHARE_OF_LEAST_SQUARES = Condition(
    "share-of-least-squares-step",
    "each round adds its hypothesis by the same share of the step that leaves the least squares",
)
SHARE_OF_STEP = Condition(
    "share-of-whole-step",
    "the loss is convex, and each round adds the same share of its hypothesis, whose whole step does not raise it",
)


def _rate(rate: Number) -> Fraction:
    share = unit("rate", rate)
    require(share.low > 0, "rate", "a number above 0 and at most 1", rate)
    return share.low


def _left(shares: list[Fraction], start: Number) -> float:
    # Numerators and denominators apart spare a gcd in every round.
    factors = [1 - share for share in shares]
    top = math.prod(factor.numerator for factor in factors)
    below = math.prod(factor.denominator for factor in factors)
    return (nonnegative("start", start) * Fraction(top, below)).up()


@theorem(
    kind="training-error",
    statement=r"R_T=R_0\prod_t\bigl(1-\eta(2-\eta)\rho_t^2\bigr)\le R_0",
    assumes=(SHARE_OF_LEAST_SQUARES,),
)
def shrunken_l2boost_loss(correlations: Iterable[Number], rate: Number, start: Number) -> float:
    """What is left of the mean square after rounds of least-squares boosting that go a part of the way.

    Theorem  Let r be what is left of the target, rho_t = <r, h_t> / (|r| |h_t|) for the hypothesis h_t
             of round t, and let f grow by eta times the step that minimises the squares along h_t. Then
             a round multiplies the mean of r^2 by exactly 1 - eta (2 - eta) rho_t^2: it never rises.
    Needs    correlations rho: numbers between 0 and 1, one or more.  rate eta: above 0, at most 1.
             start: the mean square before the first round, finite, >= 0.
    Gives    an upper bound on the mean square residual, rounded up.
    Source   Friedman, Greedy function approximation: a gradient boosting machine (2001), section 5;
             Buhlmann & Yu, Boosting with the L2 loss (2003). The product is derived.

    Examples
    --------
    >>> round(shrunken_l2boost_loss([0.5, 0.5], rate=0.1, start=4.0), 6)
    3.629025
    """
    rho = [number.low for number in each("correlations", correlations, unit)]
    require(len(rho) > 0, "correlations", "a sequence of at least one number", rho)
    share = _rate(rate)
    return _left([share * (2 - share) * r * r for r in rho], start)


@theorem(
    kind="training-error",
    statement=r"L_T\le L_0\prod_t(1-\eta d_t)\le L_0,\qquad d_t=1-L(f_{t-1}+h_t)/L(f_{t-1})",
    assumes=(SHARE_OF_STEP,),
)
def convex_boosting_loss(drops: Iterable[Number], rate: Number, start: Number) -> float:
    """What is left of a convex loss after rounds of boosting that go a part of the way.

    Theorem  Let round t have a hypothesis h_t whose whole step would leave 1 - d_t of the loss, and let
             f grow by eta h_t. By convexity L(f + eta h) <= (1 - eta) L(f) + eta L(f + h), so that a
             round leaves at most 1 - eta d_t of the loss. It never rises where d_t >= 0, as it is
             where h_t minimises the loss on every leaf of a tree, for zero is one of its choices.
    Needs    drops d: numbers between 0 and 1, one or more.  rate eta: above 0, at most 1.
             start: the loss before the first round, finite, >= 0.
    Gives    an upper bound on the loss, rounded up.
    Source   Friedman, Greedy function approximation: a gradient boosting machine (2001), section 4.3,
             for least absolute deviations. The inequality is derived.

    Examples
    --------
    >>> round(convex_boosting_loss([0.5, 0.25], rate=0.5, start=2.0), 6)
    1.3125
    """
    shares = [number.low for number in each("drops", drops, unit)]
    require(len(shares) > 0, "drops", "a sequence of at least one number", shares)
    rate_low = _rate(rate)
    return _left([rate_low * share for share in shares], start)
