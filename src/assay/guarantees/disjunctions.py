"""Disjunctions of boolean features that agree with examples: a small one, and whether one of so many literals does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from assay.guarantees.boolean_text import Literal, literal_text
from assay.types import Floats

# A formula in evidence names so many literals at most.
_TOLD = 10
# How far the exact search goes: cells of the table it looks at, literals, and sets of literals tried.
_CELLS, _DEEPEST, _TRIES = 10_000_000, 200, 20_000


@dataclass(frozen=True)
class Disjunction:
    """Whether some disjunction agrees with all examples, and a small one that does.

    Attributes
    ----------
    consistent : bool
        Whether any disjunction agrees with them.
    literals : tuple of (int, bool)
        The features of a small one, and whether each stands for itself or for its negation.
    examples : int
        How many examples it agrees with.
    """

    consistent: bool
    literals: tuple[Literal, ...]
    examples: int

    def told(self, names: Sequence[Any] | None) -> str:
        """The evidence, as a sentence without a full stop."""
        if not self.consistent:
            return (
                "a mistaken positive example sets nothing that no mistaken negative example sets, "
                "so no disjunction agrees with both"
            )
        listed = [literal_text(literal, names) for literal in self.literals[:_TOLD]]
        more = len(self.literals) - len(listed)
        formula = " OR ".join(listed) or "false"
        formula += f" OR {more} more" if more else ""
        return (
            f"{formula!r} agrees with all {self.examples} mistaken examples; "
            "the others changed nothing"
        )


def smallest_disjunction(X: Any, y: Floats, negations: bool, width: int) -> Disjunction:
    """A small disjunction that agrees with boolean examples and labels of -1 and +1, if there is one.

    Its literals may not be true in any negative example; among these, each time the one that explains
    most of the positive examples left is taken.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [0, 1, 1], [0, 0, 1]])
    >>> smallest_disjunction(X, np.array([1.0, 1, -1]), False, 3).literals
    ((1, True),)
    """
    if not len(y):
        return Disjunction(True, (), 0)
    signed, cover = _explained(X, y, negations, width)
    left = np.ones(cover.shape[0])
    chosen = []
    while left.any():
        gains = np.asarray(cover.T @ left)
        best = int(gains.argmax()) if gains.size else -1
        explained = cover[:, [best]].toarray().ravel() > 0 if best >= 0 else left > 1
        # Where nothing more is explained there is no such disjunction, and looking on would never end.
        if not left[explained].any():
            return Disjunction(False, (), len(y))
        chosen.append(signed[best])
        left[explained] = 0
    return Disjunction(True, tuple(sorted(chosen)), len(y))


def _explained(X: Any, y: Floats, negations: bool, width: int) -> tuple[list[Literal], Any]:
    """The literals that are true in no negative example, and in which positive ones each is true."""
    rows = sparse.csr_matrix(X)
    rows.resize(len(y), width)
    negative, positive = rows[y < 0], rows[y > 0]
    on = np.asarray(negative.sum(axis=0)).ravel()
    signed = [(int(j), True) for j in np.flatnonzero(on == 0)]
    covers = [positive[:, on == 0]]
    if negations:
        never_off = np.flatnonzero(on == negative.shape[0])
        signed += [(int(j), False) for j in never_off]
        covers.append(sparse.csr_matrix(1 - positive[:, never_off].toarray()))
    return signed, sparse.hstack(covers, format="csc")


def disjunction_of(most: int, X: Any, y: Floats, negations: bool, width: int) -> Disjunction | None:
    """A disjunction of at most so many literals that agrees with the examples, if there is one.

    Every way to explain the positive examples is tried. None: the search would have been too long, so it
    is not known whether there is one.

    Examples
    --------
    >>> X, y = np.eye(3), np.array([1.0, 1, -1])
    >>> disjunction_of(2, X, y, False, 3).literals
    ((0, True), (1, True))
    >>> disjunction_of(1, X, y, False, 3).consistent
    False
    """
    signed, cover = _explained(X, y, negations, width)
    if cover.shape[0] * cover.shape[1] > _CELLS or most > _DEEPEST:
        return None
    rows = np.unique(cover.toarray() > 0, axis=0)
    # The positive examples with fewest literals first: these leave the fewest ways.
    rows = rows[np.argsort(rows.sum(axis=1), kind="stable")]
    bits = np.packbits(rows, axis=0, bitorder="little")
    masks = [int.from_bytes(column.tobytes(), "little") for column in bits.T]
    widest = max((mask.bit_count() for mask in masks), default=0)
    tries = _TRIES

    def chosen(left: int, most: int) -> tuple[int, ...] | None:
        nonlocal tries
        tries -= 1
        if not left:
            return ()
        if tries < 0 or left.bit_count() > most * widest:
            return None
        for place in np.flatnonzero(rows[(left & -left).bit_length() - 1]).tolist():
            rest = chosen(left & ~masks[place], most - 1)
            if rest is not None:
                return (place, *rest)
        return None

    places = chosen((1 << len(rows)) - 1, most)
    if places is not None:
        return Disjunction(True, tuple(sorted(signed[place] for place in places)), len(y))
    return None if tries < 0 else Disjunction(False, (), len(y))
