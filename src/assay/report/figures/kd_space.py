"""A kd-tree in space: the boxes after so many divisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import require
from assay.record.cells import KdCells
from assay.report.figures.canvas import Canvas
from assay.report.figures.kd_halves import Halving, cells_of
from assay.report.figures.theme import MARKERS, Figure, Theme
from assay.types import Floats

# The corners of a box in an order in which a pen draws all of its edges, going back over some.
_PEN = [
    *("000", "100", "110", "010", "000", "001", "101", "100"),
    *("101", "111", "110", "111", "011", "010", "011", "001"),
]
# Shapes that plotly has in space as well; others would be drawn as circles.
_SHAPES = tuple(shape for shape in MARKERS if shape != "triangle-up")


def kd_boxes(
    points: Any,
    *,
    depth: int = 3,
    rule: Halving = "cyclic",
    leaf_size: int = 1,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    theme: Theme = "light",
) -> Figure:
    """The boxes of a kd-tree over three features, after so many divisions, with their rows.

    Parameters
    ----------
    points : array-like of shape (n, 3) or KdCells
        Points of space, or the tree of a fitted rule, as for `kd_construction`.
    depth : int, default=3
        How many divisions lie above a box; blocks that are reached earlier are shown, too.
    rule, leaf_size
        As for `kd_construction`.
    feature_names : sequence of three str, optional
        What the axes are called.
    title : str, optional
        Left out, how many boxes there are.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> import numpy as np
    >>> from assay import figures
    >>> X = np.random.default_rng(0).normal(size=(64, 3))
    >>> figures.kd_boxes(X, depth=2).layout.title.text
    'A kd-tree in space: 4 boxes after 2 divisions'
    """
    cells = cells_of(points, rule, leaf_size)
    width = cells.points.shape[1]
    require(width == 3, "the number of features", "3, to be drawn in space", width)
    require(depth >= 0, "depth", "zero or more", depth)
    names = ["x₁", "x₂", "x₃"] if feature_names is None else [str(n) for n in feature_names]
    require(len(names) == 3, "feature_names", "three names", names)
    blocks = (cells.feature < 0) & (cells.depth < depth)
    shown = np.flatnonzero((cells.depth == depth) | blocks)
    what = f"A kd-tree in space: {len(shown)} boxes after {depth} divisions"
    canvas = Canvas(title or what, theme=theme, height=620)
    for place, node in enumerate(shown.tolist()):
        _add_box(canvas, cells, node, place)
    colours = canvas.ink
    axis = {
        "backgroundcolor": colours.paper,
        "gridcolor": colours.grid,
        "linecolor": colours.faint,
        "zerolinecolor": colours.grid,
    }
    axes = dict(zip(("xaxis", "yaxis", "zaxis"), names, strict=True))
    scene: dict[str, Any] = {key: {**axis, "title": {"text": name}} for key, name in axes.items()}
    canvas.figure.update_layout(
        scene={**scene, "camera": {"eye": {"x": 1.5, "y": 1.3, "z": 0.8}}},
        showlegend=False,
        margin={"b": 10, "l": 0, "r": 0},
    )
    return canvas.figure


def rows_below(cells: KdCells, node: int) -> list[int]:
    """The rows of all blocks below a node, or of the node itself.

    Examples
    --------
    >>> from assay import KNeighborsClassifier
    >>> from assay.learners.neighbors import kd_cells
    >>> model = KNeighborsClassifier(1, algorithm="kd_tree").fit([[0.0], [1.0]], [0, 1])
    >>> rows_below(kd_cells(model), 0)
    [0, 1]
    """
    if cells.feature[node] < 0:
        return [int(row) for row in cells.rows[node]]
    halves = int(cells.left[node]), int(cells.right[node])
    return [row for half in halves for row in rows_below(cells, half)]


def _edges(low: Floats, high: Floats) -> Floats:
    return np.array([[(low, high)[int(c)][j] for j, c in enumerate(corner)] for corner in _PEN])


def _add_box(canvas: Canvas, cells: KdCells, node: int, place: int) -> None:
    """The edges of a box, and the rows in it."""
    colour = canvas.ink.colour(place)
    edges = _edges(cells.low[node], cells.high[node])
    rows = cells.points[rows_below(cells, node)]
    line = {"color": colour, "width": 3}
    dot = {"size": 3.5, "color": colour, "symbol": _SHAPES[place % len(_SHAPES)]}
    words = f"box {place + 1}, {len(rows)} rows<extra></extra>"
    for points, look in (
        (edges, {"mode": "lines", "line": line, "name": "box", "hoverinfo": "skip"}),
        (
            rows,
            {"mode": "markers", "marker": dot, "name": f"{len(rows)} rows", "hovertemplate": words},
        ),
    ):
        x, y, z = points.T
        canvas.figure.add_trace(canvas.go.Scatter3d(x=x, y=y, z=z, **look))
