"""Passes over the dual variables of a linear machine, by those rows that still move."""

from __future__ import annotations

import numpy as np

from assay.compiled.linear.linear_svm import linear_descent
from assay.learners.common.rows import Rows
from assay.types import Floats, Ints

# Once this share of the rows is all that moves they are copied; how many passes are made before they are counted, after
# which it is twice as many.
_SHARE = 0.5
_PASSES = 4
# How many rows that lie together are visited together, unless all of them, with so many numbers, fit a near cache.
_BLOCK = 16
_NEAR = 1 << 17


class CoordinateDescent:
    """The descent for one binary problem, from zero.

    Rows are visited in a new order in every pass, so memory is read here and there. What still moves after a while is
    copied in a random order; blocks of that may then be read on and on.

    Attributes
    ----------
    alpha : array
        The dual variables.
    w, w0 : array
        The weights, and that of the constant feature.
    """

    def __init__(
        self,
        rows: Rows,
        constant: float,
        signs: Floats,
        cap: Floats,
        ridge: Floats,
        squares: Floats,
        live: Ints,
        seed: int,
    ) -> None:
        self._rows, self._constant = rows, constant
        self._whole = (signs, cap, ridge, squares)
        self._live = live
        self.alpha = np.zeros(len(signs))
        self.w, self.w0 = np.zeros(rows.width), np.zeros(1)
        self._state = np.array([seed], dtype=np.uint64)
        self._random = np.random.default_rng(seed)
        self._bars = np.array([np.inf, -np.inf])
        self._look_at(live)

    def _look_at(self, places: Ints) -> None:
        """Look at these rows only, where they lie or copied."""
        if len(places) <= _SHARE * len(self._live):
            places = self._random.permutation(places)
            rows = self._rows
            dense = None if rows.dense is None else rows.dense[places]
            matrix = None if rows.dense is not None else rows.matrix[places]
            self._seen = Rows(dense=dense, matrix=matrix)
            self._places: Ints | None = places
            self._given = tuple(part[places] for part in self._whole)
            self._moved = self.alpha[places]
            self._order = np.arange(len(places))
            self._block = _BLOCK if self._seen.cells > _NEAR else 1
        else:
            self._seen, self._places = self._rows, None
            self._given, self._moved = self._whole, self.alpha
            self._order, self._block = places.copy(), 1
        self._active = len(places)

    @property
    def _looked_at(self) -> Ints:
        active = self._order[: self._active]
        return active if self._places is None else self._places[active]

    def run(self, spread: float, most: int) -> tuple[int, float]:
        """Make passes until the gradients of the rows looked at spread no further; how many, and how far they do."""
        passes, reached, some = 0, np.inf, _PASSES
        while passes < most and reached > spread:
            made, self._active, reached = linear_descent(
                self._seen.block,
                self._constant,
                *self._given,
                self._order,
                self._active,
                self._block,
                self._moved,
                self.w,
                self.w0,
                self._state,
                self._bars,
                min(most - passes, some),
                spread,
            )
            passes, some = passes + made, 2 * some
            if self._places is not None:
                self.alpha[self._places] = self._moved
            if 0 < self._active <= _SHARE * len(self._order):
                self._look_at(self._looked_at)
                some = _PASSES
        return passes, float(reached)

    def look_again(self, places: Ints) -> None:
        """Look at these rows, too, though they were set aside."""
        self._look_at(np.union1d(self._looked_at, places))
        self._bars[:] = np.inf, -np.inf
