"""How often rows of a long stream occur: counted for a part of all possible rows, in a memory that does not grow.

A sample of rows that is chosen by their place holds some copies of a row and misses others, so it cannot tell ten
copies of each, shuffled, from independent draws of rows that are popular. Here rows are chosen by a key that is a
function of their values: of a row that is chosen every copy is. Among independent draws those that fall into a fixed
set are independent draws too, from the distribution within it. The set depends on the number of rows of the stream
alone: about `_MANY` to twice as many rows are chosen where none is popular.
"""

from __future__ import annotations

import base64
from typing import Self

import numpy as np

from assay.types import Ints, Words

_MANY = 2**12
_TOO_MANY = 2**16  # where keys are of no use, as in tables whose first columns never change
_WORD = 2**64 - 1


def largest_key(rows: int) -> int:
    """The largest key that is chosen in a stream of so many rows.

    Examples
    --------
    >>> largest_key(8192) == 2**64 - 1, largest_key(8193) == 2**63 - 1
    (True, True)
    """
    return _WORD >> max(0, (rows - 1).bit_length() - _MANY.bit_length())


class CountedRows:
    """The rows chosen so far, each with its key, its digest, and how often it came.

    Examples
    --------
    >>> counted = CountedRows()
    >>> counted.add(np.array([5, 9], np.uint64), np.array([70, 90], np.uint64))
    >>> counted.add(np.array([5], np.uint64), np.array([70], np.uint64))
    >>> counted.counts(3).tolist()
    [2, 1]
    """

    def __init__(self) -> None:
        self._held: tuple[Words, Words, Ints] = _NONE
        self._fresh: list[tuple[Words, Words]] = []
        self._waiting = 0
        self.known = True

    def add(self, keys: Words, digests: Words) -> None:
        """Some more rows that were chosen."""
        if self.known and len(keys):
            self._fresh.append((keys, digests))
            self._waiting += len(keys)

    @property
    def full(self) -> bool:
        """Whether it is time to put together what came."""
        return self._waiting > 4 * _MANY

    def settle(self, rows: int) -> None:
        """Put equal rows together, and leave out those that are not chosen in a stream of so many rows."""
        if not self.known:
            return
        keys, digests, counts = self._held
        keys = np.concatenate([keys, *(fresh for fresh, _ in self._fresh)])
        digests = np.concatenate([digests, *(fresh for _, fresh in self._fresh)])
        counts = np.concatenate([counts, np.ones(self._waiting, np.int64)])
        small = keys <= np.uint64(largest_key(rows))
        values, first, place = np.unique(digests[small], return_index=True, return_inverse=True)
        summed = np.zeros(len(values), np.int64)
        np.add.at(summed, place, counts[small])
        self._held, self._fresh, self._waiting = (keys[small][first], values, summed), [], 0
        if len(values) > _TOO_MANY:
            self.forget()

    def forget(self) -> None:
        """Count no more: what was counted is not known."""
        self._held, self._fresh, self._waiting, self.known = _NONE, [], 0, False

    def counts(self, rows: int) -> Ints:
        """How often each row chosen came, in a stream of so many rows."""
        self.settle(rows)
        return self._held[2]

    def copy(self) -> Self:
        """The same; more rows of one are none of the other."""
        twin = type(self)()
        twin._held, twin._fresh = self._held, list(self._fresh)
        twin._waiting, twin.known = self._waiting, self.known
        return twin

    def to_text(self, rows: int) -> str:
        """What was counted in so many rows, for a file; empty where nothing is known."""
        self.settle(rows)
        if not self.known:
            return ""
        return base64.b64encode(np.stack([_word(part) for part in self._held]).tobytes()).decode()

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The inverse of `to_text`."""
        counted = cls()
        keys, digests, counts = np.frombuffer(base64.b64decode(text), "<u8").reshape(3, -1)
        counted._held = _own(keys), _own(digests), counts.astype(np.int64)
        return counted


def _word(part: Words | Ints) -> Words:
    return part.astype("<u8")


def _own(part: Words) -> Words:
    return part.astype(np.uint64)


_NONE = (np.zeros(0, np.uint64), np.zeros(0, np.uint64), np.zeros(0, np.int64))
