"""``assay predict``: what a model file says about the rows of a table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.output import JsonFlag, print_json, row_progress
from assay.cli.refusals import require_apart

if TYPE_CHECKING:
    from assay.tables.watch import Watched


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
    proba: bool = typer.Option(
        False, "--proba", help="Add the probability of each class, as the model estimates it."
    ),
    certificate: Path | None = typer.Option(
        None, "--certificate", help="The model's certificate: repeat what it promises of such rows."
    ),
    strict: bool = typer.Option(
        False, "--strict", help="Exit with 1 if rows are not like those that were learned from."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Predict every row of a table with a learned model.

    Rows that are not like those it learned from are told on standard error.

    Example: assay predict spam.assay new.csv --out predictions.csv
    """
    from assay.errors import BadParameter
    from assay.learners.model_file.files import load
    from assay.tables.predict import csv_writer, predict_table, write_predictions
    from assay.tables.watch import Watch
    from assay.whole_file import refuse_unwritable

    require_apart(data, out=out)
    require_apart(model, out=out)
    if out is not None:
        refuse_unwritable(out)
    elif as_json:
        raise BadParameter(
            "--json prints what was found, not predictions. Name a file for those with --out."
        )
    promise = None if certificate is None else repeated_promise(certificate, model)
    learned = load(model)
    watch = Watch(learned)
    batches = predict_table(learned, data, keep=keep or (), format=format, proba=proba, watch=watch)
    if out is None:
        write = csv_writer(sys.stdout.buffer)
        for batch in batches:
            write(batch)
        sys.stdout.buffer.flush()
    else:
        with row_progress("Predicting") as progress:
            rows = write_predictions(batches, out, progress)
    watched = watch.result()
    if as_json:
        document = {"ok": watched.ok, "rows": rows, "out": str(out)}
        print_json(document | {"promise": promise, "watch": watched.to_json()})
    else:
        if out is not None:
            typer.echo(f"{rows:,} predictions written to {out}.")
        if promise is not None:
            typer.echo(promise, err=out is None)
        if not watched.ok:
            typer.echo(watched_text(watched), err=True)
    if strict and not watched.ok:
        raise typer.Exit(1)


def watched_text(watched: Watched) -> str:
    """One block of warnings."""
    from assay.guarantees.printable import printable

    lines = ["Warning: these rows are not like those that were learned from."]
    for one in watched.findings:
        by_chance = "" if one.p is None else f" By chance: {probability_text(one.p)}."
        lines.append(f"  - {printable(one.sentence, 500)}{by_chance}")
    lines.append(f"  {watched.scope}")
    lines.append(
        "  What was promised of the model is about rows like those; of these it may not hold."
    )
    return "\n".join(lines)


def probability_text(p: float) -> str:
    """A small probability for people.

    Examples
    --------
    >>> probability_text(0.0012345), probability_text(1e-40)
    ('0.0013', 'below 1e-15')
    """
    return "below 1e-15" if p < 1e-15 else f"{p * (1 + 5e-2):.2g}"


def repeated_promise(certificate: Path, model: Path) -> str:
    """What a certificate promises about new rows, with what it rests on; refuses that of another model."""
    from assay.certificates.certificate import Certificate
    from assay.certificates.show.words import promised
    from assay.errors import BadData
    from assay.evidence.digest import digest_file
    from assay.report.text import confidence_text

    issued = Certificate.load(certificate)
    if issued.document["subject"].get("model") != {"sha256": digest_file(model).split(":")[1]}:
        raise BadData(
            f"{certificate} is not the certificate of {model}: it names another model, or none."
        )
    claim = issued.claims[0]
    sure = confidence_text(str(issued.document["delta"]["total"]))
    sentence = promised(claim, f", with {sure}").rstrip(".")
    if claim.promised is None or claim.vacuous:
        return f"{sentence}."
    return f"{sentence}, if these rows are like those that were held out."
