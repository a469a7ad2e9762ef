"""``assay fit``: from a table to a model with its certificate and a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli import table_options as table
from assay.cli.output import DeltaOption, JsonFlag, print_json, steps
from assay.cli.parameters import named_values
from assay.cli.refusals import require_apart

if TYPE_CHECKING:
    from assay.tables.fit import FittedTable


def fit_command(
    data: Path = table.TableArgument,
    target: str | None = table.TargetOption,
    learner: str = typer.Option(
        "auto",
        "--learner",
        help="A learner's name; auto has one chosen by the training rows, names with commas between one of these.",
    ),
    time_limit: float = typer.Option(
        60.0,
        "--time-limit",
        help="Seconds of learning that the choice of a learner may take, compiling apart.",
    ),
    param: list[str] | None = typer.Option(
        None, "--param", help="A parameter of the learner, as name=value. May be repeated."
    ),
    holdout: str | None = table.HoldoutOption,
    holdout_file: Path | None = table.HoldoutFileOption,
    delta: str = DeltaOption,
    seed: int = table.SeedOption,
    column: list[str] | None = table.ColumnOption,
    drop: list[str] | None = table.DropOption,
    category: list[str] | None = table.CategoryOption,
    number: list[str] | None = table.NumberOption,
    format: str | None = table.FormatOption,
    overlap: str = table.OverlapOption,
    unit: str | None = table.UnitOption,
    time: str | None = table.TimeOption,
    keep: list[str] | None = table.KeepOption,
    after_event: list[str] | None = table.KnownAfterOption,
    order: str | None = table.OrderOption,
    task: str = table.TaskOption,
    coverage: str | None = table.CoverageOption,
    within: str | None = table.WithinOption,
    range: str | None = table.RangeOption,
    ledger: Path | None = table.LedgerOption,
    out: Path | None = typer.Option(None, "--out", help="Write the model to this file."),
    certificate: Path | None = typer.Option(
        None, "--certificate", help="Write the certificate to this file."
    ),
    report: Path | None = typer.Option(
        None, "--report", help="Write a report to this file: one page of HTML, figures and all."
    ),
    verbose: bool = typer.Option(
        False, "--verbose", help="Tell what the choice among learners promised as well."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Learn to predict a column of a table, and state what is promised.

    Example: assay fit mails.csv --target kind --out spam.assay --certificate spam.json --report spam.html
    """
    from assay.tables.fit import fit_table
    from assay.whole_file import refuse_unwritable

    terms = table.table_terms(locals())
    require_apart(data, out=out, certificate=certificate, report=report)
    for path in (out, certificate, report):
        if path is not None:
            refuse_unwritable(path)
    with steps() as say:
        fitted = fit_table(
            data,
            target,
            learner=learner,
            time_limit=time_limit,
            parameters=named_values(param or []),
            **terms,
            progress=say,
        )
        _write(fitted, out, certificate, report, as_json, verbose)


def _write(
    fitted: FittedTable,
    out: Path | None,
    certificate: Path | None,
    report: Path | None,
    as_json: bool,
    verbose: bool = False,
) -> None:
    """Model, certificate and report, all of them or none; then what there is to say."""
    from assay.report.html_report import save_report
    from assay.report.story_text import story_text
    from assay.tables.story import story_of
    from assay.whole_file import whole_files

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
    typer.echo(story_text(story, verbose=verbose))
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
        "task": fitted.task,
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
        **_beside(fitted),
        "repeated": fitted.repeated,
        "seconds": round(fitted.seconds, 6),
        "candidates": [
            {
                "learner": one.candidate.learner,
                "settings": str(one.candidate),
                "errors": one.errors,
                "rows": one.rows,
                "promised": one.promised,
                "mean_absolute_error": one.off,
                "chosen": fitted.choice is not None and one is fitted.choice.chosen,
                "remark": one.remark,
            }
            for one in _tried(fitted)
        ],
        "guarantees": [one.to_json() for one in fitted.guarantees if fitted.entry is None],
        "notes": list(fitted.notes),
        "columns_told": [one.to_json() for one in fitted.columns_told],
        "unlabelled": fitted.unlabelled,
        "certificate": made.to_json(),
    }


def _beside(fitted: FittedTable) -> dict[str, Any]:
    """What else was seen: the errors of the commonest class, or how far off a quantity is."""
    told = fitted.entry is None
    numbers = fitted.evidence.quantities
    if numbers is None:
        return {"commonest_class_errors": fitted.commonest[1] if told else None}
    return {
        "mean_absolute_error": numbers.mean_absolute if told else None,
        "r_squared": numbers.r_squared if told else None,
        "median_mean_absolute_error": fitted.commonest[1] if told else None,
    }


def _tried(fitted: FittedTable) -> tuple[Any, ...]:
    """The candidates; with a ledger nothing is told but what was charged for."""
    if fitted.choice is None or fitted.entry is not None:
        return ()
    return fitted.choice.tried
