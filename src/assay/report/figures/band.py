"""The margin perceptron: a band around the line in which being right is not enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import (
    circle,
    cut,
    line_in_box,
    plane_points,
    side_of_box,
    wide_box,
)
from assay.report.figures.plane import line_of
from assay.report.figures.points import (
    add_line,
    add_points,
    add_rings,
    axis_names,
    classes_in,
    fix_axes,
    labels_of,
)
from assay.report.figures.theme import Theme, canvas, faded, ink, plotly_objects

if TYPE_CHECKING:
    import plotly.graph_objects as go


def margin_band(
    model: Any,
    X: Any,
    y: Any,
    *,
    width: float | None = None,
    title: str | None = None,
    theme: Theme = "light",
) -> go.Figure:
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
    points = plane_points(X)
    labels = labels_of(y, len(points))
    linear = line_of(model)
    require(linear is not None, "model", "linear, over two features", type(model).__name__)
    assert linear is not None
    classes = classes_in(labels, getattr(model, "classes_", None))
    require(len(classes) == 2, "the number of classes", "2", len(classes))
    scaled = hasattr(model, "eps") and hasattr(model, "margin")
    if scaled:
        hint = "With a constant feature the scaled points lie on a sphere, not in the plane."
        require(not model.fit_intercept, "fit_intercept", "False", model.fit_intercept, hint)
        points = points / np.linalg.norm(points, axis=1, keepdims=True)
        width = (1 - float(model.eps)) * float(model.margin) if width is None else width
    require(width is not None and width > 0, "width", "a number above zero", width)
    assert width is not None
    w, b = linear
    length = float(np.linalg.norm(w))
    signs = np.where(labels == classes[1], 1.0, -1.0)
    reached = signs * (points @ w + b) / length
    narrow, wrong = (reached >= 0) & (reached < width), reached < 0
    inside = "1 point" if narrow.sum() == 1 else f"{narrow.sum()} points"
    what = f"Nearer than {width:.3g} is not right enough: {inside} in the band, {wrong.sum()} wrong"
    names = axis_names(None, model)
    names = (f"{names[0]}, scaled", f"{names[1]}, scaled") if scaled else names
    figure = canvas(title or what, x=names[0], y=names[1], theme=theme, height=560)
    box = wide_box(np.vstack([points, circle((0, 0), 1.0)]) if scaled else points)
    band = cut(side_of_box(w, b + width * length, box), -w, -(b - width * length))
    hatch = {"shape": "/", "size": 9, "solidity": 0.12, "fgcolor": ink(theme).faint}
    figure.add_trace(
        plotly_objects().Scatter(
            x=np.append(band[:, 0], band[:1, 0]),
            y=np.append(band[:, 1], band[:1, 1]),
            mode="lines",
            line={"color": ink(theme).faint, "width": 1, "dash": "dash"},
            fill="toself",
            fillcolor=faded(4, theme, 0.12),
            fillpattern={**hatch, "bgcolor": faded(4, theme, 0.12)},
            name=f"band, {width:.3g} to each side",
            hoverinfo="skip",
        )
    )
    if scaled:
        thin = {"color": ink(theme).faint, "width": 1, "dash": "dot"}
        add_line(figure, circle((0.0, 0.0), 1.0), "length one", line=thin)
    add_line(figure, line_in_box(w, b, box), "line", line={"color": ink(theme).text, "width": 2.4})
    add_points(figure, points, labels, classes, theme=theme)
    if narrow.any():
        add_rings(figure, points[narrow], "right, but in the band", theme=theme)
    if wrong.any():
        figure.add_trace(
            plotly_objects().Scatter(
                x=points[wrong, 0],
                y=points[wrong, 1],
                mode="markers",
                marker={"symbol": "circle-x-open", "size": 19, "color": ink(theme).text},
                name="wrong",
                hoverinfo="skip",
            )
        )
    fix_axes(figure, box, equal=True)
    return figure
