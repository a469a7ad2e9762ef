"""DNF formulas: of a function on all points of the cube, and small ones that agree with examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.learners.boolean.formulas import Literal, dnf_text

Term = tuple[Literal, ...]

# Up to so many features the function is looked at on the whole cube.
MOST_FEATURES = 16
# Up to so many, also on all faces of the cube: there are 3^d.
MOST_FOR_FACES = 12
# From so many positive examples terms are made to choose from.
_TRIED = 200


def cube(features: int) -> NDArray[np.bool_]:
    """All points of the cube: bit j of a row's number is the value of feature j.

    Examples
    --------
    >>> cube(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return np.asarray((np.arange(2**features)[:, None] >> np.arange(features)) & 1 == 1)


def terms_of(truth: NDArray[np.bool_]) -> list[Term]:
    """The terms of a function given on the whole cube.

    A monotone function has one shortest DNF: its smallest true points. Of another one the largest faces
    on which it is true are found, and of these as few as a greedy choice needs; where there are too many
    faces to look at, each true point is widened to one of them.

    Examples
    --------
    >>> x = cube(3)
    >>> terms_of(x[:, 0] | (x[:, 1] & x[:, 2]))
    [((0, True),), ((1, True), (2, True))]
    >>> terms_of(x[:, 0] & ~x[:, 2])
    [((0, True), (2, False))]
    """
    monotone = monotone_terms(truth)
    if monotone is not None:
        return monotone
    features = len(truth).bit_length() - 1
    search = _fewest_faces if features <= MOST_FOR_FACES else _widened_points
    return sorted(search(truth, features), key=lambda term: (len(term), term))


def monotone_terms(truth: NDArray[np.bool_]) -> list[Term] | None:
    """The terms of a monotone function given on the whole cube; None if it is not monotone."""
    features = len(truth).bit_length() - 1
    smallest = _smallest_points(truth, features)
    if smallest is None:
        return None
    return [tuple((j, True) for j in range(features) if p >> j & 1) for p in smallest]


def _smallest_points(truth: NDArray[np.bool_], features: int) -> list[int] | None:
    """The smallest true points of a monotone function, fewest ones first; None if it is not monotone."""
    points = np.arange(len(truth))
    smallest = truth.copy()
    for j in range(features):
        on = points[(points >> j) & 1 == 1]
        below = truth[on ^ (1 << j)]
        if (below & ~truth[on]).any():
            return None
        smallest[on] &= ~below
    found = [int(p) for p in np.flatnonzero(smallest)]
    return sorted(found, key=lambda p: (p.bit_count(), [j for j in range(features) if p >> j & 1]))


def _fewest_faces(truth: NDArray[np.bool_], features: int) -> list[Term]:
    """Faces that together are where a function is true; along each axis 0, 1, or 2 for both."""
    # Axis k belongs to feature d - 1 - k.
    inside = truth.reshape((2,) * features)
    for axis in range(features):
        first, second = np.take(inside, 0, axis), np.take(inside, 1, axis)
        inside = np.stack([first, second, first & second], axis)
    largest = inside.copy()
    for axis in range(features):
        both = np.take(inside, 2, axis)
        index: list[Any] = [slice(None)] * features
        for value in (0, 1):
            index[axis] = value
            largest[tuple(index)] &= ~both
    faces = np.argwhere(largest)[:, ::-1]
    points = cube(features)[truth]
    covers = np.array([_covers(face, points) for face in faces]).reshape(len(faces), len(points))
    chosen = _greedy(covers)
    return [
        tuple((j, bool(value == 1)) for j, value in enumerate(faces[i]) if value < 2)
        for i in chosen
    ]


def _widened_points(truth: NDArray[np.bool_], features: int) -> list[Term]:
    """Faces that together are where a function is true, each from the first point not yet in one."""
    left = truth.copy()
    terms = []
    while left.any():
        point = int(left.argmax())
        face = np.array([point])
        fixed = []
        for j in range(features):
            beside = face ^ (1 << j)
            if truth[beside].all():
                face = np.concatenate([face, beside])
            else:
                fixed.append((j, bool(point >> j & 1)))
        left[face] = False
        terms.append(tuple(fixed))
    return terms


def _covers(face: NDArray[np.int64], points: NDArray[np.bool_]) -> NDArray[np.bool_]:
    fixed = face < 2
    return np.asarray((points[:, fixed] == (face[fixed] == 1)).all(axis=1))


def _greedy(covers: NDArray[np.bool_]) -> list[int]:
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

    def told(self, names: Sequence[Any] | None) -> str:
        """The evidence, as a sentence without a full stop."""
        if not self.consistent:
            return "some mistaken examples have labels that no such formula gives"
        text = dnf_text(self.terms, names)
        if len(text) > 200:
            text = f"a formula of {len(self.terms)} terms"
        return f"{text!r} agrees with all {self.examples} mistaken examples; the others changed nothing"


def small_dnf(X: NDArray[np.bool_], y: NDArray[Any], negations: bool) -> Witness:
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
        for i in _greedy(covers)
    ]
    return Witness(True, sorted(terms, key=lambda term: (len(term), term)), len(y))


def _shortened(
    row: NDArray[np.bool_], negative: NDArray[np.bool_], shared: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """A term that is true of a row and of no negative example, without literals it could do without."""
    term = row.copy()
    # The literals that fewest of the positive examples share go first.
    for j in sorted(np.flatnonzero(term), key=lambda j: int(shared[j])):
        term[j] = False
        if _implied(negative, term):
            term[j] = True
    return term


def _implied(rows: NDArray[np.bool_], term: NDArray[np.bool_]) -> bool:
    """Whether some row has all literals of a term."""
    return bool(rows[:, term].all(axis=1).any())
