"""Columns that divide rows into groups: each row's level as a number, a row without a value in a level of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.errors import BadData
from assay.evidence.columns import read_column
from assay.evidence.labels import EXACT_FLOAT, Coded, Label, encode, narrowest
from assay.evidence.plain_column import PlainColumn
from assay.types import Array, Bools, Floats

Level = Label | float | None
"""What the rows of a group hold; None where they hold nothing."""

Family = Literal["text", "numbers", "truth values"]

#: More groups than this, of all columns together, are not told of one by one.
MOST_GROUPS = 500
#: Numbers with more values than this are quantities.
MOST_NUMBERS = 50
# A certificate holds what each group is called, several times.
_LONGEST = 200


@dataclass(frozen=True)
class GroupCodes:
    """Some rows by group: row i is of the group ``levels[codes[i]]``, one level for each of the crossed columns.

    Each group occurs, and once.
    """

    levels: tuple[tuple[Level, ...], ...]
    codes: Array
    families: tuple[Family | None, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def where(self, keep: Bools) -> GroupCodes:
        """Some of the rows."""
        kept = self.codes[keep]
        used = np.flatnonzero(np.bincount(kept, minlength=len(self.levels)))
        moves = np.zeros(len(self.levels), dtype=narrowest(len(self.levels)))
        moves[used] = np.arange(len(used))
        return GroupCodes(tuple(self.levels[i] for i in used), moves[kept], self.families)


def group_codes(names: Sequence[str], columns: Sequence[Any], done: int = 0) -> GroupCodes:
    """Rows by the levels of a column, or of several crossed; `done` rows came before them.

    Examples
    --------
    >>> coded = group_codes(["sex", "adult"], [["f", "m", None], [True, True, True]])
    >>> coded.levels, coded.codes.tolist()
    ((('f', True), ('m', True), (None, True)), [0, 1, 2])
    """
    crossed = _one_column(names[0], columns[0], done)
    for name, column in zip(names[1:], columns[1:], strict=True):
        other = _one_column(name, column, done)
        if len(other) != len(crossed):
            raise BadData(
                f"{names[0]} has {len(crossed):,} rows, but {name} has {len(other):,}; groups need one value of each "
                "for every row."
            )
        crossed = _cross(crossed, other)
        require_few(names, len(crossed.levels))
    return crossed


def require_few(names: Sequence[str], groups: int, family: Family | None = None) -> None:
    """Refuse columns whose values are quantities or names."""
    what = " and ".join(names)
    if family == "numbers" and groups > MOST_NUMBERS:
        raise BadData(
            f"{what} holds numbers of more than {MOST_NUMBERS} different values, which are no groups: bin them first, "
            "such as ages into bands."
        )
    if groups > MOST_GROUPS:
        raise BadData(
            f"{what} would make more than {MOST_GROUPS} groups; so many are names. Bin them first, or leave the "
            "column out."
        )


def _cross(first: GroupCodes, second: GroupCodes) -> GroupCodes:
    size = len(second.levels)
    cells = first.codes.astype(np.int64) * size + second.codes
    # Each has few levels, so that counting all cells is faster than sorting.
    used = np.flatnonzero(np.bincount(cells, minlength=len(first.levels) * size))
    moves = np.zeros(len(first.levels) * size, dtype=narrowest(len(used)))
    moves[used] = np.arange(len(used))
    levels = tuple(first.levels[i // size] + second.levels[i % size] for i in used.tolist())
    return GroupCodes(levels, moves[cells], first.families + second.families)


def _one_column(name: str, column: Any, done: int) -> GroupCodes:
    array = read_column(column, name, done)
    gone = _absent(array)
    if gone is not None:
        array = _only(array, ~gone)
    if not len(array):
        rows = 0 if gone is None else len(gone)
        return GroupCodes(((None,),) if rows else (), np.zeros(rows, np.uint8), (None,))
    family, levels, codes = _coded(array, name, done)
    require_few([name], len(levels), family)
    if levels[0] == "" and family == "text":
        # An empty cell holds nothing, as a missing one does; it is moved behind the others.
        levels = [*levels[1:], None]
        codes = np.where(codes == 0, len(levels) - 1, codes - 1).astype(codes.dtype)
    if gone is not None and gone.any():
        levels = levels if levels[-1] is None else [*levels, None]
        full = np.full(len(gone), len(levels) - 1, dtype=narrowest(len(levels)))
        full[~gone] = codes
        codes = full
    return GroupCodes(tuple((level,) for level in levels), codes, (family,))


def _coded(array: Any, name: str, done: int) -> tuple[Family, list[Level], Array]:
    """The family, the levels in order, and each row's place among them."""
    numbers = _fractions(array)
    if numbers is not None:
        if not np.isfinite(numbers).all():
            raise BadData(f"{name} holds an infinite number, which is of no group. Leave it out.")
        # A few rows tell a quantity, before all of them are sorted.
        require_few([name], len(np.unique(numbers[:10_000])), "numbers")
        values, places = np.unique(numbers + 0.0, return_inverse=True)
        levels: list[Level] = [int(v) if v.is_integer() else v for v in values.tolist()]
        require_few([name], len(levels), "numbers")
        return "numbers", levels, places.reshape(-1).astype(narrowest(len(levels)))
    coded: Coded = encode(array, name, done)
    match coded.family:
        case "truth values":
            return "truth values", [bool(label) for label in coded.labels], coded.codes
        case "whole numbers":
            return "numbers", list(coded.labels), coded.codes
    longest = max(map(len, map(str, coded.labels)))
    if longest > _LONGEST:
        raise BadData(
            f"{name} holds a text of {longest:,} characters, which names no group; the longest may have {_LONGEST}."
        )
    return "text", list(coded.labels), coded.codes


def _fractions(array: Any) -> Floats | None:
    """The numbers of a column of floats that are not all whole; None for any other column."""
    kind = str(array.type)
    if kind != "double" and not kind.startswith(("float", "halffloat")):
        return None
    held = array.values if isinstance(array, PlainColumn) else array.to_numpy(zero_copy_only=False)
    values = np.asarray(held, dtype=np.float64)
    whole = (np.abs(values) < EXACT_FLOAT) & (values == np.floor(values))
    return None if whole.all() else values


def _absent(array: Any) -> Bools | None:
    """Which rows hold nothing; None where all hold something."""
    if isinstance(array, PlainColumn):
        gone = array.absent.copy()
        if array.type == "double":
            gone |= np.isnan(np.asarray(array.values, dtype=np.float64))
        return gone if gone.any() else None
    floats = str(array.type).startswith(("float", "double", "halffloat"))
    if not array.null_count and not floats and not hasattr(array, "dictionary"):
        return None
    gone = np.asarray(array.is_null(nan_is_null=floats).to_numpy(zero_copy_only=False), dtype=bool)
    return gone if gone.any() else None


def _only(array: Any, keep: Bools) -> Any:
    if isinstance(array, PlainColumn):
        return PlainColumn(array.type, array.values[keep], array.absent[keep])
    import pyarrow as pa

    return array.filter(pa.array(keep))
