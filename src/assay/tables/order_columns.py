"""The columns of a table as numbers, for a look at the order of its rows.

What is done to a column does not look at the order, but for one thing: a column that numbers the rows, or tells
their times, in the order of the file is left out, since it is that order and tells nothing more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.evidence.order_tests import COLUMNS
from assay.tables.time_column import as_times
from assay.types import Array, Floats

_CATEGORIES = 4
# So many cells tell whether text holds numbers or times, before all of them are read.
_FIRST = 20


def order_columns(cells: Any) -> tuple[Floats, Array | None]:
    """Columns as numbers, NaN where there are none; and what says when rows came, in another order than theirs.

    Parameters
    ----------
    cells : Arrow table or sparse matrix
        Rows in the order of the file.

    Examples
    --------
    >>> table = pa.table({"id": [1, 2, 3, 4], "size": [2.5, 0.5, None, 1], "kind": ["a", "b", "a", "b"]})
    >>> order_columns(table)[0].tolist()
    [[2.5, 1.0, 0.0], [0.5, 0.0, 1.0], [nan, 1.0, 0.0], [1.0, 0.0, 1.0]]
    """
    if not isinstance(cells, pa.Table):
        filled = np.diff(cells.tocsc().indptr)
        densest = np.sort(np.argsort(-filled, kind="stable")[:COLUMNS])
        return cells[:, densest].toarray().astype(np.float64), None
    made: list[Floats] = []
    when = None
    for name in cells.column_names:
        if len(made) >= COLUMNS:
            break
        numbers, is_time = _numbers(_plain(cells.column(name)))
        if is_time:
            time = numbers[0]
            if when is None and not np.isnan(time).any() and not _rising(time, strictly=False):
                when = time
            continue
        made.extend(numbers)
    return np.stack(made, axis=1) if made else np.empty((cells.num_rows, 0)), when


def _plain(column: Any) -> Any:
    column = column.combine_chunks()
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _numbers(column: Any) -> tuple[list[Floats], bool]:
    """A column as columns of numbers, and whether it tells times."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return [_floats(pc.cast(column, pa.uint8()))], False
    if pa.types.is_temporal(kind) and not pa.types.is_duration(kind):
        known = as_times(column)
        return ([known[1]], True) if known is not None else ([], False)
    if pa.types.is_integer(kind):
        floats = _floats(column)
        return ([] if _rising(floats, strictly=True) else [floats]), False
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return [_floats(column)], False
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _from_text(column)
    return [], False


def _from_text(column: Any) -> tuple[list[Floats], bool]:
    text = pc.utf8_trim_whitespace(column)
    text = pc.if_else(pc.equal(text, ""), None, text)
    known = pc.drop_null(text)
    first = as_times(known[:_FIRST]) if len(known) else None
    if first is not None:
        every = as_times(text)
        if every is not None:
            whole = _is_decimal(known[0].as_py())
            if not whole:
                return [every[1]], True
            numbers = np.asarray(every[1], dtype=np.float64)
            running = _rising(numbers, strictly=True) and bool((numbers % 1 == 0).all())
            return ([] if running else [numbers]), False
    return _categories(text), False


def _is_decimal(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _categories(text: Any) -> list[Floats]:
    """Which of the commonest values each row has; the length of text that hardly repeats."""
    counted = text.value_counts()
    values = [one.as_py() for one in counted.field("values")]
    counts = counted.field("counts").to_pylist()
    common = sorted(zip(counts, values, strict=True), key=lambda one: (-one[0], str(one[1])))
    if not common or 2 * len(common) > len(text):
        return [_floats(pc.utf8_length(text))]
    return [
        (pc.is_null(text) if value is None else pc.fill_null(pc.equal(text, value), False))
        .to_numpy(zero_copy_only=False)
        .astype(np.float64)
        for _, value in common[:_CATEGORIES]
    ]


def _floats(column: Any) -> Floats:
    numbers: Floats = pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(numbers, dtype=np.float64)


def _rising(numbers: Floats, *, strictly: bool) -> bool:
    """Whether numbers rise, or fall, from row to row."""
    steps = np.diff(numbers)
    if strictly:
        return bool((steps > 0).all() or (steps < 0).all())
    return bool((steps >= 0).all() or (steps <= 0).all())
