"""The perceptron at work: every update a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import BadData, require
from assay.report.figures.frames import MOST_FRAMES, FrameParts, animate
from assay.report.figures.geometry import Box, line_in_box, plane_points, wide_box
from assay.report.figures.points import add_points, axis_names, classes_in, labels_of
from assay.report.figures.theme import Theme, ink, line, panels, plotly_objects
from assay.types import Floats

if TYPE_CHECKING:
    import plotly.graph_objects as go

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
) -> go.Figure:
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
    points = plane_points(X)
    labels = labels_of(y, len(points))
    classes = classes_in(labels, getattr(model, "classes_", None))
    require(len(classes) == 2, "the number of classes", "2", len(classes))
    whole = 1 <= most_frames <= MOST_FRAMES
    require(whole, "most_frames", f"from 1 to {MOST_FRAMES}", most_frames)
    rows, weights = updates_of(model, points, np.where(labels == classes[1], 1.0, -1.0))
    rounds, played = model.record_.trace["round"].astype(int) + 1, model.record_.rounds
    figure = panels(title, columns=2, column_widths=[0.62, 0.38], theme=theme, height=660)
    box = wide_box(points, aspect=1.25)
    add_points(figure, points, labels, classes, theme=theme, where={"row": 1, "col": 1})
    first = len(figure.data)
    moving = [
        [
            *_scene(points[rows[k - 1]], weights[k - 1], weights[k], box, theme),
            _so_far(rounds[:k], theme),
        ]
        for k in range(1, min(len(rows), most_frames) + 1)
    ]
    for place, trace in enumerate(moving[0] if moving else []):
        figure.add_trace(trace, row=1, col=2 if place == len(moving[0]) - 1 else 1)
    most = _add_bound(figure, _promise(model), len(rows), played, theme)
    _name_axes(figure, axis_names(feature_names, model), box, played, most)
    if moving:
        places = list(range(first, first + len(moving[0])))
        frames: list[FrameParts] = [
            (str(k), traces, places, {}) for k, traces in enumerate(moving, start=1)
        ]
        animate(figure, frames, what="update", theme=theme)
    return figure


def _name_axes(
    figure: go.Figure, names: tuple[str, str], box: Box, played: int, most: float
) -> None:
    plane, beside = {"row": 1, "col": 1}, {"row": 1, "col": 2}
    figure.update_xaxes(title_text=names[0], range=box[:2], zeroline=False, **plane)
    figure.update_yaxes(title_text=names[1], range=box[2:], zeroline=False, **plane)
    figure.update_xaxes(constrain="domain", constraintoward="left", **plane)
    figure.update_yaxes(
        scaleanchor="x", scaleratio=1, constrain="domain", constraintoward="top", **plane
    )
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
    rows = trace["round"].astype(np.int64) % len(points)
    constant = 1.0 if model.fit_intercept else 0.0
    steps = signs[rows, None] * np.column_stack([points[rows], np.full(len(rows), constant)])
    weights = np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    last = np.append(np.ravel(model.coef_), model.intercept_)
    if not np.allclose(weights[-1], last, rtol=1e-6, atol=1e-9):
        raise BadData("X and y must be the sample that the model was fitted to, in the same order.")
    return rows, weights


def _scene(wrong: Floats, before: Floats, after: Floats, box: Box, theme: Theme) -> list[Any]:
    """The line before an update and after it, the weights after it, and the mistaken point."""
    go, colours = plotly_objects(), ink(theme)
    old, new = (line_in_box(w[:2], float(w[2]), box) for w in (before, after))
    if not len(old):
        old = np.full((1, 2), np.nan)  # no line, but its place in the legend
    arrow = _arrow(after, box)
    return [
        go.Scatter(
            x=old[:, 0],
            y=old[:, 1],
            mode="lines",
            line={"color": colours.faint, "width": 1.8, "dash": "dot"},
            name="line before",
            hoverinfo="skip",
        ),
        go.Scatter(
            x=new[:, 0],
            y=new[:, 1],
            mode="lines",
            line={"color": colours.text, "width": 2.4},
            name="line after",
            hoverinfo="skip",
        ),
        go.Scatter(
            x=arrow[:, 0],
            y=arrow[:, 1],
            mode="lines+markers",
            line={"color": colours.series[2], "width": 2.8},
            marker={
                "symbol": ["circle", "arrow"],
                "size": [5, 15],
                "angleref": "previous",
                "color": colours.series[2],
            },
            name="weights w",
            hovertemplate=f"w = ({after[0]:.4g}, {after[1]:.4g}), b = {after[2]:.4g}<extra></extra>",
        ),
        go.Scatter(
            x=[wrong[0]],
            y=[wrong[1]],
            mode="markers",
            marker={
                "symbol": "circle-x-open",
                "size": 22,
                "color": colours.text,
                "line": {"width": 2},
            },
            name="mistaken point",
            hovertemplate="mistaken: %{x:.4g}, %{y:.4g}<extra></extra>",
        ),
    ]


def _so_far(rounds: Any, theme: Theme) -> Any:
    """The mistakes so far against the examples played."""
    return plotly_objects().Scatter(
        x=[0, *rounds.tolist()],
        y=list(range(len(rounds) + 1)),
        mode="lines+markers",
        line={**line(0, theme), "shape": "hv"},
        marker={"size": 6},
        name="mistakes",
        showlegend=False,
        hovertemplate="after %{x}: %{y} mistakes<extra></extra>",
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
    found = {g.theorem: g.value for g in model.guarantees() if g.value is not None}
    known = [(name, found[name]) for name in _BOUNDS if name in found]
    if not known:
        return None
    name, value = min(known, key=lambda pair: pair[1])
    return _BOUNDS[name].format(f"{value:g}"), value


def _add_bound(
    figure: go.Figure, said: tuple[str, float] | None, mistakes: int, played: int, theme: Theme
) -> float:
    """The promised number as a line, if it is in sight, with its words on it; how high the axis must go."""
    if said is None:
        return max(mistakes, 1)
    text, value = said
    near = value <= 12 * max(mistakes, 1)
    figure.add_annotation(
        text=text if near else f"{text}: far above",
        x=played,
        xanchor="right",
        y=value if near else 1.1 * max(mistakes, 1),
        yanchor="bottom",
        showarrow=False,
        font={"color": line(1, theme)["color"]},
        row=1,
        col=2,
    )
    if not near:
        return max(mistakes, 1)
    figure.add_trace(
        plotly_objects().Scatter(
            x=[0, played],
            y=[value, value],
            mode="lines",
            line=line(1, theme),
            name="bound",
            showlegend=False,
            hovertemplate=f"{text}<extra></extra>",
        ),
        row=1,
        col=2,
    )
    return max(value, mistakes, 1)
