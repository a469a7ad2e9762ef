"""A column that says when each row came: numbers, dates, timestamps, or text that holds one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.data.cells import Place, named
from assay.data.times import day_is_told, read_times, time_form
from assay.errors import BadData, Where
from assay.types import Floats, Ints


def read_time(column: Any, name: str, table: str) -> Ints:
    """The place of each row in time, from 0: equal for equal times, and growing.

    Parameters
    ----------
    column : Arrow array
        Numbers, dates, timestamps, times of day or durations; or text that holds them.
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
    if not day_is_told(plain):
        first = next(cell.as_py() for cell in plain if cell.is_valid and cell.as_py().strip())
        raise BadData(
            f"{table} must tell the day from the month in {name!r} to be ordered by it, but holds dates such as "
            f"{first!r}, which may be read both ways. Write times as 2024-05-31 or 2024-05-31 23:59:00."
        )
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
    text = named(column)
    for read in (_decimals, _timestamps, _written):
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


def _written(text: Any) -> tuple[Any, Floats] | None:
    """Times in any other form that columns are read in; all cells in the same one."""
    form = time_form(text)
    try:
        moments = None if form is None else read_times(text, *form, Place("", ""))
    except BadData:
        return None
    return None if moments is None else (np.nan_to_num(moments), moments)


def _odd(column: Any) -> Any:
    """Something that the column holds, to show."""
    for cell in column[:1000]:
        if cell.is_valid and as_times(pa.array([cell.as_py()], column.type)) is None:
            return cell.as_py()
    return _second_form(column)


def _second_form(column: Any) -> Any:
    """A time that is written otherwise than those before it."""
    cells = [cell.as_py() for cell in column[:1000] if cell.is_valid]
    for rows in range(2, len(cells) + 1):
        if as_times(pa.array(cells[:rows], column.type)) is None:
            return cells[rows - 1]
    return str(column.type)
