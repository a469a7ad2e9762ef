"""Which rows are learned from and which are held out, so that nothing stands on both sides.

Ints are known by the digests of their features. A holdout is drawn by distinct rows, so that copies stay
together, and each of its distinct rows counts once. Where rows come in units, it is drawn by units. What comes last
is held out by `assay.tables.last_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.certificates.issue.distinct_rows import (
    Overlap,
    copies_known,
    count_rows,
    not_in_training,
)
from assay.data.seeded_split import split
from assay.errors import BadData, require, setting
from assay.evidence.rows import first_rows
from assay.guarantees.assumption import Assumption
from assay.tables.holdout_size import HoldoutSize
from assay.tables.last_rows import last_rows
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.types import Ints

SEPARATE_WAY = "if equal rows are separate draws, say --overlap keep"
OR_DROP = ("Take them out, or say ", setting("overlap", "drop"), " to leave them out.")


@dataclass(frozen=True)
class Sides:
    """Row numbers to learn from, row numbers to test on, and what is known of them.

    Attributes
    ----------
    train, holdout : array of int
        The rows of each side; those of the holdout are the ones that count.
    checked : tuple of Assumption
        What the certificate says about copies, and about which came first.
    notes : tuple of str
        The same for the reader of a report.
    left_out : int
        How many held-out rows do not count.
    """

    train: Ints
    holdout: Ints
    checked: tuple[Assumption, ...]
    notes: tuple[str, ...]
    left_out: int = 0


def draw(
    digests: NDArray[np.uint8],
    *,
    holdout: HoldoutSize,
    seed: int,
    overlap: Overlap,
    name: str,
    unit: Ints | None = None,
    order: Ints | None = None,
) -> Sides:
    """Hold out some of the rows of a table.

    Parameters
    ----------
    digests : array
        Those of the rows' features.
    holdout : HoldoutSize
        The share, or the number, of the distinct rows to hold out; of the units, where there are any. Of the last
        rows, whether they are distinct or not.
    seed : int
        What to draw by.
    overlap : {"drop", "keep", "refuse"}
        Whether copies stay together and count once, are separate draws, or are refused.
    name : str
        What to call the table in a refusal.
    unit : array of int, optional
        What each row belongs to.
    order : array of int, optional
        When each row came, where the last ones are held out.
    """
    first = first_rows(digests)
    repeats = int((first != np.arange(len(first))).sum())
    if repeats and overlap == "refuse":
        raise BadData(
            f"{name} must hold no row twice with ",
            setting("overlap", "refuse"),
            f", but {_rows(repeats)} another. Take the copies out, or say ",
            setting("overlap", "drop"),
            " to count them once.",
        )
    if holdout.last:
        when = np.arange(len(first)) if order is None else order
        train, held = last_rows(when, holdout, name=name, unit=unit)
        before = came_last()
    else:
        drawn_by = (
            unit if unit is not None else np.arange(len(first)) if overlap == "keep" else first
        )
        train, held = _split(drawn_by, holdout.size, seed, name, unit is not None)
        before = drawn_here(seed)
    counted = count_rows(digests[held], digests[train], None if unit is None else unit[held])
    if overlap == "keep":
        known = copies_known(counted.copies, len(held), overlap, seen=counted.seen)
        notes = _kept(counted.copies, counted.seen)
        return Sides(train, held, (*known, before), notes)
    kept = held[counted.rows]
    _require_some(kept, name)
    drawn = learned_too(counted.seen, len(held))
    if repeats and unit is None and not holdout.last:
        drawn = f"{repeats:,} of {len(first):,} rows of the table repeat an earlier one, and are drawn with it"
    known = copies_known(counted.copies, len(held), overlap, drawn=drawn)
    fresh = not_in_training(counted.seen, len(held))
    notes = _copies_note(counted.seen, repeats, unit is not None)
    if holdout.last:
        notes = _repeats_noted(counted.seen, counted.copies, name)
    return Sides(train, kept, (fresh, *known, before), notes, len(held) - len(kept))


def compare(
    train: NDArray[np.uint8],
    holdout: NDArray[np.uint8],
    *,
    overlap: Overlap,
    name: str,
    unit: Ints | None = None,
) -> Sides:
    """The rows of a file of its own to test on, compared with all rows of another to learn from."""
    counted = count_rows(holdout, train, unit)
    every, rows = np.arange(len(train)), np.arange(len(holdout))
    before = not_asked()
    if overlap == "keep":
        known = copies_known(counted.copies, len(rows), overlap, seen=counted.seen)
        return Sides(every, rows, (*known, before), _kept(counted.copies, counted.seen))
    if overlap == "refuse" and counted.seen:
        raise BadData(
            f"{name} must hold no row that is learned from with ",
            setting("overlap", "refuse"),
            f", but {_rows(counted.seen)} a training row.",
            remedy=OR_DROP,
        )
    kept = rows[counted.rows]
    _require_some(kept, name)
    notes = _repeats_noted(counted.seen, counted.copies, name)
    drawn = learned_too(counted.seen, len(rows))
    known = copies_known(counted.copies, len(rows), overlap, drawn=drawn)
    fresh = not_in_training(counted.seen, len(rows))
    return Sides(every, kept, (fresh, *known, before), notes, len(rows) - len(kept))


def judging_rows(
    digests: NDArray[np.uint8],
    *,
    share: float,
    seed: int,
    overlap: Overlap,
    unit: Ints | None = None,
    order: Ints | None = None,
) -> tuple[Ints, Ints]:
    """Which training rows learn and which judge a choice; what belongs together stays on one side.

    With an `order` in time those judge that come last, so that a learner is chosen as it will be used.
    """
    first = first_rows(digests)
    if order is not None:
        train, held = last_rows(order, HoldoutSize(share), name="The training rows", unit=unit)
    else:
        by_row = np.arange(len(first)) if overlap == "keep" else first
        drawn_by = by_row if unit is None else unit
        train, held = _split(drawn_by, share, seed, "The training rows", unit is not None)
    if overlap == "keep":
        return train, held
    counted = count_rows(digests[held], digests[train], None if unit is None else unit[held])
    return train, held[counted.rows]


def learned_too(seen: int, rows: int) -> str:
    """How many rows do not count because they repeat a training row; empty for none."""
    return f"{seen:,} of {rows:,} rows repeat a training row and do not count" if seen else ""


def drawn_here(seed: int) -> Assumption:
    """That the model came first, where the run itself drew the holdout."""
    evidence = f"in this run, by seed {seed}; what other runs told is not known"
    return Assumption(FIXED_BEFORE, "by construction", evidence)


def came_last() -> Assumption:
    """That the model came first, where the run itself held out what came last."""
    evidence = "in this run, from the rows before them; what other runs told is not known"
    return Assumption(FIXED_BEFORE, "by construction", evidence)


def not_asked() -> Assumption:
    """That the model came first, where the rows are a file of its own."""
    return Assumption(FIXED_BEFORE, "not asked")


def _split(
    groups: Ints, holdout: float | int, seed: int, name: str, units: bool
) -> tuple[Ints, Ints]:
    """The rows of each side; a group is never on both."""
    kinds, code = np.unique(groups, return_inverse=True)
    if len(kinds) < 2:
        what = "one unit" if units else "one distinct row, over and over"
        way = ("If equal rows are separate draws, say ", setting("overlap", "keep"), ".")
        raise BadData(
            f"{name} must hold at least two rows to tell apart, but holds {what}.",
            remedy=None if units else way,
        )
    if isinstance(holdout, int) and len(kinds) < len(groups):
        what = "units" if units else "distinct rows"
        must = f"from 1 to {len(kinds) - 1} for {len(kinds)} {what}"
        require(1 <= holdout < len(kinds), "holdout", must, holdout)
    # Groups are numbered by their first rows, so that a table without copies is split by its rows.
    sides = split(len(kinds), holdout=holdout, random_state=seed)
    held = np.isin(code, sides.holdout)
    return np.flatnonzero(~held), np.flatnonzero(held)


def _require_some(rows: Ints, name: str) -> None:
    if not len(rows):
        raise BadData(
            f"Every row to test on in {name} is also learned from, so none is left to certify."
        )


def _copies_note(seen: int, repeats: int, units: bool) -> tuple[str, ...]:
    """What to tell of rows that repeat another."""
    if not units:
        note = f"{_rows(repeats)} another; copies stay on one side and are counted once."
        return (f"{note} {SEPARATE_WAY.capitalize()}.",) if repeats else ()
    verb = "is" if seen == 1 else "are"
    note = f"{_rows(seen)} a row of a training unit and {verb} left out; {SEPARATE_WAY}."
    return (note,) if seen else ()


def _repeats_noted(seen: int, copies: int, name: str) -> tuple[str, ...]:
    """What to tell of rows to test on that are learned from, and of those that repeat one another."""
    notes = []
    if seen:
        verb = "is" if seen == 1 else "are"
        notes.append(f"{_rows(seen)} a training row and {verb} left out; {SEPARATE_WAY}.")
    if copies:
        verb = "is" if copies == 1 else "are"
        notes.append(f"{_rows(copies)} another of {name} and {verb} not counted; {SEPARATE_WAY}.")
    return tuple(notes)


def _kept(copies: int, seen: int) -> tuple[str, ...]:
    if not copies and not seen:
        return ()
    return (
        f"It was declared that equal rows are separate draws: {seen:,} held-out rows equal a training row, and "
        f"{copies:,} more equal an earlier held-out row. All are counted.",
    )


def _rows(many: int) -> str:
    return f"{many:,} row repeats" if many == 1 else f"{many:,} rows repeat"
