"""Regret of actions drawn by the forecasts of a regression, in terms of what the regression loses itself."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.regret.exp3 import UNIT_LOSSES
from assay.theory.rounding import Enclosure, Number, as_fraction, exact, sqrt

REALIZABLE = Condition(
    "mean-loss-realizable",
    "given the past and the round, the mean loss of every action is what one forecaster of the regression's class says",
)
ORACLE = Condition(
    "oracle-regret",
    "on every run, the regression's squared errors exceed that forecaster's by at most the oracle regret",
)
TOLD_IN_TURN = Condition(
    "losses-told-before-next", "every loss was learned before the next action was drawn"
)
BY_INVERSE_GAPS = Condition(
    "inverse-gap-weights",
    "an action is drawn with probability 1 / (K + rate * its forecast beyond the least), the least one with what "
    "is left; in round t the rate is gamma * sqrt(t); then with the floor",
)
NEARLY_GREEDY = Condition(
    "epsilon-greedy-draws",
    "an action is drawn uniformly with probability epsilon, and else the one of the least forecast",
)


@theorem(
    kind="regret",
    holds="expectation",
    statement=(
        r"\mathbb E[\mathrm{Reg}_T]\le\Big(\frac{4(K-1)}\gamma+\frac\gamma4\,\mathrm{Reg}_{sq}\Big)\sqrt T+m(K-1)T"
    ),
    assumes=(UNIT_LOSSES, REALIZABLE, ORACLE, TOLD_IN_TURN, BY_INVERSE_GAPS),
)
def squarecb_regret(
    rounds: int, actions: int, gamma: Number, oracle_regret: Number, least_propensity: Number = 0
) -> float:
    """Expected regret of drawing by inverse gaps of forecasts.

    Theorem  If the mean losses are in the class of a regression whose squared errors exceed those of the
             best by at most R, drawing among K actions at the rates gamma sqrt(t) costs in T rounds, on
             average, at most (4 (K - 1) / gamma + gamma R / 4) sqrt(T) more than the best action of
             every round; a floor m under every probability adds m (K - 1) T.
    Needs    rounds T: whole, >= 1.  actions K, the most in a round: whole, >= 1.  gamma: finite, > 0.
             oracle_regret R: finite, >= 0.  least_propensity m: at least 0, at most 1 / K.
    Gives    an upper bound on the expectation, rounded up, and at most the number of rounds.
    Source   Foster & Rakhlin, Beyond UCB: optimal and efficient contextual bandits with regression oracles
             (ICML 2020), Lemma 3 and Theorem 1. Their per-round constant 2 K is 2 (K - 1) in the proof here.

    Examples
    --------
    >>> round(squarecb_regret(100000, 5, gamma=2, oracle_regret=10.5), 3)
    4190.018
    """
    t, k = count("rounds", rounds, at_least=1), count("actions", actions, at_least=1)
    scale, lost = positive("gamma", gamma), nonnegative("oracle_regret", oracle_regret)
    floor = floor_of(least_propensity, k)
    bound = (4 * (k - 1) / scale + scale * lost / 4) * sqrt(t) + floor * (k - 1) * t
    return min(bound.up(), float(t))


@theorem(
    kind="regret",
    holds="expectation",
    statement=(
        r"\mathbb E[\mathrm{Reg}_T]\le\varepsilon\tfrac{K-1}KT+(1-\varepsilon)"
        r"\sqrt{\Big(\tfrac K\varepsilon+\tfrac1{1-\varepsilon+\varepsilon/K}\Big)\mathrm{Reg}_{sq}\,T}"
    ),
    assumes=(UNIT_LOSSES, REALIZABLE, ORACLE, TOLD_IN_TURN, NEARLY_GREEDY),
)
def epsilon_greedy_regret(
    rounds: int, actions: int, exploration: Number, oracle_regret: Number
) -> float:
    """Expected regret of the action of the least forecast, with a share of rounds explored.

    Theorem  If the mean losses are in the class of a regression whose squared errors exceed those of the
             best by at most R, drawing one of K actions uniformly with probability e and else the one of the
             least forecast costs in T rounds, on average, at most e T (K - 1) / K + (1 - e) sqrt((K / e
             + 1 / (1 - e + e / K)) R T) more than the best action of every round.
    Needs    rounds T: whole, >= 1.  actions K, the most in a round: whole, >= 1.  exploration e: above 0, at
             most 1.  oracle_regret R: finite, >= 0.
    Gives    an upper bound on the expectation, rounded up, and at most the number of rounds.
    Source   Derived: the argument stands on the page of the theorem. The rate is that of Langford & Zhang, The
             epoch-greedy algorithm for contextual multi-armed bandits (2007).

    Examples
    --------
    >>> round(epsilon_greedy_regret(100000, 5, exploration=0.1, oracle_regret=10.5), 3)
    14591.62
    """
    t, k = count("rounds", rounds, at_least=1), count("actions", actions, at_least=1)
    share, lost = positive("exploration", exploration), nonnegative("oracle_regret", oracle_regret)
    require(share.high <= 1, "exploration", "above 0 and at most 1", exploration)
    rest = 1 - share
    greedy = sqrt((k / share + 1 / (rest + share / k)) * lost * t)
    return min((share * (k - 1) * t / k + rest * greedy).up(), float(t))


def floor_of(least_propensity: Number, actions: int) -> Enclosure:
    """The floor under the probabilities of so many actions."""
    must = f"at least 0 and at most 1/{actions}, one over the number of actions"
    value = nonnegative("least_propensity", least_propensity)
    # 1/K is no double: the nearest one counts as K equal shares.
    most = as_fraction(1) / actions * (1 + as_fraction(2) ** -40)
    require(value.high <= most, "least_propensity", must, least_propensity)
    return exact(value)
