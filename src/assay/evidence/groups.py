"""Groups of rows: how many rows each has, and how many of them are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.evidence.group_codes import MOST_GROUPS, GroupCodes, Level, group_codes, require_few
from assay.types import Array, Bools, Ints

Kinds = tuple[tuple[int, int, int], ...]
"""Units by errors and rows, and how many there are of each kind."""


@dataclass(frozen=True)
class GroupCounts:
    """The groups of one column, or of several crossed, in the order of their levels.

    Attributes
    ----------
    names : tuple of str
        The columns.
    levels : tuple of tuple
        For each group the level of each column; None where its rows hold nothing.
    errors, rows : tuple of int
        How many rows each has, and how many of them are wrong.
    units : tuple, or None
        Where rows come in units, those of each group: triples (errors, rows, number of such units).
    """

    names: tuple[str, ...]
    levels: tuple[tuple[Level, ...], ...]
    errors: tuple[int, ...]
    rows: tuple[int, ...]
    units: tuple[Kinds, ...] | None = None

    def groups(self) -> list[tuple[tuple[str, Level], ...]]:
        """Each group as pairs of a column and its level."""
        return [tuple(zip(self.names, levels, strict=True)) for levels in self.levels]


class GroupTally:
    """Counts rows and errors by group, chunk by chunk.

    Parameters
    ----------
    names : sequence of tuple of str
        The columns of each division into groups: one, or several that are crossed.
    keep : bool
        Whether each row's group is kept, for units to be counted at the end.

    Examples
    --------
    >>> tally = GroupTally([("sex",)])
    >>> tally.take([[["f", "m", "f", "f"]]])
    >>> tally.count(np.array([True, False, False, True]))
    >>> [counted] = tally.counted()
    >>> counted.levels, counted.errors, counted.rows
    ((('f',), ('m',)), (2, 0), (3, 1))
    """

    def __init__(self, names: Sequence[tuple[str, ...]], *, keep: bool = False) -> None:
        self._divisions = [_Division(columns, keep=keep) for columns in names]
        self._seen = 0

    def take(self, columns: Sequence[Sequence[Any] | GroupCodes]) -> None:
        """The next rows by group, for each division its columns, or their groups where these are numbered already.

        `count` tells which of the rows are wrong.
        """
        for division, held in zip(self._divisions, columns, strict=True):
            if not isinstance(held, GroupCodes):
                held = group_codes(division.names, held, self._seen)
            division.take(held)

    def count(self, wrong: Bools) -> None:
        """Whether each of the next rows is wrong."""
        self._seen += len(wrong)
        for division in self._divisions:
            division.count(wrong)
        groups = sum(len(division.place) for division in self._divisions)
        if groups > MOST_GROUPS:
            require_few([name for d in self._divisions for name in d.names], groups)

    def counted(
        self, wrong: Bools | None = None, units: Ints | None = None
    ) -> tuple[GroupCounts, ...]:
        """The counts of all rows; with `units`, the number of each row's unit, those of units too."""
        for division in self._divisions:
            division.require_all(self._seen)
        return tuple(division.counted(wrong, units) for division in self._divisions)


class _Division:
    """The running counts of one division into groups."""

    def __init__(self, names: tuple[str, ...], *, keep: bool) -> None:
        self.names, self._keep = names, keep
        self.place: dict[tuple[Level, ...], int] = {}
        self._families: list[str | None] = [None] * len(names)
        self._errors = self._rows = np.zeros(0, dtype=np.int64)
        self._waiting: list[GroupCodes] = []
        self._from = 0
        self._taken = 0
        self._all: list[Array] = []

    def take(self, coded: GroupCodes) -> None:
        for i, family in enumerate(coded.families):
            known = self._families[i]
            if family is not None and known is not None and family != known:
                raise BadData(
                    f"{self.names[i]} holds {known} and, from row {self._taken + 1} on, {family}; write the whole "
                    "column one way."
                )
            self._families[i] = known or family
        for levels in coded.levels:
            self.place.setdefault(levels, len(self.place))
        require_few(self.names, len(self.place))
        if self._families == ["numbers"]:
            require_few(self.names, len(self.place) - ((None,) in self.place), "numbers")
        missing = len(self.place) - len(self._rows)
        self._errors, self._rows = (np.pad(c, (0, missing)) for c in (self._errors, self._rows))
        self._waiting.append(coded)
        self._taken += len(coded)

    def count(self, wrong: Bools) -> None:
        start = 0
        while start < len(wrong):
            if not self._waiting:
                raise self._too_few()
            coded = self._waiting[0]
            stop = min(len(coded) - self._from, len(wrong) - start)
            self._add(coded, slice(self._from, self._from + stop), wrong[start : start + stop])
            start, self._from = start + stop, self._from + stop
            if self._from == len(coded):
                self._waiting.pop(0)
                self._from = 0

    def _add(self, coded: GroupCodes, part: slice, wrong: Bools) -> None:
        codes, size = coded.codes[part], len(coded.levels)
        places = np.array([self.place[levels] for levels in coded.levels])
        self._rows[places] += np.bincount(codes, minlength=size)
        self._errors[places] += np.bincount(codes[wrong], minlength=size)
        if self._keep:
            self._all.append(places[codes])

    def require_all(self, rows: int) -> None:
        if self._taken != rows:
            raise self._too_few()

    def _too_few(self) -> BadData:
        what = " and ".join(self.names)
        return BadData(
            f"{what} must hold a value for every row of the truth, but has {self._taken:,} rows."
        )

    def counted(self, wrong: Bools | None, units: Ints | None) -> GroupCounts:
        order = sorted(self.place, key=_rank)
        places = [self.place[levels] for levels in order]
        kinds = None
        if units is not None and wrong is not None:
            of_place = _unit_kinds(np.concatenate(self._all), wrong, units)
            kinds = tuple(of_place[place] for place in places)
        return GroupCounts(
            self.names,
            tuple(order),
            tuple(self._errors[places].tolist()),
            tuple(self._rows[places].tolist()),
            kinds,
        )


def _unit_kinds(groups: Array, wrong: Bools, units: Ints) -> dict[int, Kinds]:
    """For each group its units by errors and rows; a unit with rows in several groups is in each with those rows."""
    size = int(units.max()) + 1
    cells, place = np.unique(groups.astype(np.int64) * size + units, return_inverse=True)
    rows = np.bincount(place.reshape(-1))
    errors = np.bincount(place.reshape(-1), weights=wrong).astype(np.int64)
    listing = np.stack([cells // size, errors, rows], axis=1)
    kinds, many = np.unique(listing, axis=0, return_counts=True)
    listed: dict[int, list[tuple[int, int, int]]] = {}
    for (group, e, r), m in zip(kinds.tolist(), many.tolist(), strict=True):
        listed.setdefault(group, []).append((e, r, m))
    return {group: tuple(entries) for group, entries in listed.items()}


def groups_of_cells(
    names: Sequence[tuple[str, ...]], columns: Sequence[Sequence[Any]], counts: Ints, wrong: Bools
) -> tuple[GroupCounts, ...]:
    """The same of cells: rows that are alike, how many there are of each kind, and whether these are wrong.

    Examples
    --------
    >>> [counted] = groups_of_cells([("sex",)], [[["f", "m"]]], np.array([70, 30]), np.array([True, False]))
    >>> counted.errors, counted.rows
    ((70, 0), (70, 30))
    """
    made = []
    for division, held in zip(names, columns, strict=True):
        coded = group_codes(division, held)
        rows, errors = np.zeros((2, len(coded.levels)), dtype=np.int64)
        np.add.at(rows, coded.codes, counts)
        np.add.at(errors, coded.codes[wrong], counts[wrong])
        order = sorted(range(len(coded.levels)), key=lambda i: _rank(coded.levels[i]))
        levels = tuple(coded.levels[i] for i in order)
        made.append(
            GroupCounts(
                division, levels, tuple(errors[order].tolist()), tuple(rows[order].tolist())
            )
        )
    groups = sum(len(division.levels) for division in made)
    if groups > MOST_GROUPS:
        require_few([name for division in names for name in division], groups)
    return tuple(made)


def _rank(levels: tuple[Level, ...]) -> tuple[Any, ...]:
    """The order of groups: by their levels, those without a value last."""
    return tuple((level is None, 0 if level is None else level) for level in levels)


def missing_noted(divisions: Sequence[GroupCounts]) -> tuple[str, ...]:
    """That rows without a value are a group of their own.

    Examples
    --------
    >>> missing_noted([GroupCounts(("sex",), (("f",), (None,)), (2, 1), (9, 7))])
    ('sex has no value in 7 rows; these are a group of their own.',)
    """
    gone: dict[str, int] = {}
    for division in divisions:
        for i, name in enumerate(division.names):
            counted = sum(
                n for ls, n in zip(division.levels, division.rows, strict=True) if ls[i] is None
            )
            gone[name] = max(gone.get(name, 0), counted)
    return tuple(f"{name} has no value in {_rows(many)}." for name, many in gone.items() if many)


def _rows(many: int) -> str:
    return (
        "1 row; it is a group of its own"
        if many == 1
        else f"{many:,} rows; these are a group of their own"
    )


def merge_groups(parts: Sequence[tuple[GroupCounts, ...]]) -> tuple[GroupCounts, ...]:
    """The counts of all rows, from those of some of them each; a unit must lie in one part.

    Examples
    --------
    >>> one, two = (GroupCounts(("sex",), (("f",),), (k,), (9,)) for k in (2, 3))
    >>> merge_groups([(one,), (two,)])[0].errors
    (5,)
    """
    merged = []
    for same in zip(*parts, strict=True):
        counts: dict[tuple[Level, ...], list[Any]] = {}
        for part in same:
            listed = part.units or (None,) * len(part.levels)
            for levels, k, n, kinds in zip(
                part.levels, part.errors, part.rows, listed, strict=True
            ):
                entry = counts.setdefault(levels, [0, 0, {}])
                entry[0], entry[1] = entry[0] + k, entry[1] + n
                for e, r, many in kinds or ():
                    entry[2][e, r] = entry[2].get((e, r), 0) + many
        order = sorted(counts, key=_rank)
        units = tuple(
            tuple((*kind, many) for kind, many in sorted(counts[levels][2].items()))
            for levels in order
        )
        merged.append(
            GroupCounts(
                same[0].names,
                tuple(order),
                tuple(counts[levels][0] for levels in order),
                tuple(counts[levels][1] for levels in order),
                None if same[0].units is None else units,
            )
        )
    return tuple(merged)
