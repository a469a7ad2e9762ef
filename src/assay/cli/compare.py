"""``assay compare``: learners side by side on one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.output import DeltaOption, JsonFlag, print_json, steps
from assay.cli.refusals import require_apart
from assay.cli.table_options import (
    CategoryOption,
    ColumnOption,
    DropOption,
    FormatOption,
    HoldoutFileOption,
    HoldoutOption,
    LedgerOption,
    NumberOption,
    OverlapOption,
    SeedOption,
    TableArgument,
    TargetOption,
    UnitOption,
    table_terms,
)
from assay.errors import BadParameter

if TYPE_CHECKING:
    from assay.tables.compare import Comparison


def compare_command(
    data: Path = TableArgument,
    target: str | None = TargetOption,
    learners: str | None = typer.Option(
        None, "--learners", help="Names of learners, with commas between; a choice when not given."
    ),
    holdout: str | None = HoldoutOption,
    holdout_file: Path | None = HoldoutFileOption,
    delta: str = DeltaOption,
    seed: int = SeedOption,
    column: list[str] | None = ColumnOption,
    drop: list[str] | None = DropOption,
    category: list[str] | None = CategoryOption,
    number: list[str] | None = NumberOption,
    format: str | None = FormatOption,
    overlap: str = OverlapOption,
    unit: str | None = UnitOption,
    ledger: Path | None = LedgerOption,
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

    terms = table_terms(locals())
    require_apart(data, report=report)
    if report is not None:
        refuse_unwritable(report)
    with steps() as say:
        found = compare_table(data, target, learners=_names(learners), **terms, progress=say)
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
        "repeated": found.repeated,
        "notes": list(found.notes),
        "commonest_class_errors": found.commonest[1] if found.entry is None else None,
        "learners": [
            {
                "learner": row.learner,
                "errors": row.errors,
                "promised": None
                if row.certificate is None
                else row.certificate.claims[0].promised_text,
                "seconds": row.seconds,
                "memory": row.memory,
                "remark": row.remark,
                "certificate": None if row.certificate is None else row.certificate.to_json(),
            }
            for row in found.rows
        ],
    }
