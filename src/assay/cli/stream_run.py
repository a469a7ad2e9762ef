"""How every kind of stream is run: the loop behind the live view, how it ended, and what is said then."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol

import typer

from assay.cli.interrupt import Interrupt
from assay.cli.live import View
from assay.cli.refusals import in_options, say_no
from assay.data.remedies import IN_CATEGORIES, NAN_OR_ZERO
from assay.errors import BadData, BadParameter


class Played(Protocol):
    """A stream that learns chunks."""

    @property
    def rows(self) -> int:
        """How many rows were learned."""

    def learn(self, examples: Any) -> None:
        """Learn a chunk."""


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
    stream: Played,
    read: Callable[[], Any],
    view: View,
    interrupt: Interrupt,
    *,
    only_numbers: bool = False,
) -> BadData | None:
    """Learn until the table ends, somebody interrupts, or a row cannot be learned.

    Parameters
    ----------
    only_numbers : bool
        Whether the stream takes numbers and nothing else, so that no refusal may advise otherwise.
    """

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
            refusal = as_numbers(problem) if only_numbers else problem
            if not stream.rows:
                raise refusal from None
            return refusal
    if not stream.rows:
        leave_unlearned(interrupt)
    return None


def finish(
    ended: Ending,
    rows: int,
    *,
    as_json: bool,
    summary: Callable[[], dict[str, Any]],
    text: Callable[[], str],
    saved: Sequence[str],
) -> None:
    """Say how a stream ended and what it found, as a line of JSON or as text, and exit unless all went well."""
    if as_json:
        typer.echo(json.dumps(ended.to_json() | summary(), ensure_ascii=False))
    else:
        typer.echo(text())
        if ended.code:
            typer.echo(ended.text(rows))
        for line in saved:
            typer.echo(f"{'Saved':<10}{line}")
    ended.leave()


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


def refuse_unwritable_file(*paths: Path | None) -> None:
    """Refuse a place where nothing can be written before the work, not after."""
    from assay.data.whole_file import refuse_unwritable

    for path in paths:
        if path is not None:
            refuse_unwritable(path)
