"""Search in a kd-tree."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from assay.compiled.neighbors.kd_search import kd_nearest, kd_order, kd_within
from assay.compiled.neighbors.kd_tree import kd_build
from assay.learners.common.jobs import in_threads
from assay.learners.neighbors.lists import owners
from assay.learners.neighbors.space import Space
from assay.types import Array, Floats, Ints

# Examples that are searched for together, by one thread.
_PIECE = 4096
_LEAST_PIECE = 256
_NO_MATRIX, _NO_SLACK = np.zeros((0, 0)), np.zeros(0)


Found: TypeAlias = "tuple[Ints, Floats, Ints]"
"""How many rows each example has, and the values and the rows, one example after the other, row by row."""


class TreeIndex:
    """A tree of boxes over the rows of a space (``kd-tree-pruning``).

    A box that is farther away than the worst neighbour found so far is passed over. Which box that is depends
    on nothing but the rows and the example, so the answer is the same for any number of threads.

    Parameters
    ----------
    space : Space
        Dense rows.
    room : int
        How many rows a block holds at most.
    """

    def __init__(self, space: Space, room: int) -> None:
        self.space = space
        self.tree = kd_build(self._coordinates(space.rows), room)
        whitened = space.whitening
        stretch = 1.0 if whitened is None else whitened.stretch
        # The rows themselves, where the tree only suggests them.
        rows = _NO_MATRIX if whitened is None else space.rows.astype(np.float64, copy=False)
        self._measure = (space.kind, rows, space.VI, stretch)

    def _coordinates(self, X: Array) -> Floats:
        if self.space.whitening is not None:
            return self.space.whitening.coordinates(X)
        return np.ascontiguousarray(X, dtype=np.float64)

    def nearest(self, Q: Floats, k: int, workers: int = 1) -> tuple[Floats, Ints]:
        """The k nearest rows of each example, nearest first, and their distances as the space has them."""
        return self.counted(Q, k, workers)[:2]

    def counted(self, Q: Floats, k: int, workers: int = 1) -> tuple[Floats, Ints, int, int]:
        """The same, and how many nodes and blocks were looked at."""
        S, slack = self._asked(Q)
        far, near = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)

        def piece(ends: tuple[int, int]) -> Any:
            order = np.empty(ends[1] - ends[0], dtype=np.int64)
            kd_order(S, *ends, self.tree, order)
            return kd_nearest(order, Q, S, self.tree, self._measure, slack, far, near)

        counts = list(in_threads(piece, pieces(len(Q), workers), workers))
        return far, near, sum(c[0] for c in counts), sum(c[1] for c in counts)

    def within(self, Q: Floats, limit: float, workers: int = 1) -> Found:
        """How many rows each example has up to the limit, and of all of them the values and the rows."""
        S, slack = self._asked(Q)

        def piece(ends: tuple[int, int]) -> Found:
            many, values, rows, used = kd_within(
                *ends, Q, S, self.tree, self._measure, slack, limit
            )
            order = np.lexsort((rows[:used], owners(many)))
            return many, values[order], rows[order]

        return joined(list(in_threads(piece, pieces(len(Q), workers), workers)))

    def _asked(self, Q: Floats) -> tuple[Floats, Floats]:
        if self.space.whitening is None:
            return Q, _NO_SLACK
        return self._coordinates(Q), self.space.whitening.slacks(Q)


def pieces(many: int, workers: int, largest: int = _PIECE) -> list[tuple[int, int]]:
    """Where pieces of work start and stop: large ones, but enough for all threads.

    Examples
    --------
    >>> pieces(10_000, 1), pieces(600, 2)
    ([(0, 4096), (4096, 8192), (8192, 10000)], [(0, 256), (256, 512), (512, 600)])
    """
    step = largest
    if workers > 1:
        step = max(min(_LEAST_PIECE, largest), min(largest, -(-many // (4 * workers))))
    return [(start, min(many, start + step)) for start in range(0, many, step)]


def joined(parts: list[Found]) -> Found:
    """What was found for one piece of the examples after the other, as one."""
    if not parts:
        return np.zeros(0, np.int64), np.empty(0), np.empty(0, np.int64)
    many, values, rows = (np.concatenate(part) for part in zip(*parts, strict=True))
    return many, values, rows
