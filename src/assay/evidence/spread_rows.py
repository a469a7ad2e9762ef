"""Some rows of many, in their order: blocks of neighbours at equal distances, in a memory that does not grow.

Which rows are kept is decided by their places alone, so that exchangeable rows stay exchangeable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from assay.evidence.order_check import OrderCheck
from assay.evidence.order_tests import BLOCK, FEWEST, LOOKED_AT, WIDEST, check_order
from assay.types import Array, Floats, Ints

Piece = TypeVar("Piece")


class SpreadRows(Generic[Piece]):
    """Rows that come piece by piece, as far as they are kept.

    Parameters
    ----------
    take : callable
        Some rows of a piece, by their numbers in it.

    Examples
    --------
    >>> spread = SpreadRows(lambda piece, rows: piece[rows])
    >>> for start in range(0, 50_000, 1_000):
    ...     spread.add(np.arange(start, start + 1_000), 1_000)
    >>> kept = np.concatenate(spread.pieces)
    >>> len(kept), kept[[0, 63, 64]].tolist()
    (6272, [0, 63, 512])
    """

    def __init__(self, take: Callable[[Piece, Ints], Piece]) -> None:
        self._take, self._rows, self._apart = take, 0, BLOCK
        self._kept: list[tuple[Ints, Piece]] = []

    def add(self, piece: Piece, rows: int) -> None:
        """So many more rows."""
        places = np.arange(self._rows, self._rows + rows)
        self._rows += rows
        self._kept += self._still(places, piece)
        while self._rows > self._apart * (LOOKED_AT // BLOCK):
            self._apart *= 2  # of the blocks every other one
            self._kept = [one for kept in self._kept for one in self._still(*kept)]

    def _still(self, places: Ints, piece: Piece) -> list[tuple[Ints, Piece]]:
        rows = np.flatnonzero(places % self._apart < BLOCK)
        return [(places[rows], self._take(piece, rows))] if len(rows) else []

    @property
    def pieces(self) -> list[Piece]:
        """What is kept, in order."""
        return [piece for _, piece in self._kept]

    def __len__(self) -> int:
        return sum(len(places) for places, _ in self._kept)


class SpreadExamples(SpreadRows[tuple[Any, Array]]):
    """Examples of a stream with their classes: arrays, sparse matrices, or mappings of names to numbers.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> spread = SpreadExamples()
    >>> for start in range(0, 50_000, 1_000):
    ...     spread.add((rng.normal(size=(1_000, 2)) + start / 50_000, rng.integers(0, 2, 1_000)), 1_000)
    >>> spread.check().alarms
    True
    """

    def __init__(self) -> None:
        super().__init__(lambda piece, rows: (_some(piece[0], rows), np.asarray(piece[1])[rows]))

    def check(self) -> OrderCheck | None:
        """What the order of the rows tells; None where there are too few of them."""
        if len(self) < FEWEST:
            return None
        target = np.unique(np.concatenate([y for _, y in self.pieces]), return_inverse=True)[1]
        return check_order(_columns([X for X, _ in self.pieces]), target)


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
    named = [{str(name): value for name, value in row.items()} for row in rows]
    names, counts = np.unique([name for row in named for name in row], return_counts=True)
    densest = names[np.sort(np.argsort(-counts, kind="stable")[:WIDEST])].tolist()
    # What is 0 may as well be left out.
    return np.array([[_number(row.get(name, 0)) for name in densest] for row in named])


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan
