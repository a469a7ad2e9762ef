"""A column that says when each row came: numbers, dates, timestamps, or text that holds one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.errors import BadData, Where
from assay.types import Floats, Ints


def read_time(column: Any, name: str, table: str) -> Ints:
    """The place of each row in time, from 0: equal for equal times, and growing.

    Parameters
    ----------
    column : Arrow array
        Numbers, dates, timestamps, times of day or durations; or text that holds numbers or ISO dates.
    name, table : str
        What the column and the table are called in a refusal.

    Raises
    ------
    BadData
        If a row has no time, or the column holds something else.

    Examples
    --------
    >>> read_time(pa.array(["2024-05-01", "2023-12-31", "2024-05-01"]), "day", "sales.csv").tolist()
    [1, 0, 1]
    """
    plain = (
        pa.chunked_array(column).combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    )
    plain = plain.chunk(0) if isinstance(plain, pa.ChunkedArray) else plain
    if pa.types.is_dictionary(plain.type):
        plain = plain.dictionary_decode()
    numbers = as_times(plain)
    if numbers is None:
        raise BadData(
            f"{table} must hold a number, a date or a timestamp in every row of {name!r} to be ordered by it, but "
            f"holds {_odd(plain)!r}. Write times as 2024-05-31 or 2024-05-31 23:59:00."
        )
    without = plain.is_null().to_numpy(zero_copy_only=False) | np.isnan(numbers[1])
    if without.any():
        row = int(without.argmax())
        raise BadData(
            f"{table} must say in every row when it came, but holds no time in ",
            Where(row=row + 1, name=name),
            ".",
            remedy="Fill it in, or take the row out.",
        )
    places: Ints = np.unique(numbers[0], return_inverse=True)[1].astype(np.int64)
    return places


def as_times(column: Any) -> tuple[Any, Floats] | None:
    """What a column is ordered by, and the same as floats with NaN where there is none; None for other kinds.

    Timestamps are ordered as whole numbers, which a float could not hold to the nanosecond.

    Examples
    --------
    >>> as_times(pa.array(["left", "right"])) is None
    True
    """
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_temporal(kind):
        return _whole(column)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return numbers, numbers
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return None
    text = pc.utf8_trim_whitespace(column)
    text = pc.if_else(pc.equal(text, ""), None, text)
    for read in (_decimals, _timestamps):
        numbers = read(text)
        if numbers is not None:
            return numbers
    return None


def _whole(column: Any) -> tuple[Any, Floats]:
    kind = column.type
    if pa.types.is_temporal(kind):
        narrow = pa.int32() if kind.bit_width == 32 else pa.int64()
        column = column.cast(narrow).cast(pa.int64()) if not _is_interval(kind) else column
    filled = pc.fill_null(column, 0).to_numpy(zero_copy_only=False)
    floats = filled.astype(np.float64)
    floats[column.is_null().to_numpy(zero_copy_only=False)] = np.nan
    return filled, floats


def _is_interval(kind: Any) -> bool:
    return bool(pa.types.is_interval(kind))


def _decimals(text: Any) -> tuple[Any, Floats] | None:
    try:
        numbers = pc.cast(text, pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return None
    return numbers, numbers


def _timestamps(text: Any) -> tuple[Any, Floats] | None:
    # With and without a zone; a zone is taken into account, and text must be of one kind.
    for kind in (pa.timestamp("us"), pa.timestamp("us", tz="UTC")):
        try:
            return _whole(pc.cast(text, kind))
        except pa.ArrowInvalid:
            continue
    return None


def _odd(column: Any) -> Any:
    """Something that the column holds, to show."""
    for cell in column[:1000]:
        if cell.is_valid and as_times(pa.array([cell.as_py()], column.type)) is None:
            return cell.as_py()
    return str(column.type)
