"""Counting a frame whose columns are named, where its rows lie and in whatever order these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.certificates.issue.named_rows import declares_none, with_draws
from assay.certificates.issue.unit_losses import one_draw_each
from assay.errors import BadParameter, require
from assay.evidence.draws import Draws
from assay.evidence.evidence import Evidence
from assay.evidence.group_columns import named_columns, require_divisions
from assay.extras import needed_for


def count(
    frame: Any,
    *,
    truth: str | None = None,
    prediction: str | None = None,
    loss: str | None = None,
    by: Sequence[str] | str | None = None,
    unit: str | None = None,
    ids: str | None = None,
    labels: Sequence[Any] | None = None,
) -> Evidence:
    """Count the rows of a frame where they lie, by its own GROUP BY.

    What comes of it can be saved, merged with what others counted, and certified: `certify(frame, truth=...)` is
    `certify(count(frame, truth=...))`. It does not depend on where the rows lie or in which order.

    Parameters
    ----------
    frame : frame
        Whatever narwhals knows, eager or lazy (pandas, polars, Arrow, DuckDB, Dask, Spark, Ibis), or a data set of
        Arrow such as a folder of Parquet.
    truth, prediction : str, optional
        The columns of labels.
    loss : str, optional
        In their place a column of losses in [0, 1]; each is rounded up to a multiple of 1/65,536.
    by : str or sequence of str, optional
        Columns that divide the rows into groups, ``"sex*age"`` for two of them crossed.
    unit : str, optional
        The column that says what each row belongs to, or ``"none"`` to declare that every row is a draw of its own.
        Where evidence is merged, a unit must lie in one part as a whole.
    ids : str, optional
        The column that names rows; columns that are ids by their names are looked at too.
    labels : sequence, optional
        All labels there are.

    Returns
    -------
    Evidence

    Examples
    --------
    >>> import polars as pl
    >>> part = count(pl.LazyFrame({"y": [1, 0, 1], "p": [1, 1, 1]}), truth="y", prediction="p")
    >>> part.rows, part.errors
    (3, 1)
    """
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
        from assay.evidence.in_place import FrameColumns, from_frame, ids_again
        from assay.evidence.losses_in_place import losses_of_frame
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
    return replace(evidence, draws=Draws(again, each_row=of_rows)) if again or of_rows else evidence


def with_known_draws(evidence: Evidence, unit: str | None = None) -> Evidence:
    """Evidence that was counted, with what is known of its draws as conditions of a promise."""
    if unit is not None:
        require(evidence.units is None, "unit", "left out for evidence that has units", unit)
        declares_none(unit)
    draws = evidence.draws or Draws()
    if draws.units is not None:
        known = one_draw_each(*draws.units)
        return replace(evidence, checked=(*evidence.checked, known), draws=None)
    way_out = (
        f"Nothing is promised, since {draws.again}, so that rows may depend on one another: name the column that says "
        "what rows belong to, with unit='...', or say unit='none' if every row is a draw of its own."
    )
    declared = "none" if draws.each_row else unit
    return with_draws(replace(evidence, draws=None), declared, draws.again, way_out)


def _ids(declared: str | None, found: Sequence[str], counted: Sequence[str]) -> list[str]:
    if declared is not None:
        return [declared]
    return [name for name in found if name not in counted]
