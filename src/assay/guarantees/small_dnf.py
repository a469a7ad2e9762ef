"""A small DNF that agrees with the mistaken examples of a learner, and what that says of the labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.guarantees.assumption import Assumption, Status
from assay.guarantees.boolean_text import Literal, dnf_text
from assay.types import Array, Bools, Ints

Term = tuple[Literal, ...]

# From so many positive examples terms are made to choose from.
_TRIED = 200


@dataclass(frozen=True)
class Witness:
    """Whether some DNF agrees with examples, and a small one that does.

    Attributes
    ----------
    consistent : bool
        Whether any does: it fails only where one example has both labels, or, without negations, where
        a positive example sets nothing that a negative one does not.
    terms : list of terms
        The small one.
    examples : int
        How many examples it agrees with.
    """

    consistent: bool
    terms: list[Term]
    examples: int

    def evidence(self, names: Sequence[Any] | None) -> str:
        """The evidence, as a sentence without a full stop."""
        if not self.consistent:
            return "some mistaken examples have labels that no such formula gives"
        text = dnf_text(self.terms, names)
        if len(text) > 200:
            text = f"a formula of {len(self.terms)} terms"
        return f"{text!r} agrees with all {self.examples} mistaken examples; the others changed nothing"


def small_dnf(X: Bools, y: Array, negations: bool) -> Witness:
    """A small DNF that agrees with examples and labels of -1 and +1, if there is one.

    The literals of a positive example, dropped one by one as long as no negative example has all that
    remain, are a term. Each time the term is taken that explains most of the positive examples left.

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=bool)
    >>> small_dnf(X, np.array([1, -1, -1, 1]), False).terms
    [((2, True),), ((0, True), (1, True))]
    """
    d = X.shape[1]
    literals = np.hstack([X, ~X]) if negations else X
    positive, negative = literals[y > 0], literals[y < 0]
    if not len(positive):
        return Witness(True, [], len(y))
    if any(_implied(negative, row) for row in positive):
        return Witness(False, [], len(y))
    shared = positive.sum(axis=0)
    tried = np.unique([_shortened(row, negative, shared) for row in positive[:_TRIED]], axis=0)
    covers = np.array([positive[:, term].all(axis=1) for term in tried])
    # What no term of these explains has terms of its own.
    own = [_shortened(row, negative, shared) for row in positive[~covers.any(axis=0)]]
    if own:
        more = np.unique(own, axis=0)
        covers = np.vstack([covers, [positive[:, term].all(axis=1) for term in more]])
        tried = np.vstack([tried, more])
    terms = [
        tuple(sorted((int(j % d), bool(j < d)) for j in np.flatnonzero(tried[i])))
        for i in greedy_cover(covers)
    ]
    return Witness(True, sorted(terms, key=lambda term: (len(term), term)), len(y))


def _shortened(row: Bools, negative: Bools, shared: Ints) -> Bools:
    """A term that is true of a row and of no negative example, without literals it could do without."""
    term = row.copy()
    # The literals that fewest of the positive examples share go first.
    for j in sorted(np.flatnonzero(term), key=lambda j: int(shared[j])):
        term[j] = False
        if _implied(negative, term):
            term[j] = True
    return term


def _implied(rows: Bools, term: Bools) -> bool:
    """Whether some row has all literals of a term."""
    return bool(rows[:, term].all(axis=1).any())


def greedy_cover(covers: Bools) -> list[int]:
    """Sets that cover everything: each time the one that covers most of the rest, then none too many."""
    left = np.ones(covers.shape[1], dtype=bool)
    chosen: list[int] = []
    while left.any():
        best = int((covers & left).sum(axis=1).argmax())
        chosen.append(best)
        left &= ~covers[best]
    for i in list(chosen):
        others = [k for k in chosen if k != i]
        if covers[others].any(axis=0).all():
            chosen = others
    return chosen


def explained(
    witness: Witness | None,
    terms: int | None,
    allowed: int | None,
    mistakes: int,
    name: str,
    names: Sequence[Any] | None,
) -> Assumption:
    """How it is known that the labels are a DNF of so many terms.

    Parameters
    ----------
    witness : Witness or None
        A formula that agrees with the mistaken examples, if they were searched.
    terms, allowed : int or None
        The number of terms that was declared, and the mistakes it allows; None for the witness's own.
    mistakes : int
        How many were made.
    name : str
        The assumption.
    names : sequence or None
        What the features are called.
    """
    if witness is not None and (terms is None or not witness.consistent):
        status: Status = "checked" if witness.consistent else "violated"
        return Assumption(name, status, witness.evidence(names))
    if allowed is not None and mistakes > allowed:
        return Assumption(name, "violated", f"it allows at most {allowed} mistakes")
    if witness is not None and terms is not None and len(witness.terms) <= terms:
        return Assumption(name, "checked", witness.evidence(names))
    return Assumption(name, "declared", f"{terms} terms")
