"""``assay predict``: what a model file says about the rows of a table."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from assay.cli.output import row_progress
from assay.cli.refusals import require_apart


def predict_command(
    model: Path = typer.Argument(..., help="A model file, as assay fit or assay stream writes it."),
    data: Path = typer.Argument(..., help="The table to predict, read in bounded memory."),
    out: Path | None = typer.Option(
        None,
        "--out",
        help="Write predictions to this .csv, .tsv, .parquet or .feather file; else as CSV to standard output.",
    ),
    keep: list[str] | None = typer.Option(
        None,
        "--keep",
        help="A column of the table to stand beside the predictions. May be repeated.",
    ),
    format: str | None = typer.Option(
        None,
        "--format",
        help="What DATA is, where its name does not tell: csv, tsv, jsonl, parquet, feather or libsvm.",
    ),
) -> None:
    """Predict every row of a table with a learned model.

    Example: assay predict spam.assay new.csv --out predictions.csv
    """
    from assay.data.whole_file import refuse_unwritable
    from assay.tables.predict import csv_writer, predict_table, write_predictions

    require_apart(data, out=out)
    require_apart(model, out=out)
    if out is not None:
        refuse_unwritable(out)
    batches = predict_table(model, data, keep=keep or (), format=format)
    if out is None:
        write = csv_writer(sys.stdout.buffer)
        for batch in batches:
            write(batch)
        sys.stdout.buffer.flush()
        return
    with row_progress("Predicting") as progress:
        rows = write_predictions(batches, out, progress)
    typer.echo(f"{rows:,} predictions written to {out}.")
