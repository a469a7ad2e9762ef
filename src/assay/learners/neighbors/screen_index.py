"""Search among all rows, through products of matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from assay.compiled.neighbors.bounded_candidates import screen_nearest, screen_within
from assay.compiled.neighbors.candidates import (
    bars_of,
    candidates_within,
    offer_candidates,
    order_lists,
)
from assay.learners.common.jobs import in_threads
from assay.learners.neighbors.space import FLOOR, Space
from assay.learners.neighbors.tree_index import Found, pieces
from assay.types import Array, Floats, Ints

# Examples and rows of one product: as many as leave its result in the processor's cache.
_EXAMPLES, _ROWS, _VALUES = 1024, 512, 1 << 19
# Rows that are brought into the form of a product together.
_AT_ONCE = 4096
# Examples that are so many times farther from the center than any row are compared with all rows.
_OUTSIDE = 2.0**20
# From so many features on, a product is worth the threads that BLAS starts for it.
_WIDE = 64
# Rows that are used to see whether single precision tells them apart.
_PROBED = 32


@dataclass(frozen=True)
class _Screen:
    """The rows in some precision, beside half their squared length less what rounding can take away.

    With s and x the coordinates of an example and a row, centred, scaled by a power of two and rounded, a sum of w
    products in any order is off by at most w + 1 units of rounding times the lengths of s and x, whose product is
    at most half the sum of their squares. So what rounding does to the example and to the row can be told apart:
    `own` is the row's part, twice.
    """

    sides: Array
    own: Floats
    center: Floats
    scale: float
    dtype: Any

    @classmethod
    def of(cls, space: Space, dtype: Any) -> _Screen:
        center = space.rows.mean(axis=0, dtype=np.float64)
        if space.whitening is not None:
            center = np.zeros(space.rows.shape[1])
        n, width = space.rows.shape
        largest = 0.0
        for start in range(0, n, _AT_ONCE):
            moved = _moved(space, space.rows[start : start + _AT_ONCE], center)
            largest = max(largest, float(moved.max()), -float(moved.min()))
        # A power of two, so that scaling rounds nothing; its square must be a number, too.
        scale = 2.0 ** np.clip(-np.frexp(largest)[1], -500, 400)
        sides, own = np.empty((n, width + 1), dtype=dtype), np.empty(n)
        for start in range(0, n, _AT_ONCE):
            stop = min(n, start + _AT_ONCE)
            side = (scale * _moved(space, space.rows[start:stop], center)).astype(dtype)
            doubles = side.astype(np.float64)
            squares = np.einsum("ij,ij->i", doubles, doubles)
            part = _rounding(width, dtype) * squares + _tiny(width, dtype)
            sides[start:stop, :width] = side
            sides[start:stop, width] = 0.5 * squares - part
            own[start:stop] = 2.0 * part
        return cls(sides, own, center, float(scale), dtype)

    def examples(self, space: Space, Q: Floats) -> tuple[Array, ...]:
        """The left side of the product, and for each example half its square, its part of rounding, and its slack."""
        width = Q.shape[1]
        moved = self.scale * _moved(space, Q, self.center)
        # Rows are at most one; from so far away they look alike, and squares might overflow.
        outside = ~(np.abs(moved).max(axis=1) < _OUTSIDE)
        moved[outside] = 0.0
        side = moved.astype(self.dtype)
        squares = np.square(side.astype(np.float64)).sum(axis=1)
        left = np.empty((len(Q), width + 1), dtype=self.dtype)
        np.negative(side, out=left[:, :width])
        left[:, width] = 1.0
        allowance = 0.5 * _rounding(width, self.dtype) * squares + _tiny(width, self.dtype)
        # Rounding of coordinates, of the example's and of a row's, which is no farther from the center than both.
        slack = 4.0 * _unit(self.dtype) * np.sqrt(squares) + _tiny(width, self.dtype)
        # And what is lost of squares that are too small.
        slack += self.scale * width * FLOOR
        if space.whitening is not None:
            slack += 2.0 * self.scale * space.whitening.slacks(Q)
        slack[outside] = np.inf
        return left, 0.5 * squares, allowance, slack

    def stretch(self, space: Space) -> float:
        """The factor between distances of rounded coordinates and computed ones, but for slack and scale."""
        width = space.rows.shape[1]
        known = 1.0 if space.whitening is None else space.whitening.stretch
        return float(known * (1.0 + 4.0 * _unit(self.dtype) + 4.0 * (width + 64) * 2.0**-53))


def _moved(space: Space, X: Array, center: Floats) -> Floats:
    if space.whitening is not None:
        return space.whitening.coordinates(X)
    return np.asarray(X.astype(np.float64) - center)


def _unit(dtype: Any) -> float:
    return float(np.finfo(dtype).eps) / 2.0


def _rounding(width: int, dtype: Any) -> float:
    # width + 1 products and their sum, and a part for second order; the lengths are in double precision, too.
    return 1.05 * ((width if dtype == np.float32 else 2 * width) + 8) * _unit(dtype)


def _tiny(width: int, dtype: Any) -> float:
    # Products below the smallest normal number lose digits.
    return (width + 16) * float(np.finfo(dtype).tiny)


@cache
def _blas() -> Any:
    # Looking for the libraries takes a while, setting their threads does not.
    return ThreadpoolController()


class ScreenIndex:
    """All rows, looked at through one product of matrices, and the promising ones again by themselves.

    The squared distance of s and x is s s - 2 s x + x x, which costs a product of matrices and loses digits: of far
    points that are near each other, all of them. So the product only says which rows can be among the
    nearest, with a bound on what rounding did; their distances are computed from differences. The answer is
    that of computing all distances so, whatever precision the product has.

    Parameters
    ----------
    space : Space
        Dense rows, compared by squares.
    k : int
        How many neighbours will be asked for: single precision is used if it tells rows apart well enough for that.
    """

    def __init__(self, space: Space, k: int) -> None:
        self.space = space
        self._screen = _Screen.of(space, np.float32)
        step = max(1, len(space) // _PROBED)
        probe = np.ascontiguousarray(space.rows[::step][:_PROBED], dtype=np.float64)
        k = min(k, len(space))
        looked = self._looked_at(probe, k)
        if looked > len(probe) * (4 * k + 16 + 0.02 * len(space)):
            single, self._screen = self._screen, _Screen.of(space, np.float64)
            if 2 * self._looked_at(probe, k) > looked:
                self._screen = single

    def _looked_at(self, Q: Floats, k: int) -> int:
        far, near = empty_lists(len(Q), k)
        return self._piece(Q, 0, len(Q), far, near)

    def nearest(self, Q: Floats, k: int, workers: int = 1) -> tuple[Floats, Ints]:
        """The k nearest rows of each example, nearest first, and their distances as the space has them."""
        far, near = empty_lists(len(Q), k)
        self._share(len(Q), workers, lambda start, stop: self._piece(Q, start, stop, far, near))
        order_lists(far, near)
        return far, near

    def _piece(self, Q: Floats, start: int, stop: int, far: Floats, near: Ints) -> int:
        space, screen = self.space, self._screen
        left, half, allowance, slack = screen.examples(space, Q[start:stop])
        stretch, k = screen.stretch(space), far.shape[1]
        bars, looked = np.full(stop - start, np.inf), 0
        step = _step(len(left))
        room = np.empty((len(left), step), dtype=screen.dtype)
        for base in range(0, len(space), step):
            sides = screen.sides[base : base + step]
            V = np.matmul(left, sides.T, out=room if len(sides) == step else None)
            own = screen.own[base : base + step]
            scaled = bars * screen.scale**2
            many, rows, used = screen_nearest(V, own, half, allowance, slack, stretch, scaled, k)
            looked += used
            offer_candidates(
                space.kind, Q, start, space.rows, space.VI, many, rows, base, far, near
            )
            bars_of(far[start:stop], bars)
        return looked

    def within(self, Q: Floats, limit: float, workers: int = 1) -> Found:
        """How many rows each example has up to the limit, and of all of them the values and the rows."""
        space, screen = self.space, self._screen
        stretch = screen.stretch(space)

        def piece(start: int, stop: int) -> Any:
            left, half, allowance, slack = screen.examples(space, Q[start:stop])
            parts, step = [], _step(len(left))
            pairs = (space.kind, Q, start, space.rows, space.VI)
            for base in range(0, len(space), step):
                V = np.matmul(left, screen.sides[base : base + step].T)
                scaled = limit * screen.scale**2
                candidates = screen_within(V, half, allowance, slack, stretch, scaled)[:2]
                parts.append(candidates_within(*pairs, *candidates, base, limit))
            return parts

        return by_example(len(Q), self._share(len(Q), workers, piece))

    def _share(self, many: int, workers: int, work: Any) -> list[Any]:
        ends = pieces(many, workers, _EXAMPLES)
        if workers == 1 and self.space.rows.shape[1] >= _WIDE:
            return [work(*end) for end in ends]
        # The products would otherwise start threads of their own, in the way of these, or for next to no work.
        with _blas().limit(limits=1, user_api="blas"):
            return list(in_threads(lambda end: work(*end), ends, workers))


def _step(examples: int) -> int:
    return max(_ROWS, _VALUES // examples)


def empty_lists(many: int, k: int) -> tuple[Floats, Ints]:
    """Lists of k neighbours that nobody is in yet."""
    return np.full((many, k), np.inf), np.full((many, k), np.iinfo(np.int64).max)


def by_example(many: int, pieces: list[list[tuple[Any, ...]]]) -> Found:
    """Pairs of examples and rows, found block by block, put together example by example and row by row."""
    parts = [[column[: part[-1]] for column in part[:-1]] for piece in pieces for part in piece]
    if not parts:
        return np.zeros(many, np.int64), np.empty(0), np.empty(0, np.int64)
    who, rows, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(who, kind="stable")
    return np.bincount(who, minlength=many), values[order], rows[order]
