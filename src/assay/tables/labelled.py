"""Rows without a label: left out, counted and said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.data.cells import Place, is_text, named_labels
from assay.errors import BadData
from assay.types import Bools


def with_label(column: Any, place: Place, *, words: bool) -> Bools:
    """Which rows have a label; with `words`, one such as NA says that there is none.

    Raises
    ------
    BadData
        If no row has one.

    Examples
    --------
    >>> with_label(pa.array(["yes", "NA", "no"]), Place("t.csv", "y"), words=True).tolist()
    [True, False, True]
    """
    held = named_labels(column) if words and is_text(column.type) else column
    labelled: Bools = pc.is_valid(held).to_numpy(zero_copy_only=False)
    if pa.types.is_floating(column.type):
        labelled = labelled & ~np.isnan(column.to_numpy(zero_copy_only=False))
    if len(labelled) and not labelled.any():
        raise BadData(
            f"{place.table} must hold a value in column {place.column!r}, which is to be predicted, but holds none on "
            f"any of its {len(labelled):,} rows. Name another target."
        )
    return labelled


def unlabelled_note(table: str, gaps: int, left: int) -> str:
    """What is said of rows without a label.

    Examples
    --------
    >>> unlabelled_note("mail.csv", 1, 99)
    '1 row of mail.csv has no label and is left out: what is promised is about rows like the other 99.'
    """
    rows = "1 row" if gaps == 1 else f"{gaps:,} rows"
    verbs = "has no label and is" if gaps == 1 else "have no label and are"
    return f"{rows} of {table} {verbs} left out: what is promised is about rows like the other {left:,}."
