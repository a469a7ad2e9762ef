"""The VC dimension of a class, looked for: the most points that it labels in every way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from assay.errors import require
from assay.lab.concept_classes import CLASSES
from assay.theory.complexity.shattering import majorities, vc_dimension_of
from assay.theory.complexity.vc_dimension import vc_finite_class, vc_majority
from assay.theory.needs import count
from assay.types import Floats

_MOST_POINTS = 12


@dataclass(frozen=True)
class Shattering:
    """What a search found, beside what the theorem says.

    Attributes
    ----------
    concepts, theorem : str
        The class, and the theorem about its VC dimension.
    promised : int
        No more points can be shattered.
    observed : int
        The most that were.
    points : array
        Which those are: rows of numbers, or places of columns of a table.
    next_labelings, next_ways : int
        The most labelings of one point more that were seen, and how many there are; both zero for a table, all of
        which was looked through.
    """

    concepts: str
    theorem: str
    promised: int
    observed: int
    points: Floats
    next_labelings: int = 0
    next_ways: int = 0

    @property
    def holds(self) -> bool:
        """Whether no more points were shattered than can be."""
        return self.observed <= self.promised and self.next_labelings <= self.next_ways

    def __str__(self) -> str:
        text = f"{self.concepts} shatter {self.observed} points, at most {self.promised} by {self.theorem}"
        if self.next_ways:
            many = self.next_ways.bit_length() - 1
            text += f"; of {many} points at most {self.next_labelings} of {self.next_ways} labelings were seen"
        return text


def shattering(
    concepts: Any, *, features: int = 2, voters: int = 1, tries: int = 200, random_state: Any = None
) -> Shattering:
    """Look for the most points that a class labels in every way.

    That number alone decides how many examples it takes to learn, up to constants (``fundamental-theorem-order``).

    Parameters
    ----------
    concepts : {"intervals", "rectangles", "halfspaces"} or table
        A class by its name; or a finite one, a table with a row of -1 and +1 (or 0 and 1) for each member and a
        column for each point (``vc-finite-class``).
    features : int, default=2
        Of the points; intervals have one.
    voters : int, default=1
        For a table: whether majorities of so many members are looked at, an odd number (``vc-majority``).
    tries : int, default=200
        How many sets of points are drawn, of every size.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    Shattering

    References
    ----------
    .. [1] Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.9.

    Examples
    --------
    >>> from assay import shattering
    >>> print(shattering("rectangles", random_state=0))
    rectangles shatter 4 points, at most 4 by vc-rectangles; of 5 points at most 28 of 32 labelings were seen
    >>> print(shattering([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    4 members shatter 1 points, at most 2 by vc-finite-class
    """
    if not isinstance(concepts, str):
        return _of_table(concepts, voters)
    names = ", ".join(map(repr, CLASSES))
    require(concepts in CLASSES, "concepts", f"one of {names}, or a table", concepts)
    require(voters == 1, "voters", "left out but for a table", voters)
    known = CLASSES[concepts]
    d = 1 if concepts == "intervals" else count("features", features, at_least=1)
    promised = known.dimension(d)
    must = f"such that the VC dimension is below {_MOST_POINTS}"
    require(promised < _MOST_POINTS, "features", must, features)
    rng = np.random.default_rng(random_state)
    observed, points = 0, np.empty((0, d))
    for size in range(1, promised + 1):
        for cloud in _clouds(size, d, tries, rng):
            if len(known.labelings(cloud)) == 2**size:
                observed, points = size, cloud
                break
    more = promised + 1
    most = max(len(known.labelings(cloud)) for cloud in _clouds(more, d, tries, rng))
    return Shattering(concepts, known.theorem, promised, observed, points, most, 2**more)


def _of_table(table: Any, voters: int) -> Shattering:
    """A finite class, all of it."""
    labels = np.asarray(table)
    own = vc_dimension_of(labels)  # refuses what is no table
    if voters == 1:
        members = len(np.unique(labels, axis=0))
        name, theorem, promised = f"{members} members", "vc-finite-class", vc_finite_class(members)
    else:
        theorem, promised = "vc-majority", vc_majority(own, voters)
        name = f"majorities of {voters} members"
        labels = majorities(labels, voters)
        own = vc_dimension_of(labels)
    shattered = next(
        (places for places in _places(labels.shape[1], own) if _all_ways(labels[:, places])), []
    )
    return Shattering(name, theorem, promised, own, np.array(shattered, dtype=np.float64))


def _places(width: int, size: int) -> Iterator[list[int]]:
    return (list(places) for places in combinations(range(width), size))


def _all_ways(labels: Any) -> bool:
    return bool(len(np.unique(labels, axis=0)) == 2 ** labels.shape[1])


def _clouds(size: int, features: int, tries: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Sets of points: unit vectors both ways with the origin last, with the origin first, and drawn ones."""
    corners = np.vstack([np.eye(features), -np.eye(features)])
    origin = np.zeros((1, features))
    for known in (np.vstack([corners, origin]), np.vstack([origin, corners])):
        if size <= len(known):
            yield known[:size]
    for _ in range(count("tries", tries)):
        yield rng.normal(size=(size, features))
