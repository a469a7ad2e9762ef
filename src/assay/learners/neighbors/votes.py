"""What neighbours count for."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import BadData
from assay.learners.neighbors.lists import each_list, owners
from assay.types import Bools, Floats, Ints


def weights_of(weights: Any, distances: Floats) -> Floats | None:
    """The weight of each neighbour; None where all count the same.

    With ``"distance"`` it is one over the distance; where there are neighbours at distance zero, they alone count.

    Examples
    --------
    >>> weights_of("distance", np.array([[0.5, 2.0], [0.0, 1.0]]))
    array([[2. , 0.5],
           [1. , 0. ]])
    """
    if weights in (None, "uniform"):
        return None
    if weights == "distance":
        given, at_once = _inverse(distances)
        rows = at_once.any(axis=1)
        given[rows] = at_once[rows]
        return given
    given, at_once = _answered(weights(distances), distances.shape)
    rows = at_once.any(axis=1)
    given[rows] = at_once[rows]
    return given


def listed_weights(weights: Any, distances: Floats, many: Ints) -> Floats | None:
    """The same for lists of neighbours, one after the other."""
    if weights in (None, "uniform"):
        return None
    if weights == "distance":
        who = owners(many)
        given, at_once = _inverse(distances)
        rows = np.bincount(who, at_once, minlength=len(many))[who] > 0
        given[rows] = at_once[rows]
        return given
    answers = weights(each_list(distances, many))
    if len(answers) != len(many):
        raise BadData("weights must return one array for each row, as it is given one.")
    parts = []
    for part, size in zip(answers, many, strict=True):
        given, at_once = _answered(part, (size,))
        parts.append(at_once.astype(np.float64) if at_once.any() else given)
    return np.concatenate([*parts, np.empty(0)])


def _inverse(distances: Floats) -> tuple[Floats, Bools]:
    """One over the distances, and where they are zero."""
    with np.errstate(divide="ignore"):
        given = 1.0 / distances
    return given, np.isinf(given)


def _answered(answer: Any, shape: tuple[int, ...]) -> tuple[Floats, Bools]:
    """What a function answered, and where that is infinite: those neighbours alone count, one vote each."""
    given = np.array(answer, dtype=np.float64)
    if given.shape != shape:
        raise BadData(
            f"weights must return an array of the shape it is given, {shape}, but returned {given.shape}."
        )
    if not (given >= 0).all():
        raise BadData("weights must return numbers, zero or more.")
    return given, np.isinf(given)


def require_some_weight(largest: Floats) -> None:
    """Refuse a function that gives no weight to any neighbour of some row."""
    if (largest == 0).any():
        row = int(np.flatnonzero(largest == 0)[0])
        raise BadData(f"weights gives no weight to any neighbour of row {row}.")
