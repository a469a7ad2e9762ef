"""The columns of a table as numbers, for a look at the order of its rows.

What is done to a column does not look at the order, but for one thing: a column that numbers the rows, or tells
their times, in the order of the file is left out, since it is that order and tells nothing more. Dates in another
order, and whole numbers that name the rows, may be the order in which rows were drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.data.cells import Place, is_text, kind_of_cells, kind_of_type, named, numbers, truths
from assay.data.times import family_of, read_times, time_form
from assay.errors import BadData
from assay.evidence.order_tests import WIDEST
from assay.tables.time_column import as_times
from assay.types import Floats

_CATEGORIES = 4
_NOWHERE = Place("", "")


def order_columns(cells: Any, row_names: Any = None) -> tuple[Floats, Floats | None]:
    """Columns as numbers, NaN where there are none; and what says when rows came, in another order than theirs.

    Parameters
    ----------
    cells : Arrow table or sparse matrix
        Rows in the order of the file.
    row_names : Arrow table, optional
        Columns that only name or count the rows.

    Examples
    --------
    >>> table = pa.table({"id": [1, 2, 3, 4], "size": [2.5, 0.5, None, 1], "kind": ["a", "b", "a", "b"]})
    >>> order_columns(table)[0].tolist()
    [[2.5, 1.0, 0.0], [0.5, 0.0, 1.0], [nan, 1.0, 0.0], [1.0, 0.0, 1.0]]
    """
    if not isinstance(cells, pa.Table):
        filled = np.diff(cells.tocsc().indptr)
        densest = np.sort(np.argsort(-filled, kind="stable")[:WIDEST])
        return cells[:, densest].toarray().astype(np.float64), None
    made: list[Floats] = []
    times: list[Floats] = []
    for name in cells.column_names:
        column = _plain(cells.column(name))
        moments = _moments(column)
        if moments is not None:
            times.append(moments)
        elif len(made) < WIDEST:
            made += _numbers(column)
    for name in () if row_names is None else row_names.column_names:
        times += _whole(_plain(row_names.column(name)))
    unlike = [one for one in times if not _rising(one[~np.isnan(one)], strictly=False)]
    columns = np.stack(made, axis=1) if made else np.empty((cells.num_rows, 0))
    return columns, np.stack(unlike, axis=1) if unlike else None


def _plain(column: Any) -> Any:
    column = column.combine_chunks()
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _moments(column: Any) -> Floats | None:
    """Dates and timestamps as numbers; None for columns that hold others."""
    written = time_form(column)
    if written is None or family_of(written[0]) != "calendar":
        return None
    known = as_times(column)
    return None if known is None else known[1]


def _numbers(column: Any) -> list[Floats]:
    """A column as columns of numbers."""
    written = time_form(column)
    try:
        if written is not None:
            return [read_times(column, *written, _NOWHERE)]
        kind = kind_of_cells(column) if is_text(column.type) else kind_of_type(column.type)
        if kind in ("whole", "number"):
            values = _floats(column)
            running = kind == "whole" and _rising(values, strictly=True)
            return [] if running else [values]
        if kind == "truth":
            return [truths(column, _NOWHERE)]
    except BadData:
        kind = "text"  # what is wrong is said where the column is read
    return _categories(named(column)) if kind == "text" and is_text(column.type) else []


def _whole(column: Any) -> list[Floats]:
    """Whole numbers that name the rows."""
    kind = kind_of_cells(column) if is_text(column.type) else kind_of_type(column.type)
    return [numbers(column, _NOWHERE)] if kind == "whole" else []


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
    if is_text(column.type):
        return numbers(column, _NOWHERE)
    floats: Floats = pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(floats, dtype=np.float64)


def _rising(values: Floats, *, strictly: bool) -> bool:
    """Whether numbers rise, or fall, from row to row."""
    steps = np.diff(values)
    if strictly:
        return bool((steps > 0).all() or (steps < 0).all())
    return bool((steps >= 0).all() or (steps <= 0).all())
