"""Data that no line separates: how far each point would have to move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import line_in_box, segments, wide_box
from assay.report.figures.plane import require_line
from assay.report.figures.points import Plane, Sample, axis_names
from assay.report.figures.theme import Figure, Theme


def moved_points(
    model: Any,
    X: Any,
    y: Any,
    *,
    margin: float | None = None,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    theme: Theme = "light",
) -> Figure:
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
    sample = Sample.read(X, y, getattr(model, "classes_", None))
    w, b = require_line(model, "It has no line to move points to.")
    points, signs = sample.points, sample.signs()
    length = float(np.linalg.norm(w))
    wide = 1 / length if margin is None else margin
    require(wide > 0, "margin", "above zero", wide)
    missing = np.maximum(0.0, wide - signs * (points @ w + b) / length)
    targets = points + (signs * missing)[:, None] * w / length
    far = missing > 1e-9 * wide
    names = axis_names(feature_names, model)
    what = f"Distances to be moved: {missing.sum():.4g} in all, {far.sum()} of {len(points)} points"
    canvas = Plane(title or what, x=names[0], y=names[1], theme=theme, height=540)
    box = wide_box(np.vstack([points, targets]))
    text = canvas.ink.text
    canvas.outline(line_in_box(w, b, box), "line", {"color": text, "width": 2.4})
    dashed = {"color": text, "width": 1.3, "dash": "dash"}
    for sign in (-1, 1):
        ends = line_in_box(w, b - sign * wide * length, box)
        canvas.outline(ends, f"margin {wide:.3g}", dashed, legend=sign < 0, group="margin")
    if far.any():
        moves = segments(np.stack([points[far], targets[far]], axis=1))
        dotted = {**canvas.ink.line(3, 2.2), "dash": "dot"}
        canvas.outline(moves, "distance to be moved", dotted)
    canvas.points(sample)
    canvas.fix_axes(box, equal=True)
    return canvas.figure
