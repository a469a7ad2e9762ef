"""Radon's theorem in the plane: four points and more fall into two groups whose hulls meet."""

from __future__ import annotations

from typing import Any

from assay.report.figures.geometry import hull, plane_points, wide_box
from assay.report.figures.points import Plane
from assay.report.figures.theme import Figure, Theme
from assay.theory.complexity.radon import RadonPartition, radon_partition


def radon_hulls(
    points: Any,
    partition: RadonPartition | None = None,
    *,
    title: str = "Two groups whose hulls share a point: no line separates them",
    theme: Theme = "light",
) -> Figure:
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
    groups = radon_partition(cloud.tolist()) if partition is None else partition
    canvas = Plane(title, x="x₁", y="x₂", theme=theme, height=480)
    for place, (name, rows) in enumerate(
        (("first group", groups.first), ("second group", groups.second))
    ):
        own = cloud[list(rows)]
        edge = hull(own)
        look = canvas.ink.marker(place, 12)
        canvas.draw(
            edge.T,
            name,
            hover=f"{name}: %{{x:.4g}}, %{{y:.4g}}",
            mode="lines+markers",
            fill="toself" if len(edge) > 3 else None,
            fillcolor=canvas.ink.faded(place, 0.15),
            line=canvas.ink.line(place),
            marker=look,
        )
        # A point inside of the hull is not one of its corners.
        inner = own[[not (edge == point).all(axis=1).any() for point in own]]
        if len(inner):
            canvas.draw(inner.T, name, mode="markers", marker=look, showlegend=False)
    canvas.draw(
        [[float(value)] for value in groups.point],
        "common point",
        hover="common point: %{x:.4g}, %{y:.4g}",
        mode="markers",
        marker=canvas.ring("circle-cross-open", 26),
    )
    canvas.fix_axes(wide_box(cloud, pad=0.2), equal=True, grid=True)
    return canvas.figure
