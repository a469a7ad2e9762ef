"""A kd-tree in the plane: how it is built, and how a search passes over most of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from assay.errors import require
from assay.record.cells import KdCells, KdSearch
from assay.report.figures.frames import MOST_FRAMES, FrameParts, animate
from assay.report.figures.geometry import (
    Box,
    box_around,
    circle,
    comparable,
    node_boxes,
    rim,
    segments,
    wide_box,
)
from assay.report.figures.kd_halves import Halving, cells_of
from assay.report.figures.points import Plane, axis_names
from assay.report.figures.theme import Figure, Theme
from assay.types import Floats


def kd_construction(
    points: Any,
    *,
    rule: Halving = "cyclic",
    leaf_size: int = 1,
    feature_names: Sequence[str] | None = None,
    title: str = "A kd-tree, cut by cut",
    theme: Theme = "light",
) -> Figure:
    """The cuts of a kd-tree, one frame for each: first that of all rows, then those of the halves, and so on.

    Parameters
    ----------
    points : array-like of shape (n, 2) or KdCells
        Points of the plane, to be divided here; or the tree that a fitted rule searches in, from
        `assay.learners.neighbors.cells.kd_cells`.
    rule : {"cyclic", "widest"}, default="cyclic"
        By which feature points are divided, at its median: by each in turn, as Bentley did and lectures do, or by that
        in which they spread most, as assay's neighbours do.
    leaf_size : int, default=1
        Parts of so many points are not divided any more.
    feature_names : sequence of two str, optional
        What the axes are called.
    title : str
        Above the figure.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> import numpy as np
    >>> from assay import figures
    >>> figure = figures.kd_construction([[2, 3], [5, 4], [9, 6], [4, 7], [8, 1], [7, 2]])
    >>> figure.frames[0].name, len(figure.frames)  # one less than points
    ('1: x₁ at 6', 5)
    >>> X = np.random.default_rng(0).normal(size=(64, 2))
    >>> len(figures.kd_construction(X, rule="widest", leaf_size=8).frames)
    7
    """
    cells = cells_of(points, rule, leaf_size)
    _require_plane(cells)
    names = axis_names(feature_names)
    canvas = Plane(title, x=names[0], y=names[1], theme=theme, height=660)
    box = _box(cells)
    parts = node_boxes(cells, box)
    inner = [node for node in np.argsort(cells.depth, kind="stable") if cells.feature[node] >= 0]
    require(len(inner) <= MOST_FRAMES, "the number of cuts", f"at most {MOST_FRAMES}", len(inner))
    cuts = [_cut(cells, int(node), parts[int(node)]) for node in inner]
    frames: list[FrameParts] = []
    for k, node in enumerate(inner):
        words = f"{k + 1}: {names[int(cells.feature[node])]} at {cells.threshold[node]:.3g}"
        halved = [rim(parts[int(node)])]
        traces = _cut_traces(canvas, halved, cuts[:k], cuts[k : k + 1])
        frames.append((words, traces, [0, 1, 2], {}))
    canvas.figure.add_traces(frames[0][1] if frames else _cut_traces(canvas, [], [], []))
    _add_rows(canvas, cells.points)
    canvas.fix_axes(box, equal=comparable(cells.points))
    if frames:
        animate(canvas, frames, what="cut")
    return canvas.figure


def kd_query(
    cells: KdCells,
    search: KdSearch,
    *,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    theme: Theme = "light",
) -> Figure:
    """A search for the nearest rows, one frame for each box that is looked into or passed over.

    A box is passed over when it is farther from the query than the worst row kept: when it does not reach into
    the circle around the query. The figure starts with the end of the search.

    Parameters
    ----------
    cells : KdCells
        From `assay.learners.neighbors.cells.kd_cells`, over two features.
    search : KdSearch
        From `assay.learners.neighbors.cells.kd_search`, of the same tree.
    feature_names : sequence of two str, optional
        What the axes are called.
    title : str, optional
        Left out, how many of the blocks were looked at.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> import numpy as np
    >>> from assay import KNeighborsClassifier, figures
    >>> from assay.learners.neighbors import kd_cells, kd_search
    >>> X = np.random.default_rng(0).normal(size=(64, 2))
    >>> model = KNeighborsClassifier(1, algorithm="kd_tree", leaf_size=8).fit(X, np.arange(64) % 2)
    >>> search = kd_search(model, [0.2, 0.1])
    >>> figure = figures.kd_query(kd_cells(model), search)
    >>> len(figure.frames) == len(search.steps)
    True
    """
    _require_plane(cells)
    require(len(search.query) == 2, "the query", "of two features", search.query.tolist())
    names = axis_names(feature_names)
    looked_at = f"{search.scanned} of {cells.blocks} blocks looked at"
    what = title or f"Nearest rows: {looked_at}, the others passed over"
    canvas = Plane(what, x=names[0], y=names[1], theme=theme, height=660)
    frames: list[FrameParts] = []
    for k, step in enumerate(search.steps, start=1):
        verb = "look into" if step.looked else "pass over"
        words = f"{k}: {verb} a box at distance {step.distance:.3g}"
        frames.append((words, _query_traces(canvas, cells, search, k), [0, 1, 2, 3], {}))
    canvas.figure.add_traces(frames[-1][1])
    _add_rows(canvas, cells.points)
    star = {"symbol": "star", "size": 16, "color": canvas.ink.series[1]}
    canvas.draw(search.query[:, None].tolist(), "query", hover="query", mode="markers", marker=star)
    canvas.fix_axes(_box(cells, search.query[None, :]), equal=True)
    animate(canvas, frames, what="step")
    canvas.figure.layout.sliders[0].active = len(frames) - 1
    return canvas.figure


def _require_plane(cells: KdCells) -> None:
    width = cells.points.shape[1]
    require(width == 2, "the number of features", "2, to be drawn in the plane", width)


def _box(cells: KdCells, more: Floats | None = None) -> Box:
    points = cells.points if more is None else np.vstack([cells.points, more])
    return wide_box(points, pad=0.05) if comparable(points) else box_around(points, pad=0.05)


def _box_of(cells: KdCells, node: int) -> Box:
    (left, bottom), (right, top) = cells.low[node], cells.high[node]
    return float(left), float(right), float(bottom), float(top)


def _cut(cells: KdCells, node: int, box: Box) -> Floats:
    left, right, bottom, top = box
    at = float(cells.threshold[node])
    if cells.feature[node] == 0:
        return np.array([(at, bottom), (at, top)])
    return np.array([(left, at), (right, at)])


def _ball(search: KdSearch, radius: float) -> Floats:
    """All places as far away as the worst row kept: a circle, or a square on its corner."""
    if not np.isfinite(radius):
        return np.full((1, 2), np.nan)
    return circle(search.query, radius, corners=4 if search.metric == "manhattan" else 120)


def _cut_traces(
    canvas: Plane, halved: list[Floats], before: list[Floats], fresh: list[Floats]
) -> list[Any]:
    """The box that is cut, the earlier cuts, and this one."""
    thin = {"color": canvas.ink.faint, "width": 1.4}
    thick = {**canvas.ink.line(1, 3.2), "dash": "solid"}
    return [
        _area(canvas, halved, "box that is cut", canvas.ink.faded(0, 0.14)),
        canvas.trace(_with_gaps(before).T, "earlier cuts", hover="", mode="lines", line=thin),
        canvas.trace(_with_gaps(fresh).T, "this cut", hover="", mode="lines", line=thick),
    ]


def _query_traces(canvas: Plane, cells: KdCells, search: KdSearch, steps: int) -> list[Any]:
    """The boxes passed over and looked at in so many steps, and what is then known of the nearest rows."""
    done, ink = search.steps[:steps], canvas.ink
    passed = [rim(_box_of(cells, s.node)) for s in done if not s.looked]
    looked = [rim(_box_of(cells, s.node)) for s in done if s.looked]
    ring, kept = _ball(search, done[-1].worst), cells.points[list(done[-1].nearest)]
    dashed = {"color": ink.series[1], "width": 2, "dash": "dash"}
    open_ring = canvas.ring("circle-open", 16)
    return [
        _area(canvas, passed, "box passed over", ink.faded(5, 0.10), hatched=True),
        _area(canvas, looked, "block looked at", ink.faded(0, 0.30)),
        canvas.trace(ring.T, "as far as the worst", hover="", mode="lines", line=dashed),
        canvas.trace(kept.T, "row kept", hover="", mode="markers", marker=open_ring),
    ]


def _with_gaps(parts: Iterable[Floats]) -> Floats:
    """Lines with a gap around each; nothing but a gap where there are none."""
    return segments([np.empty((0, 2)), *parts])


def _area(
    canvas: Plane, rims: list[Floats], name: str, colour: str, *, hatched: bool = False
) -> Any:
    look = {"fill": "toself", "fillcolor": colour}
    if hatched:
        look = canvas.ink.hatched(colour, 0.15)
    thin = {"color": canvas.ink.faint, "width": 1}
    return canvas.trace(_with_gaps(rims).T, name, hover="", mode="lines", line=thin, **look)


def _add_rows(canvas: Plane, points: Floats) -> None:
    dot = {"size": 6, "color": canvas.ink.text, "symbol": "circle"}
    words = "row %{pointNumber}<br>%{x:.4g}, %{y:.4g}"
    canvas.draw(points.T, "row", hover=words, mode="markers", marker=dot)
