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
    loss: str | None,
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
    if loss is None:
        for name, column in (("truth", truth), ("prediction", prediction)):
            require(isinstance(column, str), name, "the name of a column of the frame", column)
    else:
        beside = {"truth": truth, "prediction": prediction, "by": by, "labels": labels}
        for name, given in beside.items():
            require(given is None, name, "left out beside the column of losses", given)
    for name, column in (("unit", unit), ("ids", ids), ("loss", loss)):
        fits = column is None or isinstance(column, str)
        require(fits, name, "the name of a column of the frame", type(column).__name__)
    with needed_for("Counting where the data are", "tables"):
        from assay.certificates.issue.losses_in_place import losses_of_frame
        from assay.evidence.in_place import FrameColumns, from_frame, ids_again
        from assay.evidence.places import columns_of, is_frame
    if frame is None or not is_frame(frame):
        raise BadParameter(
            "truth, prediction and loss name columns of a frame (pandas, polars, Arrow, DuckDB, Dask, Spark, Ibis), "
            f"which is given first; but it is of type {type(frame).__name__}."
        )
    from assay.data.logs.id_columns import id_columns

    known = columns_of(frame)
    texts = [by] if isinstance(by, str) else list(by or ())
    named = [named_columns(text, known) for text in texts]
    divisions = require_divisions(named) if named else ()
    of_rows = declares_none(unit) if unit is not None and unit not in known else False
    column = None if of_rows else unit
    if loss is not None:
        counted = [loss]
        evidence = losses_of_frame(frame, loss, column)
    else:
        assert truth is not None
        assert prediction is not None
        columns = FrameColumns(truth, prediction, divisions, column)
        counted = columns.cell
        evidence = from_frame(frame, columns, labels=labels)
    if column is not None:
        return evidence
    again = ids_again(frame, _ids(ids, id_columns(known), counted))
    way_out = (
        f"Nothing is promised, since {again}, so that rows may depend on one another: name the column that says what "
        "rows belong to, with unit='...', or say unit='none' if every row is a draw of its own."
    )
    return with_draws(evidence, unit if of_rows else None, again, way_out)


def _ids(declared: str | None, found: Sequence[str], counted: Sequence[str]) -> list[str]:
    if declared is not None:
        return [declared]
    return [name for name in found if name not in counted]
