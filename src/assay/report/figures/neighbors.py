"""A point and its neighbours: the nearest ones, or all within a radius."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import circle, plane_points, segments, wide_box
from assay.report.figures.points import Plane, Sample, ask, axis_names, plain
from assay.report.figures.theme import Figure, Theme


def near_neighbors(
    model: Any,
    X: Any,
    y: Any,
    query: Any,
    *,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    theme: Theme = "light",
) -> Figure:
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
    sample = Sample.read(X, y)
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
    near = sample.points[np.asarray(rows[0], dtype=np.int64)]
    label = plain(ask(model.predict, q)[0]) if len(near) else "nothing"
    names = axis_names(feature_names, model)
    canvas = Plane(title or f"{what} say {label}", x=names[0], y=names[1], theme=theme, height=540)
    ink = canvas.ink
    if len(near):
        spokes = segments([(q[0], neighbour) for neighbour in near])
        thin = {"color": ink.faint, "width": 1.2, "dash": "dot"}
        canvas.outline(spokes, "to a neighbour", thin)
    ring = circle(q[0], radius)
    canvas.outline(ring, f"distance {radius:.3g}", {**ink.line(3), "dash": "dash"})
    canvas.points(sample)
    canvas.rings(near, "neighbour")
    star = {"symbol": "star", "size": 17, "color": ink.text}
    canvas.draw(q.T, "query", hover="query", mode="markers", marker=star)
    canvas.fix_axes(wide_box(np.vstack([sample.points, ring])), equal=True, grid=True)
    return canvas.figure
