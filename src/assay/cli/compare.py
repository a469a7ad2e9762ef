"""``assay compare``: learners side by side on one table, or files of predictions against an older one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli import compare_options as files
from assay.cli import table_options as table
from assay.cli.output import (
    DeltaOption,
    JsonFlag,
    SummaryOption,
    print_json,
    put_summary,
    require_summary,
    steps,
)
from assay.cli.refusals import require_apart, require_taken
from assay.errors import BadParameter

if TYPE_CHECKING:
    from assay.tables.compare import Comparison


def compare_command(
    ctx: typer.Context,
    data: list[Path] = typer.Argument(
        ...,
        metavar="DATA...",
        help="A table to learn from. Or the predictions of an old model and then those of new ones: tables, or "
        "evaluation logs.",
    ),
    target: str | None = table.TargetOption,
    learners: str | None = typer.Option(
        None, "--learners", help="Names of learners, with commas between; a choice when not given."
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
    task: str = typer.Option(
        "auto",
        "--task",
        help="classes or quantity: what the target holds; by default its values tell. Of logs: the task, where they "
        "hold several.",
    ),
    coverage: str | None = table.CoverageOption,
    within: str | None = table.WithinOption,
    range: str | None = table.RangeOption,
    ledger: Path | None = table.LedgerOption,
    on: str | None = files.OnOption,
    truth: str | None = files.TruthOption,
    prediction: str | None = files.PredictionOption,
    loss: str | None = files.LossOption,
    metric: str | None = files.MetricOption,
    model: str | None = files.ModelOption,
    baseline_model: str | None = files.BaselineModelOption,
    unscored: str = files.UnscoredOption,
    unmatched: str = files.UnmatchedOption,
    max_regression: str | None = files.MaxRegressionOption,
    better: bool = files.BetterOption,
    answer: str = files.AnswerOption,
    drawn: str = files.DrawnOption,
    fixed_before: bool = files.FixedBeforeOption,
    out: Path | None = files.OutOption,
    report: Path | None = typer.Option(
        None, "--report", help="Write table and figure to this file, one page of HTML."
    ),
    summary: str | None = SummaryOption,
    as_json: bool = JsonFlag,
) -> None:
    """Fit several learners to the same rows and certify all at once; or say whether a new model is better.

    Example: assay compare mails.csv --target kind --learners svc,random-forest-classifier --report all.html

    Example: assay compare old.csv new.csv --on id --truth label --max-regression 0.01

    Example: assay compare old.eval new.eval --metric accuracy
    """
    from assay.report.html_report import save_report
    from assay.report.story_text import story_text
    from assay.tables.compare import compare_table
    from assay.tables.comparison_story import comparison_story
    from assay.whole_file import refuse_unwritable

    require_summary(summary, as_json)
    if len(data) > 1:
        from assay.cli.compare_files import compare_files

        compare_files(ctx)
        return
    require_taken(
        ctx, set(ctx.params) - set(files.OF_FILES), "unless two files of predictions are given"
    )
    terms = table.table_terms(locals())
    [path] = data
    require_apart(path, report=report, out=out)
    for written in (report, out):
        if written is not None:
            refuse_unwritable(written)
    with steps() as say:
        comparison = compare_table(path, target, learners=_names(learners), **terms, progress=say)
    if out is not None:
        _save(comparison, out)
    story = comparison_story(comparison, figures=report is not None)
    if report is not None:
        save_report(story, report)
    if summary is not None:
        from assay.report.markdown import comparison_markdown

        put_summary(summary, comparison_markdown(story))
    if as_json:
        print_json(_summary(comparison))
    if as_json or summary == "-":
        return
    typer.echo(story_text(story))
    if report is not None:
        typer.echo(f"{'Saved':<10}{report}; open it in a browser")
    if out is not None:
        typer.echo(
            f"{'Saved':<10}{out}, the differences of every pair; check it with: assay verify {out}"
        )


def _save(comparison: Comparison, out: Path) -> None:
    if comparison.differences is None:
        raise BadParameter(
            "--out is for the differences of learners: there are none of one learner alone, with a ledger, and of a "
            "quantity without --within."
        )
    comparison.differences.save(out)


def _names(learners: str | None) -> list[str]:
    if learners is None:
        return []
    names = [name.strip() for name in learners.split(",") if name.strip()]
    if not names:
        raise BadParameter("--learners must name at least one learner.")
    return names


def _summary(comparison: Comparison) -> dict[str, Any]:
    from assay.guarantees.decimals import decimal_text

    return {
        "ok": True,
        "task": comparison.task,
        "train_rows": comparison.train_rows,
        "holdout_rows": comparison.holdout_rows,
        "repeated": comparison.repeated,
        "notes": list(comparison.notes),
        "columns_told": [one.to_json() for one in comparison.columns_told],
        "unlabelled": comparison.unlabelled,
        "differences": [
            {
                "learner": one.learner,
                "best": one.best,
                "observed": decimal_text(one.observed),
                "at_least": None if one.least is None else decimal_text(one.least),
                "at_most": None if one.most is None else decimal_text(one.most),
            }
            for one in comparison.behind
        ],
        "differences_certificate": None
        if comparison.differences is None
        else comparison.differences.to_json(),
        **_beside(comparison),
        "learners": [
            {
                "learner": row.learner,
                "errors": row.errors,
                "mean_absolute_error": row.off if comparison.entry is None else None,
                "promised": None
                if row.certificate is None
                else row.certificate.claims[0].promised_text,
                "seconds": row.seconds,
                "memory": row.memory,
                "remark": row.remark,
                "certificate": None if row.certificate is None else row.certificate.to_json(),
            }
            for row in comparison.rows
        ],
    }


def _beside(comparison: Comparison) -> dict[str, Any]:
    """What saying the same of every row would have cost."""
    plain = comparison.commonest[1] if comparison.entry is None else None
    named = (
        "commonest_class_errors" if comparison.quantity is None else "median_mean_absolute_error"
    )
    return {named: plain}
