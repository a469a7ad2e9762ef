"""Copies that only a running number tells apart: a column that names the row hides what was written twice.

A column of whole numbers or of text that differs in every row says nothing of how often a row was drawn. So rows are
compared without such columns too. By chance many may then be equal, and nothing is concluded from that; but if
they are equal as often as independent draws are in one of 1,000 tables at most (`assay.evidence.repeats`), whatever
the order of the rows, then the rows are no independent draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.certificates.issue.distinct_rows import Overlap
from assay.errors import BadData, Words, setting
from assay.evidence.repeats import FALSE_ALARM, is_too_even
from assay.evidence.rows import row_digests
from assay.tables.source import Loaded, comparable

_WHOLE = r"^\s*[+-]?[0-9]+\s*$"
_DECIMAL = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"


def refuse_numbered_copies(loaded: Loaded, overlap: Overlap) -> None:
    """Refuse a table whose rows are copies but for a column that numbers them.

    Raises
    ------
    BadData
        If they are; unless equal rows are declared to be separate draws, or the rows come in units.
    """
    if overlap == "keep" or loaded.unit is not None or loaded.sparse:
        return
    table = comparable(loaded.cells.select(list(loaded.columns)))
    names = [name for name in table.column_names if is_running(table.column(name))]
    rest = [name for name in table.column_names if name not in names]
    if not names or not rest:
        return
    digests = row_digests(table.select(rest), loaded.y).view("S16").ravel()
    counts = np.unique(digests, return_counts=True)[1]
    if is_too_even(counts):
        which = ", ".join(map(repr, names[:3])) + (" and others" if len(names) > 3 else "")
        raise BadData(
            f"{loaded.name} holds {len(digests) - len(counts):,} rows that repeat another but for {which}, which "
            f"independent draws do in one of {FALSE_ALARM.denominator:,} tables at most. Leave that column out with ",
            Words("drop", "{}", "drop"),
            ", name what belongs together with ",
            Words("unit", "{}", "unit"),
            ", or say ",
            setting("overlap", "keep"),
            " if they are separate draws.",
        )


def is_running(column: Any) -> bool:
    """Whether a column of whole numbers or of text differs in every row.

    Examples
    --------
    >>> [is_running(pa.array(cells)) for cells in (["a", "b"], ["a", "a"], ["1", "2"], ["1.5", "2"], [1.5, 2])]
    [True, False, True, False, False]
    """
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if not (text or pa.types.is_integer(kind)) or column.null_count:
        return False
    plain = column.cast(kind)
    if pc.count_distinct(plain).as_py() < len(plain):
        return False
    if not text:
        return True
    integers, decimal = (
        pc.all(pc.match_substring_regex(plain, p)).as_py() for p in (_WHOLE, _DECIMAL)
    )
    return bool(integers or not decimal)
