"""The weighted majority algorithm, written from its definition."""

from __future__ import annotations

from typing import NamedTuple


class Run(NamedTuple):
    w: list
    mistakes: int
    expert_mistakes: list
    totals: list  # the total weight at the start and after each round
    erred: list  # whether the majority erred, round by round


def weighted_majority(advice, outcomes, beta, tie=1):
    """Vote by weight (labels -1 and +1); multiply every wrong expert's weight by beta."""
    k = len(advice[0])
    w, mistakes, totals, erred = [1] * k, [0] * k, [k], []
    for row, outcome in zip(advice, outcomes, strict=True):
        lean = sum(wi * a for wi, a in zip(w, row, strict=True))
        guess = tie if lean == 0 else (1 if lean > 0 else -1)
        erred.append(guess != outcome)
        for i, a in enumerate(row):
            if a != outcome:
                w[i] = w[i] * beta
                mistakes[i] += 1
        totals.append(sum(w))
    return Run(w, sum(erred), mistakes, totals, erred)
