"""``assay compare``: learners side by side on one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.fit import share_or_rows
from assay.cli.output import DeltaOption, JsonFlag, print_json, steps
from assay.cli.ways_out import in_options, require_apart
from assay.errors import BadParameter

if TYPE_CHECKING:
    from assay.tables.compare import Comparison


def compare_command(
    data: Path = typer.Argument(..., help="A table: CSV, TSV, Parquet, Feather or libsvm text."),
    target: str | None = typer.Option(None, "--target", help="The column to predict."),
    learners: str | None = typer.Option(
        None, "--learners", help="Names of learners, with commas between; a choice when not given."
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
    seed: int = typer.Option(0, "--seed", help="What the holdout and the learners are drawn by."),
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
    report: Path | None = typer.Option(
        None, "--report", help="Write table and figure to this file, one page of HTML."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Fit several learners to the same rows and certify each; delta is shared by all of them.

    Example: assay compare mails.csv --target kind --learners svc,random-forest-classifier --report all.html
    """
    from assay.data.whole_file import refuse_unwritable
    from assay.report.html_report import save_report
    from assay.report.story_text import story_text
    from assay.tables.compare import compare_table
    from assay.tables.comparison_story import comparison_story

    if holdout is not None and holdout_file is not None:
        raise BadParameter("Give --holdout or --holdout-file, but not both.")
    require_apart(data, report=report)
    if report is not None:
        refuse_unwritable(report)
    with steps() as say, in_options():
        found = compare_table(
            data,
            target,
            learners=_names(learners),
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
    story = comparison_story(found, figures=report is not None)
    if report is not None:
        save_report(story, report)
    if as_json:
        print_json(_summary(found))
        return
    typer.echo(story_text(story))
    if report is not None:
        typer.echo(f"{'Saved':<10}{report}; open it in a browser")


def _names(learners: str | None) -> list[str]:
    if learners is None:
        return []
    names = [name.strip() for name in learners.split(",") if name.strip()]
    if not names:
        raise BadParameter("--learners must name at least one learner.")
    return names


def _summary(found: Comparison) -> dict[str, Any]:
    return {
        "ok": True,
        "train_rows": found.train_rows,
        "holdout_rows": found.holdout_rows,
        "commonest_class_errors": found.commonest[1],
        "learners": [
            {
                "learner": row.learner,
                "errors": row.errors,
                "promised": None if row.certificate is None else row.certificate.claims[0].promised,
                "seconds": row.seconds,
                "memory": row.memory,
                "remark": row.remark,
                "certificate": None if row.certificate is None else row.certificate.to_json(),
            }
            for row in found.rows
        ],
    }
