"""Any column, from whatever holds it, as one Arrow array; without pyarrow, as one plain column.

A column is a list, a NumPy array, a pandas or polars series, or an Arrow array. Rows are counted
from 1 in what is said about it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import BadData
from assay.evidence.plain_column import (
    PlainColumn,
    from_values,
    one_dimensional,
    plain_column,
    values_of,
)
from assay.types import Array

try:
    import pyarrow as pa
    import pyarrow.compute as pc
except ModuleNotFoundError:
    pa = pc = None


def read_column(column: Any, name: str, done: int = 0) -> pa.Array:
    """Any one-dimensional column as one Arrow array, refusing what has no row order or is ragged.

    `done` is the number of rows that came before this chunk of the column.
    """
    if pa is None:
        return plain_column(column, name, done)
    if isinstance(column, pa.ChunkedArray):
        return _joined(column)
    if isinstance(column, pa.Array):
        return column
    if isinstance(column, np.ndarray):
        return _from_numpy(column, name, done)
    if not isinstance(column, list | tuple | range):
        array = _from_series(column, name)
        if array is not None:
            return array
    return _from_values(values_of(column, name), name, done)


def missing(name: str, row: int) -> BadData:
    """The refusal of a row (counted from 0) that holds nothing."""
    return BadData(
        f"{name} has no value in row {row + 1}; every row needs one. Fill it in, or leave the row out."
    )


def refuse_missing(column: pa.Array, name: str, done: int) -> None:
    """Refuse a column that lacks a value; `done` rows came before it."""
    if isinstance(column, PlainColumn):
        first = column.first_absent
    else:
        first = pc.index(column.is_null(), True).as_py() if column.null_count else None
    if first is not None:
        raise missing(name, done + first)


def is_text(kind: pa.DataType) -> bool:
    """Whether Arrow calls the type a string, by any of its three names."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _joined(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    joined = column.unify_dictionaries().combine_chunks()
    # Old Arrow versions answer with a chunked array of one chunk.
    return joined.chunk(0) if isinstance(joined, pa.ChunkedArray) else joined


def _from_numpy(column: Array, name: str, done: int) -> pa.Array:
    column = one_dimensional(column, name)
    if column.dtype.kind not in "biuf":
        # Dates keep their type, and are refused by it; text and objects go value by value.
        return _from_values(column if column.dtype.kind in "mM" else column.tolist(), name, done)
    if isinstance(column, np.ma.MaskedArray):
        column, mask = column.data, np.ma.getmaskarray(column)
        return pa.array(np.ascontiguousarray(column), mask=mask)
    if not column.dtype.isnative:
        column = column.astype(column.dtype.newbyteorder("="))
    if column.dtype.itemsize > 8:  # extended doubles
        column = column.astype(np.float64)
    return pa.array(np.ascontiguousarray(column))


def _from_series(column: Any, name: str) -> pa.Array | None:
    """A pandas, polars or other series through narwhals; None if it is no series."""
    import narwhals.stable.v1 as nw

    known = nw.from_native(column, allow_series=True, pass_through=True)
    if isinstance(known, nw.DataFrame | nw.LazyFrame) or isinstance(column, pa.RecordBatch):
        raise BadData(f"{name} must be a single column, but is a table. Pass one of its columns.")
    if not isinstance(known, nw.Series):
        return None
    try:
        array = known.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return None  # an object column of mixed values: read one by one
    return _joined(array) if isinstance(array, pa.ChunkedArray) else array


def _from_values(values: Any, name: str, done: int) -> pa.Array:
    """Python values, one by one where Arrow finds no common type for them."""
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        column = from_values(list(values), name, done)
        if column.first_absent is not None:
            raise missing(name, done + column.first_absent) from None
        return pa.array(column.values)
