"""Regret of Thompson sampling, averaged over the arms that the prior expects."""

from __future__ import annotations

from assay.theory.claim import Condition
from assay.theory.needs import count
from assay.theory.registry import theorem, without_number
from assay.theory.rounding import ln, sqrt

DRAWN_MEANS = Condition(
    "uniform-prior-of-means",
    "the arms' mean losses are themselves independent draws from the uniform distribution on [0, 1]",
)
POSTERIOR_RULE = Condition(
    "thompson-rule",
    "each arm is drawn with the probability that it is the best, given the losses seen; a loss "
    "between 0 and 1 counts as 1 with that probability and else as 0",
)


@theorem(
    kind="regret",
    holds="expectation",
    statement=r"\mathbb E_{\mu}\,\mathbb E[\mathrm{Reg}]\le\sqrt{\tfrac12TK\,H(A^*)}\le\sqrt{\tfrac12TK\ln K}",
    assumes=(
        DRAWN_MEANS,
        Condition(
            "arm-losses-independent",
            "each arm's losses are independent draws from one distribution on [0, 1]",
        ),
        POSTERIOR_RULE,
    ),
)
def thompson_bayesian_regret(rounds: int, arms: int) -> float:
    """Expected regret of Thompson sampling on arms drawn from its prior.

    Theorem  If the means of K arms are independent uniform draws, Thompson sampling started from
             uniform priors loses in T rounds, on average over the arms, their losses and its own
             draws, at most sqrt(T K ln(K) / 2) more than the best arm.
    Needs    rounds T: whole, >= 1.  arms K: whole, >= 1.
    Gives    an upper bound on the average over the prior, rounded up; for the arms at hand the
             expected regret may be larger.
    Source   Russo & Van Roy, An information-theoretic analysis of Thompson sampling (JMLR 2016).

    Examples
    --------
    >>> round(thompson_bayesian_regret(rounds=10000, arms=10), 6)
    339.307021
    """
    t = count("rounds", rounds, at_least=1)
    k = count("arms", arms, at_least=1)
    return sqrt(t * k * ln(k) / 2).up()


without_number(
    "",
    "thompson-regret-limit",
    kind="regret",
    holds="limit",
    statement=(
        r"\limsup_{T\to\infty}\frac{\mathbb E[\mathrm{Reg}]}{\ln T}"
        r"\le\sum_{i:\Delta_i>0}\frac{\Delta_i}{\mathrm{kl}(\mu_i\,\|\,\mu^*)}"
    ),
    source=(
        "Kaufmann, Korda & Munos, Thompson sampling: an asymptotically optimal finite-time analysis "
        "(ALT 2012)"
    ),
)
