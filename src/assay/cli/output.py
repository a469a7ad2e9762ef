"""How commands speak: results to standard output, progress to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from assay.errors import BadParameter, CertificateRefused

JsonFlag = typer.Option(False, "--json", help="Print one JSON object instead of text.")
DeltaOption = typer.Option(
    "0.05", "--delta", help="Probability that a promise fails; 0.05 means 95 % confidence."
)


SummaryOption = typer.Option(
    None,
    "--summary",
    metavar="[FILE]",
    help="Print Markdown in place of text, or append it to FILE: one that ends in .md, or what $GITHUB_STEP_SUMMARY "
    "names.",
)


def require_summary(summary: str | None, as_json: bool) -> None:
    """Refuse two kinds of answer at once, and to append to what is no summary; before anything is computed."""
    if summary == "-":
        if as_json:
            raise BadParameter(
                "Give --json or --summary, but not both: name a file for the summary."
            )
    elif summary is not None:
        from assay.report.summary_file import require_summary_file

        require_summary_file(summary, "--summary")


def put_summary(summary: str, markdown: str) -> None:
    """Append Markdown to a file, or print it where the file is ``-``."""
    if summary == "-":
        typer.echo(markdown)
        return
    from assay.report.summary_file import append_markdown

    append_markdown(summary, markdown)


@contextmanager
def refusal_told(summary: str | None, source: str) -> Iterator[None]:
    """A refusal to promise anything stands in the summary too."""
    try:
        yield
    except CertificateRefused as refusal:
        if summary is not None:
            from assay.report.markdown import refusal_markdown

            title = f"Certificate for {source}" if source else "Certificate"
            put_summary(summary, refusal_markdown(title, refusal))
        raise


def print_json(answer: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json.dumps(answer, indent=2, ensure_ascii=False))


@contextmanager
def row_progress(title: str, total: int | None = None) -> Iterator[Callable[[int], None] | None]:
    """A progress bar over rows on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.completed:,.0f} rows"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda rows: bar.update(task, completed=rows)


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """What is being done, on a terminal: one line that changes; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda sentence: None
        return
    from rich.console import Console

    with Console(stderr=True).status("Beginning") as line:
        yield line.update
