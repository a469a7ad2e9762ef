"""Some rows of a stream, in their order: blocks of neighbours at equal distances, in a memory that does not grow.

Which rows are kept is decided by their places alone, so that exchangeable rows stay exchangeable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.evidence.order_check import OrderCheck
from assay.evidence.order_tests import BLOCK, FEWEST, LOOKED_AT, WIDEST, check_order
from assay.types import Array, Floats, Ints


class SpreadRows:
    """The rows of a stream, as far as their order is looked at.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = SpreadRows()
    >>> for start in range(0, 50_000, 1_000):
    ...     rows.add(rng.normal(size=(1_000, 2)) + start / 50_000, rng.integers(0, 2, 1_000))
    >>> rows.places[[0, 63, 64]].tolist(), len(rows.places)
    ([0, 63, 512], 6272)
    >>> rows.check().found
    True
    """

    def __init__(self) -> None:
        self._rows, self._apart = 0, BLOCK
        self._places: list[Ints] = []
        self._kept: list[Any] = []
        self._truth: list[Array] = []

    def add(self, X: Any, y: Any) -> None:
        """Some more rows with their truth: an array, a sparse matrix, or mappings of names to numbers."""
        places = np.arange(self._rows, self._rows + len(y))
        self._rows += len(y)
        wanted = np.flatnonzero(places % self._apart < BLOCK)
        if len(wanted):
            self._places.append(places[wanted])
            self._kept.append(_some(X, wanted))
            self._truth.append(np.asarray(y)[wanted])
        while self._rows > self._apart * (LOOKED_AT // BLOCK):
            self._apart *= 2
            self._thin()

    def _thin(self) -> None:
        """Keep every other block."""
        still = [np.flatnonzero(places % self._apart < BLOCK) for places in self._places]
        pieces = zip(self._places, self._kept, self._truth, still, strict=True)
        kept = [(p[rows], _some(X, rows), y[rows]) for p, X, y, rows in pieces if len(rows)]
        self._places, self._kept, self._truth = map(list, zip(*kept, strict=True))

    @property
    def places(self) -> Ints:
        """Which rows are kept, counted from 0."""
        return np.concatenate([np.zeros(0, np.int64), *self._places])

    def check(self) -> OrderCheck | None:
        """What the order of the rows tells; None where there are too few of them."""
        if len(self.places) < FEWEST:
            return None
        target = np.unique(np.concatenate(self._truth), return_inverse=True)[1]
        return check_order(_columns(self._kept), target)


def _some(X: Any, rows: Ints) -> Any:
    if isinstance(X, list | tuple):
        return [X[i] for i in rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return np.array(np.asarray(X)[rows][:, :WIDEST])


def _columns(kept: list[Any]) -> Floats:
    """The rows as one array; of wide rows the columns that are filled most often."""
    if isinstance(kept[0], list):
        return _from_mappings([row for piece in kept for row in piece])
    if not hasattr(kept[0], "tocsr"):
        return np.concatenate(kept).astype(np.float64)
    filled = sum(np.diff(piece.tocsc().indptr) for piece in kept)
    densest = np.sort(np.argsort(-np.asarray(filled), kind="stable")[:WIDEST])
    return np.concatenate([piece[:, densest].toarray() for piece in kept]).astype(np.float64)


def _from_mappings(rows: list[Mapping[Any, Any]]) -> Floats:
    names = [str(name) for row in rows for name in row]
    known, counts = np.unique(np.array(names, dtype=str), return_counts=True)
    densest = known[np.sort(np.argsort(-counts, kind="stable")[:WIDEST])].tolist()
    named = [{str(name): value for name, value in row.items()} for row in rows]
    # What is 0 may as well be left out.
    return np.array([[float(row.get(name, 0)) for name in densest] for row in named])
