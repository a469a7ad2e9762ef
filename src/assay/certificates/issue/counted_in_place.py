"""Evidence of a frame whose columns are named: counted where its rows lie, in whatever order these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.certificates.issue.named_rows import declares_none, with_draws
from assay.errors import BadParameter, require
from assay.evidence.evidence import Evidence
from assay.evidence.group_columns import named_columns, require_divisions
from assay.extras import needed_for


def counted_in_place(
    frame: Any,
    truth: str | None,
    prediction: str | None,
    *,
    by: Sequence[str] | str | None,
    unit: str | None,
    ids: str | None,
    labels: Sequence[Any] | None,
    others: Mapping[str, Any],
) -> Evidence:
    """Count a frame's rows by its own GROUP BY; the parameters are those of `certify`, with names of columns.

    Parameters
    ----------
    others : mapping
        What else was given, which goes with arrays alone.
    """
    for name, given in others.items():
        absent = given is None or (isinstance(given, bool) and not given)
        require(
            absent, name, "left out where truth and prediction name columns of a frame", "given"
        )
    for name, column in (("truth", truth), ("prediction", prediction)):
        require(isinstance(column, str), name, "the name of a column of the frame", column)
    for name, column in (("unit", unit), ("ids", ids)):
        fits = column is None or isinstance(column, str)
        require(fits, name, "the name of a column of the frame", type(column).__name__)
    with needed_for("Counting where the data are", "tables"):
        from assay.evidence.in_place import (
            FrameColumns,
            columns_of,
            from_frame,
            ids_again,
            is_frame,
        )
    if frame is None or not is_frame(frame):
        raise BadParameter(
            "truth and prediction name columns of a frame (pandas, polars, Arrow, DuckDB, Dask, Spark, Ibis), which is "
            f"given first; but it is of type {type(frame).__name__}."
        )
    from assay.data.logs.id_columns import id_columns

    assert truth is not None
    assert prediction is not None
    known = columns_of(frame)
    texts = [by] if isinstance(by, str) else list(by or ())
    named = [named_columns(text, known) for text in texts]
    divisions = require_divisions(named) if named else ()
    of_rows = declares_none(unit) if unit is not None and unit not in known else False
    column = None if of_rows else unit
    columns = FrameColumns(truth, prediction, divisions, column)
    evidence = from_frame(frame, columns, labels=labels)
    if column is not None:
        return evidence
    again = ids_again(frame, _ids(ids, id_columns(known), columns))
    way_out = (
        f"Nothing is promised, since {again}, so that rows may depend on one another: name the column that says what "
        "rows belong to, with unit='...', or say unit='none' if every row is a draw of its own."
    )
    return with_draws(evidence, unit if of_rows else None, again, way_out)


def _ids(declared: str | None, found: Sequence[str], columns: Any) -> list[str]:
    if declared is not None:
        return [declared]
    return [name for name in found if name not in columns.cell]
