"""What one sees of a stream while it runs: a table on a terminal, lines of JSON for machines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from assay.guarantees.guarantee import Guarantee
    from assay.play.stream import Stream

# Seconds between two looks, and how many times its own cost a look, or the bound in it, is waited for.
_EVERY = {"json": 1.0, "terminal": 0.2}
_SPARING = 20


class View:
    """Shows where a stream stands, not more often than one can read and not at the cost of speed.

    Parameters
    ----------
    title : str
    as_json : bool
        Whether it is shown as lines of JSON.
    progress : callable
        Where a stream stands, as plain data.
    lines : callable
        The same as names and texts, for a person.
    sparing : bool, default=True
        Whether to look the less often the more a look costs.
    """

    def __init__(
        self,
        title: str,
        *,
        as_json: bool,
        progress: Callable[[Any], dict[str, Any]],
        lines: Callable[[dict[str, Any]], list[tuple[str, str]]],
        sparing: bool = True,
    ) -> None:
        self._title, self._progress, self._lines = title, progress, lines
        self._sparing = _SPARING if sparing else 0
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._table is not None:
            self._table.__exit__(kind, problem, where)

    def show(self, stream: Any) -> None:
        """Show the stream as it is now, if it is time to."""
        now = time.monotonic()
        wait = max(_EVERY.get(self._kind, 0.0), self._sparing * self._cost)
        if not self._kind or now - self._shown < wait or not stream.rows:
            return
        standing = self._progress(stream)
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
        table.title, table.title_justify = self._title, "left"
        table.add_row("rows", f"{rows}, {speed:,.0f} a second")
        for name, text in self._lines(standing):
            table.add_row(name, text)
        return table


class LearnerView(View):
    """The view of a learner: counts and promise every time, the bound that always holds only now and then."""

    def __init__(self, title: str, *, as_json: bool) -> None:
        super().__init__(
            title, as_json=as_json, progress=self._stands, lines=self._shown_lines, sparing=False
        )
        self._bound: Guarantee | None = None
        self._bounded, self._bound_cost = -1e9, 0.0

    def _stands(self, stream: Stream) -> dict[str, Any]:
        now = time.monotonic()
        if now - self._bounded > _SPARING * self._bound_cost:
            self._bound = least_bound(stream.guarantees())
            self._bounded, self._bound_cost = now, time.monotonic() - now
        return progress(stream, self._bound)

    def _shown_lines(self, standing: dict[str, Any]) -> list[tuple[str, str]]:
        from assay.report.stream import bound_text
        from assay.report.text import percent, percent_above

        share, at_most = percent(standing["error"]), percent_above(repr(standing["promised"]))
        lines = [("errors", f"{standing['errors']:,} ({share}), at most {at_most} promised")]
        return lines if self._bound is None else [*lines, ("always", bound_text(self._bound))]


def least_bound(guarantees: list[Guarantee]) -> Guarantee | None:
    """The smallest bound on mistakes (or else on regret) that holds always."""
    certain = [g for g in guarantees if g.quantifier == "always" and g.value is not None]
    certain.sort(key=lambda g: (g.kind != "mistakes", g.value))
    return certain[0] if certain else None


def progress(stream: Stream, bound: Guarantee | None) -> dict[str, Any]:
    """A line of progress as plain data."""
    standing = stream.standing()
    return {
        "rows": standing.rows,
        "errors": standing.errors,
        "error": standing.error,
        "promised": standing.promised,
        "bound": None
        if bound is None
        else {
            "of": bound.of,
            "observed": bound.observed_text,
            "promised": bound.promised_text,
            "theorem": bound.theorem,
        },
    }
