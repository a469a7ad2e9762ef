"""Data that no line separates: how far each point would have to move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import line_in_box, plane_points, wide_box
from assay.report.figures.plane import line_of
from assay.report.figures.points import (
    add_line,
    add_points,
    axis_names,
    classes_in,
    fix_axes,
    labels_of,
)
from assay.report.figures.theme import Theme, canvas, ink, line

if TYPE_CHECKING:
    import plotly.graph_objects as go


def moved_points(
    model: Any,
    X: Any,
    y: Any,
    *,
    margin: float | None = None,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """For each point that lies on the wrong side of its margin, how far it would have to be moved.

    The sum of these distances, over the margin, is the hinge loss of the line.

    Parameters
    ----------
    model : linear classifier
        Fitted to two features and two classes: `coef_` and `intercept_` are read.
    X, y : arrays of shape (n_samples, 2) and (n_samples,)
        The points.
    margin : float, optional
        The distance from the line at which points should lie; left out, where the score is ±1.
    feature_names : sequence of two str, optional
        What the axes are called.
    title : str, optional
        Left out, the sum of the distances.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import LinearSVC, figures
    >>> X, y = [[0.0, 0], [1, 0], [2, 0], [3, 0]], [0, 1, 0, 1]
    >>> model = LinearSVC().fit(X, y)
    >>> model.coef_, model.intercept_ = [[1.0, 0.0]], [-1.5]
    >>> figures.moved_points(model, X, y).layout.title.text
    'Distances to be moved: 3 in all, 2 of 4 points'
    """
    points = plane_points(X)
    labels = labels_of(y, len(points))
    linear = line_of(model)
    hint = "It has no line to move points to."
    require(linear is not None, "model", "linear, over two features", type(model).__name__, hint)
    assert linear is not None
    classes = classes_in(labels, getattr(model, "classes_", None))
    require(len(classes) == 2, "the number of classes", "2", len(classes))
    w, b = linear
    length = float(np.linalg.norm(w))
    wide = 1 / length if margin is None else margin
    require(wide > 0, "margin", "above zero", wide)
    signs = np.where(labels == classes[1], 1.0, -1.0)
    missing = np.maximum(0.0, wide - signs * (points @ w + b) / length)
    targets = points + (signs * missing)[:, None] * w / length
    far = missing > 1e-9 * wide
    names = axis_names(feature_names, model)
    what = f"Distances to be moved: {missing.sum():.4g} in all, {far.sum()} of {len(points)} points"
    figure = canvas(title or what, x=names[0], y=names[1], theme=theme, height=540)
    box = wide_box(np.vstack([points, targets]))
    colours = ink(theme)
    strong, weak = {"color": colours.text, "width": 2.4}, {"color": colours.text, "width": 1.3}
    add_line(figure, line_in_box(w, b, box), "line", line=strong)
    for sign in (-1, 1):
        ends = line_in_box(w, b - sign * wide * length, box)
        dashed = {**weak, "dash": "dash"}
        add_line(figure, ends, f"margin {wide:.3g}", line=dashed, legend=sign < 0, group="margin")
    moves = [
        part for k in np.flatnonzero(far) for part in (points[k], targets[k], (np.nan, np.nan))
    ]
    if moves:
        red = {**line(3, theme, 2.2), "dash": "dot"}
        add_line(figure, np.array(moves, dtype=np.float64), "distance to be moved", line=red)
    add_points(figure, points, labels, classes, theme=theme)
    fix_axes(figure, box, equal=True)
    return figure
