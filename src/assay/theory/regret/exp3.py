"""Regret of EXP3: exponential weights over arms of which only the played one is seen."""

from __future__ import annotations

from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, nonnegative, one_of, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Number, ln, sqrt

UNIT_LOSSES = Condition("unit-losses", "every loss lies between 0 and 1")
OBLIVIOUS = Condition(
    "losses-fixed-before-first-draw", "the losses of all arms were fixed before the first draw"
)
DRAWN_BY_WEIGHTS = Condition(
    "exp3-weights",
    "the weights start equal, each arm is drawn by the weights, and the weight of the drawn arm is "
    "multiplied by exp(-rate * loss / probability); at an anytime rate the weights are "
    "exp(-rate * total estimated loss), normalised",
)


@theorem(
    "T27",
    kind="regret",
    holds="expectation",
    statement=(
        r"\mathbb E[L_A]-\min_iL_i\le\frac{\ln K}{\eta}+\frac\eta2TK"
        r"=\sqrt{2TK\ln K}\ \text{at}\ \eta=\sqrt{2\ln K/(TK)}"
    ),
    assumes=(UNIT_LOSSES, OBLIVIOUS, DRAWN_BY_WEIGHTS),
)
def exp3_regret(
    rounds: int,
    arms: int,
    learning_rate: Number | None = None,
    form: Literal["textbook", "anytime"] = "textbook",
) -> float:
    """Expected regret of EXP3 against the best arm.

    Theorem  With losses in [0, 1] fixed in advance and rate n, EXP3 over K arms loses in T
             rounds, on average over its own draws, at most ln(K) / n + n T K / 2 more than the
             best arm; at n = sqrt(2 ln K / (T K)) this is sqrt(2 T K ln K). Without knowing T,
             the rates sqrt(ln K / (t K)) of round t give 2 sqrt(T K ln K) (anytime).
    Needs    rounds T: whole, >= 1.  arms K: whole, >= 1.  learning_rate n: finite, > 0; the best
             one when not given, and not to be given with "anytime".
             form: "textbook" or "anytime".
    Gives    an upper bound on the expectation, rounded up; a single run may exceed it.
    Source   Auer, Cesa-Bianchi, Freund & Schapire, The nonstochastic multiarmed bandit problem
             (2002); Bubeck & Cesa-Bianchi, Regret analysis of stochastic and nonstochastic
             multi-armed bandit problems (2012), Theorem 3.1; Sakulwongtana, Supervised Learning
             (lecture notes), Theorem 6.1.

    Examples
    --------
    >>> round(exp3_regret(rounds=1000, arms=10), 6)
    214.596603
    """
    t = count("rounds", rounds, at_least=1)
    k = count("arms", arms, at_least=1)
    one_of("form", form, "textbook", "anytime")
    if form == "anytime":
        must = "left out of the anytime form, whose rate changes with the round"
        require(learning_rate is None, "learning_rate", must, learning_rate)
        return (2 * sqrt(t * k * ln(k))).up()
    if learning_rate is None:
        return sqrt(2 * t * k * ln(k)).up()
    eta = positive("learning_rate", learning_rate)
    return (ln(k) / eta + eta / 2 * t * k).up()


@theorem(
    "T28",
    kind="regret",
    statement=(
        r"\sum_t(v_t-u)\cdot\ell^h_t\le\frac{\ln K}\eta"
        r"+\frac\eta2\sum_t\frac{\ell_{t,a_t}^2}{v_{t,a_t}}"
    ),
    assumes=(Condition("no-negative-loss", "no loss is negative"), DRAWN_BY_WEIGHTS),
)
def exp3_second_order(arms: int, learning_rate: Number, squared_estimates: Number) -> float:
    """Regret of EXP3 measured in its own estimated losses, on every run.

    Theorem  Count l / v for the arm drawn with probability v and 0 for the others. In these
             estimates EXP3 at a fixed rate n loses at most ln(K) / n + (n / 2) S more than any
             mixture of arms, where S sums l^2 / v over the rounds.
    Needs    arms K: whole, >= 1.  learning_rate n: finite, > 0.
             squared_estimates S: finite, >= 0.
    Gives    an upper bound on the regret in estimated losses, rounded up.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Lemma 6.1.

    Examples
    --------
    >>> round(exp3_second_order(arms=10, learning_rate=0.02, squared_estimates=4000), 6)
    155.129255
    """
    k = count("arms", arms, at_least=1)
    eta = positive("learning_rate", learning_rate)
    return (ln(k) / eta + eta / 2 * nonnegative("squared_estimates", squared_estimates)).up()


@theorem(
    "L15",
    kind="potential",
    statement=(
        r"\sum_t(v_t-u)\cdot\ell^h_t\le\frac{d(u,v_1)-d(u,v_{T+1})}\eta"
        r"+\frac\eta2\sum_t\frac{\ell_{t,a_t}^2}{v_{t,a_t}}"
    ),
    assumes=(Condition("no-negative-loss", "no loss is negative"), DRAWN_BY_WEIGHTS),
)
def exp3_progress_potential(
    divergence_before: Number,
    divergence_after: Number,
    learning_rate: Number,
    squared_estimates: Number,
) -> float:
    """How much more than a mixture of arms EXP3 may lose over a stretch, in estimated losses.

    Theorem  Over any stretch of rounds played at one rate n, the estimated loss in excess of a
             mixture u of arms is at most the fall of the relative entropy d(u, v) over n, plus
             n / 2 times the sum of l^2 / v over the rounds.
    Needs    divergence_before d(u, v) at the start: finite, >= 0.  divergence_after d(u, v) at
             the end: finite, >= 0.  learning_rate n: finite, > 0.
             squared_estimates S: finite, >= 0.
    Gives    an upper bound on the excess estimated loss, rounded up.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Lemma 6.1.

    Examples
    --------
    >>> exp3_progress_potential(2, 1.5, learning_rate=0.5, squared_estimates=8)
    3.0
    """
    before = nonnegative("divergence_before", divergence_before)
    after = nonnegative("divergence_after", divergence_after)
    eta = positive("learning_rate", learning_rate)
    spread = nonnegative("squared_estimates", squared_estimates)
    return ((before - after) / eta + eta / 2 * spread).up()
