"""Boosting with a known edge and an unweighted majority, written from its definition."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple


class Run(NamedTuple):
    wrong: int  # examples on which the majority of the weak hypotheses is wrong
    misses: list  # for each example, how many weak hypotheses were wrong
    weights: list  # at the start and after each round


def majority_boost(weak, examples, rounds, edge):
    """`weak(weights)` says for every example whether the weak hypothesis is right on it.

    Edges given as fractions keep all weights exact.
    """
    weights, misses = [1] * examples, [0] * examples
    history = [weights]
    factor = (1 + 2 * edge) / (1 - 2 * edge)
    for _ in range(rounds):
        right = weak(weights)
        assert sum(w for w, r in zip(weights, right, strict=True) if r) * 2 >= (1 + 2 * edge) * sum(
            weights
        ), "not a weak learner"
        weights = [w if r else w * factor for w, r in zip(weights, right, strict=True)]
        misses = [n + (not r) for n, r in zip(misses, right, strict=True)]
        history.append(weights)
    return Run(sum(2 * n > rounds for n in misses), misses, history)


def independent_votes(sides, wrong_sides, rounds):
    """Tables of `rounds` hypotheses on sides^rounds examples, each wrong on the same share of all.

    Example (a_1, ..., a_T) is missed by hypothesis t when a_t < wrong_sides: as if every voter threw
    its own die, so that no reweighting changes any hypothesis's weighted error.
    """
    dice = list(product(range(sides), repeat=rounds))
    return [[roll[t] >= wrong_sides for roll in dice] for t in range(rounds)]
