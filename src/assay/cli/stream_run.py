"""How every kind of stream is run: the loop behind the live view, how it ended, and what is said then."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import typer

from assay.cli.interrupt import Interrupt
from assay.cli.live import View
from assay.cli.refusals import in_options, say_no
from assay.data.remedies import IN_CATEGORIES, NAN_OR_ZERO
from assay.errors import BadData, BadParameter
from assay.whole_file import refuse_unwritable

CHUNK_ROWS = 2**14


class Run:
    """One kind of stream: how its rows are read, what is shown of it, and what it leaves behind.

    Parameters
    ----------
    asked : namespace
        The options of the command.
    interrupt : Interrupt
        Who may end it.
    """

    #: Whether the stream takes numbers and nothing else, so that no refusal may advise otherwise.
    only_numbers = True
    #: Whether to look the less often the more a look costs.
    sparing = True
    #: What learns the chunks, and counts their rows.
    stream: Any

    def __init__(self, asked: Any, interrupt: Interrupt) -> None:
        self.asked, self.interrupt, self.source = asked, interrupt, called(asked.data)
        # Before the work, not after.
        for path in filter(None, (asked.certificate, asked.out)):
            refuse_unwritable(path)

    def chunks(self) -> Any:
        """The rows, chunk by chunk, and in `rows` how many there are, where that is known."""
        raise NotImplementedError

    def progress(self) -> dict[str, Any]:
        """Where the stream stands, as plain data."""
        raise NotImplementedError

    def lines(self, standing: dict[str, Any]) -> list[tuple[str, str]]:
        """The same as names and texts, for a person."""
        raise NotImplementedError

    def summary(self) -> dict[str, Any]:
        """The last line of JSON: where the stream stands, and all that was found."""
        raise NotImplementedError

    def text(self) -> str:
        """The same for a person."""
        raise NotImplementedError

    def write(self) -> list[str]:
        """Write the files that were asked for; a line about each."""
        from assay.learners.model_file.files import save

        out = self.asked.out
        if out is None:
            return []
        save(self.stream.policy, out)
        return [f"{out}; {self.note(out)}"]

    def note(self, out: Any) -> str:
        """What to know about the policy that was written."""
        return f"go on with: --warm-start {out}"

    def read_numbers(self, target: str, columns: list[str] | None, numbers: list[str]) -> Any:
        """Columns of numbers, of which some may be missing."""
        from assay.files import read_table

        return read_table(
            self.asked.data,
            target=target,
            columns=columns,
            numbers=numbers,
            missing="nan",
            chunk_rows=CHUNK_ROWS,
            format=self.asked.format,
        )


def run_stream(game: str, asked: Any) -> None:
    """Play a stream; show, write and exit as the command does."""
    with Interrupt() as interrupt:
        kind: Callable[[Any, Interrupt], Run] = import_module(f"assay.cli.stream_{game}").Kind
        run = kind(asked, interrupt)
        refusal = follow(run, View(run, as_json=asked.as_json))
        saved = run.write()
    ended = Ending(refusal, interrupt.signal)
    if asked.as_json:
        typer.echo(json.dumps(ended.to_json() | run.summary(), ensure_ascii=False))
    else:
        typer.echo(run.text())
        if ended.code:
            typer.echo(ended.text(run.stream.rows))
        for line in saved:
            typer.echo(f"{'Saved':<10}{line}")
    ended.leave()


def follow(run: Run, view: View) -> BadData | None:
    """Learn until the table ends, somebody interrupts, or a row cannot be learned."""

    def chunks() -> Iterator[Any]:
        pieces = run.chunks()
        view.total = pieces.rows
        yield from pieces

    with view:
        try:
            for examples in run.interrupt.until(chunks()):
                run.stream.learn(examples)
                view.show()
        except BadData as problem:
            refusal = as_numbers(problem) if run.only_numbers else problem
            if not run.stream.rows:
                raise refusal from None
            return refusal
    if not run.stream.rows:
        if run.interrupt.signal is not None:
            leave_unlearned(run.interrupt)
        # Such as the rows about which every expert is silent.
        raise BadData(f"{run.source} holds no row to learn from: all of them were skipped.")
    return None


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
