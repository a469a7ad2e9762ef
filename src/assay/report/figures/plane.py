"""What a classifier says of every point of the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import (
    Box,
    box_around,
    comparable,
    line_in_box,
    plane_points,
    wide_box,
)
from assay.report.figures.leaf_boxes import leaf_boxes
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
    thinned,
)
from assay.report.figures.theme import Theme, canvas, faded, ink, plotly_objects
from assay.types import Array, Floats

if TYPE_CHECKING:
    import plotly.graph_objects as go


def decision_boundary(
    model: Any,
    X: Any,
    y: Any,
    *,
    margin: bool | None = None,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    grid: int = 160,
    theme: Theme = "light",
) -> go.Figure:
    """The regions of a classifier's classes, and the line between them.

    With two classes and a score f the line is where f is zero: exactly, for a linear model; between the points of
    a grid, for others. A machine with support vectors is shown with the lines f = ±1 and rings around
    its support vectors; a decision tree with the box of every leaf.

    Parameters
    ----------
    model : classifier
        Fitted to two features; its `predict` is asked for every point of a grid, and its `decision_function`,
        `coef_`, `support_`, `support_vectors_` and `tree_` where it has them.
    X : array-like of shape (n_samples, 2)
        The points to show.
    y : array-like of shape (n_samples,)
        Their labels.
    margin : bool, optional
        Whether f = ±1 is drawn; left out, for machines with support vectors.
    feature_names : sequence of two str, optional
        What the axes are called.
    title : str, optional
        Left out, the name of the model.
    grid : int, default=160
        The points along each axis.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import SVC, figures
    >>> X, y = [[0.0, 0], [0, 1], [2, 0], [2, 1]], [-1, -1, 1, 1]
    >>> figure = figures.decision_boundary(SVC(C=1e6, kernel="linear").fit(X, y), X, y)
    >>> [line] = [trace for trace in figure.data if trace.name == "f = 0"]
    >>> line.x.round(6).tolist()
    [1.0, 1.0]
    """
    points = plane_points(X)
    labels = labels_of(y, len(points))
    known = getattr(model, "classes_", None)
    require(known is not None, "model", "a fitted classifier", type(model).__name__)
    classes = classes_in(labels, known)
    width = getattr(model, "n_features_in_", 2)
    hint = "Fit it to two columns."
    require(width == 2, "the number of the model's features", "2", width, hint)
    require(grid >= 2, "grid", "at least 2", grid)
    names = axis_names(feature_names, model)
    points, labels, only = thinned(points, labels)
    what = title or f"{type(model).__name__}: what it says of the plane"
    figure = canvas(what + only, x=names[0], y=names[1], theme=theme, height=540)
    equal = comparable(points)
    box = wide_box(points) if equal else box_around(points)
    tree = getattr(model, "tree_", None)
    tree = tree if hasattr(tree, "children_of") else None  # that of assay, not another library's
    across, up = _asked_at(tree, box, grid)
    mesh = np.column_stack([part.ravel() for part in np.meshgrid(across, up)])
    said = ask(model.predict, mesh)
    codes = np.searchsorted(np.asarray(known), said).reshape(len(up), len(across))
    edges = (across, up) if tree is None else (_edges(tree, 0, box), _edges(tree, 1, box))
    add_regions(figure, *edges, codes, classes, theme=theme)
    if tree is not None:
        _add_leaves(figure, tree, box, theme)
    elif len(classes) == 2 and hasattr(model, "decision_function"):
        wanted = hasattr(model, "support_") if margin is None else margin
        _add_levels(figure, model, points, mesh, across, up, box, wanted, theme)
    else:
        _add_borders(figure, _leads(model, mesh, codes), across, up, theme)
    add_points(figure, points, labels, classes, theme=theme)
    kept = support_of(model, points)
    if len(kept):
        add_rings(figure, kept, "support vector", theme=theme)
    _label_regions(figure, across, up, codes, classes, points, box, theme)
    fix_axes(figure, box, equal=equal)
    return figure


def _asked_at(tree: Any, box: Box, grid: int) -> tuple[Floats, Floats]:
    """Where the model is asked along each axis: a tree once between any two of its thresholds."""
    if tree is None:
        return np.linspace(*box[:2], grid), np.linspace(*box[2:], grid)
    edges = _edges(tree, 0, box), _edges(tree, 1, box)
    return (edges[0][1:] + edges[0][:-1]) / 2, (edges[1][1:] + edges[1][:-1]) / 2


def _edges(tree: Any, axis: int, box: Box) -> Floats:
    """The ends of an axis, and the thresholds between them."""
    ends = box[:2] if axis == 0 else box[2:]
    own = np.asarray(tree.threshold)[np.asarray(tree.feature) == axis]
    inside = own[(own > ends[0]) & (own < ends[1])]
    return np.unique(np.concatenate([np.array(ends), inside]))


def add_regions(
    figure: go.Figure,
    across: Floats,
    up: Floats,
    codes: Array,
    classes: Sequence[Any],
    *,
    theme: Theme,
    where: dict[str, int] | None = None,
) -> None:
    """Tint the plane by the class of every point of a grid, or of every cell between edges."""
    go = plotly_objects()
    many = len(classes)
    scale = []
    for place in range(many):
        tint = faded(place, theme, 0.16)
        scale += [(place / many, tint), ((place + 1) / many, tint)]
    figure.add_trace(
        go.Heatmap(
            x=across,
            y=up,
            z=codes.astype(np.int16),
            zmin=-0.5,
            zmax=many - 0.5,
            colorscale=scale,
            showscale=False,
            hoverinfo="skip",
            name="regions",
        ),
        **(where or {}),
    )


def _add_levels(
    figure: go.Figure,
    model: Any,
    points: Floats,
    mesh: Floats,
    across: Floats,
    up: Floats,
    box: Box,
    margin: bool,
    theme: Theme,
) -> None:
    """The lines f = 0 and, where asked for, f = ±1."""
    colours = ink(theme)
    strong = {"color": colours.text, "width": 2.4, "dash": "solid"}
    weak = {"color": colours.text, "width": 1.4, "dash": "dash"}
    levels = [(0.0, "f = 0", strong)]
    if margin:
        levels += [(-1.0, "f = ±1", weak), (1.0, "f = ±1", weak)]
    linear = line_of(model)
    z = None if linear else ask(model.decision_function, mesh).reshape(len(up), len(across))
    for level, name, line in levels:
        first = level <= 0  # of the two margins only one is in the legend
        if linear is not None:
            ends = line_in_box(linear[0], linear[1] - level, box)
            add_line(figure, ends, name, line=line, legend=first, group=name)
            continue
        _add_contour(figure, across, up, z, level, name, line, first)
    if linear is not None and margin:
        _add_margin_arrow(figure, linear, points, box, theme)


def _add_contour(
    figure: go.Figure,
    across: Floats,
    up: Floats,
    z: Any,
    level: float,
    name: str,
    line: dict[str, Any],
    legend: bool,
) -> None:
    go = plotly_objects()
    colour = line["color"]
    figure.add_trace(
        go.Contour(
            x=across,
            y=up,
            z=z,
            autocontour=False,
            contours={"start": level, "end": level, "size": 1, "coloring": "none"},
            line={**line, "smoothing": 0.6},
            showscale=False,
            showlegend=False,
            hoverinfo="skip",
            name=name,
        )
    )
    # A contour without colours has no mark in the legend of its own.
    if legend:
        figure.add_trace(
            go.Scatter(x=[None], y=[None], mode="lines", line={**line, "color": colour}, name=name)
        )


def _leads(model: Any, mesh: Floats, codes: Array) -> Floats:
    """By how much each class leads the best other one, of shape (classes, rows, columns); in steps without scores."""
    many = len(model.classes_)
    if many > 2 and hasattr(model, "decision_function"):
        scores = ask(model.decision_function, mesh)
        if scores.shape == (len(mesh), many) and (scores.argmax(axis=1) == codes.ravel()).all():
            others = np.array([np.delete(scores, k, axis=1).max(axis=1) for k in range(many)])
            return np.asarray(scores.T - others).reshape(many, *codes.shape)
    return np.where(codes == np.arange(many)[:, None, None], 1.0, -1.0)


def _add_borders(
    figure: go.Figure, leads: Floats, across: Floats, up: Floats, theme: Theme
) -> None:
    """The line around the region of every class but the last."""
    line = {"color": ink(theme).text, "width": 1.6}
    for place, lead in enumerate(leads[:-1]):
        _add_contour(figure, across, up, lead, 0.0, "between classes", line, place == 0)


def _add_margin_arrow(
    figure: go.Figure, linear: tuple[Floats, float], points: Floats, box: Box, theme: Theme
) -> None:
    """From the line to f = 1 along w, which is the width of the margin; where there are fewest points."""
    w, b = linear
    ends = line_in_box(w, b, box)
    if not len(ends):
        return
    length = float(np.linalg.norm(w))
    feet = ends[0] + np.linspace(0.1, 0.9, 17)[:, None] * (ends[1] - ends[0])
    tips = feet + w / length**2
    size = np.array([box[1] - box[0], box[3] - box[2]])
    gaps = np.abs(tips[:, None, :] - points[None, :, :]) / size
    room = np.hypot(gaps[:, :, 0] / 2, gaps[:, :, 1]).min(axis=1)
    shares = (tips - np.array([box[0], box[2]])) / size
    room[((shares < 0.12) | (shares > 0.88)).any(axis=1)] = -1.0
    best = int(room.argmax())
    foot, tip = feet[best], tips[best]
    figure.add_annotation(
        x=tip[0],
        y=tip[1],
        ax=foot[0],
        ay=foot[1],
        xref="x",
        yref="y",
        axref="x",
        ayref="y",
        showarrow=True,
        arrowhead=2,
        arrowwidth=1.8,
        arrowcolor=ink(theme).text,
    )
    figure.add_annotation(
        x=tip[0],
        y=tip[1],
        text=f"margin 1/‖w‖ = {1 / length:.3g}",
        showarrow=False,
        yshift=14 if w[1] >= 0 else -14,
        bgcolor=ink(theme).paper,
        opacity=0.9,
    )


def line_of(model: Any) -> tuple[Floats, float] | None:
    """The weights and the intercept of a linear model of two features; None of any other."""
    try:
        coef = np.asarray(model.coef_, dtype=np.float64)
    except AttributeError:  # a machine with another kernel says so when asked
        return None
    if coef.size != 2 or not coef.any():
        return None
    intercept = np.asarray(getattr(model, "intercept_", 0.0), dtype=np.float64).ravel()
    return coef.ravel(), float(intercept[0]) if intercept.size else 0.0


def support_of(model: Any, points: Floats) -> Floats:
    """The support vectors that a model has, as points of the plane."""
    vectors = getattr(model, "support_vectors_", None)
    parts = vectors if isinstance(vectors, tuple | list) else [vectors]
    found = [np.asarray(part, dtype=np.float64) for part in parts if part is not None]
    found = [part for part in found if part.ndim == 2 and part.shape[1] == points.shape[1]]
    return np.unique(np.concatenate(found), axis=0) if found else np.zeros((0, 2))


def _add_leaves(figure: go.Figure, tree: Any, box: Box, theme: Theme) -> None:
    """The outline of every leaf."""
    corners: list[Any] = []
    for left, right, bottom, top in leaf_boxes(tree, box):
        corners += [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
        corners.append((np.nan, np.nan))
    line = {"color": ink(theme).text, "width": 1.2}
    add_line(figure, np.array(corners), "box of a leaf", line=line)


def _label_regions(
    figure: go.Figure,
    across: Floats,
    up: Floats,
    codes: Array,
    classes: Sequence[Any],
    points: Floats,
    box: Box,
    theme: Theme,
) -> None:
    """Write the class into its region, away from other regions and from points."""
    from scipy.ndimage import distance_transform_edt

    shares = np.linspace(0.06, 0.94, 45)
    low, size = np.array([box[0], box[2]]), np.array([box[1] - box[0], box[3] - box[2]])
    places = low + shares[:, None] * size
    near = [np.abs(a[:, None] - places[:, k]).argmin(axis=0) for k, a in enumerate((across, up))]
    even = codes[np.ix_(near[1], near[0])]
    spots = np.column_stack([part.ravel() for part in np.meshgrid(places[:, 0], places[:, 1])])
    gaps = np.abs(spots[:, None, :] - points[None, :, :]) / size
    # Words are wider than they are high.
    free = np.hypot(gaps[:, :, 0] / 2, gaps[:, :, 1]).min(axis=1).reshape(even.shape)
    for place, label in enumerate(classes):
        own = np.pad(even == place, 1)
        if not own.any():
            continue
        room = np.minimum(distance_transform_edt(own)[1:-1, 1:-1] / len(shares), 2 * free)
        spot = spots[int(room.argmax())]
        figure.add_annotation(
            x=spot[0],
            y=spot[1],
            text=f"says {plain(label)}",
            showarrow=False,
            font={"color": ink(theme).text, "size": 12},
            bgcolor=ink(theme).paper,
            opacity=0.85,
        )
