"""Reports are blocks: a title in the margin, its lines beside it, long ones folded; and tables."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

_MARGIN, WIDTH = 10, 96


def block(title: str, lines: Sequence[str], fold: bool = True) -> list[str]:
    """A title in the margin, and its lines beside it.

    Examples
    --------
    >>> block("Seen", ["one", "two"])
    ['Seen      one', '          two']
    """
    if fold:
        lines = [part for line in lines for part in _folded(line)]
    return [f"{title if i == 0 else '':<{_MARGIN}}{line}" for i, line in enumerate(lines)]


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines: names to the left, numbers to the right.

    Examples
    --------
    >>> columns([["arm", "loss"], ["a", "0.25"]])
    ['arm  loss', 'a    0.25']
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def counted(many: int, noun: str) -> str:
    """So many of something.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{many:,} {noun}" if many == 1 else f"{many:,} {noun}s"


def with_article(name: str) -> str:
    """A name with its article, as it is spoken: a lone S or F begins with a vowel.

    Examples
    --------
    >>> [with_article(name) for name in ("svc", "random-forest-classifier", "adaboost-classifier", "ucb1")]
    ['an svc', 'a random-forest-classifier', 'an adaboost-classifier', 'a ucb1']
    """
    first = name.split("-")[0].lower()
    spelt = not any(letter in "aeiou" for letter in first)
    vowel = first[:1] in ("aefhilmnorsx" if spelt else "aeio")
    return f"{'an' if vowel else 'a'} {name}"


def _folded(line: str) -> list[str]:
    # A number stays with its per cent sign.
    parts = textwrap.wrap(line.replace(" %", "\u00a0%"), WIDTH, break_on_hyphens=False) or [""]
    return [part.replace("\u00a0", " ") for part in parts]
