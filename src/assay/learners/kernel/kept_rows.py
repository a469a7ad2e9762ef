"""Rows of a Gram matrix that are kept once computed, for the columns that are still of interest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.compiled.working_set import add_rows, gather_square, repack
from assay.learners.kernel.gram import Gram


class KeptRows:
    """As many rows as there is room for; those not used for longest make way.

    Attributes
    ----------
    columns : array
        The examples whose values are kept, in ascending order.
    computed : int
        How many rows were computed, some perhaps twice.
    """

    def __init__(self, gram: Gram, room: float, least: int) -> None:
        self._gram = gram
        self.computed = 0
        self._clock = 0
        n = len(gram)
        size = np.dtype(gram.dtype).itemsize
        # Memory counts only once it is written to, and it is written to from the front.
        self._store = np.empty(min(n * n, max(int(room / size), least * n)), dtype=gram.dtype)
        self._open(np.arange(n, dtype=np.int64))

    def _open(self, columns: NDArray[np.int64]) -> None:
        n, width = len(self._gram), max(1, len(columns))
        many = min(n, len(self._store) // width)
        self.columns = columns
        self._kept = self._store[: many * width].reshape(many, width)
        self._slot = np.full(n, -1, dtype=np.int64)
        self._owner = np.full(many, -1, dtype=np.int64)
        self._used = np.zeros(many, dtype=np.int64)
        self._filled = 0

    def slots(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where these rows are, computed if need be; they stay there until the next call."""
        self._clock += 1
        found = self._slot[rows]
        self._used[found[found >= 0]] = self._clock
        missing = np.unique(rows[found < 0])  # a regressor asks twice for one row
        if missing.size:
            places = self._places(len(missing))
            if places[-1] - places[0] + 1 == len(places):
                out = self._kept[places[0] : places[-1] + 1]
                self._compute(missing, out)
            else:
                block = np.empty((len(missing), len(self.columns)), dtype=self._kept.dtype)
                self._compute(missing, block)
                self._kept[places] = block
            self._owner[places], self._slot[missing] = missing, places
            self._used[places] = self._clock
        return self._slot[rows]

    def _compute(self, rows: NDArray[np.int64], out: NDArray[np.floating]) -> None:
        whole = len(self.columns) == len(self._gram)
        self._gram.rows(rows, None if whole else self.columns, out)
        self.computed += len(rows)

    def _places(self, many: int) -> NDArray[np.int64]:
        if self._filled + many <= len(self._kept):
            self._filled += many
            return np.arange(self._filled - many, self._filled)
        places = np.sort(np.argpartition(self._used, many - 1)[:many])
        old = self._owner[places]
        self._slot[old[old >= 0]] = -1
        self._filled = len(self._kept)
        return places

    def square(self, slots: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.floating]:
        """The values between the examples of a working set, given where their rows and columns are."""
        block = np.empty((len(slots), len(slots)), dtype=self._kept.dtype)
        gather_square(self._kept, slots, columns, block)
        return block

    def add(
        self, slots: NDArray[np.int64], steps: NDArray[np.float64], scores: NDArray[np.float64]
    ) -> None:
        """Add the rows, each times its step, to the scores of all columns."""
        self._gram.share(
            len(scores), len(slots), lambda s, e: add_rows(self._kept, slots, steps, scores, s, e)
        )

    def change(self, columns: NDArray[np.int64]) -> None:
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
        if fresh.size and slots.size:
            block = np.empty((len(slots), len(fresh)), dtype=self._kept.dtype)
            self._gram.rows(owner, fresh, block)
            self._kept[: len(slots), np.searchsorted(columns, fresh)] = block
        self._owner[places], self._slot[owner] = owner, places
        self._used[places], self._filled = used[slots], len(slots)
