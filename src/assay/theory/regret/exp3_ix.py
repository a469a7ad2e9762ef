"""Regret of EXP3-IX: EXP3 that explores through its estimates, with a promise about single runs."""

from __future__ import annotations

from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, inside_unit, positive
from assay.theory.registry import theorem
from assay.theory.regret.exp3 import UNIT_LOSSES
from assay.theory.rounding import Enclosure, Number, exact, ln, sqrt

NOT_FORESEEN = Condition(
    "losses-fixed-before-draw", "the losses of a round were fixed before its draw"
)
DRAWN_IMPLICITLY = Condition(
    "exp3-ix-weights",
    "each arm is drawn by weights exp(-rate * total estimated loss), normalised, the rates never "
    "rising; the estimate of the drawn arm grows by loss / (probability + rate / 2)",
)


@theorem(
    kind="regret",
    statement=(
        r"L_A-\min_iL_i\le\frac{2\ln K}\eta+\eta TK+\Big(\frac1\eta+1\Big)\ln\frac2\delta"
        r"=2\sqrt{2TK\ln K}+\Big(\sqrt{\tfrac{TK}{2\ln K}}+1\Big)\ln\frac2\delta"
        r"\ \text{at}\ \eta=2\gamma=\sqrt{2\ln K/(TK)}"
    ),
    assumes=(UNIT_LOSSES, NOT_FORESEEN, DRAWN_IMPLICITLY),
)
def exp3_ix_regret(
    rounds: int,
    arms: int,
    delta: Number,
    learning_rate: Number | None = None,
    form: Literal["sharp", "textbook", "anytime"] = "sharp",
) -> float:
    """Regret of EXP3-IX against the best arm, on all runs but a share delta.

    Theorem  With losses in [0, 1], rate n and estimates l / (v + n / 2), EXP3-IX over K arms loses
             in T rounds, with probability at least 1 - delta, at most
             2 ln(K) / n + n T K + (1 / n + 1) ln(2 / delta) more than the best arm. At
             n = sqrt(2 ln K / (T K)) this is 2 sqrt(2 T K ln K) + (sqrt(T K / (2 ln K)) + 1)
             ln(2 / delta); the textbook prints sqrt(2 T K / ln K) in the second root. Without
             knowing T, the rates sqrt(ln K / (t K)) of round t give
             4 sqrt(T K ln K) + (sqrt(T K / ln K) + 1) ln(2 / delta) for any one T (anytime).
    Needs    rounds T: whole, >= 1.  arms K: whole, >= 1.  delta: strictly between 0 and 1.
             learning_rate n: finite, > 0; the best one when not given, and only to be given with
             "sharp".  form: "sharp", "textbook" or "anytime".
    Gives    an upper bound, rounded up; a single arm has no regret, and 0 is promised.
    Source   Neu, Explore no more: improved high-probability regret bounds for non-stochastic bandits
             (NIPS 2015), Theorem 1; the sharp constant is from the proof.

    Examples
    --------
    >>> round(exp3_ix_regret(rounds=10000, arms=10, delta=0.05), 3)
    1904.507
    >>> round(exp3_ix_regret(rounds=10000, arms=10, delta=0.05, form="textbook"), 3)
    2448.097
    """
    t = count("rounds", rounds, at_least=1)
    k = count("arms", arms, at_least=1)
    surprise = ln(2 / inside_unit("delta", delta))
    names = ("sharp", "textbook", "anytime")
    require(form in names, "form", "'sharp', 'textbook' or 'anytime'", form)
    if learning_rate is not None:
        must = f"left out of the {form} form, which has its own rate"
        require(form == "sharp", "learning_rate", must, learning_rate)
    if k == 1:
        return 0.0
    if learning_rate is not None:
        eta = positive("learning_rate", learning_rate)
        return (2 * ln(k) / eta + eta * t * k + (1 / eta + 1) * surprise).up()
    return _tuned(exact(t * k), ln(k), surprise, form).up()


def _tuned(size: Enclosure, log: Enclosure, surprise: Enclosure, form: str) -> Enclosure:
    """The bound at its rate, for T K = size."""
    if form == "anytime":
        return 4 * sqrt(size * log) + (sqrt(size / log) + 1) * surprise
    inverse = sqrt(size / (2 * log)) if form == "sharp" else sqrt(2 * size / log)
    return 2 * sqrt(2 * size * log) + (inverse + 1) * surprise
