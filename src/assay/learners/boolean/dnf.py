"""DNF formulas of a function given on all points of the cube."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.guarantees.small_dnf import Term, greedy_cover
from assay.types import Bools, Ints

# Up to so many features the function is looked at on the whole cube.
MOST_FEATURES = 16
# Up to so many, also on all faces of the cube: there are 3^d.
MOST_FOR_FACES = 12


def cube(features: int) -> Bools:
    """All points of the cube: bit j of a row's number is the value of feature j.

    Examples
    --------
    >>> cube(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return np.asarray((np.arange(2**features)[:, None] >> np.arange(features)) & 1 == 1)


def terms_of(truth: Bools) -> list[Term]:
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


def monotone_terms(truth: Bools) -> list[Term] | None:
    """The terms of a monotone function given on the whole cube; None if it is not monotone."""
    features = len(truth).bit_length() - 1
    smallest = _smallest_points(truth, features)
    if smallest is None:
        return None
    return [tuple((j, True) for j in range(features) if p >> j & 1) for p in smallest]


def _smallest_points(truth: Bools, features: int) -> list[int] | None:
    """The smallest true points of a monotone function, fewest ones first; None if it is not monotone."""
    points = np.arange(len(truth))
    smallest = truth.copy()
    for j in range(features):
        on = points[(points >> j) & 1 == 1]
        below = truth[on ^ (1 << j)]
        if (below & ~truth[on]).any():
            return None
        smallest[on] &= ~below
    listed = [int(p) for p in np.flatnonzero(smallest)]
    return sorted(listed, key=lambda p: (p.bit_count(), [j for j in range(features) if p >> j & 1]))


def _fewest_faces(truth: Bools, features: int) -> list[Term]:
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
    chosen = greedy_cover(covers)
    return [
        tuple((j, bool(value == 1)) for j, value in enumerate(faces[i]) if value < 2)
        for i in chosen
    ]


def _widened_points(truth: Bools, features: int) -> list[Term]:
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


def _covers(face: Ints, points: Bools) -> Bools:
    fixed = face < 2
    return np.asarray((points[:, fixed] == (face[fixed] == 1)).all(axis=1))
