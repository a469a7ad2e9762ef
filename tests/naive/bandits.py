"""The bandit policies from their definitions, one round after the other, in plain Python."""

from __future__ import annotations

import math

from tests.naive.hedge import weights_for


def cumulative(weights, u):
    """The arm into whose share of [0, 1) a uniform number falls."""
    total = 0.0
    for arm, weight in enumerate(weights):
        total += weight
        if u < total:
            return arm
    return len(weights) - 1


def exp3(losses, uniforms, rate, share=0.0):
    """EXP3 (share 0) or EXP3-IX (share 1/2): arms, probabilities, estimates. `rate` gives that of round 1, 2, ..."""
    estimates, arms, chances = [0.0] * len(losses[0]), [], []
    for t, (row, u) in enumerate(zip(losses, uniforms, strict=True), start=1):
        v = weights_for(estimates, rate(t))
        arm = cumulative(v, u)
        arms.append(arm)
        chances.append(v[arm])
        estimates[arm] += row[arm] / (v[arm] + share * rate(t))
    return arms, chances, estimates


def index_policy(losses, index):
    """Each arm once, then the least index(mean loss, plays, t)."""
    k = len(losses[0])
    plays, sums, arms = [0] * k, [0.0] * k, []
    for t, row in enumerate(losses, start=1):
        if 0 in plays:
            arm = plays.index(0)
        else:
            values = [index(s / n, n, t) for s, n in zip(sums, plays, strict=True)]
            arm = values.index(min(values))
        arms.append(arm)
        plays[arm] += 1
        sums[arm] += row[arm]
    return arms


def ucb1_index(mean, plays, t):
    return mean - math.sqrt(2 * math.log(t) / plays)


def kl(p, q):
    total = 0.0
    if p > 0:
        total += p * math.log(p / q) if q > 0 else math.inf
    if p < 1:
        total += (1 - p) * math.log((1 - p) / (1 - q)) if q < 1 else math.inf
    return total


def kl_index(level):
    """By bisection; `level` gives ln f(t)."""

    def index(mean, plays, t):
        low, high = 0.0, mean
        for _ in range(200):
            middle = (low + high) / 2
            if plays * kl(mean, middle) <= level(t):
                high = middle
            else:
                low = middle
        return high

    return index
