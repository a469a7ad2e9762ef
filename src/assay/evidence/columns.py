"""Any column, from whatever holds it, as one Arrow array.

A column is a list, a NumPy array, a pandas or polars series, or an Arrow array. Rows are counted
from 1 in what is said about it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assay.errors import BadData


def read_column(column: Any, name: str, done: int = 0) -> pa.Array:
    """Any one-dimensional column as one Arrow array, refusing what has no row order or is ragged.

    `done` is the number of rows that came before this chunk of the column.
    """
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
    no_rows = str, bytes, dict, set, frozenset
    if isinstance(column, no_rows) or not isinstance(column, Iterable):
        raise BadData(
            f"{name} must be a column (a list, an array or a series), "
            f"but is of type {type(column).__name__}."
        )
    return _from_values(list(column), name, done)


def missing(name: str, row: int) -> BadData:
    """The refusal of a row (counted from 0) that holds nothing."""
    return BadData(
        f"{name} has no value in row {row + 1}; every row needs one. Fill it in, or leave the row out."
    )


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


def _from_numpy(column: NDArray[Any], name: str, done: int) -> pa.Array:
    if column.ndim == 2 and column.shape[1] == 1:
        column = column.reshape(-1)
    if column.ndim != 1:
        raise BadData(
            f"{name} must be one-dimensional, but has shape {column.shape}. "
            f"Pass one value per row, e.g. through .ravel() or .argmax(axis=1)."
        )
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
        return _from_mixed(values, name, done)


def _from_mixed(values: Sequence[Any], name: str, done: int) -> pa.Array:
    first_text = first_number = None
    numbers: list[Any] = []
    for i, value in enumerate(values):
        if isinstance(value, str):
            first_text = i if first_text is None else first_text
        elif isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
            if isinstance(value, float | np.floating) and math.isnan(value):
                raise missing(name, done + i)
            first_number = i if first_number is None else first_number
            numbers.append(value.item() if isinstance(value, np.generic) else value)
        elif value is None or type(value).__name__ in ("NAType", "NaTType"):
            raise missing(name, done + i)
        else:
            raise BadData(
                f"{name} holds a value of type {type(value).__name__} in row {done + i + 1}; "
                f"a column holds text, numbers or truth values."
            )
        if first_text is not None and first_number is not None:
            raise BadData(
                f"{name} holds both text ({values[first_text]!r} in row {done + first_text + 1}) "
                f"and numbers ({_plain(values[first_number])!r} in row {done + first_number + 1}); "
                f"write the whole column one way."
            )
    if first_text is not None:
        raise BadData(f"{name} holds text that is not valid Unicode; write it as UTF-8.")
    return _from_numbers(numbers, name, done)


def _from_numbers(numbers: Sequence[bool | int | float], name: str, done: int) -> pa.Array:
    """Truth values, whole numbers and floats in one list; whole ones stay exact if all are whole."""
    if not all(isinstance(value, int) or value.is_integer() for value in numbers):
        return pa.array([float(value) for value in numbers])
    whole = [int(value) for value in numbers]
    kind, most = (np.int64, 2**63) if min(whole) < 0 else (np.uint64, 2**64)
    for i, value in enumerate(whole):
        if not -(2**63) <= value < most:
            raise BadData(
                f"{name} holds {value} in row {done + i + 1}, which does not fit into 64 bits. "
                f"Turn the column into text."
            )
    return pa.array(np.array(whole, dtype=kind))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
