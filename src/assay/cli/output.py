"""How commands speak: results to standard output, progress to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

JsonFlag = typer.Option(False, "--json", help="Print one JSON object instead of text.")
DeltaOption = typer.Option(
    "0.05", "--delta", help="Probability that a promise fails; 0.05 means 95 % confidence."
)


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
