"""Blocks of time: rows that come near each other count together where their order tells something.

Held-out rows that come last are seldom independent draws: a bad week spoils hundreds of rows at once, and a bound that
takes each of them for a draw of its own is too small. So rows are put into blocks of consecutive ones, and the promise
is about the mean over blocks, as it is for patients or conversations. Whether that is needed the training rows
decide, so that the held-out ones have no say in it.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from assay.evidence.spells import ALPHA, LOOKED_AT, longest_spell, rise
from assay.guarantees.assumption import Assumption
from assay.tables.order_columns import order_columns
from assay.tables.source import Loaded
from assay.theory.tail.binomial import IID
from assay.theory.tail.unit_mean import UNITS_INDEPENDENT
from assay.types import Array, Ints

#: How many blocks the held-out rows are put into: the fewer, the longer training rows stay alike.
BLOCKS = (100, 50, 25)


def block_count(loaded: Loaded, train: Ints, order: Ints, held: int) -> int:
    """Into how many blocks so many held-out rows are put: neighbouring blocks of training rows as long are not alike.

    Where all are, the fewest: then a spell may be longer than a block, and the certificate only assumes that none is.
    """
    past = train[np.argsort(order[train], kind="stable")]
    step = -(-len(past) // LOOKED_AT)
    rows = past[len(past) % step :: step]
    names = None if loaded.row_names is None else loaded.row_names.take(pa.array(rows))
    columns, _ = order_columns(loaded.take(rows), names)
    kinds = np.unique(loaded.y[rows], return_inverse=True)[1]
    return _by_length(columns, kinds, len(past) / held)


def _by_length(columns: Array, kinds: Array, past: float) -> int:
    """Of training rows, which are so many times as many as the held-out ones."""
    many = {round(blocks * past): blocks for blocks in BLOCKS}
    return many[longest_spell(columns, kinds, list(many))]


def time_blocks(order: Ints, blocks: int = BLOCKS[0]) -> Ints:
    """The block of each row, by its place in time; rows of one time are in one block.

    Of few rows there are fewer blocks: at most half as many.

    Examples
    --------
    >>> time_blocks(np.array([3, 0, 1, 1, 2, 5])).tolist()
    [2, 0, 0, 0, 1, 2]
    """
    rows = len(order)
    blocks = max(min(blocks, rows // 2), 1)
    place = np.searchsorted(np.sort(order), order, side="left")
    return np.asarray(place * blocks // rows, dtype=np.int64)


def blocks_known(blocks: int) -> Assumption:
    """What is known of the draw of blocks."""
    evidence = (
        f"these are the last rows, in {blocks:,} blocks of consecutive ones, since the order of the training rows "
        "tells something: it speaks of blocks that are drawn as they were, and of no further change"
    )
    return Assumption(UNITS_INDEPENDENT, "assumed", evidence)


def blocks_note(blocks: int) -> str:
    """The same for the reader of a report."""
    return (
        "The order of the training rows tells something, so that rows near each other count together: the promise is "
        f"about the mean over {blocks:,} blocks of consecutive rows."
    )


def looked_along(
    known: tuple[Assumption, ...], losses: Array, blocks: Ints
) -> tuple[Assumption, ...]:
    """What is known of the last rows after a look at whether the model does worse from block to block.

    If it does, rows to come are not like those that were held out, and nothing is promised. The look can only take
    a promise away, so that it makes none less sure.
    """
    many = np.bincount(blocks)
    sums = np.bincount(blocks, weights=np.asarray(losses, dtype=np.float64))
    p = rise((sums / np.maximum(many, 1))[many > 0])
    if p > ALPHA:
        return known
    evidence = (
        f"a check at α = {ALPHA} of the last rows found that the model does worse from the first of them to the last "
        f"(p = {p:.2g})"
    )
    return tuple(
        Assumption(one.name, "violated", evidence) if one.name in (IID, UNITS_INDEPENDENT) else one
        for one in known
    )


def worse_note(before: tuple[Assumption, ...], after: tuple[Assumption, ...]) -> tuple[str, ...]:
    """What to do where a look along the last rows changed what is known of them."""
    if before == after:
        return ()
    return (
        "The model does worse from the first of the last rows to the last, so that nothing is promised of rows to "
        "come. Learn again as new rows come, or learn row by row: assay stream promises something for each next row.",
    )
