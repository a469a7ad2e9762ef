"""Fixed share, and the best sequence of experts with few switches, written from their definitions."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import NamedTuple


class Run(NamedTuple):
    loss: float
    weights: list  # before each round and after the last


def fixed_share(losses, rate, share):
    k = len(losses[0])
    v, paid, weights = [1.0 / k] * k, [], [[1.0 / k] * k]
    for row in losses:
        paid.append(math.fsum(vi * x for vi, x in zip(v, row, strict=True)))
        raw = [vi * math.exp(-rate * (x - min(row))) for vi, x in zip(v, row, strict=True)]
        norm = math.fsum(raw)
        v = [(1 - share) * x / norm + share / k for x in raw]
        weights.append(v)
    return Run(math.fsum(paid), weights)


def best_sequence(losses, switches):
    """Of all sequences of experts with at most so many switches, the least loss."""
    k, least = len(losses[0]), math.inf
    for sequence in product(range(k), repeat=len(losses)):
        if sum(a != b for a, b in pairwise(sequence)) <= switches:
            least = min(least, math.fsum(row[i] for row, i in zip(losses, sequence, strict=True)))
    return least
