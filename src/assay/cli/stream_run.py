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
            "refusal": None if self.refusal is None else str(self.refusal),
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
            print(f"assay: {self.refusal}", file=sys.stderr)
        if self.code:
            raise typer.Exit(self.code)


def follow(
    stream: Played,
    read: Callable[[], Any],
    view: View,
    interrupt: Interrupt,
    worded: Callable[[BadData], BadData] | None = None,
) -> BadData | None:
    """Learn until the table ends, somebody interrupts, or a row cannot be learned.

    Parameters
    ----------
    worded : callable, optional
        Says a refusal in the options of the command.
    """
    worded = worded or in_options

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
                raise worded(problem) from None
            return worded(problem)
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


# The ways out that refusals name, by their names in Python and as options.
_WAYS_OUT = {
    "Declare the range in which all lie, or take adahedge, which needs none.": "Declare the range in "
    "which all lie with --range LO HI, or take --policy adahedge, which needs none.",
    "Declare the range in which all lie.": "Declare the range in which all lie with --range LO HI.",
    "sleeping-experts takes forecasts": "--policy sleeping-experts takes forecasts",
    "Declare all arms.": "Declare all arms with --label.",
    "If the column holds categories, name it in categories.": "",
    ". Fill it in, leave the column out, or say missing='nan' or missing='zero'.": ".",
}


def in_options(refusal: BadData) -> BadData:
    """A refusal whose ways out are options of the command."""
    sentence = str(refusal)
    for named, option in _WAYS_OUT.items():
        sentence = sentence.replace(named, option)
    return BadData(sentence.strip())


def refuse_unwritable_file(*paths: Path | None) -> None:
    """Refuse a place where nothing can be written before the work, not after."""
    from assay.data.whole_file import refuse_unwritable

    for path in paths:
        if path is not None:
            refuse_unwritable(path)
