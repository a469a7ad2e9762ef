"""Mistake bounds of the weighted majority algorithm, and the two ends of its total weight."""

from __future__ import annotations

import math

from assay.errors import require
from assay.theory.claim import BUILT, Condition, run_claim
from assay.theory.needs import Form, count, inside_unit, one_of
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, exp, ln, power

RULE = Condition(
    "weights-multiplied-by-beta",
    "every expert that errs has its weight multiplied by beta, on every round",
)
VOTE = Condition(
    "predicts-by-weighted-majority",
    "each prediction has at least half of the weight behind it; ties may go either way",
)

# Beyond this many factors the exact binomial coefficient takes longer than anyone waits.
_MOST_FACTORS = 10_000


@theorem(
    "T19",
    kind="mistakes",
    statement=r"M\le\frac{\ln(1/\beta)\,\min_iM_i+\ln K}{\ln\frac{2}{1+\beta}}",
    assumes=(Condition("two-outcomes", "predictions and outcomes are of two kinds"), RULE, VOTE),
)
def weighted_majority_mistakes(best_mistakes: int, experts: int, beta: Number | None = None) -> int:
    """Mistakes of the weighted majority, against the best expert.

    Theorem  The total weight starts at K, shrinks to at most (1 + b) / 2 of itself with every
             mistake, and is never below the b^M_i that expert i still holds; compare logarithms.
             The bound holds for every expert, hence for the best.
    Needs    best_mistakes M_i: whole, >= 0.  experts K: whole, >= 1.
             beta b: 0 < b < 1; 1/e when not given.
    Gives    the largest whole number the bound allows.
    Source   Littlestone & Warmuth, The weighted majority algorithm (1994); Sakulwongtana,
             Supervised Learning (lecture notes), Theorem 5.1. At b = 1/e both coefficients are
             2.6324; at b = 1/2 they are 2.4095 and 3.4761, not the 2.63 that is printed there.

    Examples
    --------
    >>> weighted_majority_mistakes(best_mistakes=5, experts=16)
    20
    >>> weighted_majority_mistakes(best_mistakes=5, experts=16, beta=0.5)
    21
    """
    k = count("experts", experts, at_least=1)
    return _majority(count("best_mistakes", best_mistakes), ln(k), _beta(beta))


@theorem(
    "T20",
    kind="mistakes",
    statement=r"M\le\frac{\ln(1/\beta)M^*+\ln\binom dk}{\ln\frac{2}{1+\beta}},\quad "
    r"\ln\tbinom dk\le k\ln\tfrac{ed}{k}",
    assumes=(
        Condition(
            "expert-per-disjunction",
            "one expert for each monotone disjunction of k of the d features",
        ),
        RULE,
        VOTE,
    ),
    claim=run_claim("mistakes", BUILT, BUILT, BUILT),
)
def wm_k_disjunction_mistakes(
    best_mistakes: int,
    literals: int,
    features: int,
    beta: Number | None = None,
    form: Form = "sharp",
) -> int:
    """Mistakes of the weighted majority over all disjunctions of k features.

    Theorem  There are C(d, k) such disjunctions; with one expert for each, the bound of the
             weighted majority holds with ln K = ln C(d, k), which is at most k ln(e d / k).
    Needs    best_mistakes M*, of the best disjunction: whole, >= 0.  literals k: whole,
             0 <= k <= d.  features d: whole, >= 1.  beta b: 0 < b < 1; 1/e when not given.
             form: "sharp" (C(d, k); the smaller of k and d - k at most 10000) or "textbook"
             (k ln(e d / k)).
    Gives    the largest whole number the bound allows.
    Source   Littlestone & Warmuth, The weighted majority algorithm (1994); Sakulwongtana,
             Supervised Learning (lecture notes), Remark 36.

    Examples
    --------
    >>> wm_k_disjunction_mistakes(best_mistakes=0, literals=3, features=10)
    12
    >>> wm_k_disjunction_mistakes(best_mistakes=0, literals=3, features=10, form="textbook")
    17
    """
    best = count("best_mistakes", best_mistakes)
    d = count("features", features, at_least=1)
    k = count("literals", literals)
    require(k <= d, "literals", f"at most the number of features {d}", literals)
    one_of("form", form, "sharp", "textbook")
    if form == "textbook":
        log_experts = k * (1 + ln(exact(d) / k)) if k else exact(0)
    else:
        factors = min(k, d - k)
        must = f"such that k or d - k is at most {_MOST_FACTORS}"
        require(factors <= _MOST_FACTORS, "literals", must, literals, "Use form='textbook'.")
        log_experts = ln(math.comb(d, factors))
    return _majority(best, log_experts, _beta(beta))


@theorem(
    "L08",
    kind="potential",
    statement=r"W\le K\left(\tfrac{1+\beta}{2}\right)^M",
    assumes=(RULE, VOTE),
)
def weighted_majority_weight_potential(
    mistakes: int, experts: int, beta: Number | None = None
) -> float:
    """How much weight the experts can have left after some mistakes of the majority.

    Theorem  On a mistake at least half of the weight erred and is multiplied by b, so the total
             falls to at most (1 + b) / 2 of itself; other rounds never raise it.
    Needs    mistakes M: whole, >= 0.  experts K: whole, >= 1.
             beta b: 0 < b < 1; 1/e when not given.
    Gives    an upper bound on the total weight, rounded up.
    Source   Littlestone & Warmuth, The weighted majority algorithm (1994).

    Examples
    --------
    >>> weighted_majority_weight_potential(mistakes=0, experts=16)
    16.0
    """
    m, k = count("mistakes", mistakes), count("experts", experts, at_least=1)
    return (k * power((1 + _beta(beta)) / 2, m)).up()


@theorem("L09", kind="potential", statement=r"W\ge\beta^{M_i}", assumes=(RULE,))
def weighted_majority_expert_potential(best_mistakes: int, beta: Number | None = None) -> float:
    """How much weight the experts must still have, thanks to the best of them.

    Theorem  An expert starts with weight 1 and loses the factor b with each of its mistakes.
    Needs    best_mistakes M_i: whole, >= 0.  beta b: 0 < b < 1; 1/e when not given.
    Gives    a lower bound on the total weight, rounded down.
    Source   Littlestone & Warmuth, The weighted majority algorithm (1994).

    Examples
    --------
    >>> round(weighted_majority_expert_potential(best_mistakes=3, beta=0.5), 6)
    0.125
    """
    return power(_beta(beta), count("best_mistakes", best_mistakes)).down()


def _beta(beta: Number | None) -> Enclosure:
    return exp(-1) if beta is None else inside_unit("beta", beta)


def _majority(best: int, log_experts: Enclosure, beta: Enclosure) -> int:
    # The step from a bound on the weights to one on mistakes: both sides are logarithms.
    return ((best * ln(1 / beta) + log_experts) / ln(2 / (1 + beta))).floor()
