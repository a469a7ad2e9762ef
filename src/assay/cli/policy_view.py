"""What one sees of a policy while a table is played: the live view, the loop, and how it ended."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol

import typer

from assay.cli.interrupt import Interrupt
from assay.cli.live import View
from assay.cli.refusals import in_options, say_no
from assay.data.remedies import IN_CATEGORIES, NAN_OR_ZERO
from assay.errors import BadData, BadParameter

# Seconds between two looks, and how many times its own cost a look may be waited for.
_EVERY = {"json": 1.0, "terminal": 0.2}
_SPARING = 20


class Played(Protocol):
    """A stream that learns chunks."""

    @property
    def rows(self) -> int:
        """How many rows were learned."""

    def learn(self, examples: Any) -> None:
        """Learn a chunk."""


class PolicyView(View):
    """Shows where a policy stands, not more often than one can read and not at the cost of speed."""

    def __init__(
        self,
        title: str,
        *,
        as_json: bool,
        progress: Callable[[Any], dict[str, Any]],
        rows: Callable[[dict[str, Any]], list[tuple[str, str]]],
    ) -> None:
        super().__init__(title, as_json=as_json)
        self._progress, self._lines = progress, rows

    def show(self, stream: Any) -> None:
        """Show the stream as it is now, if it is time to."""
        now = time.monotonic()
        wait = max(_EVERY.get(self._kind, 0.0), _SPARING * self._cost)
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


@dataclass(frozen=True)
class Ending:
    """How it ended: by a row that cannot be learned, by a signal, or by itself."""

    refusal: BadData | None
    signal: int | None

    @property
    def code(self) -> int:
        """The exit code."""
        if self.refusal is not None:
            return 2
        return 0 if self.signal is None else 128 + self.signal

    def to_json(self) -> dict[str, Any]:
        """The beginning of the last line of JSON."""
        return {
            "ok": self.refusal is None,
            "done": True,
            "refusal": None if self.refusal is None else in_options(self.refusal),
            "interrupted": self.signal is not None,
        }

    def text(self, rows: int) -> str:
        """A line about an end before the end."""
        why = "a row that cannot be learned" if self.refusal is not None else "your wish"
        after = f"{rows:,} row" if rows == 1 else f"{rows:,} rows"
        return f"{'Ended':<10}after {after}, by {why}; what was learned is kept."

    def leave(self) -> None:
        """Say what was refused, and exit unless all went well."""
        if self.refusal is not None:
            say_no(self.refusal)
        if self.code:
            raise typer.Exit(self.code)


def follow(
    stream: Played, read: Callable[[], Any], view: PolicyView, interrupt: Interrupt
) -> BadData | None:
    """Learn until the table ends, somebody interrupts, or a row cannot be learned."""

    def chunks() -> Iterator[Any]:
        found = read()
        view.total = found.rows
        yield from found

    with view:
        try:
            for examples in interrupt.until(chunks()):
                stream.learn(examples)
                view.show(stream)
        except BadData as problem:
            if not stream.rows:
                raise as_numbers(problem) from None
            return as_numbers(problem)
    if not stream.rows:
        leave_unlearned(interrupt)
    return None


def leave_unlearned(interrupt: Interrupt) -> NoReturn:
    """Say that there is nothing to show, and exit."""
    print("assay: the stream was ended before anything was learned.", file=sys.stderr)
    raise typer.Exit(128 + (interrupt.signal or 0))


def ordered(bounds: tuple[float, float] | None) -> tuple[float, float] | None:
    """The ends of a range as they were given, refused unless they are two numbers in order."""
    if bounds is not None and not (-math.inf < bounds[0] < bounds[1] < math.inf):
        raise BadParameter(
            f"--range must be two numbers, the smaller first, but is {bounds[0]:g} {bounds[1]:g}."
        )
    return bounds


def called(paths: list[str]) -> str:
    """What several files are called together."""
    if paths == ["-"]:
        return "standard input"
    if len(paths) <= 3:
        return " and ".join(filter(None, (", ".join(paths[:-1]), paths[-1])))
    return f"{paths[0]} and {len(paths) - 1} other files"


def as_numbers(refusal: BadData) -> BadData:
    """A refusal without ways out that a policy does not take: it reads numbers, and all of them."""
    advised = refusal.remedy if isinstance(refusal.remedy, tuple) else ()
    if {IN_CATEGORIES, NAN_OR_ZERO} & set(advised):
        return refusal.but(remedy=None)
    return refusal


def refuse_unwritable_file(path: Path | None) -> None:
    """Refuse a place where nothing can be written before the work, not after."""
    from assay.data.whole_file import refuse_unwritable

    if path is not None:
        refuse_unwritable(path)
