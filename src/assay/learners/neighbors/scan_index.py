"""Search among all rows, one pair at a time: sums of absolute values are no products."""

from __future__ import annotations

import numpy as np

from assay.compiled.neighbors.flat_scan import scan_nearest, scan_within
from assay.learners.common.jobs import in_threads
from assay.learners.neighbors.space import Space
from assay.learners.neighbors.tree_index import Found, joined, pieces
from assay.types import Floats, Ints

_ROOM = 32


class ScanIndex:
    """All rows in blocks, each compared with each example.

    Parameters
    ----------
    space : Space
        Dense rows, compared by absolute values.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        n, width = space.rows.shape
        blocks = -(-n // _ROOM)
        padded = np.full((blocks * _ROOM, width), np.inf)
        padded[:n] = space.rows
        self._blocks = np.ascontiguousarray(padded.reshape(blocks, _ROOM, width).transpose(0, 2, 1))

    def nearest(self, Q: Floats, k: int, workers: int = 1) -> tuple[Floats, Ints]:
        """The k nearest rows of each example, nearest first, and their distances as the space has them."""
        far, near = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)

        def piece(ends: tuple[int, int]) -> None:
            scan_nearest(Q, *ends, self._blocks, len(self.space), far, near)

        list(in_threads(piece, pieces(len(Q), workers), workers))
        return far, near

    def within(self, Q: Floats, limit: float, workers: int = 1) -> Found:
        """How many rows each example has up to the limit, and of all of them the values and the rows."""

        def piece(ends: tuple[int, int]) -> Found:
            size = len(self.space)
            many, values, rows, used = scan_within(Q, *ends, self._blocks, size, limit)
            return many, values[:used], rows[:used]

        return joined(list(in_threads(piece, pieces(len(Q), workers), workers)))
