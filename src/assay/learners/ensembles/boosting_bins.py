"""Cells as bins of one byte: what boosted trees look at instead of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from assay.compiled.ensembles.boosting_bins import BINS, MISSING, bin_rows
from assay.errors import BadData
from assay.learners.common.jobs import in_threads
from assay.types import Array, Floats, Ints

#: The most rows that say where bins end.
SAMPLE = 200_000
NUMBER, GROUP = 1, 2
_STEP = 512


@dataclass(frozen=True)
class Bins:
    """Where the bins of every feature end.

    Attributes
    ----------
    cuts : array of shape (n_features, 256)
        The upper ends of all bins but the last, ascending; infinity behind them.
    used : array of shape (n_features,)
        How many bins there are, missing cells apart.
    kinds : array of shape (n_features,)
        1 for numbers, 2 for categories, whose cells are 0, 1, 2, ...
    gaps : array of shape (n_features,)
        1 where cells of the sample were missing.
    """

    cuts: Floats
    used: Ints
    kinds: Ints
    gaps: Ints

    @classmethod
    def of(cls, X: Any, arity: Sequence[int], most: int, workers: int = 1) -> Bins:
        """At most so many bins for each feature, of about as many cells each.

        Parameters
        ----------
        X : array of float64, or sparse matrix by columns
        arity : sequence of int
            How many categories each feature has; zero for numbers.
        most : int
            How many bins.
        workers : int
            Threads.

        Examples
        --------
        >>> bins = Bins.of(np.array([[0.0, 1], [1, 1], [4, np.nan]]), [0, 0], 255)
        >>> bins.used.tolist(), bins.gaps.tolist(), bins.cuts[0, :2].tolist()
        ([3, 1], [0, 1], [0.5, 2.5])
        """
        rows, width = X.shape
        columns = _columns(X, sampled_rows(rows), workers)
        cuts, used = np.full((width, BINS), np.inf), np.ones(width, np.int64)

        def find(f: int) -> None:
            ends = _ends(columns(f), most) if not arity[f] else np.arange(arity[f] - 1) + 0.5
            cuts[f, : len(ends)] = ends
            used[f] = len(ends) + 1

        list(in_threads(find, range(width), workers))
        kinds = np.where(np.asarray(arity) > 0, GROUP, NUMBER).astype(np.int64)
        return cls(cuts, used, kinds, _gaps(X).astype(np.int64))

    def divisible(self, X: Any, least: int) -> Ints:
        """The features of which some cut may leave so many rows at both sides; the first one if there are none."""
        may = (self.used > 1) | (self.gaps > 0)
        if sparse.issparse(X):  # all zeros are at one side
            may &= np.bincount(X.tocsr().indices, minlength=X.shape[1]) >= least
        return np.flatnonzero(may) if may.any() else np.zeros(1, np.int64)

    def some(self, features: Ints) -> Bins:
        """The bins of these features."""
        return Bins(
            self.cuts[features], self.used[features], self.kinds[features], self.gaps[features]
        )

    def codes(self, X: Any, workers: int = 1) -> NDArray[np.uint8]:
        """The bins of rows, one behind the other."""
        rows, width = X.shape
        out = np.empty((rows, width), np.uint8)
        if sparse.issparse(X):
            self._of_columns(X, out.T)
            return out
        none, place, stride = np.empty((0, 0), np.uint8), np.arange(width), np.full(width, width)
        self._fill(X, none, out.reshape(-1), place, stride, False, workers)
        return out

    def lay_out(
        self, X: Any, place: Ints, stride: Ints, records: NDArray[np.uint8], workers: int
    ) -> NDArray[np.uint8]:
        """The bins by features; and by rows, into records, feature f of row i at place[f] + i * stride[f]."""
        rows, width = X.shape
        cols = np.empty((width, rows), np.uint8)
        if not sparse.issparse(X):
            self._fill(X, cols, records, place, stride, True, workers)
            return cols
        self._of_columns(X, cols)
        for f in range(width):
            records[place[f] : place[f] + (rows - 1) * stride[f] + 1 : stride[f]] = cols[f]
        return cols

    def _fill(
        self,
        X: Floats,
        cols: Array,
        records: Array,
        place: Ints,
        stride: Ints,
        both: bool,
        workers: int,
    ) -> None:
        ends = [len(X) * t // workers for t in range(workers + 1)]

        def fill(t: int) -> None:
            bin_rows(X, self.cuts, ends[t], ends[t + 1], cols, records, place, stride, both)

        list(in_threads(fill, range(workers), workers))

    def _of_columns(self, X: Any, cols: Array) -> None:
        """A sparse table: what is not stored is zero."""
        X = X.tocsc()
        for f in range(X.shape[1]):
            part = slice(X.indptr[f], X.indptr[f + 1])
            ends = self.cuts[f, : self.used[f] - 1]
            cols[f] = np.searchsorted(ends, 0.0)
            cells = X.data[part]
            cols[f, X.indices[part]] = np.where(
                np.isnan(cells), MISSING, np.searchsorted(ends, cells)
            )


def sampled_rows(rows: int) -> Ints | None:
    """The rows that say where bins end: all of few, else one of each stretch, not always the first."""
    if rows <= SAMPLE:
        return None
    places = np.arange(SAMPLE)
    hashed = (places.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)
    return places * rows // SAMPLE + hashed.astype(np.int64) % (rows // SAMPLE)


def _columns(X: Any, chosen: Ints | None, workers: int) -> Any:
    """A function of features that gives the cells of the rows chosen."""
    if sparse.issparse(X):
        X = X.tocsc()

        def column(f: int) -> Floats:
            cells = np.zeros(X.shape[0])
            part = slice(X.indptr[f], X.indptr[f + 1])
            cells[X.indices[part]] = X.data[part]
            return cells if chosen is None else cells[chosen]

        return column
    many = len(X) if chosen is None else len(chosen)
    cells = np.empty((X.shape[1], many))

    def copy(t: int) -> None:
        for b in range(t * _STEP, many, workers * _STEP):
            part = X[b : b + _STEP] if chosen is None else X[chosen[b : b + _STEP]]
            cells[:, b : b + _STEP] = part.T

    list(in_threads(copy, range(workers), workers))
    return cells.__getitem__


def _gaps(X: Any) -> Array:
    """The features in which some cell is missing."""
    if not sparse.issparse(X):
        # A sum is missing where a cell is; cells are finite otherwise, but their sum may not be.
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(np.sum(X)):
                return np.zeros(X.shape[1], bool)
        return np.asarray(np.isnan(X).any(axis=0))
    X = X.tocsc()
    return np.array(
        [np.isnan(X.data[a:b]).any() for a, b in zip(X.indptr, X.indptr[1:], strict=False)]
    )


def _ends(column: Floats, most: int) -> Floats:
    """Halfway between distinct values, or between those where one share of the cells ends and the next begins."""
    ordered = np.sort(column)
    if len(ordered) and np.isnan(ordered[-1]):
        ordered = ordered[: np.searchsorted(ordered, np.nan)]
    if not len(ordered):
        return np.zeros(0)
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if len(changes) >= most:
        changes = np.arange(1, most) * len(ordered) // most
    low, high = ordered[changes - 1], ordered[changes]
    # Halves first: the difference of two large numbers may not be finite. Rounding may not pass the upper one.
    ends = np.unique(
        np.minimum(np.maximum(0.5 * low + 0.5 * high, low), np.nextafter(high, -np.inf))
    )
    return np.asarray(ends[ends >= ordered[0]])


def require_few(name: str, categories: Sequence[Sequence[Any] | None], most: int) -> list[int]:
    """How many categories each feature has; refuses more than there are bins."""
    arity = [0 if words is None else len(words) for words in categories]
    for f, many in enumerate(arity):
        if many > most:
            raise BadData(
                f"A feature of categories must have at most max_bins = {most} of them in {name}, but feature {f} has "
                f"{many}. Join rare ones, or encode it as numbers."
            )
    return arity
