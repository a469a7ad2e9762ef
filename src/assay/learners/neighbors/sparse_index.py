"""Search among sparse rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.compiled.neighbors.bounded_candidates import screen_nearest, screen_within
from assay.compiled.neighbors.candidates import candidates_within, offer_candidates, order_lists
from assay.compiled.neighbors.kd_search import SQUARES
from assay.learners.common.jobs import in_threads
from assay.learners.neighbors.screen_index import by_example, empty_lists
from assay.learners.neighbors.space import Space, as_compared, squares_of
from assay.learners.neighbors.tree_index import Found, pieces
from assay.types import Floats, Ints

# Examples at a time, whose products with all rows are held in memory.
_EXAMPLES, _VALUES = 256, 1 << 21
_UNIT = 2.0**-53
# Products below the smallest normal number lose digits; as many as a row can have.
_TINY = 1e10 * float(np.finfo(np.float64).tiny)


class SparseIndex:
    """All rows, the promising ones found through sparse products, as in `ScreenIndex`.

    Absolute values have no such products, so with them all rows are compared. Pairs of sparse rows have the same
    distance, to the bit, as the dense rows they stand for.

    Parameters
    ----------
    space : Space
        CSR rows, compared by squares or absolute values.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        if space.kind != SQUARES:
            return
        squares = squares_of(space.rows)
        self._longest = _longest(space.rows)
        part = _rounding(self._longest) * squares + _TINY
        self._lows, self._own = 0.5 * squares - part, 2.0 * part
        self._across = space.rows.T.tocsr()

    def nearest(self, Q: Any, k: int, workers: int = 1) -> tuple[Floats, Ints]:
        """The k nearest rows of each example, nearest first, and their distances as the space has them."""
        far, near = empty_lists(Q.shape[0], k)

        def piece(ends: tuple[int, int]) -> None:
            candidates = self._screened(Q[slice(*ends)], k, np.inf)
            offer_candidates(*self._pairs(Q, ends[0]), *candidates, 0, far, near)

        list(in_threads(piece, pieces(Q.shape[0], workers, self._together), workers))
        order_lists(far, near)
        return far, near

    def within(self, Q: Any, limit: float, workers: int = 1) -> Found:
        """How many rows each example has up to the limit, and of all of them the values and the rows."""

        def piece(ends: tuple[int, int]) -> Any:
            candidates = self._screened(Q[slice(*ends)], 0, limit)
            return [candidates_within(*self._pairs(Q, ends[0]), *candidates, 0, limit)]

        parts = in_threads(piece, pieces(Q.shape[0], workers, self._together), workers)
        return by_example(Q.shape[0], list(parts))

    @property
    def _together(self) -> int:
        return max(1, min(_EXAMPLES, _VALUES // len(self.space)))

    def _pairs(self, Q: Any, start: int) -> tuple[Any, ...]:
        space = self.space
        return (space.kind, as_compared(Q), start, as_compared(space.rows), space.VI)

    def _screened(self, Q: Any, k: int, bar: float) -> Any:
        """For each example how many and which rows are to be looked at, for the nearest k or all up to a bar."""
        many, n = Q.shape[0], len(self.space)
        if self.space.kind != SQUARES:
            return np.full(many, n), np.tile(np.arange(n), many)
        squares = squares_of(Q)
        allowance = _rounding(max(self._longest, _longest(Q))) * squares + _TINY
        stretch = 1.0 + 4.0 * (self.space.rows.shape[1] + 64) * _UNIT
        V = self._lows - np.asarray((Q @ self._across).toarray())
        about = (0.5 * squares, allowance, np.zeros(many), stretch)
        if k:
            return screen_nearest(V, self._own, *about, np.full(many, bar), k)[:2]
        return screen_within(V, *about, bar)[:2]


def _rounding(products: int) -> float:
    """As in `ScreenIndex`, with as many products as the longest row has cells."""
    return 1.05 * (2 * products + 16) * _UNIT


def _longest(X: Any) -> int:
    return int(np.diff(X.indptr).max(initial=0))
