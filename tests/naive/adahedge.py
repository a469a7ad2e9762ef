"""AdaHedge, written from its definition."""

from __future__ import annotations

import math
from typing import NamedTuple


class Run(NamedTuple):
    loss: float
    expert_losses: list
    gap: float  # the sum of the mixability gaps
    variance: float  # the sum of the variances under the weights
    spread: float  # the largest range of a round
    weights: list  # before each round and after the last

    @property
    def regret(self):
        return self.loss - min(self.expert_losses)


def weights_of(totals, gap):
    least = min(totals)
    if gap == 0:
        raw = [float(total == least) for total in totals]
    else:
        rate = math.log(len(totals)) / gap
        raw = [math.exp(-rate * (total - least)) for total in totals]
    norm = math.fsum(raw)
    return [x / norm for x in raw]


def mix_loss(v, row, totals, gap):
    """What a round costs the mixture: -(1/rate) ln v.exp(-rate l), and its limit for the leaders."""
    if gap == 0:
        after = [total + x for total, x in zip(totals, row, strict=True)]
        return min(after) - min(totals)
    rate = math.log(len(v)) / gap
    # Relative to the least exponent that counts, so that nothing vanishes.
    shifts = [-rate * x + math.log(vi) for vi, x in zip(v, row, strict=True) if vi > 0]
    top = max(shifts)
    return -(top + math.log(math.fsum(math.exp(s - top) for s in shifts))) / rate


def adahedge(losses):
    k = len(losses[0])
    totals, gap, paid, variance, spread, weights = [0.0] * k, 0.0, [], [], 0.0, []
    for row in losses:
        v = weights_of(totals, gap)
        weights.append(v)
        mean = math.fsum(vi * x for vi, x in zip(v, row, strict=True))
        paid.append(mean)
        variance.append(math.fsum(vi * (x - mean) ** 2 for vi, x in zip(v, row, strict=True)))
        gap += max(0.0, mean - mix_loss(v, row, totals, gap)) if k > 1 else 0.0
        spread = max(spread, max(row) - min(row))
        totals = [total + x for total, x in zip(totals, row, strict=True)]
    weights.append(weights_of(totals, gap))
    return Run(math.fsum(paid), totals, gap, math.fsum(variance), spread, weights)
