"""Regret of EXP4: exponential weights over experts that advise with probabilities."""

from __future__ import annotations

from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, one_of, positive
from assay.theory.registry import theorem
from assay.theory.regret.exp3 import OBLIVIOUS, UNIT_LOSSES
from assay.theory.regret.regression_oracle import TOLD_IN_TURN, floor_of
from assay.theory.rounding import Number, ln, sqrt

ADVISED = Condition(
    "exp4-weights",
    "each action is drawn by what the experts advise, weighted by exp(-rate * their total estimated loss), "
    "normalised, with the floor; the estimate of the drawn action is its loss / probability",
)
ADVICE_FIXED = Condition(
    "advice-fixed-before-first-draw", "what the experts advise does not depend on the draws"
)


@theorem(
    kind="regret",
    holds="expectation",
    statement=(
        r"\mathbb E[L_A]-\min_iL_i\le\frac{\ln N}\eta+\frac\eta2TK+m(K-1)T"
        r"=\sqrt{2TK\ln N}+m(K-1)T\ \text{at}\ \eta=\sqrt{2\ln N/(TK)}"
    ),
    assumes=(UNIT_LOSSES, OBLIVIOUS, ADVICE_FIXED, TOLD_IN_TURN, ADVISED),
)
def exp4_regret(
    rounds: int,
    actions: int,
    experts: int,
    learning_rate: Number | None = None,
    least_propensity: Number = 0,
    form: Literal["textbook", "anytime"] = "textbook",
) -> float:
    """Expected regret of EXP4 against the best expert.

    Theorem  With losses in [0, 1] fixed in advance and rate n, EXP4 with N experts and K actions loses in T
             rounds, on average over its own draws, at most ln(N) / n + n T K / 2 more than the best
             expert does on average over its own; at n = sqrt(2 ln N / (T K)) this is sqrt(2 T K ln N). A
             floor m under every probability adds m (K - 1) T. Without knowing T, the rates
             sqrt(ln N / (t K)) of round t give 2 sqrt(T K ln N) (anytime).
    Needs    rounds T: whole, >= 1.  actions K, the most in a round: whole, >= 1.  experts N: whole, >= 1.
             learning_rate n: finite, > 0; the best one when not given, and not to be given with
             "anytime".  least_propensity m: at least 0, at most 1 / K.  form: "textbook" or "anytime".
    Gives    an upper bound on the expectation, rounded up, and at most the number of rounds.
    Source   Auer, Cesa-Bianchi, Freund & Schapire, The nonstochastic multiarmed bandit problem
             (2002); Bubeck & Cesa-Bianchi, Regret analysis of stochastic and nonstochastic
             multi-armed bandit problems (2012), Theorem 4.2.

    Examples
    --------
    >>> round(exp4_regret(rounds=1000, actions=10, experts=8), 6)
    203.933398
    """
    t, k = count("rounds", rounds, at_least=1), count("actions", actions, at_least=1)
    n = count("experts", experts, at_least=1)
    one_of("form", form, "textbook", "anytime")
    explored = floor_of(least_propensity, k) * (k - 1) * t
    if form == "anytime":
        must = "left out of the anytime form, whose rate changes with the round"
        require(learning_rate is None, "learning_rate", must, learning_rate)
        bound = 2 * sqrt(t * k * ln(n))
    elif learning_rate is None:
        bound = sqrt(2 * t * k * ln(n))
    else:
        eta = positive("learning_rate", learning_rate)
        bound = ln(n) / eta + eta / 2 * t * k
    return min((bound + explored).up(), float(t))
