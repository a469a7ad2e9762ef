"""Boosting against the least helpful weak learner, and a majority of coin flips: one bound for both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from assay.data.synthetic import CoinFlipLearner, weakly_learnable
from assay.learners.ensembles.majority_boost import MajorityBoostClassifier
from assay.theory.boosting.majority_boost import boosting_rounds
from assay.theory.needs import count
from assay.types import Floats, Ints


@dataclass(frozen=True)
class WeakLearners:
    r"""Examples that two majorities get wrong, round by round.

    Attributes
    ----------
    examples : int
    edge : float
        :math:`\gamma`, by how much both weak learners beat a coin: the reluctant one under any weights, the coins on
        average.
    reluctant : array of int
        After 1, 2, 3, ... rounds of boosting a learner that helps as little as it may.
    coins : array of float
        The same of a majority of coin flips that nobody boosts, on average over `runs` runs.
    runs : int
    expected, bound : array of float
        What that average estimates, by the binomial distribution, ties being wrong; and :math:`n\,e^{-2T\gamma^2}`.
    """

    examples: int
    edge: float
    reluctant: Ints
    coins: Floats
    runs: int
    expected: Floats
    bound: Floats

    @property
    def wrong(self) -> dict[str, Floats]:
        """Both, as `figures.boosting_errors` draws them."""
        return {
            "least helpful learner, boosted": self.reluctant.astype(np.float64),
            "coin flips, on average": self.coins,
        }


def weak_learners(
    examples: int = 1000,
    edge: float = 0.1,
    *,
    hypotheses: int = 25,
    runs: int = 20,
    random_state: int = 0,
) -> WeakLearners:
    r"""Play the least helpful weak learner against boosting, and coin flips against nobody.

    A weak learner who flips a coin for every example, right with probability :math:`\frac12+\gamma`, needs no boosting:
    by Hoeffding's inequality the majority of :math:`T` of its answers is wrong on at most :math:`n\,e^{-2T\gamma^2}` of
    :math:`n` examples on average (``crowd-majority-error``). Boosting makes the same of one that only keeps its
    promise, whatever it has in mind, and without any average (``boosting-training-error``).

    Parameters
    ----------
    examples : int, default=1000
        How many there are, every one with just enough hypotheses on its side.
    edge : float, default=0.1
        :math:`\gamma`; what comes out may be larger, by less than 1 over the hypotheses.
    hypotheses : int, default=25
        How many the reluctant learner has to choose from.
    runs : int, default=20
        How often the coins are flipped.
    random_state : int, default=0
        The seed.

    Returns
    -------
    WeakLearners

    Examples
    --------
    >>> import assay
    >>> played = assay.weak_learners(200, 0.2, hypotheses=15)
    >>> bool((played.reluctant[::2] <= played.bound[::2]).all())
    True
    >>> [round(float(numbers[10])) for numbers in (played.coins, played.expected, played.bound)]
    [9, 9, 60]
    """
    n, many = count("examples", examples, at_least=1), count("runs", runs, at_least=1)
    data = weakly_learnable(n, hypotheses, edge=edge, random_state=random_state)
    rounds = boosting_rounds(n, data.edge, "textbook")
    booster = MajorityBoostClassifier(
        data.reluctant_learner(), edge=data.edge, n_estimators=rounds, trace=True
    ).fit(data.X, data.y)
    trace = booster.record_.trace
    assert trace is not None  # it was asked for
    coins = np.zeros(rounds)
    rng = np.random.default_rng(random_state)
    flips = CoinFlipLearner(data.edge, random_state=rng)
    for _ in range(many):
        votes = np.zeros(n, dtype=np.int64)
        for t in range(rounds):
            right = flips.fit(data.X, data.y).predict(data.X) == data.y
            votes += np.where(right, 1, -1)
            coins[t] += np.count_nonzero(votes <= 0)
    at = np.arange(1, rounds + 1)
    return WeakLearners(
        examples=n,
        edge=data.edge,
        reluctant=np.asarray(trace["wrong"], dtype=np.int64),
        coins=coins / many,
        runs=many,
        expected=n * binom.cdf(at // 2, at, 0.5 + data.edge),
        bound=n * np.exp(-2 * at * data.edge**2),
    )
