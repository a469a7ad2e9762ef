"""Labelled points of the plane: read from what was given, and drawn with a marker and a colour for each class."""

from __future__ import annotations

import html
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.errors import require
from assay.report.figures.canvas import Canvas
from assay.report.figures.geometry import Box, plane_points
from assay.types import Array, Floats

# More could not be told apart, and would make the page heavy.
_MOST_POINTS = 2000


class Sample(NamedTuple):
    """Points of the plane, the label of each, and the classes that there are."""

    points: Floats
    labels: Array
    classes: list[Any]

    @classmethod
    def read(cls, X: Any, y: Any, classes: Any = None) -> Sample:
        """Points with one label each, of the classes of a model where these are given; anything else is refused."""
        points, labels = plane_points(X), np.asarray(y)
        one_each = f"one label for each of the {len(points)} rows"
        require(labels.shape == (len(points),), "y", one_each, labels.shape)
        return cls(points, labels, classes_in(labels, classes))

    def signs(self) -> Floats:
        """-1 for the first of two classes, +1 for the second."""
        require(len(self.classes) == 2, "the number of classes", "2", len(self.classes))
        return np.where(self.labels == self.classes[1], 1.0, -1.0)

    def thinned(self) -> tuple[Sample, str]:
        """At most 2000 of the points, evenly from first to last, and words that say so.

        Examples
        --------
        >>> some, words = Sample(np.zeros((10_000, 2)), np.zeros(10_000), [0]).thinned()
        >>> len(some.points), words
        (2000, ' (2,000 of 10,000 points shown)')
        """
        if len(self.points) <= _MOST_POINTS:
            return self, ""
        kept = np.linspace(0, len(self.points) - 1, _MOST_POINTS).astype(np.int64)
        words = f" ({_MOST_POINTS:,} of {len(self.points):,} points shown)"
        return Sample(self.points[kept], self.labels[kept], self.classes), words


class Plane(Canvas):
    """A canvas for points of the plane."""

    def points(
        self, sample: Sample, *, size: float = 9, legend: bool = True, where: Any = None
    ) -> None:
        """Draw the points of each class with its own marker and colour."""
        for place, label in enumerate(sample.classes):
            name = f"class {plain(label)}"
            self.draw(
                sample.points[sample.labels == label].T,
                name,
                hover=f"{name}<br>%{{x:.4g}}, %{{y:.4g}}",
                where=where,
                mode="markers",
                marker=self.ink.marker(place, size),
                legendgroup=name,
                showlegend=legend,
            )

    def rings(self, points: Any, name: str) -> None:
        """Draw a ring around points that stand out."""
        look = self.ring("circle-open", 17, 1.8)
        self.draw(points.T, name, hover="", mode="markers", marker=look)

    def ring(self, symbol: str, size: float, width: float = 2) -> dict[str, Any]:
        """An open marker around a point."""
        return {"symbol": symbol, "size": size, "color": self.ink.text, "line": {"width": width}}

    def fix_axes(self, box: Box, *, equal: bool, grid: bool = False) -> None:
        """Let the axes show a box, with the same length for a unit on both where these are comparable."""
        plain = {"showgrid": grid, "zeroline": False, "constrain": "domain"}
        self.figure.update_xaxes(range=box[:2], constraintoward="left", **plain)
        self.figure.update_yaxes(range=box[2:], constraintoward="top", **plain)
        if equal:
            self.figure.update_yaxes(scaleanchor="x", scaleratio=1)


def ask(method: Callable[[Floats], Any], points: Floats) -> Array:
    """What a model says of points; that they come without the names of its features is no news."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(method(points))


def plain(text: object) -> str:
    """Words as they are: plotly would take what looks like markup for markup.

    Examples
    --------
    >>> plain("a<b")
    'a&lt;b'
    """
    return html.escape(str(text), quote=False)


def classes_in(labels: Array, classes: Any = None) -> list[Any]:
    """The classes of a model, or those that the labels hold; a label that is none of them is refused."""
    known = np.unique(labels) if classes is None else np.asarray(classes)
    strange = labels[~np.isin(labels, known)]
    inside = f"made of the model's classes {', '.join(map(str, known.tolist()))}"
    require(not len(strange), "y", inside, strange[0].item() if len(strange) else None)
    return list(known.tolist())


def axis_names(names: Sequence[str] | None, model: Any = None) -> tuple[str, str]:
    """What the two axes are called: as told, as the model knows its features, or x₁ and x₂.

    Examples
    --------
    >>> axis_names(None)
    ('x₁', 'x₂')
    """
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    if names is None:
        return "x₁", "x₂"
    require(len(names) == 2, "feature_names", "two names", list(names))
    return plain(names[0]), plain(names[1])
