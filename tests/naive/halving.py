"""Learners that keep what is consistent, written from their definitions.

Hypotheses are functions from an example to -1 or +1.
"""

from __future__ import annotations

from typing import NamedTuple


class Run(NamedTuple):
    left: list  # the hypotheses still consistent
    mistakes: int
    weights: list  # the weight left, at the start and after each mistake


def majority(hypotheses, weights, x, tie=1):
    """The label with more weight behind it."""
    lean = sum(w * h(x) for h, w in zip(hypotheses, weights, strict=True))
    return tie if lean == 0 else (1 if lean > 0 else -1)


def halving(hypotheses, X, y, prior=None, tie=1):
    """Predict with the weighted majority of the consistent hypotheses, then delete the refuted."""
    left = list(zip(hypotheses, prior or [1] * len(hypotheses), strict=True))
    mistakes, weights = 0, [sum(w for _, w in left)]
    for x, label in zip(X, y, strict=True):
        guess = majority(*zip(*left, strict=True), x, tie)
        left = [(h, w) for h, w in left if h(x) == label]
        if guess != label:
            mistakes += 1
            weights.append(sum(w for _, w in left))
        if not left:
            raise RuntimeError("the target is not among the hypotheses")
    return Run([h for h, _ in left], mistakes, weights)


def consistent(hypotheses, X, y, pick=0):
    """Predict with one consistent hypothesis (the one at `pick` in the list that is left)."""
    left, mistakes, weights = list(hypotheses), 0, [len(hypotheses)]
    for x, label in zip(X, y, strict=True):
        guess = left[pick % len(left)](x)
        left = [h for h in left if h(x) == label]
        if guess != label:
            mistakes += 1
            weights.append(len(left))
    return Run(left, mistakes, weights)
