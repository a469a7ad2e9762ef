"""The classes of concepts that experiments know by name: their labelings, growth and VC dimension."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.errors import BadParameter
from assay.theory.complexity.growth import growth_halfspaces, sauer_growth
from assay.theory.complexity.shattering import (
    ConceptClass,
    Labels,
    halfspaces,
    intervals,
    rectangles,
)
from assay.theory.complexity.vc_dimension import vc_halfspaces_affine, vc_intervals, vc_rectangles


@dataclass(frozen=True)
class KnownClass:
    """A class of concepts on points of so many features.

    Attributes
    ----------
    name, theorem : str
        Its name, and the theorem about its VC dimension.
    labelings : callable
        From points to the table of its labelings.
    dimension : callable
        From the number of features to its VC dimension.
    growth : callable
        From points and features to the most labelings of so many points.
    """

    name: str
    theorem: str
    labelings: Callable[[Any], Labels]
    dimension: Callable[[int], int]
    growth: Callable[[int, int], int]


CLASSES = {
    known.name: known
    for known in (
        KnownClass(
            "intervals",
            "vc-intervals",
            intervals,
            lambda features: vc_intervals(),
            lambda points, features: sauer_growth(points, vc_intervals()),
        ),
        KnownClass(
            "rectangles",
            "vc-rectangles",
            rectangles,
            vc_rectangles,
            lambda points, features: sauer_growth(points, vc_rectangles(features)),
        ),
        KnownClass(
            "halfspaces",
            "vc-halfspaces-affine",
            halfspaces,
            vc_halfspaces_affine,
            growth_halfspaces,
        ),
    )
}


def known_class(concepts: Any) -> KnownClass | None:
    """The class of that name; None for a function, which is a class of the user's."""
    if isinstance(concepts, str) and concepts in CLASSES:
        return CLASSES[concepts]
    if not callable(concepts):
        names = ", ".join(map(repr, CLASSES))
        raise BadParameter(
            f"concepts must be one of {names}, or a function from points to labelings, but is {concepts!r}."
        )
    return None


def labelings_of(concepts: Any) -> ConceptClass:
    """The function from points to labelings that was meant."""
    known = known_class(concepts)
    labelings: ConceptClass = concepts if known is None else known.labelings
    return labelings
