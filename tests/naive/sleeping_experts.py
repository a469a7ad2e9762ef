"""Combining sleeping experts, written from its definition."""

from __future__ import annotations

from typing import NamedTuple


class Run(NamedTuple):
    w: list
    paid: list  # for each expert, the sum of P over the rounds in which it was awake
    expert_loss: list  # its own loss over the same rounds
    totals: list  # the total weight at the start and after each round


def sleeping_experts(awake, losses, epsilon):
    """Rounds of an awake mask and a loss in [0, 1] for each expert; sleepers' losses are ignored.

    P is the expected loss of following an awake expert drawn by weight.
    """
    k = len(losses[0])
    w, paid, own, totals = [1.0] * k, [0.0] * k, [0.0] * k, [float(k)]
    for mask, row in zip(awake, losses, strict=True):
        up = [i for i in range(k) if mask[i]]
        if up:  # nobody awake: no prediction, no update
            total = sum(w[i] for i in up)
            mean = sum(w[i] * row[i] for i in up) / total
            for i in up:
                w[i] *= (1 + epsilon) ** (mean / (1 + epsilon) - row[i])
                paid[i] += mean
                own[i] += row[i]
        totals.append(sum(w))
    return Run(w, paid, own, totals)
