"""Learning disjunctions by elimination, written from the definitions."""

from __future__ import annotations

from typing import NamedTuple


class Run(NamedTuple):
    left: frozenset  # features i, or literals (i, value), still in the hypothesis
    mistakes: int
    missed_positives: int  # stays 0 while the target is a disjunction


def monotone(X, y):
    """Start with all features; on a false positive drop those that are set in the example."""
    left = frozenset(range(len(X[0])))
    missed = {1: 0, -1: 0}
    for x, label in zip(X, y, strict=True):
        guess = 1 if any(x[i] for i in left) else -1
        if guess != label:
            missed[label] += 1
            if label == -1:
                left = frozenset(i for i in left if not x[i])
    return Run(left, missed[1] + missed[-1], missed[1])


def literals(X, y):
    """Start with both literals of every feature; on a mistake drop those true in the example."""
    left = frozenset((i, value) for i in range(len(X[0])) for value in (0, 1))
    missed = {1: 0, -1: 0}
    for x, label in zip(X, y, strict=True):
        guess = 1 if any(x[i] == value for i, value in left) else -1
        if guess != label:
            missed[label] += 1
            left = frozenset((i, value) for i, value in left if x[i] != value)
    return Run(left, missed[1] + missed[-1], missed[1])
