"""What one sees of a stream while it runs: a table on a terminal, lines of JSON for machines."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from assay.cli.stream_run import Run

# Seconds between two looks, and how many times its own cost a look, or the bound in it, is waited for.
_EVERY = {"json": 1.0, "terminal": 0.2}
SPARING = 20


class View:
    """Shows where a stream stands, not more often than one can read and not at the cost of speed.

    Parameters
    ----------
    run : Run
        What is shown.
    as_json : bool
        Whether it is shown as lines of JSON.
    """

    def __init__(self, run: Run, *, as_json: bool) -> None:
        self._run = run
        #: How many rows there are in all, where that is known.
        self.total: int | None = None
        self._kind = "json" if as_json else "terminal" if sys.stderr.isatty() else ""
        self._start = time.monotonic()
        self._shown, self._cost = -1e9, 0.0
        self._table: Any = None

    def __enter__(self) -> View:
        if self._kind == "terminal":
            from rich.console import Console
            from rich.live import Live

            self._table = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._table.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        if self._table is not None:
            self._table.__exit__(*problem)

    def show(self) -> None:
        """Show the stream as it is now, if it is time to."""
        now = time.monotonic()
        wait = max(_EVERY.get(self._kind, 0.0), SPARING * self._cost * self._run.sparing)
        if not self._kind or now - self._shown < wait or not self._run.stream.rows:
            return
        standing = self._run.progress()
        if self._kind == "json":
            typer.echo(json.dumps(standing, ensure_ascii=False))
        else:
            self._table.update(self._rendered(standing), refresh=True)
        self._shown = time.monotonic()
        self._cost = self._shown - now

    def _rendered(self, standing: dict[str, Any]) -> Any:
        from rich.table import Table

        rows = f"{standing['rows']:,}" + (f" of {self.total:,}" if self.total else "")
        speed = standing["rows"] / max(time.monotonic() - self._start, 1e-9)
        table = Table.grid(padding=(0, 2))
        table.title, table.title_justify = self._run.source, "left"
        table.add_row("rows", f"{rows}, {speed:,.0f} a second")
        for name, text in self._run.lines(standing):
            table.add_row(name, text)
        return table


def bound_as_json(bound: Any) -> dict[str, Any] | None:
    """A guarantee in a line of progress, as plain data."""
    if bound is None:
        return None
    return {
        "of": bound.of,
        "observed": bound.observed_text,
        "promised": bound.promised_text,
        "theorem": bound.theorem,
    }
