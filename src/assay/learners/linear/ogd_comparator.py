"""The rival of online gradient descent: the best vector in hindsight over the rounds with a step.

A round without a step costs the learner nothing, so regret over the rounds with one is never smaller
than regret over all. The first examples with a step are kept, up to a cap; then one rival is fixed
and the loop counts its loss from there on, which is valid for any fixed vector.
"""

from __future__ import annotations

import math

import numpy as np

from assay.compiled.common.rows import wide_square
from assay.learners.common import kinds
from assay.learners.common.rows import Rows
from assay.learners.search.comparator_search import ComparatorSearch
from assay.learners.search.comparator_store import CELLS, Hindsight, comparator
from assay.record.online import Comparator
from assay.types import Array, Floats, Ints

CAP = 2_000
"""How many examples are kept."""

# How many prices of length a search tries, and how many cells it may visit for each: at leisure, and in
# the middle of learning.
_LEISURE = 16, 6_000_000
_NOW = 5, 1_500_000
_SLACK = 1e-12


class RivalHindsight(Hindsight):
    """Keeps the examples of steps until a rival is fixed.

    Parameters
    ----------
    norm : float or None
        The rival is the vector of at most this length with the least hinge loss; with None it makes
        the length squared over twice the rate plus the hinge loss least.
    """

    state = kinds.declare(norm=kinds.optional(kinds.amount), fixed=kinds.optional(comparator))

    def __init__(self, norm: float | None, cap: int = CAP) -> None:
        super().__init__(cap)
        self.norm = norm
        self.fixed: Comparator | None = None

    def room(self, width: int) -> int:
        """How many more examples may be kept."""
        if self.fixed is not None:
            return 0
        return max(0, min(self.cap - self.kept, 1 + (CELLS - self.cells) // max(width, 1)))

    def keep(self, rows: Rows, places: Ints, signs: Array, constant: float) -> None:
        """Keep the examples of some steps, as many as there is room for."""
        if places.size:
            self.keep_block(rows.take(places), signs[places], constant)

    def fix(self, rate: float) -> None:
        """Choose the rival, and let go of the examples."""
        self.fixed = self._found(rate, *_NOW)
        self.forget()

    def vector(self, width: int) -> Floats:
        """The fixed rival, with zeros for features that came later; empty while none is fixed."""
        if self.fixed is None:
            return np.zeros(0)
        grown = np.zeros(width + 1)
        grown[: len(self.fixed.vector) - 1] = self.fixed.vector[:-1]
        grown[-1] = self.fixed.vector[-1]
        return grown

    def rival(self, rate: float, loss_since: float = 0.0) -> Comparator:
        """The rival, its length and its hinge loss over all rounds with a step.

        Parameters
        ----------
        rate : float
            The learner's step, at which length is traded for loss when no norm is given.
        loss_since : float
            What a fixed rival lost since it was fixed.
        """
        if self.fixed is not None:
            loss = self.fixed.loss + loss_since * (1 + _SLACK)
            return Comparator(self.fixed.vector, self.fixed.norm, loss, None)
        return self._found(rate, *_LEISURE)

    def _found(self, rate: float, prices: int, work: int) -> Comparator:
        X, ones, y = self.examples()
        search = ComparatorSearch(X, ones, y)
        if self.norm is None:
            search.run(np.full(len(y), rate), work, 0.0)
            return _scaled(search, 1.0)
        return _best_in_ball(search, self.norm, 1 / max(self.largest, 1e-300), prices, work)


def _best_in_ball(
    search: ComparatorSearch, norm: float, scale: float, prices: int, work: int
) -> Comparator:
    """The least hinge loss over a ball, by the price of length at which the edge is met."""
    best = Comparator(np.zeros_like(search.vector), 0.0, float(len(search.y)), None)
    below, above, price = 0.0, math.inf, scale  # the price of the edge lies between
    for _ in range(prices):
        search.run(np.full(len(search.y), price), work, 0.0)
        length = _length(search)
        if length > 0:
            edge = norm / length * (1 - 4 * _SLACK)
            tried = [_scaled(search, factor) for factor in ({edge, 1.0} if edge > 1 else {edge})]
            best = min([best, *tried], key=lambda u: u.loss)
        below, above = (price, above) if length < norm else (below, price)
        if best.loss == 0.0 or not 1e-6 * scale < price < 1e6 * scale:
            break
        price = _between(below, above)
    return best


def _between(below: float, above: float) -> float:
    """The next price to try: the geometric mean, or well beyond the only end that is known."""
    if above == math.inf:
        return 8 * below
    return math.sqrt(below * above) if below > 0 else above / 8


def _scaled(search: ComparatorSearch, factor: float) -> Comparator:
    """The vector found, times a factor, with its length and loss rounded up."""
    losses = np.maximum(1 - factor * search.margins(), 0)
    loss = math.fsum(losses.tolist()) * (1 + _SLACK)
    norm = _length(search) * factor * (1 + _SLACK)
    return Comparator(search.vector * factor, norm, loss, None)


def _length(search: ComparatorSearch) -> float:
    # Not by a library that wakes threads for long vectors.
    return math.sqrt(wide_square(search.vector))
