"""Sparse rows in Parquet and Feather: a column of lists of indices and one of lists of values.

Lists are stored as compressed sparse rows already, so that reading them copies next to nothing. The
columns are named ``indices`` and ``values``; indices start at 0 and rise within a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike
from scipy import sparse

from assay.data.cells import Kind, Place, kind_of_type, labels, rows_before_bad
from assay.data.examples import Chunks, Examples, NumberedFeatures, Piece, as_asked
from assay.data.remedies import HOW_MANY
from assay.data.table import Table, rows_of
from assay.errors import BadData
from assay.types import Array, Ints

INDICES, VALUES = "indices", "values"
# For chunks, some dozen megabytes; for a whole file as much as possible, since joining copies.
_CHUNK_BATCH, _WHOLE_BATCH = 2**15, 2**20
# Cells compared at a time, so that the answers stay in the cache.
_BLOCK = 2**16


def has_sparse_columns(table: Table) -> bool:
    """Whether a table holds its features as lists."""
    if table.schema is None or not {INDICES, VALUES} <= set(table.columns):
        return False
    return all(_is_list(table.schema.field(name).type) for name in (INDICES, VALUES))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def read_sparse_columns(
    tables: Sequence[Table],
    *,
    target: str | None = None,
    chunk_rows: int | None = None,
    features: int | None = None,
    dtype: DTypeLike = np.float64,
) -> Examples | Chunks:
    """Read the sparse rows of some tables, one after the other.

    Parameters
    ----------
    tables : sequence of Table
        Each with the columns ``indices`` and ``values``.
    target : str, optional
        The column to predict.
    chunk_rows : int, optional
        Read in chunks of so many rows.
    features : int, optional
        How many features there are; the largest index tells if not given. In chunks, the indices
        are then gone through once before.
    dtype : dtype
        The precision of the values; where it is that of the file, they are not copied.

    Returns
    -------
    Examples or Chunks
        With sparse features.

    Raises
    ------
    BadData
        With file, column and row, if a list is missing or does not fit.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow.parquet as pq
    >>> from assay.data.table import open_table
    >>> rows = pa.table({"indices": [[0, 2], [1]], "values": [[1.0, 2.0], [3.0]], "y": [1, 0]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(rows, f"{folder}/rows.parquet")
    ...     examples = read_sparse_columns([open_table(f"{folder}/rows.parquet")], target="y")
    >>> examples.X.toarray().tolist(), examples.y.tolist()
    ([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]], [1, 0])
    """
    wanted = [INDICES, VALUES] if target is None else [INDICES, VALUES, target]
    for table in tables:
        table.check_names(wanted)
        if not has_sparse_columns(table):
            raise BadData(f"{table.name} holds no lists in its columns {INDICES!r} and {VALUES!r}.")
    kind: Kind = "number"
    if target is not None and tables[0].schema is not None:
        kind = kind_of_type(tables[0].schema.field(target).type) or "number"
    total = rows_of(tables)

    def pieces(count: int | None) -> Iterator[Piece]:
        batch_rows = _WHOLE_BATCH
        if chunk_rows is not None:  # whole chunks, where they fit: cutting one out copies it
            batch_rows = max(1, _CHUNK_BATCH // chunk_rows) * min(chunk_rows, _CHUNK_BATCH)
        return _pieces(tables, wanted, batch_rows, kind, count, np.dtype(dtype))

    if chunk_rows is None and not features:
        held = _of_one_width(pieces(None))
        if held:
            names = NumberedFeatures(0, held[0][0].shape[1])
            return as_asked(lambda: iter(held), None, names, target=target, rows=total)
    count = features or _width(tables)
    names = NumberedFeatures(0, count)
    return as_asked(lambda: pieces(count), chunk_rows, names, target=target, rows=total)


def _of_one_width(pieces: Iterator[Piece]) -> list[Piece]:
    """All pieces, as wide as the widest; none where something is refused."""
    try:
        held = list(pieces)
    except BadData:
        return []  # the refusal names the width, and so comes from reading twice
    width = max(X.shape[1] for X, _ in held)
    for X, _ in held:
        X.resize((X.shape[0], width))
    return held if width else []


def _width(tables: Sequence[Table]) -> int:
    most = -1
    for table in tables:
        for batch in table.cells([INDICES], _CHUNK_BATCH):
            flat = batch.column(0).flatten().drop_null()
            _check_type(flat.type, Place(table.name, INDICES))
            if len(flat):
                most = max(most, int(flat.to_numpy().max()))
    if most < 0:
        names = ", ".join(table.name for table in tables)
        raise BadData(f"{names} holds no features.", remedy=HOW_MANY)
    return most + 1


def _pieces(
    tables: Sequence[Table],
    wanted: list[str],
    batch_rows: int,
    kind: Kind,
    features: int | None,
    dtype: np.dtype[Any],
) -> Iterator[Piece]:
    """The rows of every batch; without `features`, each as wide as its own indices need."""
    for table in tables:

        def piece(batch: pa.RecordBatch, done: int, source: str = table.name) -> Piece:
            X = _rows(batch, Place(source, VALUES, done), features, dtype)
            if len(wanted) == 2:
                return X, None
            return X, labels(batch.column(2), kind, Place(source, wanted[2], done))

        yield from rows_before_bad(partial(table.cells, wanted, batch_rows), piece)


def _rows(batch: pa.RecordBatch, place: Place, features: int | None, dtype: np.dtype[Any]) -> Any:
    pointers, indices = _lists(batch.column(0), Place(place.table, INDICES, place.done))
    ends, values = _lists(batch.column(1), place)
    differ = pointers != ends
    if differ.any():
        row = int(differ.argmax()) - 1
        raise place.refuse(row, "a list", " that is not as long as that of the indices.")
    width = _needed(indices, pointers)
    if width is None or (features and width > features):
        cell, row = _first_misfit(indices, pointers, features)
        why = f", where indices must rise from 0 and be less than {features}."
        raise Place(place.table, INDICES, place.done).refuse(row, f"index {indices[cell]}", why)
    finite = np.isfinite(values)
    if not finite.all():
        cell = int((~finite).argmax())
        row = int(_row_numbers(pointers)[cell])
        raise place.refuse(row, values[cell], ", which is not a finite number.")
    shape = (batch.num_rows, features or width)
    kind = np.int32 if max(shape[1], len(indices)) < 2**31 else np.int64
    narrow = (indices.astype(kind, copy=False), pointers.astype(kind))
    return sparse.csr_array((values.astype(dtype, copy=False), *narrow), shape=shape)


def _needed(indices: Array, pointers: Ints) -> int | None:
    """How many features such indices need; None where they do not rise from 0 within a row."""
    if not len(indices):
        return 0
    falls = 0
    for start in range(1, len(indices), _BLOCK):
        block = indices[start - 1 : start + _BLOCK]
        falls += int(np.count_nonzero(block[1:] <= block[:-1]))
    filled = np.flatnonzero(np.diff(pointers))
    firsts, lasts = indices[pointers[filled]], indices[pointers[filled + 1] - 1]
    if falls > np.count_nonzero(firsts[1:] <= lasts[:-1]):
        return None  # not all of them lie between two rows
    return int(lasts.max()) + 1 if firsts.min() >= 0 else None


def _first_misfit(indices: Array, pointers: Ints, features: int | None) -> tuple[int, int]:
    """The first cell whose index does not fit, and its row."""
    rows = _row_numbers(pointers)
    fits = indices >= 0
    if features:
        fits &= indices < features
    fits[1:] &= (indices[1:] > indices[:-1]) | (rows[1:] != rows[:-1])
    cell = int((~fits).argmax())
    return cell, int(rows[cell])


def _lists(array: pa.Array, place: Place) -> tuple[Ints, Array]:
    """Pointers from 0, and what all lists hold."""
    if array.null_count:
        row = int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
        raise place.refuse(row, "no list", ". Every row needs one, if only an empty one.")
    pointers = array.offsets.to_numpy().astype(np.int64)
    flat = array.values.slice(pointers[0], pointers[-1] - pointers[0])
    pointers -= pointers[0]
    _check_type(flat.type, place)
    if flat.null_count:
        cell = int(np.argmax(flat.is_null().to_numpy(zero_copy_only=False)))
        row = int(np.searchsorted(pointers, cell, side="right")) - 1
        raise place.refuse(row, "no value", ", inside a list. Leave out what is zero.")
    return pointers, flat.to_numpy()


def _check_type(kind: pa.DataType, place: Place) -> None:
    fits = pa.types.is_integer if place.column == INDICES else pa.types.is_floating
    if not fits(kind):
        raise BadData(
            f"{place.table} holds lists of type {kind} in column {place.column!r}; {INDICES} are "
            f"whole numbers, and {VALUES} are floating-point numbers."
        )


def _row_numbers(pointers: Ints) -> Ints:
    return np.repeat(np.arange(len(pointers) - 1), np.diff(pointers))
