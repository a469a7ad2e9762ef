"""The weighted average of experts, written from its definition."""

from __future__ import annotations

import math
from typing import NamedTuple


class Run(NamedTuple):
    predictions: list
    losses: list  # of the average, round by round
    expert_losses: list  # totals
    weights: list  # before the first round and after each

    @property
    def regret(self):
        return math.fsum(self.losses) - min(self.expert_losses)


def square_loss(y, p):
    return (y - p) ** 2


def entropic_loss(y, p):
    """Infinite for a sure prediction that is wrong; 0 ln 0 counts as 0."""
    terms = [(y, p), (1 - y, 1 - p)]
    return math.fsum(
        0.0 if share == 0 else (math.inf if q <= 0 else -share * math.log(q)) for share, q in terms
    )


def weighted_average(advice, outcomes, rate, loss):
    """Predict v . x; multiply each weight by exp(-rate * loss) and normalise."""
    k = len(advice[0])
    v, predictions, losses, experts = [1.0 / k] * k, [], [], [0.0] * k
    weights = [v]
    for row, y in zip(advice, outcomes, strict=True):
        p = min(1.0, math.fsum(vi * x for vi, x in zip(v, row, strict=True)))
        predictions.append(p)
        losses.append(loss(y, p))
        each = [loss(y, x) for x in row]
        experts = [total + one for total, one in zip(experts, each, strict=True)]
        v = [vi * math.exp(-rate * one) for vi, one in zip(v, each, strict=True)]
        total = math.fsum(v)
        v = [vi / total for vi in v]
        weights.append(v)
    return Run(predictions, losses, experts, weights)


def divergence(u, v):
    """Relative entropy d(u, v) of two distributions."""
    return math.fsum(ui * math.log(ui / vi) for ui, vi in zip(u, v, strict=True) if ui > 0)
