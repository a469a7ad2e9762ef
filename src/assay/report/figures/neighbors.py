"""A point and its neighbours: the nearest ones, or all within a radius."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import circle, plane_points, wide_box
from assay.report.figures.points import (
    add_line,
    add_points,
    add_rings,
    ask,
    axis_names,
    classes_in,
    fix_axes,
    labels_of,
    plain,
)
from assay.report.figures.theme import Theme, canvas, ink, line, plotly_objects

if TYPE_CHECKING:
    import plotly.graph_objects as go


def near_neighbors(
    model: Any,
    X: Any,
    y: Any,
    query: Any,
    *,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """The neighbours by which a rule judges a point: the nearest ones, or all that lie within its radius.

    Parameters
    ----------
    model : rule of nearest neighbours
        Fitted to X and y by Euclidean distances; its `kneighbors` is asked, or its `radius_neighbors`.
    X, y : arrays of shape (n_samples, 2) and (n_samples,)
        The sample of that fit.
    query : array-like of shape (2,)
        The point to be judged.
    feature_names : sequence of two str, optional
        What the axes are called.
    title : str, optional
        Left out, what the rule says.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import KNeighborsClassifier, figures
    >>> X, y = [[0.0, 0], [1, 0], [0, 2], [3, 3]], ["a", "b", "a", "b"]
    >>> figure = figures.near_neighbors(KNeighborsClassifier(3).fit(X, y), X, y, [0.4, 0.5])
    >>> figure.layout.title.text
    'The 3 nearest neighbours say a'
    """
    points = plane_points(X)
    labels = labels_of(y, len(points))
    q = plane_points([query], "query")
    metric = getattr(model, "effective_metric_", "euclidean")
    require(metric == "euclidean", "metric", "'euclidean'", metric)
    if hasattr(model, "kneighbors"):
        distances, rows = model.kneighbors(q)
        radius, what = float(distances[0].max()), f"The {len(rows[0])} nearest neighbours"
    else:
        _, rows = model.radius_neighbors(q)
        radius = float(model.radius)
        what = f"The {len(rows[0])} neighbours within distance {radius:g}"
    near = points[np.asarray(rows[0], dtype=np.int64)]
    said = plain(ask(model.predict, q)[0]) if len(near) else "nothing"
    names = axis_names(feature_names, model)
    figure = canvas(title or f"{what} say {said}", x=names[0], y=names[1], theme=theme, height=540)
    spokes = [part for p in near for part in (q[0], p, (np.nan, np.nan))]
    if spokes:
        thin = {"color": ink(theme).faint, "width": 1.2, "dash": "dot"}
        add_line(figure, np.array(spokes, dtype=np.float64), "to a neighbour", line=thin)
    round_it = circle(q[0], radius)
    add_line(figure, round_it, f"distance {radius:.3g}", line={**line(3, theme), "dash": "dash"})
    add_points(figure, points, labels, classes_in(labels), theme=theme)
    add_rings(figure, near, "neighbour", theme=theme)
    figure.add_trace(
        plotly_objects().Scatter(
            x=q[:, 0],
            y=q[:, 1],
            mode="markers",
            marker={"symbol": "star", "size": 17, "color": ink(theme).text},
            name="query",
            hovertemplate="query<extra></extra>",
        )
    )
    fix_axes(figure, wide_box(np.vstack([points, round_it])), equal=True, grid=True)
    return figure
