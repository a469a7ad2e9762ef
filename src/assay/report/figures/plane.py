"""What a classifier says of every point of the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import (
    Box,
    box_around,
    comparable,
    leaf_boxes,
    line_in_box,
    rim,
    segments,
    wide_box,
)
from assay.report.figures.points import Plane, Sample, ask, axis_names, plain
from assay.report.figures.theme import Figure, Theme
from assay.types import Array, Floats


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
) -> Figure:
    """The regions of a classifier's classes, and the line between them.

    With two classes and a score f the line is where f is zero: exactly, for a linear model; between the points of
    a grid, for others. A machine with support vectors is shown with the lines f = ±1 and rings around
    its support vectors; a decision tree with the box of every leaf.

    Parameters
    ----------
    model : classifier
        Fitted to two features; its `predict` is asked for every point of a grid, and its `decision_function`,
        `coef_`, `support_`, `support_vectors_` and `nodes_` where it has them.
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
    known = getattr(model, "classes_", None)
    require(known is not None, "model", "a fitted classifier", type(model).__name__)
    sample = Sample.read(X, y, known)
    width = getattr(model, "n_features_in_", 2)
    hint = "Fit it to two columns."
    require(width == 2, "the number of the model's features", "2", width, hint)
    require(grid >= 2, "grid", "at least 2", grid)
    names = axis_names(feature_names, model)
    sample, only = sample.thinned()
    what = title or f"{type(model).__name__}: what it says of the plane"
    canvas = Plane(what + only, x=names[0], y=names[1], theme=theme, height=540)
    equal = comparable(sample.points)
    box = wide_box(sample.points) if equal else box_around(sample.points)
    tree = getattr(model, "nodes_", None)
    tree = tree if hasattr(tree, "children_of") else None  # that of assay, not another library's
    across, up = _asked_at(tree, box, grid)
    mesh = np.column_stack([part.ravel() for part in np.meshgrid(across, up)])
    labels = ask(model.predict, mesh)
    codes = np.searchsorted(np.asarray(known), labels).reshape(len(up), len(across))
    edges = (across, up) if tree is None else (_edges(tree, 0, box), _edges(tree, 1, box))
    add_regions(canvas, *edges, codes, len(sample.classes))
    if tree is not None:
        leaves = segments(rim(leaf) for leaf in leaf_boxes(tree, box))
        canvas.outline(leaves, "box of a leaf", {"color": canvas.ink.text, "width": 1.2})
    elif len(sample.classes) == 2 and hasattr(model, "decision_function"):
        wanted = hasattr(model, "support_") if margin is None else margin
        _add_levels(canvas, model, sample.points, mesh, across, up, box, wanted)
    else:
        # The line around the region of every class but the last.
        line = {"color": canvas.ink.text, "width": 1.6}
        for place, lead in enumerate(_leads(model, mesh, codes)[:-1]):
            _add_contour(canvas, across, up, lead, 0.0, "between classes", line, place == 0)
    canvas.points(sample)
    kept = support_of(model, sample.points)
    if len(kept):
        canvas.rings(kept, "support vector")
    _label_regions(canvas, across, up, codes, sample, box)
    canvas.fix_axes(box, equal=equal)
    return canvas.figure


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
    canvas: Plane, across: Floats, up: Floats, codes: Array, classes: int, where: Any = None
) -> None:
    """Tint the plane by the class of every point of a grid, or of every cell between edges."""
    scale = []
    for place in range(classes):
        tint = canvas.ink.faded(place, 0.16)
        scale += [(place / classes, tint), ((place + 1) / classes, tint)]
    heat = canvas.go.Heatmap(
        x=across,
        y=up,
        z=codes.astype(np.int16),
        zmin=-0.5,
        zmax=classes - 0.5,
        colorscale=scale,
        showscale=False,
        hoverinfo="skip",
        name="regions",
    )
    canvas.figure.add_trace(heat, **(where or {}))


def add_level(
    canvas: Plane,
    across: Floats,
    up: Floats,
    z: Any,
    name: str,
    line: dict[str, Any],
    *,
    level: float = 0,
    where: Any = None,
) -> None:
    """Draw the line on which the values of a grid reach a level."""
    contour = canvas.go.Contour(
        x=across,
        y=up,
        z=z,
        autocontour=False,
        contours={"start": level, "end": level, "size": 1, "coloring": "none"},
        line=line,
        showscale=False,
        showlegend=False,
        hoverinfo="skip",
        name=name,
    )
    canvas.figure.add_trace(contour, **(where or {}))


def _add_levels(
    canvas: Plane,
    model: Any,
    points: Floats,
    mesh: Floats,
    across: Floats,
    up: Floats,
    box: Box,
    margin: bool,
) -> None:
    """The lines f = 0 and, where asked for, f = ±1."""
    strong = {"color": canvas.ink.text, "width": 2.4, "dash": "solid"}
    weak = {"color": canvas.ink.text, "width": 1.4, "dash": "dash"}
    levels = [(0.0, "f = 0", strong)]
    if margin:
        levels += [(-1.0, "f = ±1", weak), (1.0, "f = ±1", weak)]
    linear = line_of(model)
    z = None if linear else ask(model.decision_function, mesh).reshape(len(up), len(across))
    for level, name, line in levels:
        first = level <= 0  # of the two margins only one is in the legend
        if linear is not None:
            ends = line_in_box(linear[0], linear[1] - level, box)
            canvas.outline(ends, name, line, legend=first, group=name)
        else:
            _add_contour(canvas, across, up, z, level, name, line, first)
    if linear is not None and margin:
        _add_margin_arrow(canvas, linear, points, box)


def _add_contour(
    canvas: Plane,
    across: Floats,
    up: Floats,
    z: Any,
    level: float,
    name: str,
    line: dict[str, Any],
    legend: bool,
) -> None:
    add_level(canvas, across, up, z, name, {**line, "smoothing": 0.6}, level=level)
    # A contour without colours has no mark in the legend of its own.
    if legend:
        canvas.draw(([None], [None]), name, mode="lines", line=line)


def _leads(model: Any, mesh: Floats, codes: Array) -> Floats:
    """By how much each class leads the best other one, of shape (classes, rows, columns); in steps without scores."""
    many = len(model.classes_)
    if many > 2 and hasattr(model, "decision_function"):
        scores = ask(model.decision_function, mesh)
        if scores.shape == (len(mesh), many) and (scores.argmax(axis=1) == codes.ravel()).all():
            others = np.array([np.delete(scores, k, axis=1).max(axis=1) for k in range(many)])
            return np.asarray(scores.T - others).reshape(many, *codes.shape)
    return np.where(codes == np.arange(many)[:, None, None], 1.0, -1.0)


def _add_margin_arrow(
    canvas: Plane, linear: tuple[Floats, float], points: Floats, box: Box
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
    canvas.arrow(feet[best], tips[best], arrowwidth=1.8)
    canvas.figure.add_annotation(
        x=tips[best][0],
        y=tips[best][1],
        text=f"margin 1/‖w‖ = {1 / length:.3g}",
        showarrow=False,
        yshift=14 if w[1] >= 0 else -14,
        bgcolor=canvas.ink.paper,
        opacity=0.9,
    )


def line_of(model: Any) -> tuple[Floats, float] | None:
    """The weights and the intercept of a linear model of two features; None of any other."""
    try:
        held = model.coef_
        coef = np.asarray(held.toarray() if hasattr(held, "toarray") else held, dtype=np.float64)
    except AttributeError:  # a machine with another kernel says so when asked
        return None
    if coef.size != 2 or not coef.any():
        return None
    intercept = np.asarray(getattr(model, "intercept_", 0.0), dtype=np.float64).ravel()
    return coef.ravel(), float(intercept[0]) if intercept.size else 0.0


def require_line(model: Any, hint: str = "") -> tuple[Floats, float]:
    """The weights and the intercept of a linear model of two features; any other is refused."""
    linear = line_of(model)
    require(linear is not None, "model", "linear, over two features", type(model).__name__, hint)
    assert linear is not None
    return linear


def support_of(model: Any, points: Floats) -> Floats:
    """The support vectors that a model has, as points of the plane."""
    vectors = getattr(model, "support_vectors_", None)
    parts = vectors if isinstance(vectors, tuple | list) else [vectors]
    tables = [np.asarray(part, dtype=np.float64) for part in parts if part is not None]
    tables = [part for part in tables if part.ndim == 2 and part.shape[1] == points.shape[1]]
    return np.unique(np.concatenate(tables), axis=0) if tables else np.zeros((0, 2))


def _label_regions(
    canvas: Plane, across: Floats, up: Floats, codes: Array, sample: Sample, box: Box
) -> None:
    """Write the class into its region, away from other regions and from points."""
    from scipy.ndimage import distance_transform_edt

    shares = np.linspace(0.06, 0.94, 45)
    low, size = np.array([box[0], box[2]]), np.array([box[1] - box[0], box[3] - box[2]])
    places = low + shares[:, None] * size
    near = [np.abs(a[:, None] - places[:, k]).argmin(axis=0) for k, a in enumerate((across, up))]
    even = codes[np.ix_(near[1], near[0])]
    spots = np.column_stack([part.ravel() for part in np.meshgrid(places[:, 0], places[:, 1])])
    gaps = np.abs(spots[:, None, :] - sample.points[None, :, :]) / size
    # Words are wider than they are high.
    free = np.hypot(gaps[:, :, 0] / 2, gaps[:, :, 1]).min(axis=1).reshape(even.shape)
    for place, label in enumerate(sample.classes):
        own = np.pad(even == place, 1)
        if not own.any():
            continue
        room = np.minimum(distance_transform_edt(own)[1:-1, 1:-1] / len(shares), 2 * free)
        spot = spots[int(room.argmax())]
        words = f"says {plain(label)}"
        canvas.note(spot[0], spot[1], words, strong=True, bgcolor=canvas.ink.paper, opacity=0.85)
