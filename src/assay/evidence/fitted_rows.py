"""Which rows a learner has learned from: what it keeps of them, to know them again.

**What is kept.** Of a row the first eight bytes of its digest (`assay.evidence.row_mix`), once of the features and once
of features and label together: so the order of rows, the type of a number, and sparse or dense make no difference.
Of many rows a sample is kept. It is chosen by the place of a row and by nothing in it: `places` says which rows of a
table, and `next_due` which of rows that come one after another.

**What it gives away.** No row can be read off its digest, but whoever can guess a row can see whether it was learned.
Learners leave the digests out where they are told to: see `assay.set_config` and `assay.save`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.evidence.row_mix import LABEL, dense_sums, hashed, mix, number_keys, seeds, text_keys
from assay.evidence.training_overlap import rows_compared
from assay.types import Bools, Ints, Words

Heads = Words

# One after another, the first rows are all kept, later ones ever more rarely.
_FIRST = 16
_RARELY = 512
_MANY = 2048
_WORD = 2**64 - 1


@dataclass(eq=False)
class FittedRows:
    """What a learner keeps of the rows it has learned from.

    Attributes
    ----------
    rows : int
        How many rows were learned, a row that came twice counted twice; several passes within one fit count once.
    due : int
        The place of the next row whose digest is kept, where rows come one after another.
    digests : array of shape (n, 2)
        Of those rows that are kept, eight bytes each: of the features, and of features and label.

    Examples
    --------
    >>> kept = FittedRows(2, 2, heads([[1.0, 0.5], [2.0, 0.5]], ["ham", "spam"]))
    >>> kept.seen([[2, 0.5], [3, 0.5]]).tolist()
    [True, False]
    """

    rows: int
    due: int
    digests: Heads
    # Digests are the first rows of it, where they grow one by one.
    _room: ClassVar[Heads] = np.zeros((0, 2), np.uint64)

    @property
    def whole(self) -> bool:
        """Whether the digests are those of all rows."""
        return len(self.digests) == self.rows

    def among(self, digests: NDArray[np.uint8]) -> Bools:
        """Which rows were learned, as far as is kept, from digests of their features as `row_digests` gives them."""
        return np.isin(_heads(digests), self.digests[:, 0])

    def seen(self, X: Any, y: Any = None) -> Bools:
        """Which of these rows were learned, as far as is kept; with labels, which of them with the same label.

        True is certain, but for a chance below 10**-9; False is certain only where `whole`.
        """
        column = 0 if y is None else 1
        return np.isin(heads(X, y)[:, column], self.digests[:, column])

    def other_than(self, X: Any, y: Any) -> str:
        """Why rows and labels cannot be the sample that was learned, in whatever order; empty where nothing tells.

        Examples
        --------
        >>> kept = FittedRows(2, 2, heads([[1.0], [2.0]], [0, 1]))
        >>> kept.other_than([[2.0], [1.0]], [1, 0]), kept.other_than([[2.0], [1.0]], [0, 1])
        ('', '2 of the 2 rows that were learned are not among them')
        """
        given = heads(X, y)[:, 1]
        if not len(given) or self.rows % len(given):
            return f"they are {len(given)} rows, and {self.rows} were learned"
        own = self.digests[:, 1]
        missing = int(np.count_nonzero(~np.isin(own, given)))
        if missing:
            which = "rows" if self.whole else "rows compared"
            return f"{missing} of the {len(own)} {which} that were learned are not among them"
        passes = self.rows // len(given)
        if self.whole and (np.sort(np.tile(given, passes)) != np.sort(own)).any():
            return "some rows are not among them as often as they were learned"
        return ""

    @property
    def compared(self) -> str:
        """How many rows can be compared, in words.

        Examples
        --------
        >>> FittedRows(900, 904, np.zeros((80, 2), np.uint64)).compared
        'a sample of 80 of the 900 rows that were learned was compared'
        """
        return rows_compared(len(self.digests), self.rows)

    def keep(self, features: int, labelled: int) -> None:
        """Add the digests of one row, the one that is due."""
        held = len(self.digests)
        room = self.with_room(1)
        room[held, 0], room[held, 1] = features, labelled
        self.digests = room[: held + 1]
        self.due = next_due(self.due)

    def with_room(self, more: int) -> Heads:
        """Memory that begins with the digests and has room for more, or each would cost as much as there are."""
        held, room = len(self.digests), self._room
        if self.digests.base is not room or len(room) < held + more:
            room = np.zeros((max(64, 2 * held + more), 2), np.uint64)
            room[:held] = self.digests
            self._room = room  # type: ignore[misc]
        return room

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FittedRows):
            return NotImplemented
        same = (self.rows, self.due) == (other.rows, other.due)
        return same and np.array_equal(self.digests, other.digests)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {"rows": self.rows, "due": self.due, "digests": self.digests}

    def going_on(self, rows: int) -> FittedRows:
        """The same after so many rows, in the memory of this one, which goes on in another if it ever does."""
        after = FittedRows(rows, self.due, self.digests)
        after._room, self._room = self._room, FittedRows._room  # type: ignore[misc]
        return after

    def with_rows(self, rows: int, due: int, digests: Heads) -> FittedRows:
        """The same after more rows were learned."""
        after = self.going_on(rows)
        held, room = len(self.digests), after.with_room(len(digests))
        end = held + len(digests)
        room[held:end] = digests
        after.digests, after.due = room[:end], due
        return after


def places(rows: int, most: int) -> Ints:
    """Which rows of a table are kept: all, or one at random out of every stretch of as many.

    At random, so that no rule by which others pick rows, such as every second one, passes them by.

    Examples
    --------
    >>> places(3, 5).tolist(), len(places(10**6, 500))
    ([0, 1, 2], 500)
    """
    if rows <= most:
        return np.arange(rows)
    edges = np.arange(most + 1, dtype=np.int64) * rows // most
    drawn = mix(np.arange(1, most + 1, dtype=np.uint64)) % np.diff(edges).astype(np.uint64)
    chosen: Ints = edges[:-1] + drawn.astype(np.int64)
    return chosen


def next_due(place: int) -> int:
    """The place of the next row that is kept after this one, where rows come one after another.

    The first sixteen all, then on the average one in place/16, but one in 512 at least, up to 2048 * 512 rows; from
    there on one in place/2048: about 140 of 15,000 rows, 2,000 of a million and 16,000 of 10**9.

    Examples
    --------
    >>> [next_due(place) for place in range(3)]
    [1, 2, 3]
    """
    gap = max(min(place // _FIRST, _RARELY), place // _MANY)
    if not gap:
        return place + 1
    z = (place + 1) * 0x9E3779B97F4A7C15 & _WORD
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    return place + 1 + (z >> 33) % (2 * gap + 1)


def heads(X: Any, y: Any = None) -> Heads:
    """The first eight bytes of each row's digest, as a number; in a second column those with the label, if any.

    Examples
    --------
    >>> heads([[1, 0]])[0, 0] == heads(np.array([[1.0]], np.float32))[0, 0]
    np.True_
    """
    from assay.evidence.rows import row_digests  # only here: a first fit should not wait for it

    features = _heads(row_digests(_table(X)))
    return features[:, None] if y is None else with_labels(features, y)


def _heads(digests: NDArray[np.uint8]) -> Heads:
    return np.ascontiguousarray(digests[:, :8]).view("<u8").ravel().astype(np.uint64)


def with_labels(features: Heads, y: Any) -> Heads:
    """The features' digests, and beside them those of features and label."""
    return np.column_stack([features, features + label_heads(y)])


def _table(X: Any) -> Any:
    """Rows as tables hold them: a list of texts is a table of one column."""
    if isinstance(X, list | tuple):
        return [[text] for text in X] if X and isinstance(X[0], str) else X
    if getattr(X, "ndim", 2) == 1:
        return [[text] for text in np.asarray(X).tolist()]
    return X


def label_heads(y: Any) -> Heads:
    """What the label adds to a row's digest; several targets add one number together.

    Examples
    --------
    >>> label_heads([1, 0]).tolist() == label_heads([True, False]).tolist()
    True
    """
    labels = np.asarray(y)
    if labels.ndim == 2:
        if labels.shape[1] != 1:
            return mix(dense_sums(labels.astype(np.float64))[:, 0].copy())
        labels = labels[:, 0]
    seed = seeds(np.array([LABEL], np.uint64), 0)
    if labels.dtype.kind in "biuf":
        return hashed(number_keys(labels.astype(np.float64)), seed)
    known: dict[Any, np.uint64] = {}
    digests = np.zeros(len(labels), np.uint64)
    for place, label in enumerate(labels.tolist()):
        if label not in known:
            known[label] = _object_head(label, seed)
        digests[place] = known[label]
    return digests


def _object_head(label: Any, seed: Heads) -> np.uint64:
    if isinstance(label, bool | int | float):
        return np.uint64(hashed(number_keys(np.array([label], np.float64)), seed)[0])
    return np.uint64(hashed(text_keys([str(label).encode()])[:, 0].copy(), seed)[0])
