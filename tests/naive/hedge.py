"""Hedge, written from its definition."""

from __future__ import annotations

import math
from typing import NamedTuple


class Run(NamedTuple):
    loss: float  # the sum of v_t . l_t
    expert_losses: list
    weights: list  # before the first round and after each
    squared_losses: float  # the sum of v_t . l_t^2

    @property
    def regret(self):
        return self.loss - min(self.expert_losses)


def weights_for(totals, rate):
    """exp(-rate * total), normalised; shifting all totals alike changes nothing."""
    least = min(totals)
    raw = [math.exp(-rate * (total - least)) for total in totals]
    norm = math.fsum(raw)
    return [x / norm for x in raw]


def hedge(losses, rate):
    """Play v_t against each row of losses. `rate` is a number, or gives the rate of round 1, 2, ..."""
    at = rate if callable(rate) else lambda t: rate
    totals, weights, paid, squares = [0.0] * len(losses[0]), [], [], []
    for t, row in enumerate(losses, start=1):
        v = weights_for(totals, at(t))
        weights.append(v)
        paid.append(math.fsum(vi * x for vi, x in zip(v, row, strict=True)))
        squares.append(math.fsum(vi * x * x for vi, x in zip(v, row, strict=True)))
        totals = [total + x for total, x in zip(totals, row, strict=True)]
    weights.append(weights_for(totals, at(len(losses))))
    return Run(math.fsum(paid), totals, weights, math.fsum(squares))
