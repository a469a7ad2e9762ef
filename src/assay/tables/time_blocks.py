"""Blocks of time: rows that come near each other count together where their order tells something.

Held-out rows that come last are seldom independent draws: a bad week spoils hundreds of rows at once, and a bound that
takes each of them for a draw of its own is too small. So rows are put into blocks of consecutive ones, and the promise
is about the mean over blocks, as it is for patients or conversations. Whether that is needed the training rows
decide, so that the held-out ones have no say in it.
"""

from __future__ import annotations

import numpy as np

from assay.guarantees.assumption import Assumption
from assay.theory.tail.unit_mean import UNITS_INDEPENDENT
from assay.types import Ints

#: How many blocks the held-out rows are put into; fewer, where they are fewer than twice as many.
BLOCKS = 100


def time_blocks(order: Ints) -> Ints:
    """The block of each row, by its place in time; rows of one time are in one block.

    Examples
    --------
    >>> time_blocks(np.array([3, 0, 1, 1, 2, 5])).tolist()
    [2, 0, 0, 0, 1, 2]
    """
    rows = len(order)
    blocks = max(min(BLOCKS, rows // 2), 1)
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
