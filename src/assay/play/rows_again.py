"""Rows of a stream that came again: which rows are compared, and what of them is kept until somebody asks.

Of the first `_ALL` rows every one is compared; of later ones stretches of `_STRETCH`, about ``32 * sqrt(n)`` of n rows
in all. Which ones is decided by their place and by nothing in them, so independent draws stay independent draws. Two
passes over a file, however long, then share some hundred rows among those that are compared.

Copies that were shuffled into a long file are seen by how often rows come in all of it. That is counted for rows that
are chosen by their values (`assay.evidence.counted_rows`), where rows are arrays of numbers.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from math import isqrt
from typing import Any, Self

import numpy as np

from assay.evidence.counted_rows import CountedRows, largest_key
from assay.evidence.fitted_rows import FittedRows, Heads, label_heads
from assay.evidence.repeats import Repeats, find_repeats
from assay.evidence.row_mix import hashed, mix, number_keys, text_keys
from assay.learners.common.learned_rows import rows_after, rows_so_far
from assay.learners.common.remember import quietly
from assay.learners.common.row_heads import chosen_by_value, digested
from assay.types import Ints

_ALL = 2**12
_STRETCH = 16
_TOGETHER = 2**10  # rows that come one by one and are digested together
_CELLS = 2**20  # of which they have no more than so many


class RowsAgain:
    """The rows of a stream, as far as they are compared with each other.

    Parameters
    ----------
    learner : object, optional
        Who learns them; the rows that it remembers from before are compared too.

    Examples
    --------
    >>> X, y = np.random.default_rng(0).normal(size=(100, 2)), np.arange(100) % 2
    >>> seen = RowsAgain()
    >>> seen.add(X, y)
    >>> seen.repeats().evidence
    'none of 100 rows came again'
    >>> seen.add(X, y)
    >>> seen.repeats().alarm
    True
    """

    def __init__(self, learner: Any = None) -> None:
        kept = getattr(learner, "fitted_rows_", None)
        self._before = kept.digests[:, 1].copy() if isinstance(kept, FittedRows) else None
        self.rows = 0
        self._heads: list[Heads] = []
        self._counted = CountedRows()
        self._waiting: list[tuple[Any, Any]] = []
        self._known = True

    def add(self, X: Any, y: Any) -> None:
        """Some more rows with their truth, in the order in which they were learned."""
        self._digest_waiting()
        self._add(X, y)

    def _add(self, X: Any, y: Any) -> None:
        rows = len(y)
        wanted = places(self.rows, self.rows + rows) - self.rows
        self.rows += rows
        if not rows or not self._known:
            return
        if isinstance(X, list | tuple) and isinstance(X[0], Mapping):
            self._counted.forget()  # to digest a row takes as long as to learn it
            if len(wanted):
                self._keep(_dict_heads([X[i] for i in wanted], [y[i] for i in wanted]))
            return
        by_value = chosen_by_value(X, largest_key(self.rows)) if self._counted.known else None
        if by_value is None:
            self._counted.forget()
        elif len(by_value[1]):
            keys, chosen = by_value
            heads = digested(X, y, chosen)
            if heads is not None:
                self._counted.add(keys, heads[:, 1])
                if self._counted.full:
                    self._counted.settle(self.rows)
                if len(chosen) == rows:
                    self._keep(heads[wanted, 1])
                    return
        if len(wanted):
            heads = digested(X, y, wanted)
            self._keep(None if heads is None else heads[:, 1])

    def add_one(self, x: Any, y: Any) -> None:
        """One more row; it must not change any more."""
        self._waiting.append((x, y))
        if len(self._waiting) >= _TOGETHER or len(self._waiting) * len(x) >= _CELLS:
            self._digest_waiting()

    def _digest_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for start, stop in _alike([x for x, _ in waiting]):
            X, y = zip(*waiting[start:stop], strict=True)
            if isinstance(X[0], Mapping):
                self._add(X, y)
                continue
            try:
                table = np.stack([np.asarray(x) for x in X])
            except ValueError:
                self.rows += len(y)
                self._keep(None)
                continue
            self._add(table, list(y))

    def _keep(self, heads: Heads | None) -> None:
        if heads is None:  # of a kind that cannot be compared
            self._known, self._heads = False, []
            self._counted.forget()
        elif self._known:
            self._heads.append(heads)

    def copy(self) -> Self:
        """What is known now; more rows of one are none of the other."""
        self._digest_waiting()
        twin = copy.copy(self)
        twin._heads, twin._waiting = list(self._heads), []
        twin._counted = self._counted.copy()
        return twin

    @property
    def heads(self) -> Heads:
        """The digests of the rows that are compared."""
        self._digest_waiting()
        if len(self._heads) != 1:
            self._heads = [np.concatenate([np.zeros(0, np.uint64), *self._heads])]
        return self._heads[0]

    def repeats(self) -> Repeats | None:
        """Whether rows came again more than chance allows; None where rows cannot be compared."""
        heads = self.heads
        if not self._known:
            return None
        # Of few rows all are compared, and counted by that.
        counts = self._counted.counts(self.rows) if self.rows > len(heads) else _NO_COUNTS
        return find_repeats(heads, self.rows, self._before, counts if len(counts) else None)

    def to_text(self) -> str | None:
        """What is kept, for a file; None where nothing is known."""
        heads = self.heads
        if not self._known:
            return None
        compared = base64.b64encode(heads.astype("<u8").tobytes()).decode()
        return f"{compared}:{self._counted.to_text(self.rows)}"

    @classmethod
    def from_text(cls, text: str | None, rows: int) -> Self:
        """The inverse of `to_text`."""
        seen = cls()
        seen.rows, seen._known = rows, text is not None or not rows
        compared, _, counted = (text or "").partition(":")
        if compared:
            seen._heads = [np.frombuffer(base64.b64decode(compared), "<u8").astype(np.uint64)]
        if counted:
            seen._counted = CountedRows.from_text(counted)
        elif rows:  # earlier versions did not count
            seen._counted.forget()
        return seen


_NO_COUNTS = np.zeros(0, np.int64)


@contextmanager
def remembering_as(learner: Any, X: Any, y: Any, learned: Callable[[], int]) -> Iterator[None]:
    """Let a learner remember what it learns within as other rows than those it is taught.

    Parameters
    ----------
    learner : object
        It is taught within.
    X, y : table and array
        What it is to remember.
    learned : callable
        How many of them were learned, at the end.
    """
    kept = rows_so_far(learner)
    vars(learner).pop("fitted_rows_", None)
    try:
        with quietly():
            yield
    finally:
        rows = learned()
        again = kept if kept is None or not rows else rows_after(kept, X[:rows], y[:rows])
        if again is not None and (rows or again.rows):
            learner.fitted_rows_ = again
        if getattr(learner, "_light", None) is not None:
            learner._light = None  # it holds what was remembered when it was made


def places(start: int, stop: int) -> Ints:
    """Which of the rows from `start` to before `stop` are compared.

    Examples
    --------
    >>> len(places(0, 5000)), len(places(0, 10**6)), len(places(10**6, 10**6 + 10**4))
    (4304, 34048, 160)
    """
    first = np.arange(start, min(stop, _ALL))
    if stop <= _ALL:
        return first
    # Stretch k lies between k^2 / 4 and (k + 1)^2 / 4.
    from_row = max(start, _ALL)
    k = np.arange(max(isqrt(4 * from_row) - 1, 2 * isqrt(_ALL)), isqrt(4 * stop) + 1)
    edges = k * k // 4
    room = (2 * k + 1) // 4 - _STRETCH
    drawn = edges + (mix(k.astype(np.uint64)) % room.astype(np.uint64)).astype(np.int64)
    rows = (drawn[:, None] + np.arange(_STRETCH)).ravel()
    return np.concatenate([first, rows[(rows >= from_row) & (rows < stop)]])


def _alike(rows: list[Any]) -> list[tuple[int, int]]:
    """Where rows of one kind and width begin and end."""
    kinds = [len(x) if not isinstance(x, Mapping) else -1 for x in rows]
    edges = [0, *(i for i in range(1, len(kinds)) if kinds[i] != kinds[i - 1]), len(kinds)]
    return [(a, b) for a, b in pairwise(edges) if a < b]


def _dict_heads(rows: Any, y: Any) -> Heads | None:
    """Digests of rows whose cells have names, in whatever order; what is 0 may as well be left out."""
    try:
        cells = np.zeros(len(rows), np.uint64)
        for place, row in enumerate(rows):
            if row:
                named = {str(name).encode(): float(value) for name, value in row.items()}
                keys = number_keys(np.array(list(named.values()), np.float64))
                cells[place] = hashed(keys, mix(text_keys(named)[:, 0].copy())).sum(dtype=np.uint64)
        return cells + label_heads(np.asarray(y))
    except (TypeError, ValueError, OverflowError):
        return None
