"""How commands speak: results to standard output, progress to standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from assay.errors import BadData, BadParameter

#: Where the jobs of GitHub Actions take their summary from.
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"

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
    """Refuse to append to what is no summary, and two kinds of answer at once; before anything is computed."""
    if summary == "-":
        if as_json:
            raise BadParameter(
                "Give --json or --summary, but not both: name a file for the summary."
            )
    elif summary is not None and Path(summary).suffix.lower() not in (".md", ".markdown"):
        job = os.environ.get(STEP_SUMMARY)
        if job is None or os.path.realpath(job) != os.path.realpath(summary):
            raise BadParameter(
                subject="--summary",
                must="a file that ends in .md, or what $GITHUB_STEP_SUMMARY names",
                got=summary,
            )


def append_summary(summary: str, markdown: str) -> None:
    """Append Markdown to a file, or print it where the file is ``-``."""
    if summary == "-":
        typer.echo(markdown)
        return
    try:
        with open(summary, "a", encoding="utf-8") as file:
            file.write(f"{markdown}\n\n")
    except OSError as error:
        raise BadData(f"{summary} cannot be written: {error.strerror}.") from None


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
