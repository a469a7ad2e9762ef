"""``assay fit``: from a table to a model with its certificate and a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.output import DeltaOption, JsonFlag, print_json, steps
from assay.cli.parameters import named_values
from assay.cli.ways_out import in_options, require_apart
from assay.errors import BadParameter

if TYPE_CHECKING:
    from assay.tables.fit import FittedTable


def fit_command(
    data: Path = typer.Argument(..., help="A table: CSV, TSV, Parquet, Feather or libsvm text."),
    target: str | None = typer.Option(None, "--target", help="The column to predict."),
    learner: str = typer.Option(
        "auto", "--learner", help="A learner's name; auto has one chosen by the training rows."
    ),
    param: list[str] | None = typer.Option(
        None, "--param", help="A parameter of the learner, as name=value. May be repeated."
    ),
    holdout: str | None = typer.Option(
        None,
        "--holdout",
        help="The share of the rows to hold out, or their number; 0.2 by default.",
    ),
    holdout_file: Path | None = typer.Option(
        None, "--holdout-file", help="Test on the rows of this table instead."
    ),
    delta: str = DeltaOption,
    seed: int = typer.Option(0, "--seed", help="What the holdout and the learner are drawn by."),
    column: list[str] | None = typer.Option(
        None, "--column", help="Learn from this column; all but the target when not given."
    ),
    drop: list[str] | None = typer.Option(None, "--drop", help="Leave this column out."),
    category: list[str] | None = typer.Option(
        None, "--category", help="Read this column as categories, though it holds numbers."
    ),
    number: list[str] | None = typer.Option(
        None, "--number", help="Read this column as numbers, whatever it looks like."
    ),
    format: str | None = typer.Option(
        None,
        "--format",
        help="What DATA is, where its name does not tell: csv, tsv, parquet, feather or libsvm.",
    ),
    out: Path | None = typer.Option(None, "--out", help="Write the model to this file."),
    certificate: Path | None = typer.Option(
        None, "--certificate", help="Write the certificate to this file."
    ),
    report: Path | None = typer.Option(
        None, "--report", help="Write a report to this file: one page of HTML, figures and all."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Learn to predict a column of a table, and state what may be promised about it.

    Example: assay fit mails.csv --target kind --out spam.assay --certificate spam.json --report spam.html
    """
    from assay.data.whole_file import refuse_unwritable
    from assay.tables.fit import fit_table

    if holdout is not None and holdout_file is not None:
        raise BadParameter("Give --holdout or --holdout-file, but not both.")
    require_apart(data, out=out, certificate=certificate, report=report)
    for path in (out, certificate, report):
        if path is not None:
            refuse_unwritable(path)
    with steps() as say, in_options():
        fitted = fit_table(
            data,
            target,
            learner=learner,
            parameters=named_values(param or []),
            holdout=share_or_rows(holdout),
            holdout_file=holdout_file,
            delta=delta,
            seed=seed,
            columns=column or None,
            drop=drop or (),
            categories=category or (),
            numbers=number or (),
            format=format,
            say=say,
        )
        _write(fitted, out, certificate, report, as_json)


def share_or_rows(holdout: str | None) -> float | int:
    """``0.2`` is a share, ``500`` a number of rows."""
    if holdout is None:
        return 0.2
    try:
        return int(holdout) if holdout.strip().isdecimal() else float(holdout)
    except ValueError:
        raise BadParameter(
            f"--holdout must be a share such as 0.2 or a number of rows, but is {holdout!r}."
        ) from None


def _write(
    fitted: FittedTable,
    out: Path | None,
    certificate: Path | None,
    report: Path | None,
    as_json: bool,
) -> None:
    """Model, certificate and report, all of them or none; then what there is to say."""
    from assay.data.whole_file import whole_files
    from assay.report.html_report import save_report
    from assay.report.story_text import story_text
    from assay.tables.story import story_of

    with whole_files(path for path in (out, certificate, report) if path is not None) as places:
        if out is not None:
            fitted = fitted.save(places[out])
        if certificate is not None:
            fitted.certificate.save(places[certificate])
        story = story_of(fitted, model=out, certificate=certificate, figures=report is not None)
        if report is not None:
            save_report(story, places[report])
    if as_json:
        print_json(summary(fitted))
        return
    typer.echo(story_text(story))
    _saved(out, f"predict with: assay predict {out} DATA")
    _saved(certificate, f"check it with: assay verify {certificate}")
    _saved(report, "open it in a browser")


def _saved(path: Path | None, then: str) -> None:
    if path is not None:
        typer.echo(f"{'Saved':<10}{path}; {then}")


def summary(fitted: FittedTable) -> dict[str, Any]:
    """The numbers a script wants, and the whole certificate."""
    made = fitted.certificate
    first = made.to_json()["claims"][0]
    return {
        "ok": first["promised"] is not None,
        "learner": fitted.learner,
        "parameters": {
            name: value if isinstance(value, str | int | float | bool | None) else repr(value)
            for name, value in fitted.model.get_params(deep=False).items()
        },
        "train_rows": fitted.train_rows,
        "holdout_rows": fitted.evidence.rows,
        "errors": fitted.evidence.errors,
        "observed": first["observed"],
        "promised": first["promised"],
        "commonest_class_errors": fitted.commonest[1],
        "repeated": fitted.repeated,
        "seconds": round(fitted.seconds, 6),
        "candidates": [
            {
                "learner": one.candidate.learner,
                "errors": one.errors,
                "rows": one.rows,
                "promised": one.promised,
                "chosen": fitted.choice is not None and one is fitted.choice.chosen,
                "remark": one.remark,
            }
            for one in (fitted.choice.tried if fitted.choice is not None else ())
        ],
        "guarantees": [one.to_json() for one in fitted.guarantees],
        "notes": list(fitted.notes),
        "certificate": made.to_json(),
    }
