"""The perceptron at work: every update a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import BadData, require
from assay.report.figures.frames import MOST_FRAMES, FrameParts, animate
from assay.report.figures.geometry import Box, line_in_box, wide_box
from assay.report.figures.points import Plane, Sample, axis_names
from assay.report.figures.theme import Figure, Theme
from assay.types import Floats

_BOUNDS = {
    "perceptron-margin-mistakes": "at most R²/γ² = {}",
    "perceptron-hinge-mistakes": "at most R²‖u‖² + 2L(u), here {}",
}


def perceptron_steps(
    model: Any,
    X: Any,
    y: Any,
    *,
    feature_names: Sequence[str] | None = None,
    title: str = "The perceptron, update by update",
    most_frames: int = 100,
    theme: Theme = "light",
) -> Figure:
    """Every update of a perceptron in the plane as a frame, with the mistakes beside their bound.

    A frame shows the mistaken point, the line before the update (dotted) and after it, and the weights w as an
    arrow that is orthogonal to the line. Beside it stand the mistakes so far, and what the theorem promises: R²/γ²
    where a line through all of them is known, the hinge bound where not.

    Parameters
    ----------
    model : Perceptron
        Fitted with ``trace=True`` to two features and two classes.
    X, y : arrays of shape (n_samples, 2) and (n_samples,)
        The sample of that fit.
    feature_names : sequence of two str, optional
        What the axes are called.
    title : str
        Above the figure.
    most_frames : int, default=100
        Of more updates only the first are shown.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import Perceptron, figures
    >>> X, y = [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> model = Perceptron(trace=True).fit(X, y)
    >>> figure = figures.perceptron_steps(model, X, y)
    >>> len(figure.frames) == model.record_.updates == 5
    True
    """
    sample = Sample.read(X, y, getattr(model, "classes_", None))
    points, signs = sample.points, sample.signs()
    some = 1 <= most_frames <= MOST_FRAMES
    require(some, "most_frames", f"from 1 to {MOST_FRAMES}", most_frames)
    rows, weights = updates_of(model, points, signs)
    rounds, played = model.record_.trace["round"].astype(int) + 1, model.record_.rounds
    panels = {"rows": 1, "cols": 2, "column_widths": [0.62, 0.38]}
    canvas = Plane(title, theme=theme, height=660, panels=panels)
    box = wide_box(points, aspect=1.25)
    canvas.points(sample, where={"row": 1, "col": 1})
    first = len(canvas.figure.data)
    moving = [
        [
            *_scene(canvas, points[rows[k - 1]], weights[k - 1], weights[k], box),
            _so_far(canvas, rounds[:k]),
        ]
        for k in range(1, min(len(rows), most_frames) + 1)
    ]
    for place, trace in enumerate(moving[0] if moving else []):
        canvas.figure.add_trace(trace, row=1, col=2 if place == len(moving[0]) - 1 else 1)
    most = _add_bound(canvas, _promise(model), len(rows), played)
    _name_axes(canvas.figure, axis_names(feature_names, model), box, played, most)
    if moving:
        places = list(range(first, first + len(moving[0])))
        frames: list[FrameParts] = [
            (str(k), traces, places, {}) for k, traces in enumerate(moving, start=1)
        ]
        animate(canvas, frames, what="update")
    return canvas.figure


def _name_axes(figure: Figure, names: tuple[str, str], box: Box, played: int, most: float) -> None:
    plane, beside = {"row": 1, "col": 1}, {"row": 1, "col": 2}
    plain = {"zeroline": False, "constrain": "domain"}
    equal = {"scaleanchor": "x", "scaleratio": 1, "constraintoward": "top"}
    figure.update_xaxes(
        title_text=names[0], range=box[:2], constraintoward="left", **plain, **plane
    )
    figure.update_yaxes(title_text=names[1], range=box[2:], **equal, **plain, **plane)
    figure.update_xaxes(title_text="examples played", range=[0, played], **beside)
    figure.update_yaxes(title_text="mistakes", range=[0, 1.15 * most], **beside)
    if most <= 10:
        figure.update_yaxes(dtick=1, **beside)


def updates_of(model: Any, points: Floats, signs: Floats) -> tuple[Any, Floats]:
    """The row of each update, and the weights before the first and after each, the constant's last.

    The perceptron adds y x, so that the rounds of its updates tell its weights; the last are compared with
    those of the model.
    """
    trace: Any = getattr(model.record_, "trace", None)
    must = "True in the model, so that it records its updates"
    require(trace is not None, "trace", must, getattr(model, "trace", None))
    rows = model._rows_played(trace["round"].astype(np.int64), len(points))
    constant = 1.0 if model.fit_intercept else 0.0
    steps = signs[rows, None] * np.column_stack([points[rows], np.full(len(rows), constant)])
    weights = np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    last = np.append(np.ravel(model.coef_), model.intercept_)
    if not np.allclose(weights[-1], last, rtol=1e-6, atol=1e-9):
        raise BadData("X and y must be the sample that the model was fitted to, in the same order.")
    return rows, weights


def _scene(canvas: Plane, wrong: Floats, before: Floats, after: Floats, box: Box) -> list[Any]:
    """The line before an update and after it, the weights after it, and the mistaken point."""
    colours = canvas.ink
    old, new = (line_in_box(w[:2], float(w[2]), box) for w in (before, after))
    if not len(old):
        old = np.full((1, 2), np.nan)  # no line, but its place in the legend
    dotted = {"color": colours.faint, "width": 1.8, "dash": "dot"}
    strong = {"color": colours.text, "width": 2.4}
    green = {"color": colours.series[2]}
    head = {"symbol": ["circle", "arrow"], "size": [5, 15], "angleref": "previous"}
    return [
        canvas.trace(old.T, "line before", hover="", mode="lines", line=dotted),
        canvas.trace(new.T, "line after", hover="", mode="lines", line=strong),
        canvas.trace(
            _arrow(after, box).T,
            "weights w",
            hover=f"w = ({after[0]:.4g}, {after[1]:.4g}), b = {after[2]:.4g}",
            mode="lines+markers",
            line={**green, "width": 2.8},
            marker={**head, **green},
        ),
        canvas.trace(
            wrong[:, None].tolist(),
            "mistaken point",
            hover="mistaken: %{x:.4g}, %{y:.4g}",
            mode="markers",
            marker=canvas.ring("circle-x-open", 22),
        ),
    ]


def _so_far(canvas: Plane, rounds: Any) -> Any:
    """The mistakes so far against the examples played."""
    return canvas.trace(
        ([0, *rounds.tolist()], list(range(len(rounds) + 1))),
        "mistakes",
        hover="after %{x}: %{y} mistakes",
        mode="lines+markers",
        line={**canvas.ink.line(0), "shape": "hv"},
        marker={"size": 6},
        showlegend=False,
    )


def _arrow(weights: Floats, box: Box) -> Floats:
    """From the middle of the line along w, a fifth of the figure long; nothing where w is zero."""
    length = float(np.linalg.norm(weights[:2]))
    if length == 0:
        return np.full((2, 2), np.nan)
    ends = line_in_box(weights[:2], float(weights[2]), box)
    middle = np.array([box[0] + box[1], box[2] + box[3]]) / 2
    foot = ends.mean(axis=0) if len(ends) else middle
    return np.vstack([foot, foot + 0.2 * (box[3] - box[2]) * weights[:2] / length])


def _promise(model: Any) -> tuple[str, float] | None:
    """The best bound on the mistakes that has a number: its name and that number."""
    promised = {g.theorem: g.value for g in model.guarantees() if g.value is not None}
    known = [(name, promised[name]) for name in _BOUNDS if name in promised]
    if not known:
        return None
    name, value = min(known, key=lambda pair: pair[1])
    return _BOUNDS[name].format(f"{value:g}"), value


def _add_bound(
    canvas: Plane, promise: tuple[str, float] | None, mistakes: int, played: int
) -> float:
    """The promised number as a line, if it is in sight, with its words on it; how high the axis must go."""
    if promise is None:
        return max(mistakes, 1)
    (text, value), look = promise, canvas.ink.line(1)
    near = value <= 12 * max(mistakes, 1)
    canvas.note(
        played,
        value if near else 1.1 * max(mistakes, 1),
        text if near else f"{text}: far above",
        xanchor="right",
        yanchor="bottom",
        font={"color": look["color"]},
        row=1,
        col=2,
    )
    if not near:
        return max(mistakes, 1)
    style = {"mode": "lines", "line": look, "showlegend": False}
    canvas.draw(
        ([0, played], [value, value]), "bound", hover=text, where={"row": 1, "col": 2}, **style
    )
    return max(value, mistakes, 1)
