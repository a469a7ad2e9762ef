"""The margin perceptron: a band around the line in which being right is not enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import circle, cut, line_in_box, side_of_box, wide_box
from assay.report.figures.plane import require_line
from assay.report.figures.points import Plane, Sample, axis_names
from assay.report.figures.theme import Figure, Theme


def margin_band(
    model: Any,
    X: Any,
    y: Any,
    *,
    width: float | None = None,
    title: str | None = None,
    theme: Theme = "light",
) -> Figure:
    r"""The band around a line in which a point is learned from even if it lies on its side.

    For a margin perceptron, whose examples are scaled to length one, the points are shown on the unit circle and
    the band is the :math:`(1-\varepsilon)\gamma` of its rule: γ/2 with half of the margin given up. Any other linear
    model is shown with the points as they are and the width given.

    Parameters
    ----------
    model : MarginPerceptron or other linear classifier
        Fitted to two features and two classes; a margin perceptron without intercept.
    X, y : arrays of shape (n_samples, 2) and (n_samples,)
        The points.
    width : float, optional
        The distance from the line up to which the band goes; left out, that of the margin perceptron.
    title : str, optional
        Left out, how wide the band is and how many points lie in it.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import MarginPerceptron, figures
    >>> X, y = [[1.0, 2.0], [2.0, -1.5], [-1.0, -2.0], [-2.0, 0.5]], [1, 1, 0, 0]
    >>> model = MarginPerceptron(margin=0.5, fit_intercept=False).fit(X, y)
    >>> figures.margin_band(model, X, y).layout.title.text
    'Nearer than 0.25 is not right enough: 0 points in the band, 0 wrong'
    """
    sample = Sample.read(X, y, getattr(model, "classes_", None))
    w, b = require_line(model)
    points, signs = sample.points, sample.signs()
    scaled = hasattr(model, "eps") and hasattr(model, "margin")
    if scaled:
        hint = "With a constant feature the scaled points lie on a sphere, not in the plane."
        require(not model.fit_intercept, "fit_intercept", "False", model.fit_intercept, hint)
        points = points / np.linalg.norm(points, axis=1, keepdims=True)
        width = (1 - float(model.eps)) * float(model.margin) if width is None else width
    require(width is not None and width > 0, "width", "a number above zero", width)
    assert width is not None
    length = float(np.linalg.norm(w))
    reached = signs * (points @ w + b) / length
    narrow, wrong = (reached >= 0) & (reached < width), reached < 0
    inside = "1 point" if narrow.sum() == 1 else f"{narrow.sum()} points"
    what = f"Nearer than {width:.3g} is not right enough: {inside} in the band, {wrong.sum()} wrong"
    across, up = (f"{name}, scaled" if scaled else name for name in axis_names(None, model))
    canvas = Plane(title or what, x=across, y=up, theme=theme, height=560)
    ink = canvas.ink
    box = wide_box(np.vstack([points, circle((0, 0), 1.0)]) if scaled else points)
    band = cut(side_of_box(w, b + width * length, box), -w, -(b - width * length))
    canvas.draw(
        np.vstack([band, band[:1]]).T,
        f"band, {width:.3g} to each side",
        hover="",
        mode="lines",
        line={"color": ink.faint, "width": 1, "dash": "dash"},
        **ink.hatched(ink.faded(4, 0.12)),
    )
    if scaled:
        thin = {"color": ink.faint, "width": 1, "dash": "dot"}
        canvas.outline(circle((0.0, 0.0), 1.0), "length one", thin)
    canvas.outline(line_in_box(w, b, box), "line", {"color": ink.text, "width": 2.4})
    canvas.points(sample._replace(points=points))
    if narrow.any():
        canvas.rings(points[narrow], "right, but in the band")
    if wrong.any():
        cross = {"symbol": "circle-x-open", "size": 19, "color": ink.text}
        canvas.draw(points[wrong].T, "wrong", hover="", mode="markers", marker=cross)
    canvas.fix_axes(box, equal=True)
    return canvas.figure
