"""A table as a part to learn from and a part to test on, and how that came about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.certificates.issue.distinct_rows import Overlap
from assay.errors import BadData
from assay.evidence.digest import digest_labels
from assay.evidence.evidence import Evidence, from_pairs, from_quantities, from_units
from assay.evidence.partition import digest_partition
from assay.evidence.quantities import digest_numbers
from assay.evidence.rows import first_rows, rows_digest
from assay.evidence.tally import wrong_rows
from assay.guarantees.assumption import Assumption
from assay.tables.holdout import Sides, compare, draw
from assay.tables.holdout_size import HoldoutSize
from assay.tables.row_order import Order, order_known, way_out
from assay.tables.rows import Part
from assay.tables.running_numbers import refuse_numbered_copies
from assay.tables.source import Loaded, Source, load_rows
from assay.tables.time_blocks import (
    block_count,
    blocks_known,
    blocks_note,
    looked_along,
    time_blocks,
)
from assay.theory.tail.binomial import IID
from assay.theory.tail.unit_mean import UNITS_INDEPENDENT
from assay.types import Array, Ints


@dataclass(frozen=True)
class Divided:
    """Training rows and the part to test on.

    Attributes
    ----------
    loaded : Loaded
        The table that is learned from.
    rows : array of int
        Its training rows.
    digests : array
        The digests of the training rows' features.
    test : Part
        The rows to test on: those that count.
    unit : array of int, or None
        What each of them belongs to.
    sides : Sides
        What is known of both.
    known_rows, truth
        The digests and the labels of all rows that the holdout was drawn from, by which a ledger knows it.
    held : array
        The digests of the rows to test on.
    order : array of int, or None
        When each training row came, where what comes last is held out.
    blocks : array of int, or None
        The block of time of each row to test on, where it is looked at whether the model does worse along them.
    """

    loaded: Loaded
    rows: Ints
    digests: NDArray[np.uint8]
    test: Part
    unit: Ints | None
    sides: Sides
    known_rows: NDArray[np.uint8]
    truth: Array
    held: NDArray[np.uint8]
    order: Ints | None = None
    blocks: Ints | None = None

    @property
    def draw(self) -> tuple[Assumption, ...]:
        """What is known of the draw of the rows, where their order was looked at or declared to mean nothing."""
        return tuple(one for one in self.sides.checked if one.name == IID)

    def part(self, overlap: Overlap, which: Ints | None = None) -> Part:
        """The training rows, or some of them by their places, with what says which of them may know of each other."""
        chosen = np.arange(len(self.rows)) if which is None else which
        rows, unit = self.rows[chosen], self.loaded.unit
        together = None if unit is None else unit[rows]
        if unit is None and overlap != "keep":
            together = first_rows(self.digests[chosen])
        order = None if self.order is None else self.order[chosen]
        return replace(Part.of(self.loaded, rows), together=together, order=order)

    def evidence(self, predicted: Any, labels: list[Any]) -> Evidence:
        """What was seen of a model that predicts this of the rows to test on."""
        y = self.test.y
        if self.loaded.task == "quantity":
            return self._evidence_of_quantity(predicted)
        counted = (
            from_pairs([(y, predicted)], labels=labels)
            if self.unit is None
            else from_units([(y, predicted, self.unit)], labels=labels)
        )
        wrong = np.asarray(wrong_rows(y, predicted))
        return replace(
            counted,
            checked=self.known_of(wrong),
            row_digest=rows_digest(self.held),
            known_rows=self.known_rows,
            holdout=digest_labels(self.truth),
            partition=digest_partition(self.truth),
        )

    def _evidence_of_quantity(self, predicted: Any) -> Evidence:
        parts = (self.test.y, predicted)
        return replace(
            from_quantities([parts if self.unit is None else (*parts, self.unit)]),
            checked=self.known_of(np.abs(self.test.y - predicted)),
            row_digest=rows_digest(self.held),
            known_rows=self.known_rows,
            holdout=digest_numbers(self.truth),
        )

    def known_of(self, losses: Array) -> tuple[Assumption, ...]:
        """What is known of the rows to test on once a model's losses on them are."""
        known = self.sides.checked
        return known if self.blocks is None else looked_along(known, losses, self.blocks)


def divide(
    loaded: Loaded,
    apart: Source | None,
    holdout: HoldoutSize,
    seed: int,
    overlap: Overlap,
    *,
    rows_order: Order | None = None,
    told: bool = True,
) -> Divided:
    """Hold rows out, or take those of a file of its own.

    What the order of the training rows tells is looked at (`assay.tables.row_order`) where rows are held out, and where
    that may be `told`: at random, it says whether anything may be promised; if they come last, whether rows that come
    near each other count together (`assay.tables.time_blocks`).
    """
    digests, order = loaded.digests(), None
    if apart is None:
        refuse_numbered_copies(loaded, overlap)
        if holdout.last:
            order = np.arange(len(digests)) if loaded.time is None else loaded.time
        sides = draw(
            digests,
            holdout=holdout,
            seed=seed,
            overlap=overlap,
            name=loaded.name,
            unit=loaded.unit,
            order=order,
        )
        other, all_rows = loaded, digests
    else:
        other = load_rows(apart, known=loaded)
        if other.y.dtype.kind != loaded.y.dtype.kind:
            raise BadData(
                f"The labels of {other.name} are of another kind than those of {loaded.name}."
            )
        all_rows = other.digests(loaded)
        sides = compare(digests, all_rows, overlap=overlap, name=other.name, unit=other.unit)
        sides = replace(sides, notes=(*other.notes, *sides.notes))
    unit = None if other.unit is None else other.unit[sides.holdout]
    blocks = None
    if holdout.last:
        assert order is not None
        known = like_the_last(loaded.unit is not None)
        if loaded.unit is None and told:
            blocks = time_blocks(order[sides.holdout])
        if blocks is not None and loaded.task == "classes":
            looked = order_known(loaded, sides.train, digests, overlap=overlap, order=None)
            if looked is not None and looked.status == "violated":
                most = block_count(loaded, sides.train, order, len(sides.holdout))
                unit = blocks = time_blocks(order[sides.holdout], most)
                many = len(np.unique(unit))
                known = blocks_known(many)
                sides = replace(sides, notes=(blocks_note(many), *sides.notes))
        sides = replace(sides, checked=(*sides.checked, known))
    elif apart is None and loaded.unit is None:
        drawn = order_known(
            loaded, sides.train, digests, overlap=overlap, order=rows_order, told=told
        )
        if drawn is not None:
            notes = (*way_out(drawn), *sides.notes)
            sides = replace(sides, checked=(*sides.checked, drawn), notes=notes)
    return Divided(
        loaded,
        sides.train,
        digests[sides.train],
        Part.of(other, sides.holdout),
        unit,
        sides,
        all_rows,
        other.y,
        all_rows[sides.holdout],
        None if order is None else order[sides.train],
        blocks,
    )


def like_the_last(units: bool) -> Assumption:
    """What is known of the draw where what came last is held out: of whatever else comes, nothing."""
    evidence = (
        f"these are the last {'units' if units else 'rows'}: it speaks of those that are drawn as they were, "
        "and of no further change"
    )
    return Assumption(UNITS_INDEPENDENT if units else IID, "assumed", evidence)


def how_drawn(
    apart: Source | None,
    asked: HoldoutSize,
    seed: int,
    overlap: Overlap,
    unit: str | None,
    time: str | None = None,
) -> str:
    """How the holdout came about, for the reader of a certificate.

    Examples
    --------
    >>> how_drawn(None, HoldoutSize(0.2, last=True), 0, "drop", None, "day")
    "the last 0.2 of the rows in the order of 'day', rows of one time together; the rows before them were learned from"
    """
    if apart is not None:
        return f"a file of its own, {apart.path.name}"
    holdout = asked.size
    if asked.last:
        noun = "rows" if unit is None else f"units of {unit!r}, each at the time of its last row,"
        share = f"{holdout:g} of the {noun}" if isinstance(holdout, float) else f"{holdout} {noun}"
        order = "of the file" if time is None else f"of {time!r}, rows of one time together"
        others = "rows" if unit is None else "units"
        return f"the last {share} in the order {order}; the {others} before them were learned from"
    noun = "rows" if overlap == "keep" else "distinct rows"
    noun = noun if unit is None else f"units of {unit!r}"
    share = f"{holdout:g} of the {noun}" if isinstance(holdout, float) else f"{holdout} {noun}"
    return f"{share}, drawn at random with seed {seed} before anything was learned"


def require_two(train: Part, loaded: Loaded) -> None:
    """Refuse training rows that are all of one class, or of one number."""
    if len(np.unique(train.y)) < 2:
        what = "number" if loaded.task == "quantity" else "class"
        raise BadData(
            f"{loaded.name} leaves {len(train):,} training rows of one {what} only. Give more rows, or a smaller "
            f"holdout."
        )


def commonest_of(train: Array, test: Array) -> tuple[Any, int]:
    """The commonest class, and how many rows to test on are of another."""
    classes, counts = np.unique(train, return_counts=True)
    best = classes[counts.argmax()]
    wrong = int(np.count_nonzero(test != best))
    return best.item() if isinstance(best, np.generic) else best, wrong


def labels_of(train: Array, test: Array) -> list[Any]:
    """All labels there are, as plain values."""
    labels: list[Any] = np.unique(np.concatenate([np.unique(train), np.unique(test)])).tolist()
    return labels
