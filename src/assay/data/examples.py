"""Examples as learners take them: features and labels, whole or chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from assay.data.encode import Encoder
from assay.errors import BadData
from assay.types import Array

#: Rows of features, dense or compressed sparse, with their labels where there are any.
Piece = tuple[Any, Array | None]


@dataclass(frozen=True, repr=False)
class Examples:
    """Rows of features with their labels.

    Parameters
    ----------
    X : numpy.ndarray or scipy.sparse.csr_array
        Rows by features.
    y : numpy.ndarray or None
        The labels as the file has them; None where no target was named.
    features : sequence of str
        The names of the features.
    target : str or None
        The column that the labels come from.
    encoder : Encoder or None
        How the columns became features; None for libsvm, whose features are numbers already.
    first_row : int
        The number of the first row among all rows read, from 1.

    Examples
    --------
    >>> Examples(np.eye(2), np.array([1, -1]), ("a", "b"), target="y")
    Examples(2 rows, 2 features, target 'y')
    """

    X: Any
    y: Array | None
    features: Sequence[str]
    target: str | None = None
    encoder: Encoder | None = None
    first_row: int = 1

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __repr__(self) -> str:
        kind = "sparse feature" if sparse.issparse(self.X) else "feature"
        label = "no target" if self.y is None else f"target {self.target!r}"
        return f"Examples({_some(len(self), 'row')}, {_some(len(self.features), kind)}, {label})"


def _some(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class Chunks:
    """Examples in chunks of bounded memory, one after the other; iterate to read them.

    A file can be gone through again and again, standard input once. When a row is bad, all rows
    before it come first, the last of them perhaps in a shorter chunk; then the refusal is raised.

    Parameters
    ----------
    read : callable
        Starts to read from the beginning.
    features, target, encoder
        As in `Examples`.
    rows : int or None
        How many rows there are in all, where the files say so.
    """

    def __init__(
        self,
        read: Callable[[], Iterator[Piece]],
        features: Sequence[str],
        *,
        target: str | None = None,
        encoder: Encoder | None = None,
        rows: int | None = None,
    ) -> None:
        self._read = read
        self.features, self.target, self.encoder, self.rows = features, target, encoder, rows

    def __iter__(self) -> Iterator[Examples]:
        row = 1
        for X, y in self._read():
            yield Examples(X, y, self.features, self.target, self.encoder, row)
            row += X.shape[0]

    def __repr__(self) -> str:
        rows = "rows not counted" if self.rows is None else _some(self.rows, "row")
        return f"Chunks({rows}, {_some(len(self.features), 'feature')})"

    def whole(self) -> Examples:
        """All chunks as one."""
        X, y = gathered(self._read(), self.rows)
        return Examples(X, y, self.features, self.target, self.encoder)


def as_asked(
    pieces: Callable[[], Iterator[Piece]],
    chunk_rows: int | None,
    features: Sequence[str],
    *,
    live: bool = False,
    **known: Any,
) -> Examples | Chunks:
    """All rows at once, or in chunks of so many rows; `known` as in `Chunks`."""
    if chunk_rows is None:
        return Chunks(pieces, features, **known).whole()
    return Chunks(lambda: rechunked(pieces(), chunk_rows, live), features, **known)


class NumberedFeatures(Sequence[str]):
    """The names of libsvm features, which are their indices; made when asked for.

    Examples
    --------
    >>> list(NumberedFeatures(first=1, count=3))
    ['1', '2', '3']
    """

    def __init__(self, first: int, count: int) -> None:
        self._indices = range(first, first + count)

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, place: Any) -> Any:
        chosen = self._indices[place]
        return [str(index) for index in chosen] if isinstance(place, slice) else str(chosen)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedFeatures):
            return self._indices == other._indices
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(self._indices)

    def __repr__(self) -> str:
        return f"<features {self._indices.start} to {self._indices.stop - 1}>"


def rechunked(pieces: Iterable[Piece], rows: int, live: bool = False) -> Iterator[Piece]:
    """The same rows in chunks of `rows`; only the last, or one before a bad row, may be shorter.

    Live rows are not kept waiting for a chunk to be full.

    Examples
    --------
    >>> pieces = [(np.ones((3, 1)), None), (np.zeros((4, 1)), None)]
    >>> [len(X) for X, _ in rechunked(pieces, 5)]
    [5, 2]
    """
    held: list[Piece] = []
    count = 0
    refusal = None
    try:
        for X, y in pieces:
            start = 0
            while start < X.shape[0]:
                stop = min(X.shape[0], start + rows - count)
                held.append((X, y) if stop - start == X.shape[0] else _slice(X, y, start, stop))
                count += stop - start
                start = stop
                if count == rows:
                    yield joined(held)
                    held, count = [], 0
            if live and held:
                yield joined(held)
                held, count = [], 0
    except BadData as problem:
        refusal = problem
    if held:
        yield joined(held)
    if refusal is not None:
        raise refusal


def _slice(X: Any, y: Any, start: int, stop: int) -> Piece:
    return X[start:stop], None if y is None else y[start:stop]


def joined(pieces: Sequence[Piece]) -> Piece:
    """Pieces one below the other."""
    if len(pieces) == 1:
        return pieces[0]
    blocks = [X for X, _ in pieces]
    parts = [y for _, y in pieces if y is not None]
    y = np.concatenate(parts) if parts else None
    if sparse.issparse(blocks[0]):
        return sparse.vstack(blocks, format="csr"), y
    return np.concatenate(blocks), y


def gathered(pieces: Iterable[Piece], rows: int | None = None) -> Piece:
    """All pieces one below the other, as they come, in little more memory than they take."""
    pieces = iter(pieces)
    first, label = next(pieces)
    if sparse.issparse(first):
        return joined([(first, label), *pieces])
    size = len(first)
    X = np.empty((max(rows or 0, size), first.shape[1]), first.dtype)
    X[:size] = first
    labels = [label]
    for piece, label in pieces:
        if size + len(piece) > len(X):
            # In place: the system moves pages about instead of copying them.
            X.resize((size + max(len(piece), size // 2), X.shape[1]), refcheck=False)
        X[size : size + len(piece)] = piece
        size += len(piece)
        labels.append(label)
    X.resize((size, X.shape[1]), refcheck=False)
    return X, np.concatenate([y for y in labels if y is not None]) if label is not None else None
