"""Odd columns of a divided table: what is said of them, and the table without those that are left out.

Ids and row numbers hide copies, so rows are compared without them before any are held out; labels are not looked at for
that. Which columns are left out is then judged by the training rows alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.certificates.issue.distinct_rows import Overlap, count_rows
from assay.errors import BadData, setting
from assay.evidence.rows import row_digests
from assay.tables.divide import Divided
from assay.tables.odd_columns import ColumnTold, known_after, names_rows, odd_columns
from assay.tables.source import Loaded, Source, comparable


def without_row_names(loaded: Loaded, source: Source) -> Loaded:
    """The table without the columns that only name its rows, unless nothing else is left."""
    if loaded.sparse:
        return loaded
    names = names_rows(loaded.cells, untyped=loaded.untyped, keep=source.keep)
    if not names or len(names) == len(loaded.columns):
        return loaded
    return replace(loaded.without(names), row_names=loaded.cells.select(names))


def leave_out(
    divided: Divided, loaded: Loaded, source: Source, *, overlap: Overlap = "drop", seed: int = 0
) -> tuple[Divided, tuple[ColumnTold, ...]]:
    """The same division of a table without its odd columns, and what is said of these.

    Parameters
    ----------
    divided : Divided
        How the table was divided.
    loaded : Loaded
        The table with all its columns.
    source : Source
        How its columns are to be read.
    overlap : {"drop", "keep", "refuse"}
        Whether held-out rows that equal another without these columns count.
    seed : int
        What is drawn by.
    """
    after = known_after(source.after_event)
    if loaded.sparse or len(divided.rows) < 2:
        return divided, after
    told = odd_columns(
        loaded.take(divided.rows),
        loaded.y[divided.rows],
        source.target,
        untyped=loaded.untyped,
        keep=source.keep,
        seed=seed,
    )
    rest = loaded.without([one.column for one in told if one.action == "left out"])
    if not rest.columns:
        raise BadData(
            f"{loaded.name} must hold a column to learn from, but on the training rows each is empty or always the "
            f"same.",
            remedy=None
            if overlap == "keep"
            else ("If equal rows are separate draws, say ", setting("overlap", "keep"), "."),
        )
    if rest.columns == divided.loaded.columns:
        return divided, (*after, *told)
    return _compared_again(divided, rest, overlap), (*after, *told)


def _compared_again(divided: Divided, rest: Loaded, overlap: Overlap) -> Divided:
    """Held-out rows that differ from others only in what was left out do not count."""
    columns, test = list(rest.columns), divided.test
    train = rest.digests()[divided.rows]
    absent = next((name for name in columns if name not in test.cells.column_names), None)
    if absent is not None:
        raise BadData(f"{test.name} has no column {absent!r}, which the model learns from.")
    held = row_digests(comparable(test.cells.select(columns)))
    changed = replace(divided, loaded=rest, digests=train, held=held)
    if overlap == "keep":
        return changed
    kept = np.flatnonzero(count_rows(held, train, divided.unit).rows)
    gone = len(held) - len(kept)
    if not gone:
        return changed
    if not len(kept):
        raise BadData(f"Every row to test on in {test.name} is also learned from, so none is left.")
    note = f"{gone:,} held-out rows equal another once the columns above are left out, and are not counted."
    sides = replace(
        divided.sides,
        holdout=divided.sides.holdout[kept],
        notes=(*divided.sides.notes, note),
        left_out=divided.sides.left_out + gone,
    )
    return replace(
        changed,
        test=test.some(kept),
        unit=None if divided.unit is None else divided.unit[kept],
        blocks=None if divided.blocks is None else divided.blocks[kept],
        sides=sides,
        held=held[kept],
    )
