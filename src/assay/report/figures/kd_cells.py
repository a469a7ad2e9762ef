"""A kd-tree in the plane: how it is built, and how a search passes over most of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import require
from assay.record.cells import KdCells, KdSearch
from assay.report.figures.frames import MOST_FRAMES, FrameParts, animate
from assay.report.figures.geometry import Box, box_around, circle, comparable, wide_box
from assay.report.figures.leaf_boxes import node_boxes
from assay.report.figures.points import axis_names, fix_axes
from assay.report.figures.theme import Theme, canvas, faded, ink, line, plotly_objects
from assay.types import Floats

if TYPE_CHECKING:
    import plotly.graph_objects as go


def kd_construction(
    cells: KdCells,
    *,
    feature_names: Sequence[str] | None = None,
    title: str = "A kd-tree, cut by cut",
    theme: Theme = "light",
) -> go.Figure:
    """The cuts of a kd-tree, one frame for each: first that of all rows, then those of the halves, and so on.

    Parameters
    ----------
    cells : KdCells
        From `assay.learners.neighbors.cells.kd_cells`, over two features.
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
    >>> from assay import KNeighborsClassifier, figures
    >>> from assay.learners.neighbors.cells import kd_cells
    >>> X = np.random.default_rng(0).normal(size=(64, 2))
    >>> model = KNeighborsClassifier(algorithm="kd_tree", leaf_size=8).fit(X, np.arange(64) % 2)
    >>> figure = figures.kd_construction(kd_cells(model))
    >>> len(figure.frames)  # one less than blocks
    7
    """
    _require_plane(cells)
    names = axis_names(feature_names)
    figure = canvas(title, x=names[0], y=names[1], theme=theme, height=660)
    box = _box(cells)
    parts = node_boxes(cells, box)
    cuts = [node for node in np.argsort(cells.depth, kind="stable") if cells.feature[node] >= 0]
    require(len(cuts) <= MOST_FRAMES, "the number of cuts", f"at most {MOST_FRAMES}", len(cuts))
    frames: list[FrameParts] = []
    for k, node in enumerate(cuts, start=1):
        before = _segments(_cut(cells, int(m), parts[int(m)]) for m in cuts[: k - 1])
        fresh = _segments([_cut(cells, int(node), parts[int(node)])])
        halved = _outlines([parts[int(node)]])
        said = f"{k}: {names[int(cells.feature[node])]} at {cells.threshold[node]:.3g}"
        frames.append((said, [*_cut_traces(halved, before, fresh, theme)], [0, 1, 2], {}))
    nothing = np.full((1, 2), np.nan)
    figure.add_traces(frames[0][1] if frames else _cut_traces(nothing, nothing, nothing, theme))
    _add_rows(figure, cells.points, theme)
    fix_axes(figure, box, equal=comparable(cells.points))
    if frames:
        animate(figure, frames, what="cut", theme=theme)
    return figure


def kd_query(
    cells: KdCells,
    search: KdSearch,
    *,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    theme: Theme = "light",
) -> go.Figure:
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
    >>> from assay.learners.neighbors.cells import kd_cells, kd_search
    >>> X = np.random.default_rng(0).normal(size=(64, 2))
    >>> model = KNeighborsClassifier(1, algorithm="kd_tree", leaf_size=8).fit(X, np.arange(64) % 2)
    >>> found = kd_search(model, [0.2, 0.1])
    >>> figure = figures.kd_query(kd_cells(model), found)
    >>> len(figure.frames) == len(found.steps)
    True
    """
    _require_plane(cells)
    require(len(search.query) == 2, "the query", "of two features", search.query.tolist())
    names = axis_names(feature_names)
    what = (
        f"Nearest rows: {search.scanned} of {cells.blocks} blocks looked at, the others passed over"
    )
    figure = canvas(title or what, x=names[0], y=names[1], theme=theme, height=660)
    box = _box(cells, search.query[None, :])
    frames: list[FrameParts] = []
    for k, step in enumerate(search.steps, start=1):
        done = search.steps[:k]
        looked = _outlines(_box_of(cells, s.node) for s in done if s.looked)
        passed = _outlines(_box_of(cells, s.node) for s in done if not s.looked)
        ring = _ball(search, step.worst)
        kept = cells.points[list(step.nearest)]
        verb = "look into" if step.looked else "pass over"
        said = f"{k}: {verb} a box at distance {step.distance:.3g}"
        frames.append((said, _query_traces(looked, passed, ring, kept, theme), [0, 1, 2, 3], {}))
    figure.add_traces(frames[-1][1])
    _add_rows(figure, cells.points, theme)
    figure.add_trace(
        plotly_objects().Scatter(
            x=[search.query[0]],
            y=[search.query[1]],
            mode="markers",
            marker={"symbol": "star", "size": 16, "color": ink(theme).series[1]},
            name="query",
            hovertemplate="query<extra></extra>",
        )
    )
    fix_axes(figure, box, equal=True)
    animate(figure, frames, what="step", theme=theme)
    figure.layout.sliders[0].active = len(frames) - 1
    return figure


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


def _segments(parts: Iterable[Floats]) -> Floats:
    """Lines one after the other, with a gap between them."""
    gap = np.full((1, 2), np.nan)
    return np.vstack([gap, *(np.vstack([part, gap]) for part in parts)])


def _outlines(boxes: Iterable[Box]) -> Floats:
    return _segments(
        np.array([(a, c), (b, c), (b, d), (a, d), (a, c)], dtype=np.float64) for a, b, c, d in boxes
    )


def _ball(search: KdSearch, radius: float) -> Floats:
    """All places as far away as the worst row kept: a circle, or a square on its corner."""
    if not np.isfinite(radius):
        return np.full((1, 2), np.nan)
    return circle(search.query, radius, corners=4 if search.metric == "manhattan" else 120)


def _cut_traces(halved: Floats, before: Floats, fresh: Floats, theme: Theme) -> list[Any]:
    go, colours = plotly_objects(), ink(theme)
    thin = {"color": colours.faint, "width": 1.4}
    thick = {**line(1, theme, 3.2), "dash": "solid"}
    return [
        _filled(halved, "box that is cut", faded(0, theme, 0.14), "", theme),
        go.Scatter(
            x=before[:, 0], y=before[:, 1], mode="lines", line=thin, name="earlier cuts",
            hoverinfo="skip",
        ),
        go.Scatter(
            x=fresh[:, 0], y=fresh[:, 1], mode="lines", line=thick, name="this cut",
            hoverinfo="skip",
        ),
    ]  # fmt: skip


def _query_traces(
    looked: Floats, passed: Floats, ring: Floats, kept: Floats, theme: Theme
) -> list[Any]:
    go, colours = plotly_objects(), ink(theme)
    return [
        _filled(passed, "box passed over", faded(5, theme, 0.10), "/", theme),
        _filled(looked, "block looked at", faded(0, theme, 0.30), "", theme),
        go.Scatter(
            x=ring[:, 0],
            y=ring[:, 1],
            mode="lines",
            line={"color": colours.series[1], "width": 2, "dash": "dash"},
            name="as far as the worst",
            hoverinfo="skip",
        ),
        go.Scatter(
            x=kept[:, 0],
            y=kept[:, 1],
            mode="markers",
            marker={
                "symbol": "circle-open",
                "size": 16,
                "color": colours.text,
                "line": {"width": 2},
            },
            name="row kept",
            hoverinfo="skip",
        ),
    ]


def _filled(corners: Floats, name: str, colour: str, pattern: str, theme: Theme) -> Any:
    hatch = {"shape": pattern, "size": 9, "solidity": 0.15, "fgcolor": ink(theme).faint}
    return plotly_objects().Scatter(
        x=corners[:, 0],
        y=corners[:, 1],
        mode="lines",
        fill="toself",
        fillcolor=colour,
        fillpattern={**hatch, "bgcolor": colour} if pattern else None,
        line={"color": ink(theme).faint, "width": 1},
        name=name,
        hoverinfo="skip",
    )


def _add_rows(figure: go.Figure, points: Floats, theme: Theme) -> None:
    figure.add_trace(
        plotly_objects().Scatter(
            x=points[:, 0],
            y=points[:, 1],
            mode="markers",
            marker={"size": 6, "color": ink(theme).text, "symbol": "circle"},
            name="row",
            hovertemplate="row %{pointNumber}<br>%{x:.4g}, %{y:.4g}<extra></extra>",
        )
    )
