"""Digests of rows: to name a data set whatever its order, and to find rows of it in another one.

**A row.** The SHA-256 of the text ``assay-row-1`` and a newline, the number of columns (four bytes)
and whether a label follows (one byte); then every cell that holds a number other than 0, by column:
the column's position from 0 (four bytes) and the number as a double, each NaN and every missing
value as the one quiet NaN; then every cell that holds text, by column: the position plus 2**31, the
length in bytes (four bytes each) and the UTF-8 text. A label is one more cell, behind the last
column. All numbers are little-endian.

Leaving out zeros makes sparse rows cheap and equal to dense ones. Neither the container nor the
type of a number matters: 1, 1.0 and True are the same cell. Whole numbers beyond 2**53 are rounded
to doubles first.

**A set of rows.** The SHA-256 of the text ``assay-rows-1``, a newline, and the rows' digests sorted.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assay.errors import BadData, require
from assay.record.columns import is_text, read_column
from assay.record.digest import digest_bytes

_CELL = np.dtype([("column", "<u4"), ("value", "<f8")])
_TEXT = 2**31
# Cells worked on at a time; each takes a few dozen bytes on the way.
_MOST_CELLS = 2**21


def row_digests(X: Any, y: Any = None) -> NDArray[np.uint8]:
    """One canonical digest per row.

    Parameters
    ----------
    X : 2-D array, pandas or polars frame, Arrow table, SciPy sparse matrix, or list of rows
        Numbers, truth values and text, in any mixture by columns.
    y : column, optional
        Labels or targets that belong to the rows.

    Returns
    -------
    numpy.ndarray
        Of bytes, one row of 32 for each row of X.

    Examples
    --------
    >>> digests = row_digests([[1, 0.5], [2, 0.5]], ["ham", "spam"])
    >>> digests.shape
    (2, 32)
    >>> bool((row_digests(np.array([[1.0]])) == row_digests([[True]])).all())
    True
    """
    table = _read_table(X)
    sources: list[_Source] = [table]
    if y is not None:
        label = _Columns([read_column(y, "y")], ["y"], first=table.width)
        if len(label) != len(table):
            raise BadData(f"X holds {len(table)} rows but y holds {len(label)}; they must pair up.")
        sources.append(label)
    begun = hashlib.sha256(b"assay-row-1\n" + struct.pack("<I?", table.width, y is not None))
    step = max(1, int(_MOST_CELLS / max(1.0, table.cells_per_row)))
    digests = bytearray()
    for start in range(0, len(table), step):
        stop = min(len(table), start + step)
        for digest in _hashed([source.part(start, stop) for source in sources], begun):
            digests += digest
    return np.frombuffer(bytes(digests), dtype=np.uint8).reshape(-1, 32)


def rows_digest(digests: NDArray[np.uint8]) -> str:
    """The digest of a set of rows, the same in whatever order they come.

    Examples
    --------
    >>> digests = row_digests([[1], [2]])
    >>> rows_digest(digests) == rows_digest(digests[::-1])
    True
    """
    ordered = np.sort(_as_keys("digests", digests))
    return digest_bytes(b"assay-rows-1\n" + ordered.tobytes())


def overlap(
    train_digests: NDArray[np.uint8], holdout_digests: NDArray[np.uint8]
) -> NDArray[np.bool_]:
    """Which rows of the holdout also occur among the training rows.

    Examples
    --------
    >>> overlap(row_digests([[1], [2]]), row_digests([[2], [3]])).tolist()
    [True, False]
    """
    return np.isin(
        _as_keys("holdout_digests", holdout_digests), _as_keys("train_digests", train_digests)
    )


def _as_keys(name: str, digests: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """Each digest as one value that sorts and compares as its 32 bytes do."""
    digests = np.asarray(digests)
    fits = digests.dtype == np.uint8 and digests.ndim == 2 and digests.shape[1] == 32
    require(fits, name, "bytes in rows of 32, as row_digests gives them", digests.shape)
    return np.ascontiguousarray(digests).view("S32").ravel()


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of rows: the number cells of row i lie between edges i and i + 1."""

    edges: list[int]
    cells: memoryview
    text: dict[int, list[bytes | None]]


def _hashed(parts: Sequence[_Part], begun: Any) -> Iterator[bytes]:
    for i in range(len(parts[0].edges) - 1):
        digest = begun.copy()
        for part in parts:
            digest.update(part.cells[part.edges[i] : part.edges[i + 1]])
        for part in parts:
            for column, cells in part.text.items():
                cell = cells[i]
                if cell is not None:
                    digest.update(struct.pack("<II", _TEXT + column, len(cell)) + cell)
        yield digest.digest()


def _part(
    ends: NDArray[Any], columns: NDArray[Any], values: NDArray[Any], text: dict[int, Any]
) -> _Part:
    cells = np.empty(len(values), dtype=_CELL)
    cells["column"] = columns
    cells["value"] = values
    cells["value"][np.isnan(values)] = np.nan
    edges = [0, *(_CELL.itemsize * ends.astype(np.int64)).tolist()]
    return _Part(edges, cells.view(np.uint8).data, text)


def _dense_part(block: NDArray[np.float64], first: int, text: dict[int, Any]) -> _Part:
    rows, columns = np.nonzero(block)
    ends = np.cumsum(np.bincount(rows, minlength=len(block)))
    return _part(ends, first + columns, block[rows, columns], text)


class _Source(Protocol):
    width: int
    cells_per_row: float

    def __len__(self) -> int: ...

    def part(self, start: int, stop: int) -> _Part: ...


class _Dense:
    """A two-dimensional array of numbers."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array
        self.width = array.shape[1]
        self.cells_per_row = float(self.width)

    def __len__(self) -> int:
        return len(self._array)

    def part(self, start: int, stop: int) -> _Part:
        block = self._array[start:stop].astype(np.float64)
        if isinstance(block, np.ma.MaskedArray):
            block = block.filled(np.nan)
        return _dense_part(block, 0, {})


class _Sparse:
    """A SciPy sparse matrix or array."""

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix.tocsr()
        self.width = matrix.shape[1]
        self.cells_per_row = self._matrix.nnz / max(1, len(self))

    def __len__(self) -> int:
        return int(self._matrix.shape[0])

    def part(self, start: int, stop: int) -> _Part:
        block = self._matrix[start:stop].astype(np.float64)
        block.sum_duplicates()
        block.eliminate_zeros()
        return _part(block.indptr[1:], block.indices, block.data, {})


class _Columns:
    """Columns of numbers and text, the first of them at position `first`."""

    def __init__(self, columns: Sequence[pa.Array], names: Sequence[str], first: int = 0) -> None:
        self._columns = [
            _plain_column(column, name) for column, name in zip(columns, names, strict=True)
        ]
        self._first = first
        self.width = len(columns)
        self.cells_per_row = float(self.width)

    def __len__(self) -> int:
        return len(self._columns[0]) if self._columns else 0

    def part(self, start: int, stop: int) -> _Part:
        block = np.zeros((stop - start, self.width))
        text: dict[int, list[bytes | None]] = {}
        for j, column in enumerate(self._columns):
            cells = column.slice(start, stop - start)
            if pa.types.is_large_binary(cells.type):
                text[self._first + j] = cells.to_pylist()
                block[cells.is_null().to_numpy(zero_copy_only=False), j] = np.nan
            else:
                block[:, j] = cells.to_numpy(zero_copy_only=False)
        return _dense_part(block, self._first, text)


def _plain_column(column: pa.Array, name: str) -> pa.Array:
    """The column as doubles, or its text as bytes; nulls stay."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    if (
        pa.types.is_boolean(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    ):
        return column.cast(pa.float64(), safe=False)
    if is_text(kind):
        return column.cast(pa.large_string()).cast(pa.large_binary())
    raise BadData(
        f"{name} holds values of type {kind}; rows are made of numbers, truth values and text. "
        f"Turn the column into one of these, or leave it out."
    )


def _read_table(X: Any) -> _Source:
    if hasattr(X, "tocsr"):
        return _Sparse(X)
    if isinstance(X, np.ndarray):
        if X.ndim != 2:
            raise BadData(f"X must be two-dimensional, rows by columns, but has shape {X.shape}.")
        if X.dtype.kind in "biuf":
            return _Dense(X)
        return _from_columns([X[:, j] for j in range(X.shape[1])])
    if isinstance(X, list | tuple):
        return _from_rows(X)
    import narwhals.stable.v1 as nw

    if isinstance(X, pa.RecordBatch):
        X = pa.Table.from_batches([X])
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise BadData(
            f"X must be a 2-D array, a data frame, a sparse matrix or a list of rows, "
            f"but is of type {type(X).__name__}."
        )
    names = [f"Column {name!r}" for name in frame.columns]
    return _Columns(
        [
            read_column(column.to_native(), name)
            for name, column in zip(names, frame.iter_columns(), strict=True)
        ],
        names,
    )


def _from_rows(rows: Sequence[Any]) -> _Source:
    for i, row in enumerate(rows):
        if not isinstance(row, list | tuple | np.ndarray):
            raise BadData(f"X must be a list of rows, but row {i + 1} is a {type(row).__name__}.")
        if len(row) != len(rows[0]):
            raise BadData(
                f"Row {i + 1} of X holds {len(row)} cells but row 1 holds {len(rows[0])}; "
                f"all rows need the same columns."
            )
    return _from_columns([list(column) for column in zip(*rows, strict=True)])


def _from_columns(columns: Sequence[Any]) -> _Source:
    names = [f"Column {j}" for j in range(len(columns))]
    arrays = [read_column(column, name) for column, name in zip(columns, names, strict=True)]
    return _Columns(arrays, names)
