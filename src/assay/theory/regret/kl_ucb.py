"""Regret of KL-UCB: optimism measured by relative entropy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, each, one_of, unit
from assay.theory.registry import theorem, without_number
from assay.theory.regret.ucb import INDEPENDENT
from assay.theory.rounding import Enclosure, Number, exact, exp, ln

KL_UCB_RULE = Condition(
    "kl-ucb-rule",
    "each arm is played once, then always the one of the least q <= mean loss such that "
    "plays * kl(mean loss || q) <= ln f(t)",
)
# The sum of 1 / f(t) over all t >= 1, f(t) = 1 + t ln(t)^2: 1000 terms and an integral, rounded up.
_ALL_ROUNDS = Fraction("2.492")


@theorem(
    kind="regret",
    holds="expectation",
    statement=(
        r"\mathbb E[\mathrm{Reg}]\le\sum_{i:\Delta_i>0}\Delta_i\inf_{\epsilon,\epsilon'>0}\Big("
        r"\frac{\ln f(T)}{\mathrm{kl}(\mu_i-\epsilon\,\|\,\mu^*+\epsilon')}+\frac1{e^{2\epsilon^2}-1}"
        r"+1+\frac{\sum_{t\le T}1/f(t)}{e^{2\epsilon'^2}-1}\Big)"
    ),
    assumes=(
        INDEPENDENT,
        Condition("means-given", "the means are the arms' mean losses"),
        KL_UCB_RULE,
    ),
)
def kl_ucb_regret(
    rounds: int, means: Sequence[Number], form: Literal["plain", "optimal"] = "plain"
) -> float:
    """Expected regret of KL-UCB against the best arm, for arms of known mean losses.

    Theorem  Let an arm's mean loss m be D > 0 above the least one, b. KL-UCB plays it in T rounds,
             on average, at most ln f(T) / kl(m - e || b + e') + 1 / (exp(2 e^2) - 1) + 1
             + S / (exp(2 e'^2) - 1) times, for all e, e' > 0 with m - e > b + e', where S is the sum
             of 1 / f(t) over the rounds; each time costs D.
    Needs    rounds T: whole, >= 1.  means: numbers between 0 and 1, at least one.
             form: "plain" for f(t) = t, "optimal" for f(t) = 1 + t ln(t)^2.
    Gives    an upper bound on the expectation, at the best e and e' of a grid, rounded up, and never
             above T times the largest gap; a single run may exceed it.
    Source   Garivier & Cappé, The KL-UCB algorithm for bounded stochastic bandits and beyond
             (COLT 2011); Lattimore & Szepesvári, Bandit Algorithms (2020), chapter 10; constants
             from the proof.

    Examples
    --------
    >>> round(kl_ucb_regret(rounds=10000, means=[0.1, 0.5]), 3)
    170.145
    """
    t = count("rounds", rounds, at_least=1)
    one_of("form", form, "plain", "optimal")
    arms = [mean.low for mean in each("means", means, unit)]
    require(len(arms) >= 1, "means", "a sequence of at least one number", means)
    best = min(arms)
    level, rounds_at_risk = _exploration(t, form)
    total = exact(0)
    for mean in arms:
        if mean > best:
            total += (mean - best) * _plays(mean, best, level, rounds_at_risk)
    return total.enclose(exact(t * (max(arms) - best)), min).up()


def _exploration(t: int, form: str) -> tuple[Enclosure, Enclosure]:
    """The logarithm of f(T), and the sum of 1 / f over the rounds."""
    if form == "plain":
        return ln(t), 1 + ln(t)
    return ln(1 + t * ln(t) ** 2), exact(_ALL_ROUNDS)


def _plays(
    mean: Fraction, best: Fraction, level: Enclosure, rounds_at_risk: Enclosure
) -> Enclosure:
    """How often the arm is played on average; any e and e' are right, so they are looked for in floats."""
    gap = mean - best
    search = _Search(float(mean), float(best), level.up(), rounds_at_risk.up())
    ours, theirs = search.best()
    e, f = Fraction(ours) * gap, Fraction(theirs) * gap
    q, p = mean - e, best + f
    # Where the functions drown in their own rounding, Pinsker's inequality and exp(x) > 1 + x hold still.
    apart = _entropy(q, p).enclose(exact(2 * (q - p) ** 2), max)
    own, other = ((exp(2 * x * x) - 1).enclose(exact(2 * x * x), max) for x in (e, f))
    return level / apart + 1 / own + 1 + rounds_at_risk / other


def _entropy(q: Fraction, p: Fraction) -> Enclosure:
    """kl(q || p) of two coins, 0 < p < q < 1."""
    return exact(q) * ln(q / p) + (1 - q) * ln((1 - q) / (1 - p))


class _Search:
    """Shares of the gap that make the bound small."""

    def __init__(self, mean: float, best: float, level: float, at_risk: float) -> None:
        self.mean, self.gap, self.low = mean, mean - best, best
        self.level, self.at_risk = level, at_risk

    def best(self) -> tuple[float, float]:
        """The best pair of a grid, then of finer grids around it."""
        shares, width = (0.3, 0.3), 0.29
        for _ in range(6):
            steps = [-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0]
            near = [(shares[0] + a * width, shares[1] + b * width) for a in steps for b in steps]
            shares = min((shares, *near), key=self._value)
            width /= 2.5
        return shares

    def _value(self, shares: tuple[float, float]) -> float:
        ours, theirs = shares
        if min(shares) < 0.005 or ours + theirs > 0.99:
            return math.inf
        e, f = ours * self.gap, theirs * self.gap
        q, p = self.mean - e, self.low + f
        apart = q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p))
        own, other = math.expm1(2 * e * e), math.expm1(2 * f * f)
        if min(apart, own, other) <= 0:  # too near for doubles to tell
            return math.inf
        return self.level / apart + 1 / own + self.at_risk / other


without_number(
    "",
    "kl-ucb-regret-limit",
    kind="regret",
    holds="limit",
    statement=(
        r"\limsup_{T\to\infty}\frac{\mathbb E[\mathrm{Reg}]}{\ln T}"
        r"\le\sum_{i:\Delta_i>0}\frac{\Delta_i}{\mathrm{kl}(\mu_i\,\|\,\mu^*)}"
    ),
    source=(
        "Garivier & Cappé, The KL-UCB algorithm for bounded stochastic bandits and beyond (COLT "
        "2011); Lai & Robbins, Asymptotically efficient adaptive allocation rules (1985)"
    ),
)
