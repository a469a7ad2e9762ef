"""The best decision stump for any weights of the examples, from an order of the rows that is worked out once."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.ensembles.ballots import say
from assay.compiled.ensembles.stump_bins import BINS, bin_feature
from assay.compiled.ensembles.stumps import first_cut, weigh_cuts
from assay.learners.common.written_out import column_of
from assay.types import Array, Bools, Floats, Ints

# Below this many cells a round is over before a second thread has started.
_WORTH_A_THREAD = 200_000
#: How rows are read for stumps, and the bytes of a cell while one searches.
STUMP_CELLS: Any = {"dtype": np.float64, "accept_sparse": "csc"}
STUMP_BYTES = 13
# What differs by less, as a share of all weight, is equal but for rounding.
EQUAL = 1e-12


@dataclass(frozen=True)
class Stump:
    """Class `low` where a feature is at most the threshold, class `high` above it.

    A feature of -1 stands for none: `low` everywhere.
    """

    feature: int
    threshold: float
    low: int
    high: int


class StumpSearch:
    """Finds stumps on one sample.

    Rows are sorted by class, so that weights can be added up class by class; `rows` says where each came
    from, and `labels` are their classes. Weights and predictions are in that order.

    Parameters
    ----------
    X : array of shape (n, d), or sparse matrix by columns
        Finite numbers.
    codes : array of shape (n,)
        The class of each row, 0, 1, ...; each occurs.
    criterion : {"gini", "error"}
        What a stump minimises: the weighted Gini impurity, or the weighted error.
    jobs : int
        How many threads share the features; what is found does not depend on it.

    Examples
    --------
    >>> search = StumpSearch(np.array([[1.0], [2], [3], [4]]), np.array([0, 0, 1, 1]), "error")
    >>> search.find(np.full(4, 0.25))
    Stump(feature=0, threshold=2.5, low=0, high=1)
    """

    def __init__(self, X: Any, codes: Array, criterion: str = "gini", *, jobs: int = 1) -> None:
        n, d = X.shape
        self.rows = np.argsort(codes.astype(np.min_scalar_type(int(codes.max()))), kind="stable")
        self.labels = np.ascontiguousarray(codes[self.rows], dtype=np.int64)
        classes = int(self.labels[-1]) + 1
        self._ends = np.searchsorted(self.labels, np.arange(classes + 1)).astype(np.int64)
        self._by_errors = criterion == "error"
        jobs = min(jobs, d) if n * d >= _WORTH_A_THREAD else 1
        self._pool = ThreadPoolExecutor(jobs) if jobs > 1 else None
        cuts = np.linspace(0, d, jobs + 1).astype(int).tolist()
        self._spans = list(itertools.pairwise(cuts))
        self._values = np.empty((d, n))
        self._order = np.empty((d, n), dtype=np.int32)
        self._codes = np.empty((d, n), dtype=np.uint8)
        self._starts = np.empty((d, BINS + 1), dtype=np.int32)
        self._bins = np.empty(d, dtype=np.int64)
        # What a search writes: the sums of weights by bin, and what cuts are worth between bins and within.
        self._room = (
            np.empty((d, classes, BINS)),
            np.full((d, BINS + 1), -1.0),
            np.full((d, BINS), -1.0),
        )
        self._each_span(lambda first, last: self._sort(X, first, last))

    def _each_span(self, work: Any) -> list[Any]:
        if self._pool is None:
            return [work(*span) for span in self._spans]
        return list(self._pool.map(lambda span: work(*span), self._spans))

    def _sort(self, X: Any, first: int, last: int) -> None:
        places = np.arange(X.shape[0], dtype=np.uint64)
        for f in range(first, last):
            values = self._values[f]
            np.add(column_of(X, f)[self.rows], 0.0, out=values)  # one zero instead of two
            with np.errstate(over="ignore"):
                bits = values.astype(np.float32).view(np.uint32)
            keys = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31)).astype(np.uint64)
            keys <<= np.uint64(32)
            keys |= places
            keys.sort()
            self._bins[f] = bin_feature(
                values, keys, self._order[f], self._codes[f], self._starts[f]
            )

    def find(self, weights: Floats) -> Stump:
        """The best stump; among equals the first feature, and the lowest threshold."""
        sorted_rows = (self._values, self._order, self._starts, self._bins, self._ends)

        def weigh(first: int, last: int) -> float:
            span = (first, last, self._by_errors)
            worth = weigh_cuts(self._codes, *sorted_rows, weights, *span, *self._room)
            return float(worth)

        best = max(self._each_span(weigh))
        sides = np.zeros((2, len(self._ends) - 1))
        near = EQUAL * float(weights.sum())
        how = (weights, self._by_errors, *self._room, best - near, sides)
        feature, place = first_cut(*sorted_rows, *how) if best >= 0 else (-1, -1)
        if feature < 0:
            alone = np.add.reduceat(weights, self._ends[:-1])
            label = _first_of_largest(alone, near)
            return Stump(-1, 0.0, label, label)
        column, order = self._values[feature], self._order[feature]
        threshold = midway(column[order[place]], column[order[place + 1]])
        low, high = (_first_of_largest(side, near) for side in sides)
        return Stump(feature, threshold, low, high)

    def above(self, stump: Stump) -> Bools:
        """Which rows of the sample lie above a stump's threshold."""
        if stump.feature < 0:
            return np.zeros(len(self.labels), dtype=bool)
        return np.asarray(self._values[stump.feature] > stump.threshold)

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()

    def said(self, stump: Stump) -> Ints:
        """What a stump says of every row of the sample."""
        codes = np.empty(len(self.labels), dtype=np.int64)
        if stump.feature < 0:
            codes[:] = stump.low
        else:
            say(self._values[stump.feature], stump.threshold, stump.low, stump.high, codes)
        return codes


def _first_of_largest(sums: Floats, near: float) -> int:
    return int((sums >= sums.max() - near).argmax())


def midway(below: float, above: float) -> float:
    """The number in the middle, or the lower one where rounding would reach the upper.

    Examples
    --------
    >>> midway(1.0, 2.0), midway(1.0, float(np.nextafter(1.0, 2.0)))
    (1.5, 1.0)
    """
    middle = float(below) / 2 + float(above) / 2
    return middle if below <= middle < above else float(below)
