"""Columns that should not be learned from, or not without a second look, judged by the training rows alone.

What says nothing (no value, or always the same) and what only names the row (ids, row numbers) is left out; a column
that tells the target all by itself stays, and is told: it may be the answer under another name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.data.cells import Place, is_text, kind_of_cells, kind_of_type, numbers
from assay.data.times import time_form
from assay.data.words import several_words
from assay.errors import BadData
from assay.tables.one_column import tells_alone
from assay.types import Array

What = Literal["empty", "constant", "row number", "id", "tells the target", "known after"]

# With fewer rows, all values of a column may differ by chance.
_FEWEST = 20
# Whole numbers drawn at random from their range would all differ with a probability below this.
_CHANCE = 1e-6
_NAMING = ("id", "row number")
_INDEX = re.compile(r"^(|Unnamed: \d+|index|row_?(number|num|nr|no|id)?)$", re.IGNORECASE)
_ID = re.compile(r"(^|[ _.-])(id|uuid|guid|key|ident|identifier)$|[a-z]I[dD]$", re.IGNORECASE)


@dataclass(frozen=True)
class ColumnTold:
    """A column of which there is something to say.

    Attributes
    ----------
    column : str
        Its name.
    what : str
        ``empty``, ``constant``, ``row number``, ``id``, ``known after`` (the event) or ``tells the target``.
    action : {"left out", "kept"}
        What became of it.
    sentence : str
        The same for a reader.
    """

    column: str
    what: What
    action: Literal["left out", "kept"]
    sentence: str

    def to_json(self) -> dict[str, str]:
        """The same as plain values, without the sentence."""
        return {"column": self.column, "what": self.what, "action": self.action}


def odd_columns(
    cells: pa.Table,
    y: Array,
    target: str | None,
    *,
    untyped: bool = False,
    keep: Collection[str] = (),
    seed: int = 0,
) -> tuple[ColumnTold, ...]:
    """What there is to say of the columns of training rows.

    Parameters
    ----------
    cells : pyarrow.Table
        The columns to learn from, in the order of the rows.
    y : array
        What is to be predicted: classes, or numbers.
    target : str or None
        What it is called.
    untyped : bool
        Whether text may stand for numbers, as it does in CSV files.
    keep : collection of str
        Columns to learn from whatever they look like.
    seed : int
        What the rows are drawn by that judge a column.

    Examples
    --------
    >>> size, depth = [1.5, 0.5, 2.0, 0.1] * 10, [1.0, 2.0, 3.0, 4.0, 5.0] * 8
    >>> table = pa.table({"row": range(40), "unit": ["mm"] * 40, "size": size, "depth": depth})
    >>> [(one.column, one.what) for one in odd_columns(table, np.tile([0, 1], 20), "y")]
    [('row', 'row number'), ('unit', 'constant'), ('size', 'tells the target')]
    """
    judged = [
        (name, _says_nothing(cells.column(name), name, untyped)) for name in cells.column_names
    ]
    named = [(name, what) for name, what in judged if what in _NAMING]
    rest = [name for name, what in judged if what is None]
    if not rest and not any(name in keep for name, _ in named):
        # What is left must be learned from, or there is nothing.
        judged = [(name, None if what in _NAMING else what) for name, what in judged]
    told = []
    for name, what in judged:
        if what is not None:
            kept = name in keep and what in _NAMING
            told.append(_told(name, what, kept))
    left_out = {one.column for one in told if one.action == "left out"}
    others = [name for name in cells.column_names if name not in left_out]
    # A single column has to tell the target: there is nothing else to learn from.
    for name in others if len(others) > 1 else ():
        rule = tells_alone(cells.column(name), y, untyped=untyped, seed=seed, name=name)
        if rule is not None:
            told.append(_leak(name, target, rule))
    return tuple(told)


def names_rows(cells: pa.Table, *, untyped: bool = False, keep: Collection[str] = ()) -> list[str]:
    """The columns that only name or count the rows of a table, whatever is to be predicted.

    Examples
    --------
    >>> names_rows(pa.table({"row": range(40), "size": [1.5, 0.5] * 20}))
    ['row']
    """
    return [
        name
        for name in cells.column_names
        if name not in keep and _says_nothing(cells.column(name), name, untyped) in _NAMING
    ]


def known_after(names: Collection[str]) -> tuple[ColumnTold, ...]:
    """What is said of columns that are known only after the event."""
    return tuple(
        ColumnTold(
            name,
            "known after",
            "left out",
            f"Column {name!r} is left out: it was declared to be known only after the event.",
        )
        for name in names
    )


def _says_nothing(column: Any, name: str, untyped: bool) -> What | None:
    if column.null_count == len(column):
        return "empty"
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    kind = kind_of_cells(array) if untyped and is_text(array.type) else kind_of_type(array.type)
    if kind is None and untyped:
        return "empty"  # words such as NA only
    try:
        coded = array.indices if pa.types.is_dictionary(array.type) else array
        different = pc.count_distinct(coded, mode="all").as_py()
    except pa.ArrowException:
        return None  # what it is will be said where it is read
    if different == 1:
        return "constant"
    if len(array) < _FEWEST or different < len(array) - array.null_count or array.null_count:
        return None
    if kind == "whole":
        return _numbered(array, name)
    if kind == "number" and _INDEX.match(name) is not None:
        values = numbers(array, Place("", name))
        return _of_numbers(values, name) if not np.mod(values, 1).any() else None
    if kind == "text" and time_form(array) is None and not several_words(array):
        return "id"
    return None


def _numbered(array: Any, name: str) -> What | None:
    try:
        return _of_numbers(numbers(array, Place("", name)), name)
    except BadData:
        return None  # what is wrong is said where the column is read


def _of_numbers(values: Any, name: str) -> What | None:
    """Whether whole numbers that all differ count the rows, name them, or measure something."""
    if np.isnan(values).any():
        return None
    steps = np.diff(values)
    span = float(values.max() - values.min()) + 1
    if (steps > 0).all() or (steps < 0).all():
        # Some of the numbers stand on rows that are held out.
        return "row number" if span <= 4 * len(values) or _INDEX.match(name) else "id"
    # Drawn from so many numbers, n all differ with probability exp(-n² / 2 span) at most.
    if math.exp(-(len(values) ** 2) / (2 * span)) < _CHANCE:
        return "id"
    return "id" if _ID.search(name) or _INDEX.match(name) else None


_LEFT_OUT = {
    "empty": "it holds no value on any training row",
    "constant": "it holds the same value on all training rows",
    "row number": "it counts the rows",
    "id": "it is different on every training row, as an id is",
}


def _told(name: str, what: What, kept: bool) -> ColumnTold:
    called = f"Column {name!r}" if name else "The column without a name"
    if kept:
        return ColumnTold(
            name, what, "kept", f"{called} is kept as asked, though {_LEFT_OUT[what]}."
        )
    back = f" (--keep {name!r} brings it back)" if what in _NAMING else ""
    return ColumnTold(name, what, "left out", f"{called} is left out, for {_LEFT_OUT[what]}{back}.")


def _leak(name: str, target: str | None, rule: tuple[int, int]) -> ColumnTold:
    wrong, rows = rule
    what = "the labels" if target is None else repr(target)
    right = "all" if not wrong else f"all but {wrong:,}"
    return ColumnTold(
        name,
        "tells the target",
        "kept",
        f"Column {name!r} alone tells {what} of {right} of {rows:,} training rows that were kept apart to see it. If "
        f"it is known only after the event, leave it out with --known-after {name!r}.",
    )
