"""Rows of a Gram matrix that are kept once computed, for the columns that are still of interest."""

from __future__ import annotations

import numpy as np

from assay.compiled.kernel.working_set import add_rows, gather, repack
from assay.learners.kernel.gram import Gram
from assay.types import Array, Bools, Floats, Ints

# Rows that are worked on at a time where they cannot be computed in their places.
_SOME = 256


class KeptRows:
    """As many rows as there is room for; those not used for longest make way.

    Parameters
    ----------
    gram : Gram
    room : float
        How many bytes of rows are kept.
    at_once : bool
        Whether rows are kept when they are first asked for; else only if they are costly, or asked for often.

    Attributes
    ----------
    columns : array
        The examples whose values are kept, in ascending order.
    computed : int
        How many rows were computed, some perhaps twice.
    """

    def __init__(self, gram: Gram, room: float, *, at_once: bool = False) -> None:
        self._gram = gram
        self._often = 1 if at_once else gram.often
        self.computed = 0
        self._clock = 0
        n = len(gram)
        size = np.dtype(gram.dtype).itemsize
        # Memory counts only once it is written to, and it is written to from the front.
        self._store = np.empty(min(n * n, int(room / size)), dtype=gram.dtype)
        self._asked = np.zeros(n, dtype=np.int64)
        self._square = np.empty(0, dtype=gram.dtype)
        self._open(np.arange(n, dtype=np.int64))

    def _open(self, columns: Ints) -> None:
        n, width = len(self._gram), max(1, len(columns))
        many = min(n, len(self._store) // width)
        self.columns = columns
        self._kept = self._store[: many * width].reshape(many, width)
        self._slot = np.full(n, -1, dtype=np.int64)
        self._owner = np.full(many, -1, dtype=np.int64)
        self._used = np.zeros(many, dtype=np.int64)
        self._filled = 0

    @property
    def roomy(self) -> bool:
        """Whether there is room for all rows."""
        return len(self._kept) == len(self._gram)

    @property
    def _meant(self) -> Ints | None:
        return None if len(self.columns) == len(self._gram) else self.columns

    def add(self, rows: Ints, steps: Floats, scores: Floats, *, keep: bool = True) -> None:
        """Add rows, each times its step, to the scores of all columns; `keep` says whether this counts as asking."""
        self._clock += 1
        slots = self._slot[rows]
        known = slots >= 0
        self._used[slots[known]] = self._clock
        self._add_known(slots[known], steps[known], scores)
        rows, steps = rows[~known], steps[~known]
        self._asked[rows] += keep
        worth = self._asked[rows] >= self._often
        self._gram.add(rows[~worth], self._meant, steps[~worth], scores)
        self.computed += len(rows) - int(np.count_nonzero(worth))
        rows, steps = rows[worth], steps[worth]
        front = min(len(rows), len(self._kept) - self._filled)
        if front:
            self._add_new(rows[:front], steps[:front], scores)
        for start in range(front, len(rows), _SOME):
            part = slice(start, start + _SOME)
            self._add_instead(rows[part], steps[part], scores)

    def _add_known(self, slots: Ints, steps: Floats, scores: Floats) -> None:
        if slots.size:
            self._gram.share(
                len(scores),
                len(slots),
                lambda s, e: add_rows(self._kept, slots, steps, scores, s, e),
            )

    def _add_new(self, rows: Ints, steps: Floats, scores: Floats) -> None:
        """Compute rows where there is room for them."""
        places = np.arange(self._filled, self._filled + len(rows))
        self._filled += len(rows)
        self._gram.add(rows, self._meant, steps, scores, self._kept[places[0] : self._filled])
        self._settle(rows, places)

    def _add_instead(self, rows: Ints, steps: Floats, scores: Floats) -> None:
        """Compute rows that others make way for, as far as these have not been used just now."""
        block = np.empty((len(rows), len(self.columns)), dtype=self._store.dtype)
        self._gram.add(rows, self._meant, steps, scores, block)
        places = np.argsort(self._used, kind="stable")[: len(rows)]
        places = np.sort(places[self._used[places] < self._clock])
        self._slot[self._owner[places]] = -1
        self._kept[places] = block[: len(places)]
        self._settle(rows[: len(places)], places)
        self.computed += len(rows) - len(places)

    def _settle(self, rows: Ints, places: Ints) -> None:
        self._owner[places], self._slot[rows] = rows, places
        self._used[places] = self._clock
        self.computed += len(rows)

    def square(self, rows: Ints) -> Array:
        """The values between some of the columns' examples, in ascending order, until the next square is asked for."""
        if self.roomy and len(rows) == len(self.columns) == len(self._gram):
            return self._all()
        many = len(rows)
        if self._square.size < many * many:
            self._square = np.empty(many * many, dtype=self._store.dtype)
        block = self._square[: many * many].reshape(many, many)
        known = self._slot[rows] >= 0
        if self._often == 1 and known.any():
            self._look_up(rows, known, block)
        else:
            self._gram.rows(rows, rows, block)
        return block

    def _look_up(self, rows: Ints, known: Bools, block: Array) -> None:
        """A square of which some rows are known, and therefore columns; a few at a time."""
        columns = np.searchsorted(self.columns, rows)
        old, new = np.flatnonzero(known), np.flatnonzero(~known)
        for start in range(0, len(old), _SOME):
            part = old[start : start + _SOME]
            values = np.empty((len(part), len(rows)), dtype=block.dtype)
            gather(self._kept, self._slot[rows[part]], columns, values)
            block[part] = values
            block[np.ix_(new, part)] = values[:, new].T
        for start in range(0, len(new), _SOME):
            part = new[start : start + _SOME]
            values = np.empty((len(part), len(new)), dtype=block.dtype)
            self._gram.rows(rows[part], rows[new], values)
            block[np.ix_(part, new)] = values

    def _all(self) -> Array:
        """The whole matrix, which there is room for."""
        order = np.arange(len(self._kept))
        if self._filled < len(order) or (self._owner != order).any():
            self._open(self.columns)
            self._filled = len(order)
            self._gram.rows(order, None, self._kept)
            self._settle(order, order)
        return self._kept

    def change(self, columns: Ints) -> None:
        """Keep the values of other columns from now on; what is known of them stays known."""
        before, owner, used = self.columns, self._owner, self._used
        slots = np.flatnonzero(owner >= 0)
        if len(columns) > len(before):
            slots = slots[
                (slots == np.arange(len(slots))) & (slots < len(self._store) // len(columns))
            ]
        common, old, new = np.intersect1d(before, columns, assume_unique=True, return_indices=True)
        repack(self._store, slots, len(before), len(columns), old, new)
        self._open(columns)
        owner, places = owner[slots], np.arange(len(slots))
        fresh = np.setdiff1d(columns, common, assume_unique=True)
        if fresh.size:
            within = np.searchsorted(columns, fresh)
            for start in range(0, len(slots), _SOME):
                part = owner[start : start + _SOME]
                block = np.empty((len(part), len(fresh)), dtype=self._kept.dtype)
                self._gram.rows(part, fresh, block)
                self._kept[start : start + len(part), within] = block
        self._owner[places], self._slot[owner] = owner, places
        self._used[places], self._filled = used[slots], len(slots)
