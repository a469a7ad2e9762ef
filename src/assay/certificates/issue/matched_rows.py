"""Rows of several files that are the same: joined by what they are called."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.data.logs.samples import as_id
from assay.errors import BadData, Words, require
from assay.guarantees.added_conditions import IN_EVERY_FILE
from assay.guarantees.assumption import Assumption
from assay.types import Ints

Unmatched = Literal["refuse", "drop"]


@dataclass(frozen=True)
class NamedRows:
    """The rows of a file by what they are called.

    Attributes
    ----------
    path : str
        The file.
    by : str
        What names a row, for refusals.
    keys : sequence
        Of each row.
    apart : str or Words
        What to do where a name comes twice.
    """

    path: str
    by: str
    keys: Sequence[Hashable]
    apart: str | Words = ""


@dataclass(frozen=True)
class Matched:
    """The rows that every file holds, in the order of the first.

    Attributes
    ----------
    places : list of array
        For each file the places of these rows.
    known : tuple of Assumption
        That rows were left out, where they were.
    notes : tuple of str
        The same in words.
    """

    places: list[Ints]
    known: tuple[Assumption, ...] = ()
    notes: tuple[str, ...] = ()


def names_of(path: str, columns: Sequence[str], values: Sequence[Sequence[Any]]) -> NamedRows:
    """Rows named by the values of one column or several together; whole numbers are as good as their text.

    Examples
    --------
    >>> names_of("a.csv", ["id"], [[7, "8"]]).keys
    ['7', '8']
    """
    parts = []
    for column, listed in zip(columns, values, strict=True):
        gap = next((i for i, value in enumerate(listed) if value is None or value == ""), None)
        if gap is not None:
            raise BadData(f"{path} holds no value in column {column!r}, row {gap + 1}.")
        parts.append([as_id(value) for value in listed])
    keys: list[Hashable] = list(parts[0] if len(parts) == 1 else zip(*parts, strict=True))
    apart = Words(
        " Name columns that tell rows apart.",
        " Name columns that tell rows apart, as with {} id,epoch.",
        "on",
    )
    return NamedRows(path, " and ".join(map(repr, columns)), keys, apart)


def matched(files: Sequence[NamedRows], unmatched: Unmatched = "refuse") -> Matched:
    """Join files by their rows' names; a name that comes twice in a file is refused, one that a file lacks as well.

    Parameters
    ----------
    files : sequence of NamedRows
        The files.
    unmatched : {"refuse", "drop"}
        What becomes of rows that only some of the files hold.

    Examples
    --------
    >>> old, new = names_of("a.csv", ["id"], [[1, 2, 3]]), names_of("b.csv", ["id"], [[3, 1, 2]])
    >>> [places.tolist() for places in matched([old, new]).places]
    [[0, 1, 2], [1, 2, 0]]
    """
    require(unmatched in ("refuse", "drop"), "unmatched", "'refuse' or 'drop'", unmatched)
    where = [_places(file) for file in files]
    common = [key for key in where[0] if all(key in places for places in where[1:])]
    if not common:
        shown = " and ".join(f"{_shown(file.keys[0])} in {file.path}" for file in files[:2])
        raise BadData(
            f"The files have no row in common: no {files[0].by} of {files[0].path} is in the others ({shown})."
        )
    left = [len(places) - len(common) for places in where]
    if any(left) and unmatched == "refuse":
        raise _lacking(files, where, len(common))
    places = [np.array([one[key] for key in common], dtype=np.int64) for one in where]
    if not any(left):
        return Matched(places)
    told = ", ".join(
        f"{many:,} of {len(file.keys):,} rows of {file.path}"
        for many, file in zip(left, files, strict=True)
        if many
    )
    evidence = f"left out: {told}"
    note = f"Not every file holds every row: {told} are left out, and {len(common):,} rows are compared."
    return Matched(places, (Assumption(IN_EVERY_FILE, "assumed", evidence),), (note,))


def _places(file: NamedRows) -> dict[Hashable, int]:
    """The place of every name; refuses one that comes twice."""
    if not len(file.keys):
        raise BadData(f"{file.path} holds no rows.")
    places: dict[Hashable, int] = {}
    for place, key in enumerate(file.keys):
        if places.setdefault(key, place) != place:
            first = places[key] + 1
            raise BadData(
                f"{file.path} has {file.by} {_shown(key)} in row {first:,} and in row {place + 1:,}, so it does not "
                "say which row is which.",
                file.apart,
            )
    return places


def _lacking(
    files: Sequence[NamedRows], where: Sequence[dict[Hashable, int]], common: int
) -> BadData:
    """Which rows of which file another lacks, and the way out."""
    for file, mine in zip(files, where, strict=True):
        for other, theirs in zip(files, where, strict=True):
            alone = [key for key in mine if key not in theirs]
            if alone:
                noun = "row" if len(alone) == 1 else "rows"
                return BadData(
                    f"{other.path} lacks {len(alone):,} {noun} of the {len(mine):,} of {file.path}, such as "
                    f"{file.by} {_shown(alone[0])}. To compare the {common:,} that every file holds, say ",
                    Words("unmatched='drop'", "{} drop", "unmatched"),
                    ".",
                )
    raise AssertionError("unreachable")


def _shown(key: Hashable) -> str:
    parts = key if isinstance(key, tuple) else (key,)
    return ", ".join(repr(part) for part in parts)
