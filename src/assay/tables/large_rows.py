"""Which rows of a table too large for memory are held out: one reading decides, before anything is learned.

Each row draws a number from the seed and the digest of its features, so that copies stay on one side; where
rows come in units, from the seed and its unit; and where equal rows are declared to be separate draws, from the
seed and its place. Of the table one byte a row is kept, and while it is read some 30 bytes more for every row
held out, by which copies are found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from assay.certificates.issue.distinct_rows import Overlap, copies_known, not_in_training
from assay.errors import BadData, require, setting
from assay.evidence.row_mix import mix
from assay.evidence.rows import row_digests
from assay.evidence.spread_rows import SpreadRows
from assay.files import read_table
from assay.guarantees.assumption import Assumption
from assay.tables.holdout import OR_DROP, SEPARATE_WAY, drawn_here, learned_too, not_asked
from assay.tables.odd_columns import names_rows
from assay.tables.row_order import Order, checked_order, declared, way_out
from assay.tables.source import Source, comparable, plain_texts
from assay.types import Bools, Ints, Words

#: What becomes of a row.
LEARN, TEST, PASS = 0, 1, 2

_CHUNK_ROWS = 2**14
# Copies among the rows that are learned from are not counted: that would take memory for every row.
_TOGETHER = "rows with equal features are drawn together; none that was held out repeats another"


@dataclass(frozen=True)
class HeldRows:
    """What becomes of each row to learn from, and of each to test on: of one table, or of two.

    Attributes
    ----------
    train, test : array of uint8
        `LEARN`, `TEST` or `PASS` for every row of the table that is learned from, and of the one that is tested
        on; the same array where they are one.
    unit : array of uint64, or None
        A number for what each row to test on belongs to.
    checked : tuple of Assumption
        What the certificate says about copies, and about which came first.
    notes : tuple of str
        The same for the reader of a report.
    digests : array of uint8, or None
        Those of all rows that the holdout was drawn from, if a ledger asks for them.
    """

    train: NDArray[np.uint8]
    test: NDArray[np.uint8]
    unit: Words | None
    checked: tuple[Assumption, ...]
    notes: tuple[str, ...]
    digests: NDArray[np.uint8] | None

    @property
    def passed(self) -> int:
        """How many rows were held out and do not count."""
        return int(np.count_nonzero(self.test == PASS))


def hold_out(
    source: Source,
    apart: Source | None,
    *,
    share: float,
    seed: int,
    overlap: Overlap,
    shape: dict[str, Any],
    known: bool,
    order: Order | None = None,
) -> HeldRows:
    """Read the table once, and say what becomes of each of its rows."""
    require(seed >= 0, "random_state", "a whole number of at least 0", seed)
    tested = apart or source
    states, keys, digests, done = [], [], [], 0
    units: list[Words] = []
    drawn_by_rows = apart is None and source.unit is None
    looked = _looked_at() if drawn_by_rows and not known and order is None else None
    for batch, unit, cells in _digests(tested, source, shape, labelled=looked is not None):
        words = batch.view("<u8")
        place = np.arange(done, done + len(batch), dtype=np.uint64)
        drawn = unit if unit is not None else place if overlap == "keep" else words[:, 0]
        out = np.ones(len(batch), bool) if apart is not None else held(drawn, seed, share)
        states.append(np.where(out, TEST, LEARN).astype(np.uint8))
        keys.append(words[out, 0])
        units += [] if unit is None else [unit]
        digests += [batch] if known else []
        done += len(batch)
        if looked is not None and not out.all():
            looked.add(_some(cells, np.flatnonzero(~out)), int((~out).sum()))
    state, held_keys = np.concatenate(states), np.concatenate(keys)
    unit_keys = np.concatenate(units) if units else None
    rows = np.flatnonzero(state == TEST)
    copy = _copies(held_keys, None if unit_keys is None else unit_keys[rows])
    seen = np.zeros(len(rows), bool)
    if apart is not None or unit_keys is not None or overlap == "keep":
        seen = _seen(held_keys, source, shape, None if apart is not None else state)
    if overlap != "keep":
        state[rows[copy | seen]] = PASS
    together = _TOGETHER if apart is None and unit_keys is None else ""
    checked, notes = _known(
        int(seen.sum()), int((copy & ~seen).sum()), len(rows), overlap, together
    )
    first = not_asked() if apart is not None else drawn_here(seed)
    draw = None
    if looked is not None:
        draw = _order_of(looked, source)
    elif drawn_by_rows and order == "none":
        draw = declared()
    if draw is not None:
        checked, notes = (*checked, draw), (*way_out(draw), *notes)
    if not (state == TEST).any():
        raise BadData(f"{tested.path} leaves no row to test on that is not also learned from.")
    return HeldRows(
        np.zeros(0, np.uint8) if apart is not None else state,
        state,
        unit_keys,
        (*checked, first),
        notes,
        np.concatenate(digests) if known else None,
    )


def held(drawn: Words, seed: int, share: float) -> Bools:
    """Whether each of these is held out, the same for the same number and seed.

    Examples
    --------
    >>> held(np.array([3, 7, 3, 7], np.uint64), 0, 0.5).tolist()
    [False, True, False, True]
    """
    begun = mix(np.array([seed % 2**64], np.uint64) + np.uint64(0x452821E638D01377))
    chosen: Bools = mix(mix(drawn ^ begun) + begun) < np.uint64(int(share * 2**64))
    return chosen


def _looked_at() -> SpreadRows[Any]:
    """Where training rows are kept whose order is looked at: Arrow tables, or sparse rows with their labels."""
    return SpreadRows(_some)


def _some(piece: Any, rows: Ints) -> Any:
    if isinstance(piece, pa.Table):
        return piece.take(pa.array(rows))
    X, y = piece
    return X[rows], y[rows]


def _order_of(looked: SpreadRows[Any], source: Source) -> Assumption | None:
    """What the order of training rows tells; copies are on one side by what they hold, wherever they stand."""
    pieces = looked.pieces
    if not pieces:
        return None
    if not isinstance(pieces[0], pa.Table):
        y = np.unique(np.concatenate([y for _, y in pieces]), return_inverse=True)[1]
        return checked_order(sparse.vstack([X for X, _ in pieces]).tocsr(), y)
    table = pa.concat_tables(pieces, promote_options="permissive").unify_dictionaries()
    target = table.column(source.target).combine_chunks()
    kinds = np.asarray(target.dictionary_encode().indices.fill_null(-1))
    cells = table.drop_columns([source.target])
    names = names_rows(cells, untyped=source.open().untyped, keep=source.keep)
    return checked_order(cells.drop_columns(names), kinds, row_names=cells.select(names))


def _digests(
    source: Source, like: Source, shape: dict[str, Any], *, labelled: bool = False
) -> Iterator[tuple[NDArray[np.uint8], Words | None, Any]]:
    """The digests of the rows' features in batches, columns in the order of another table, and their units.

    Beside them, with `labelled`, the rows themselves with their labels.
    """
    if source.libsvm:
        for examples in read_table(
            source.path, chunk_rows=_CHUNK_ROWS, format=source.format, **shape
        ):
            yield row_digests(examples.X), None, (examples.X, examples.y)
        return
    table, wanted = source.open(), like.features_of(like.open())
    more = [source.unit, source.target if labelled else None]
    asked = [*wanted, *(name for name in more if name is not None)]
    for read in table.cells(asked):
        cells = plain_texts(pa.Table.from_batches([read]))
        batch = comparable(cells)
        unit = None
        if source.unit is not None:
            unit = _unit_keys(batch.column(source.unit), table.name)
        yield row_digests(batch.select(wanted)), unit, cells


def _unit_keys(column: Any, name: str) -> Words:
    from assay.tables.source import read_unit

    read_unit(column, name)  # refuses a row without one
    return row_digests(pa.table({"unit": column})).view("<u8")[:, 0].copy()


def _copies(keys: Words, unit: Words | None) -> Bools:
    """Which held-out rows repeat an earlier one; with units, one of another unit."""
    order = np.argsort(keys, kind="stable")
    fresh = np.append(True, keys[order][1:] != keys[order][:-1])
    first = np.empty(len(keys), np.int64)
    first[order] = order[np.flatnonzero(fresh)][np.cumsum(fresh) - 1]
    copy: Bools = first != np.arange(len(keys))
    return copy if unit is None else copy & (unit != unit[first])


def _seen(
    keys: Words, source: Source, shape: dict[str, Any], state: NDArray[np.uint8] | None
) -> Bools:
    """Which held-out rows occur among the rows that are learned from; another reading tells."""
    order = np.sort(keys)
    met, done = np.zeros(len(order), bool), 0
    for batch, _, _ in _digests(source, source, shape):
        words = batch.view("<u8")[:, 0]
        if state is not None:
            words = words[state[done : done + len(batch)] == LEARN]
        done += len(batch)
        place = np.searchsorted(order, words).clip(0, len(order) - 1)
        met[place[order[place] == words]] = True
    # Copies lie side by side, and only the first of them was found.
    seen: Bools = met[np.searchsorted(order, keys)]
    return seen


def _known(
    seen: int, copies: int, rows: int, overlap: Overlap, drawn: str
) -> tuple[tuple[Assumption, ...], tuple[str, ...]]:
    """What is known of the rows held out, for the certificate and for the reader."""
    known = copies_known(copies, rows, overlap, seen=seen, drawn=drawn or learned_too(seen, rows))
    if overlap == "keep":
        return known, ()
    if overlap == "refuse" and (copies or seen):
        raise BadData(
            "The held-out rows must be distinct and not learned from with ",
            setting("overlap", "refuse"),
            f", but {copies:,} repeat another and {seen:,} a training row.",
            remedy=OR_DROP,
        )
    # Without units, copies were drawn to one side.
    fresh = not_in_training(seen, rows)
    notes = []
    if seen:
        notes.append(
            f"{seen:,} held-out rows repeat a training row and are left out; {SEPARATE_WAY}."
        )
    if copies:
        notes.append(
            f"{copies:,} held-out rows repeat another; copies stay on one side and are counted once; {SEPARATE_WAY}."
        )
    return (fresh, *known), tuple(notes)
