"""Radon's theorem in the plane: four points and more fall into two groups whose hulls meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.report.figures.geometry import hull, plane_points, wide_box
from assay.report.figures.points import fix_axes
from assay.report.figures.theme import Theme, canvas, faded, ink, line, marker, plotly_objects
from assay.theory.complexity.radon import RadonPartition, radon_partition

if TYPE_CHECKING:
    import plotly.graph_objects as go


def radon_hulls(
    points: Any,
    partition: RadonPartition | None = None,
    *,
    title: str = "Two groups whose hulls share a point: no line separates them",
    theme: Theme = "light",
) -> go.Figure:
    """Points of the plane in two groups whose convex hulls share a point (``radon-partition``).

    Parameters
    ----------
    points : array-like of shape (n_points, 2)
        Four at least.
    partition : RadonPartition, optional
        Left out, what `assay.theory.complexity.radon.radon_partition` finds.
    title : str
        Above the figure.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import figures
    >>> figure = figures.radon_hulls([[0, 0], [2, 0], [0, 2], [2, 2]])
    >>> [trace.name for trace in figure.data], list(figure.data[2].x)
    (['first group', 'second group', 'common point'], [1.0])
    """
    cloud = plane_points(points, "points")
    found = radon_partition(cloud.tolist()) if partition is None else partition
    go, colours = plotly_objects(), ink(theme)
    figure = canvas(title, x="x₁", y="x₂", theme=theme, height=480)
    for place, (name, rows) in enumerate(
        (("first group", found.first), ("second group", found.second))
    ):
        own = cloud[list(rows)]
        edge = hull(own)
        figure.add_trace(
            go.Scatter(
                x=edge[:, 0],
                y=edge[:, 1],
                mode="lines+markers",
                fill="toself" if len(edge) > 3 else None,
                fillcolor=faded(place, theme, 0.15),
                line=line(place, theme),
                marker=marker(place, theme, 12),
                name=name,
                hovertemplate=f"{name}: %{{x:.4g}}, %{{y:.4g}}<extra></extra>",
            )
        )
        # A point inside of the hull is not one of its corners.
        inner = [p for p in own if not (edge == p).all(axis=1).any()]
        if inner:
            spots = np.array(inner)
            figure.add_trace(
                go.Scatter(
                    x=spots[:, 0],
                    y=spots[:, 1],
                    mode="markers",
                    marker=marker(place, theme, 12),
                    name=name,
                    showlegend=False,
                )
            )
    common = [float(value) for value in found.point]
    figure.add_trace(
        go.Scatter(
            x=common[:1],
            y=common[1:],
            mode="markers",
            marker={
                "symbol": "circle-cross-open",
                "size": 26,
                "color": colours.text,
                "line": {"width": 2},
            },
            name="common point",
            hovertemplate="common point: %{x:.4g}, %{y:.4g}<extra></extra>",
        )
    )
    fix_axes(figure, wide_box(cloud, pad=0.2), equal=True, grid=True)
    return figure
