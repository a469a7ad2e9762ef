"""Regret of AdaHedge: Hedge whose rate follows from the mixability gaps of its own run."""

from __future__ import annotations

from fractions import Fraction

from assay.theory.claim import Condition
from assay.theory.needs import count, nonnegative
from assay.theory.registry import theorem
from assay.theory.regret.hedge import LOSS_IS_MEAN
from assay.theory.rounding import Enclosure, Number, ln, sqrt

FINITE_LOSSES = Condition("finite-losses", "every loss is a finite number")
ADAPTIVE_RATE = Condition(
    "adahedge-weights",
    "the weights are exp(-rate * total loss), normalised, at the rate ln K over the sum of the "
    "mixability gaps of the rounds before; while that is zero, they are equal on the leaders",
)
TANGENTS = Condition(
    "adahedge-weights-on-slopes",
    "the weights are those of AdaHedge, in which an expert's loss is the slope of the loss at the "
    "prediction, times its advice",
)
CONVEX = Condition(
    "weighted-average-convex-loss",
    "each prediction is the weighted average of the advice, and the loss is convex in it",
)
_ASSUMES = (FINITE_LOSSES, ADAPTIVE_RATE, LOSS_IS_MEAN)


@theorem(
    kind="regret",
    statement=r"\sum_tv_t\cdot\ell_t-\min_iL_i\le2\Delta_T,\quad "
    r"\Delta_T=\sum_t\Big(v_t\cdot\ell_t+\tfrac1{\eta_t}\ln\sum_iv_{t,i}e^{-\eta_t\ell_{t,i}}\Big)",
    assumes=_ASSUMES,
)
def adahedge_gap_regret(gap: Number) -> float:
    """Regret of AdaHedge from the mixability gaps of its run.

    Theorem  AdaHedge loses at most twice the sum D of its mixability gaps more than the best
             expert, whatever the losses.
    Needs    gap D: finite, >= 0.
    Gives    an upper bound, rounded up: a receipt, computed from the run.
    Source   De Rooij, van Erven, Grunwald & Koolen, Follow the leader if you can, hedge if you
             must (2014).

    Examples
    --------
    >>> adahedge_gap_regret(gap=6)
    12.0
    """
    return (2 * nonnegative("gap", gap)).up()


@theorem(
    kind="regret",
    statement=r"\sum_tv_t\cdot\ell_t-\min_iL_i\le2\sqrt{V_T\ln K}+\left(\tfrac43\ln K+2\right)S",
    assumes=_ASSUMES,
)
def adahedge_second_order(experts: int, variance: Number, spread: Number = 1) -> float:
    """Regret of AdaHedge from the variances of the losses that occurred.

    Theorem  With V the sum over rounds of the variance of the losses under the weights, and S
             the largest difference between two losses of one round, AdaHedge over K experts
             loses at most 2 sqrt(V ln K) + (4/3 ln K + 2) S more than the best expert.
    Needs    experts K: whole, >= 1.  variance V: finite, >= 0.  spread S: finite, >= 0.
    Gives    an upper bound, rounded up.
    Source   De Rooij, van Erven, Grunwald & Koolen, Follow the leader if you can, hedge if you
             must (2014).

    Examples
    --------
    >>> round(adahedge_second_order(experts=10, variance=100), 6)
    35.418656
    """
    k = count("experts", experts, at_least=1)
    v, s = nonnegative("variance", variance), nonnegative("spread", spread)
    return _second_order(ln(k), v, s).up()


@theorem(
    kind="regret",
    statement=r"\sum_tv_t\cdot\ell_t-\min_iL_i\le S\left(\sqrt{T\ln K}+\tfrac43\ln K+2\right)",
    assumes=_ASSUMES,
)
def adahedge_regret(rounds: int, experts: int, spread: Number = 1) -> float:
    """Regret of AdaHedge against the best expert, in the worst case.

    Theorem  With losses that differ by at most S within a round, AdaHedge over K experts loses
             in T rounds at most S (sqrt(T ln K) + 4/3 ln K + 2) more than the best expert.
    Needs    rounds T: whole, >= 1.  experts K: whole, >= 1.  spread S: finite, >= 0.
    Gives    an upper bound, rounded up.
    Source   De Rooij, van Erven, Grunwald & Koolen, Follow the leader if you can, hedge if you
             must (2014); here from adahedge-second-order, as no variance exceeds S^2 / 4.

    Examples
    --------
    >>> round(adahedge_regret(rounds=100, experts=10), 6)
    20.244385
    """
    t = count("rounds", rounds, at_least=1)
    k = count("experts", experts, at_least=1)
    s = nonnegative("spread", spread)
    return _second_order(ln(k), t * s**2 / 4, s).up()


@theorem(
    kind="regret",
    statement=r"\sum_tL(y_t,v_t\cdot x_t)-\min_u\sum_tL(y_t,u\cdot x_t)\le2\Delta_T",
    assumes=(FINITE_LOSSES, TANGENTS, CONVEX),
)
def adahedge_mixture_regret(gap: Number) -> float:
    """Regret of AdaHedge against every fixed mixture of the experts.

    Theorem  If the weights of AdaHedge follow the slopes of a convex loss, the weighted average
             of the advice loses at most twice the sum D of the mixability gaps more than any
             mixture of the experts with fixed weights.
    Needs    gap D, of the slopes: finite, >= 0.
    Gives    an upper bound, rounded up: a receipt, computed from the run.
    Source   Follows from adahedge-gap-regret by convexity; Kivinen & Warmuth, Exponentiated
             gradient versus gradient descent for linear predictors (1997), for the slopes.

    Examples
    --------
    >>> adahedge_mixture_regret(gap=6)
    12.0
    """
    return (2 * nonnegative("gap", gap)).up()


def _second_order(log_experts: Enclosure, variance: Enclosure, spread: Enclosure) -> Enclosure:
    return 2 * sqrt(variance * log_experts) + (Fraction(4, 3) * log_experts + 2) * spread
