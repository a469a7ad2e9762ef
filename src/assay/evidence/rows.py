"""Digests of rows: to name a data set whatever its order, and to find rows of it in another one.

**A row** (``assay-row-2``). Sixteen bytes: the sums, over the cells that hold something other than 0,
of a mix of the column's position and the cell's canonical value (`assay.evidence.row_mix` says how). A
label is one more cell.

Only the values count. 1, 1.0, True and the text ``1`` of a CSV file are one cell; numbers below 2**24
that are not whole are compared in single precision, so that a number stored with four bytes and the
decimal text of it are one; NaN, null and empty text are one missing value. Container, sparseness, the
number of columns and the types of columns do not matter.

**A set of rows** (``assay-rows-2``). The SHA-256 of the text ``assay-rows-2``, a newline, and the
rows' digests sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import BadData, require
from assay.evidence.columns import is_text, read_column
from assay.evidence.digest import digest_bytes
from assay.evidence.plain_column import PlainColumn
from assay.evidence.row_mix import (
    LABEL,
    as_digests,
    column_sums,
    dense_sums,
    hashed,
    seeds,
    sparse_sums,
)
from assay.evidence.row_text import cell_keys, plain_cell_keys, plain_numbers
from assay.types import Bools, Ints, Words

try:
    import pyarrow as pa
except ModuleNotFoundError:
    pa = None

#: The bytes of a digest.
WIDTH = 16


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
        Of bytes, one row of 16 for each row of X.

    Examples
    --------
    >>> digests = row_digests([[1, 0.5], [2, 0.5]], ["ham", "spam"])
    >>> digests.shape
    (2, 16)
    >>> bool((row_digests(np.array([[1.0]])) == row_digests([[True]])).all())
    True
    """
    sums = _table_sums(X)
    if y is not None:
        label = _joined_sums([read_column(y, "y")], ["y"], first=LABEL)
        if len(label) != len(sums):
            raise BadData(f"X holds {len(sums)} rows but y holds {len(label)}; they must pair up.")
        sums += label
    return as_digests(sums)


def rows_digest(digests: NDArray[np.uint8]) -> str:
    """The digest of a set of rows, the same in whatever order they come.

    Examples
    --------
    >>> digests = row_digests([[1], [2]])
    >>> rows_digest(digests) == rows_digest(digests[::-1])
    True
    """
    ordered = np.sort(_as_keys("digests", digests))
    return digest_bytes(b"assay-rows-2\n" + ordered.tobytes())


def overlap(train_digests: NDArray[np.uint8], holdout_digests: NDArray[np.uint8]) -> Bools:
    """Which rows of the holdout also occur among the training rows.

    Examples
    --------
    >>> overlap(row_digests([[1], [2]]), row_digests([[2], [3]])).tolist()
    [True, False]
    """
    return np.isin(
        _as_keys("holdout_digests", holdout_digests), _as_keys("train_digests", train_digests)
    )


def first_rows(digests: NDArray[np.uint8]) -> Ints:
    """For each row the number of the first row that is equal to it: its own, unless it repeats another.

    Examples
    --------
    >>> first_rows(row_digests([[1], [2], [1]])).tolist()
    [0, 1, 0]
    """
    _, first, code = np.unique(_as_keys("digests", digests), return_index=True, return_inverse=True)
    places: Ints = first[code.reshape(-1)]
    return places


def _as_keys(name: str, digests: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """Each digest as one value that sorts and compares as its 16 bytes do."""
    digests = np.asarray(digests)
    fits = digests.dtype == np.uint8 and digests.ndim == 2 and digests.shape[1] == WIDTH
    require(fits, name, "bytes in rows of 16, as row_digests gives them", digests.shape)
    return np.ascontiguousarray(digests).view("S16").ravel()


def _matrix_sums(matrix: Any) -> Words:
    """Both lanes of the rows of a SciPy sparse matrix or array."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return sparse_sums(matrix.indptr, matrix.indices, matrix.data)


def _joined_sums(columns: Sequence[pa.Array], names: Sequence[str], first: int = 0) -> Words:
    """Both lanes of the rows of columns of numbers and text, the first of them at position `first`."""
    plain = [_plain_column(column, name) for column, name in zip(columns, names, strict=True)]
    sums = np.zeros((len(plain[0]) if plain else 0, 2), np.uint64)
    for position, column in enumerate(plain, start=first):
        if isinstance(column, PlainColumn):
            sums += _plain_sums(column, position)
        elif pa.types.is_dictionary(column.type):
            sums += _text_sums(column, position)
        else:
            sums += column_sums(column.to_numpy(zero_copy_only=False), position)
    return sums


def _text_sums(column: pa.DictionaryArray, position: int) -> Words:
    """Both lanes of a column of text; each distinct text is looked at once."""
    # A null is one more text, behind the last.
    keys = cell_keys(pa.concat_arrays([column.dictionary, pa.nulls(1, column.dictionary.type)]))
    places = column.indices.fill_null(len(keys) - 1).to_numpy(zero_copy_only=False)
    taken: Words = _hashed_cells(keys, position)[places]
    return taken


def _hashed_cells(keys: Words, position: int) -> Words:
    place = np.array([position], np.uint64)
    return np.stack([hashed(keys[:, lane], seeds(place, lane)) for lane in (0, 1)], axis=1)


def _plain_sums(column: PlainColumn, position: int) -> Words:
    """Both lanes of a column that Arrow did not read."""
    values = column.values
    if column.type != "string":
        if not column.absent.any():
            return column_sums(values.view(np.uint8) if column.type == "bool" else values, position)
        held = values[~column.absent]
        narrow = column.type in ("bool", "double", "null") or not _beyond_doubles(held)
        if narrow:
            return column_sums(np.where(column.absent, np.nan, values.astype(float)), position)
        values = np.array([None if v is None else str(v) for v in column.to_list()])
    texts, codes = PlainColumn("string", values, column.absent).codes()
    taken: Words = _hashed_cells(plain_cell_keys(texts), position)[codes]
    return taken


def _plain_column(column: pa.Array, name: str) -> pa.Array:
    """The column as numbers, or as text that is coded by a dictionary; nulls stay."""
    if isinstance(column, PlainColumn):
        return column
    if pa.types.is_dictionary(column.type):
        if is_text(column.type.value_type):
            wide = pa.dictionary(pa.int64(), pa.large_string())
            return column.cast(wide)
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    elif pa.types.is_decimal(kind):
        column = column.cast(pa.float64(), safe=False)
    if pa.types.is_null(kind) or (column.null_count and not is_text(kind) and not _is_wide(column)):
        column = column.cast(pa.float64(), safe=False)
    numbers = plain_numbers(column) if is_text(kind) else None
    if numbers is not None:
        return pa.array(numbers)
    if is_text(kind) or _is_wide(column):
        coded = column.cast(pa.large_string()).dictionary_encode()
        return coded.cast(pa.dictionary(pa.int64(), pa.large_string()))
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column
    raise BadData(
        f"{name} holds values of type {kind}; rows are made of numbers, truth values and text. "
        f"Turn the column into one of these, or leave it out."
    )


def _is_wide(column: pa.Array) -> bool:
    """Whether whole numbers, some of them missing, are beyond what doubles hold exactly."""
    if not (pa.types.is_integer(column.type) and column.null_count):
        return False
    return _beyond_doubles(column.drop_null().to_numpy())


def _beyond_doubles(integers: NDArray[np.integer[Any]]) -> bool:
    return bool(len(integers) and (integers.max() > 2**53 or integers.min() < -(2**53)))


def _table_sums(X: Any) -> Words:
    """Both lanes of the rows of any table."""
    if hasattr(X, "tocsr"):
        return _matrix_sums(X.tocsr())
    if isinstance(X, np.ndarray):
        if X.ndim != 2:
            raise BadData(f"X must be two-dimensional, rows by columns, but has shape {X.shape}.")
        if X.dtype.kind in "biuf":
            masked = isinstance(X, np.ma.MaskedArray)
            return dense_sums(np.ma.filled(X.astype(np.float64), np.nan) if masked else X)
        return _from_columns([X[:, j] for j in range(X.shape[1])])
    if isinstance(X, list | tuple):
        return _from_rows(X)
    import narwhals.stable.v1 as nw

    if pa is not None and isinstance(X, pa.RecordBatch):
        X = pa.Table.from_batches([X])
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise BadData(
            f"X must be a 2-D array, a data frame, a sparse matrix or a list of rows, "
            f"but is of type {type(X).__name__}."
        )
    names = [f"Column {name!r}" for name in frame.columns]
    columns = zip((frame[:, j] for j in range(len(names))), names, strict=True)
    return _joined_sums([read_column(column.to_native(), name) for column, name in columns], names)


def _from_rows(rows: Sequence[Any]) -> Words:
    for i, row in enumerate(rows):
        if not isinstance(row, list | tuple | np.ndarray):
            raise BadData(f"X must be a list of rows, but row {i + 1} is a {type(row).__name__}.")
        if len(row) != len(rows[0]):
            raise BadData(
                f"Row {i + 1} of X holds {len(row)} cells but row 1 holds {len(rows[0])}; "
                f"all rows need the same columns."
            )
    return _from_columns([list(column) for column in zip(*rows, strict=True)])


def _from_columns(columns: Sequence[Any]) -> Words:
    names = [f"Column {j}" for j in range(len(columns))]
    arrays = [read_column(column, name) for column, name in zip(columns, names, strict=True)]
    return _joined_sums(arrays, names)
