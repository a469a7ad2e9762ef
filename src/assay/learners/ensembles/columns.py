"""Features as whole numbers: what the growers of forests look at instead of cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.learners.common.jobs import in_threads
from assay.learners.common.written_out import columns_of
from assay.types import Array, Bools, Floats, Ints

# Beyond all codes: what stands for the code of missing cells where none is missing.
NO_GAP = 2**40


@dataclass(frozen=True)
class Columns:
    """The cells of a table as codes that keep their order, one row for each feature.

    Attributes
    ----------
    codes : array of shape (n_features, n_samples)
        The place of each cell among the values of its feature, or the bin it falls into; unsigned.
    gaps : array of shape (n_features,)
        The code of missing cells, the last of its feature; `NO_GAP` where no cell is missing.
    most : int
        How many codes the feature with the most of them has.
    values, starts : arrays
        For every feature, from its start on: its values in order, or the upper ends of all bins but the last.
    binned : bool
        Whether codes are bins.
    """

    codes: Array
    gaps: Ints
    most: int
    values: Floats
    starts: Ints
    binned: bool

    @cached_property
    def incomplete(self) -> Bools:
        """The rows in which a cell is missing."""
        missing = np.zeros(self.codes.shape[1], bool)
        for feature in np.flatnonzero(self.gaps < NO_GAP):
            missing |= self.codes[feature] == self.gaps[feature]
        return missing

    def thresholds(self, feature: Array, before: Array, after: Array) -> Floats:
        """Where cuts between two codes lie: halfway between two values, or at the middle bin's end.

        NaN for no feature (-1), infinity where only missing cells lie beyond.
        """
        thresholds = np.full(len(feature), np.nan)
        inner = np.flatnonzero(feature >= 0)
        f, low, high = feature[inner], before[inner].astype(np.int64), after[inner]
        start, ends = self.starts[f], high == self.gaps[f]
        if self.binned:
            # Empty bins between the two leave a choice; the middle is the fairest.
            cut = self.values[start + np.where(ends, 0, (low + high - 1) // 2)]
        else:
            cut = (self.values[start + low] + self.values[start + np.where(ends, low, high)]) / 2
        thresholds[inner] = np.where(ends, np.inf, cut)
        return thresholds


def ranked(X: Any, workers: int = 1) -> Columns:
    """Every distinct cell has a code of its own.

    Examples
    --------
    >>> ranked(np.array([[0.5, 1], [0.25, np.nan], [0.5, 2]], np.float32)).codes.tolist()
    [[1, 0, 1], [0, 2, 1]]
    """

    def rank(column: NDArray[np.float32]) -> tuple[Array, Array, int]:
        values, codes = np.unique(column, return_inverse=True)
        last = len(values) - 1
        return values, codes.astype(np.min_scalar_type(last)), last

    columns = list(in_threads(rank, columns_of(X), workers))
    gaps = [last if np.isnan(values[-1]) else NO_GAP for values, _, last in columns]
    return _columns(columns, gaps, in_bins=False)


def binned(X: Any, most: int, sample: Ints | slice = slice(None), workers: int = 1) -> Columns:
    """At most so many bins for each feature, of about as many cells each, and one for missing cells.

    Parameters
    ----------
    X : array or sparse matrix of float32
    most : int
        How many.
    sample : array or slice
        The rows that say where bins end; no other row has any say in it.
    workers : int
        Threads.

    Examples
    --------
    >>> table = binned(np.arange(10, dtype=np.float32)[:, None], 4)
    >>> table.codes.tolist(), table.values[:-1].tolist()
    ([[0, 0, 1, 1, 1, 2, 2, 3, 3, 3]], [1.5, 4.5, 6.5])
    """

    def put(column: NDArray[np.float32]) -> tuple[Array, Array, int]:
        ends = _ends(np.sort(column[sample]), most)
        missing = np.isnan(column)
        last = len(ends) + int(missing.any())
        codes = np.searchsorted(ends, column).astype(np.min_scalar_type(last))
        codes[missing] = last
        return ends, codes, last

    columns = list(in_threads(put, columns_of(X), workers))
    gaps = [last if last > len(ends) else NO_GAP for ends, _, last in columns]
    return _columns(columns, gaps, in_bins=True)


def _ends(ordered: NDArray[np.float32], most: int) -> Floats:
    """Halfway between the values where one share of the cells ends and the next begins."""
    ordered = ordered[: np.searchsorted(ordered, np.nan)].astype(np.float64)
    changes = np.flatnonzero(ordered[1:] > ordered[:-1]) + 1
    if len(changes) >= most:
        wanted = np.arange(1, most) * len(ordered) // most
        # The change of value at or before the end of each share.
        places = np.searchsorted(changes, wanted, side="right") - 1
        changes = changes[np.unique(np.maximum(places, 0))]
    return np.asarray((ordered[changes - 1] + ordered[changes]) / 2)


def _columns(columns: list[tuple[Array, Array, int]], gaps: list[int], *, in_bins: bool) -> Columns:
    values = [one for one, _, _ in columns]
    most = max(last for _, _, last in columns) + 1
    rows = len(columns[0][1])
    # Two bytes at least: the loops are compiled for each type, and single bytes gain little.
    codes = np.empty((len(columns), rows), np.uint16 if most <= 65_536 else np.uint32)
    for row, (_, column, _) in zip(codes, columns, strict=True):
        row[:] = column
    return Columns(
        codes=codes,
        gaps=np.array(gaps, dtype=np.int64),
        most=most,
        # One more, so that a feature of one bin has a place to look at.
        values=np.concatenate([*values, [np.nan]]).astype(np.float64),
        starts=np.cumsum([0, *map(len, values)]),
        binned=in_bins,
    )
