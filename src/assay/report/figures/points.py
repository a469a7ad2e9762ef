"""Labelled points: a marker shape and a colour for each class."""

from __future__ import annotations

import html
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import Box
from assay.report.figures.theme import Theme, ink, marker, plotly_objects
from assay.types import Array, Floats

if TYPE_CHECKING:
    import plotly.graph_objects as go


# More could not be told apart, and would make the page heavy.
_MOST_POINTS = 2000


def ask(method: Callable[[Floats], Any], points: Floats) -> Array:
    """What a model says of points; that they come without the names of its features is no news."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(method(points))


def thinned(points: Floats, labels: Array) -> tuple[Floats, Array, str]:
    """At most 2000 of the points, evenly from first to last, and words that say so.

    Examples
    --------
    >>> some, _, words = thinned(np.zeros((10_000, 2)), np.zeros(10_000))
    >>> len(some), words
    (2000, ' (2,000 of 10,000 points shown)')
    """
    if len(points) <= _MOST_POINTS:
        return points, labels, ""
    kept = np.linspace(0, len(points) - 1, _MOST_POINTS).astype(np.int64)
    words = f" ({_MOST_POINTS:,} of {len(points):,} points shown)"
    return points[kept], labels[kept], words


def plain(text: object) -> str:
    """Words as they are: plotly would take what looks like markup for markup.

    Examples
    --------
    >>> plain("a<b")
    'a&lt;b'
    """
    return html.escape(str(text), quote=False)


def labels_of(y: Any, rows: int) -> Array:
    """One label for each row; anything else is refused."""
    labels = np.asarray(y)
    require(labels.shape == (rows,), "y", f"one label for each of the {rows} rows", labels.shape)
    return labels


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


def add_points(
    figure: go.Figure,
    points: Floats,
    labels: Array,
    classes: Sequence[Any],
    *,
    theme: Theme,
    size: float = 9,
    legend: bool = True,
    where: dict[str, int] | None = None,
) -> None:
    """Draw the points of each class with its own marker and colour."""
    go = plotly_objects()
    for place, label in enumerate(classes):
        own, name = labels == label, f"class {plain(label)}"
        figure.add_trace(
            go.Scatter(
                x=points[own, 0],
                y=points[own, 1],
                mode="markers",
                marker=marker(place, theme, size),
                name=name,
                legendgroup=name,
                showlegend=legend,
                hovertemplate=f"{name}<br>%{{x:.4g}}, %{{y:.4g}}<extra></extra>",
            ),
            **(where or {}),
        )


def add_rings(
    figure: go.Figure, points: Floats, name: str, *, theme: Theme, size: float = 17
) -> None:
    """Draw a ring around points that stand out."""
    go = plotly_objects()
    figure.add_trace(
        go.Scatter(
            x=points[:, 0],
            y=points[:, 1],
            mode="markers",
            marker={
                "symbol": "circle-open",
                "size": size,
                "color": ink(theme).text,
                "line": {"width": 1.8},
            },
            name=name,
            hoverinfo="skip",
        )
    )


def add_line(
    figure: go.Figure,
    corners: Floats,
    name: str,
    *,
    line: dict[str, Any],
    legend: bool = True,
    group: str | None = None,
    where: dict[str, int] | None = None,
) -> None:
    """Draw a line through corners."""
    go = plotly_objects()
    figure.add_trace(
        go.Scatter(
            x=corners[:, 0],
            y=corners[:, 1],
            mode="lines",
            line=line,
            name=name,
            legendgroup=group,
            showlegend=legend,
            hoverinfo="skip",
        ),
        **(where or {}),
    )


def fix_axes(figure: go.Figure, box: Box, *, equal: bool, grid: bool = False) -> None:
    """Let the axes show a box, with the same length for a unit on both where these are comparable."""
    plain = {"showgrid": grid, "zeroline": False}
    figure.update_xaxes(range=box[:2], constrain="domain", constraintoward="left", **plain)
    figure.update_yaxes(range=box[2:], constrain="domain", constraintoward="top", **plain)
    if equal:
        figure.update_yaxes(scaleanchor="x", scaleratio=1)
