"""What trees predict beside one class or one mean: several columns, medians, Poisson means, monotone ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from assay.compiled.trees.tree_aims import HEAD, IMPURITY, LOWER, UPPER, WEIGHT
from assay.compiled.trees.tree_sample import Aim
from assay.compiled.trees.tree_scan import ABSOLUTES, ENTROPY, GINI, POISSON
from assay.types import Array, Floats, Ints

_NO_COUNTS = np.zeros(0, np.int64)
#: One class, or one mean.
NO_AIM = Aim(
    0, 0, _NO_COUNTS, np.zeros((0, 0)), np.zeros((0, 0), np.int64), np.zeros((0, 0)), _NO_COUNTS
)


@dataclass(frozen=True)
class Aims:
    """What is predicted, beside the criterion.

    Attributes
    ----------
    levels : tuple of int
        The number of classes of each column of y; empty for numbers.
    rising : array of int64
        For each feature 1 where the prediction must not fall with it, -1 where it must not rise, else 0; empty where
        nothing is asked.
    """

    levels: tuple[int, ...] = ()
    rising: Ints = field(default_factory=lambda: _NO_COUNTS)

    @property
    def starts(self) -> Ints:
        """Where the classes of each column begin among the values of a node."""
        return np.cumsum([0, *self.levels]) if self.levels else _NO_COUNTS

    def compiled(self, criterion: int, y: Array) -> Aim:
        """The same as the grower takes it."""
        n, columns = y.shape
        ordered, ranks = np.zeros((columns, 0)), np.zeros((columns, 0), np.int64)
        room = np.zeros((2, 0))
        if criterion == ABSOLUTES:
            numbers = np.ascontiguousarray(y.T)
            order = np.argsort(numbers, axis=1, kind="stable")
            ordered = np.take_along_axis(numbers, order, axis=1)
            ranks, room = np.empty((columns, n), np.int64), np.zeros((2, n + 1))
            np.put_along_axis(ranks, order, np.broadcast_to(np.arange(n), order.shape), axis=1)
        return Aim(columns, criterion, self.starts, ordered, ranks, room, self.rising)

    def state(self, criterion: int, y: Array, weights: Floats) -> tuple[Floats, bool]:
        """The state of all rows that weigh anything, as the grower keeps it, and whether they are alike."""
        heavy = weights > 0
        y, weights = y[heavy], weights[heavy]
        values, lost = [], 0.0
        for k, column in enumerate(y.T):
            if self.levels:
                shares = np.bincount(column, weights, self.levels[k]).astype(np.float64)
                lost += _impurity(criterion, shares)
                values.append(shares)
            else:
                middle, off = _of_numbers(criterion, column, weights)
                lost += off
                values.append(np.array([middle]))
        state = np.concatenate([np.zeros(HEAD), *values])
        state[[WEIGHT, IMPURITY]] = weights.sum(), lost / y.shape[1]
        state[[LOWER, UPPER]] = -np.inf, np.inf
        return state, bool((y == y[0]).all())


def _of_numbers(criterion: int, y: Floats, weights: Floats) -> tuple[float, float]:
    """What is predicted for all of these, and the sum of what that loses."""
    if (y == y[0]).all():
        return float(y[0]), 0.0
    if criterion == ABSOLUTES:
        middle = weighted_median(y, weights)
        return middle, float(weights @ np.abs(y - middle))
    middle = math.fsum(weights * y) / math.fsum(weights)
    if criterion == POISSON:
        some = y > 0
        return middle, max(float(weights[some] @ (y[some] * np.log(y[some] / middle))), 0.0)
    return middle, float(weights @ (y - middle) ** 2)


def _impurity(criterion: int, shares: Floats) -> float:
    """That of one group of rows, times its weight."""
    total = float(shares.sum())
    if criterion == GINI:
        return max(total - float(shares @ shares) / total, 0.0)
    if criterion == ENTROPY:
        some = shares[shares > 0]
        return max(-float(some @ np.log2(some / total)), 0.0)
    return total - float(shares.max())


def weighted_median(y: Floats, weights: Floats) -> float:
    """The number up to which half the weight lies, halfway between two where both do.

    Examples
    --------
    >>> weighted_median(np.array([3.0, 1, 2]), np.ones(3)), weighted_median(np.arange(4.0), np.ones(4))
    (2.0, 1.5)
    """
    order = np.argsort(y, kind="stable")
    reached = np.cumsum(weights[order])
    half = reached[-1] / 2
    low, high = (np.searchsorted(reached, half, side=side) for side in ("left", "right"))
    return float(y[order[low]] / 2 + y[order[min(high, len(y) - 1)]] / 2)
