"""A linear classifier drawn as a neuron, and its line beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import line_in_box, wide_box
from assay.report.figures.points import Plane, Sample, plain
from assay.report.figures.theme import Figure, Theme
from assay.types import Floats

_MOST_INPUTS = 16


def neuron_diagram(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature_names: Sequence[str] | None = None,
    title: str = "A linear classifier as a neuron",
    theme: Theme = "light",
) -> Figure:
    """Inputs, weights, their sum and its sign; beside it the line in the plane, where points are given.

    An edge is the thicker the larger its weight is, and dashed where it is below zero.

    Parameters
    ----------
    model : linear classifier
        Fitted to at most 16 features and two classes: `coef_` and `intercept_` are read.
    X, y : arrays of shape (n_samples, 2) and (n_samples,), optional
        Points for the plane, where the model has two features.
    feature_names : sequence of str, optional
        What the inputs are called; left out, as the model knows them.
    title : str
        Above the figure.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import Perceptron, figures
    >>> X, y = [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> figure = figures.neuron_diagram(Perceptron().fit(X, y), X, y)
    >>> [trace.name for trace in figure.data if " = " in trace.name]
    ['w of x₁ = 1', 'w of x₂ = 1', 'weight of the constant = -1']
    """
    coef = np.asarray(getattr(model, "coef_", np.zeros(0)), dtype=np.float64)
    one = coef.size > 0 and (coef.ndim == 1 or coef.shape[0] == 1)
    require(one, "model", "a linear classifier of two classes", type(model).__name__)
    w = coef.ravel()
    require(len(w) <= _MOST_INPUTS, "the number of features", f"at most {_MOST_INPUTS}", len(w))
    b = float(np.ravel(getattr(model, "intercept_", 0.0))[0])
    names = _names(model, feature_names, len(w))
    beside = X is not None
    height = max(420, 150 + 52 * (len(w) + 1))
    widths = [0.55, 0.45] if beside else [1.0]
    panels = {"rows": 1, "cols": len(widths), "column_widths": widths}
    canvas = Plane(title, theme=theme, height=height, panels=panels)
    _add_neuron(canvas, w, b, names, model)
    canvas.figure.update_xaxes(visible=False, range=[-0.75, 4.5], row=1, col=1)
    canvas.figure.update_yaxes(visible=False, range=[-0.7, len(w) + 0.7], row=1, col=1)
    if beside:
        _add_plane(canvas, w, b, X, y, model, names)
    return canvas.figure


def _names(model: Any, names: Sequence[str] | None, width: int) -> list[str]:
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    if names is None:
        below = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
        names = [f"x{str(k + 1).translate(below)}" for k in range(width)]
    require(len(names) == width, "feature_names", f"{width} names", len(names))
    return [plain(name) for name in names]


def _add_neuron(canvas: Plane, w: Floats, b: float, names: list[str], model: Any) -> None:
    figure, colours, where = canvas.figure, canvas.ink, {"row": 1, "col": 1}
    heights = np.arange(len(w), -1, -1, dtype=np.float64)
    middle = float(heights.mean())
    largest = max(float(np.abs(np.append(w, b)).max()), 1e-300)
    words = [*(f"w of {name} = {v:.4g}" for name, v in zip(names, w, strict=True))]
    words.append(f"weight of the constant = {b:.4g}")
    for height, value, text in zip(heights, [*w, b], words, strict=True):
        look = {
            "color": colours.series[0 if value >= 0 else 1],
            "width": 1 + 5 * abs(value) / largest,
            "dash": "solid" if value >= 0 else "dash",
        }
        ends = np.array([(0.0, height), (1.9, middle)])
        canvas.outline(ends, text, look, legend=False, where=where)
        share = 0.36
        figure.add_annotation(
            x=1.9 * share, y=height + share * (middle - height), text=f"{value:.3g}",
            showarrow=False, bgcolor=colours.paper, font={"size": 12}, **where,
        )  # fmt: skip
    # From the rim of one circle, in pixels, to the rim of the next.
    for start, end, out, into in ((1.9, 2.9, 29, 26), (2.9, 3.6, 25, 4)):
        canvas.arrow(
            (start, middle),
            (end, middle),
            arrowwidth=1.8,
            text="",
            startstandoff=out,
            standoff=into,
        )
    circles = [*((0.0, float(h), n) for h, n in zip(heights, [*names, "1"], strict=True))]
    circles += [(1.9, middle, "Σ"), (2.9, middle, "sgn")]
    canvas.draw(
        ([c[0] for c in circles], [c[1] for c in circles]),
        "neuron",
        hover="",
        where=where,
        mode="markers+text",
        text=[c[2] if len(c[2]) <= 4 else "" for c in circles],
        marker={
            "size": [38] * (len(circles) - 2) + [56, 48],
            "opacity": 1,  # sizes of their own would make them see-through
            "color": colours.paper,
            "line": {"color": colours.text, "width": 1.8},
        },
        textfont={"size": 14, "color": colours.text},
        showlegend=False,
    )
    for height, name in zip(heights, names, strict=False):
        if len(name) > 4:
            figure.add_annotation(
                x=-0.16, y=height, text=name, xanchor="right", showarrow=False, **where
            )
    classes = [plain(c) for c in getattr(model, "classes_", ("−", "+"))]
    figure.add_annotation(
        x=3.62, y=middle, text=f"≥ 0: {classes[1]}<br>&lt; 0: {classes[0]}", xanchor="left",
        align="left", showarrow=False, **where,
    )  # fmt: skip


def _add_plane(
    canvas: Plane, w: Floats, b: float, X: Any, y: Any, model: Any, names: list[str]
) -> None:
    where = {"row": 1, "col": 2}
    require(len(w) == 2, "the number of features", "2, to be drawn in the plane", len(w))
    sample = Sample.read(X, y, getattr(model, "classes_", None))
    box = wide_box(sample.points, aspect=1.15)
    canvas.points(sample, where=where)
    ends = line_in_box(w, b, box)
    strong = {"color": canvas.ink.text, "width": 2.4}
    canvas.outline(ends, "where the sum is 0", strong, where=where)
    length = float(np.linalg.norm(w))
    figure = canvas.figure
    if length and len(ends):
        foot = ends.mean(axis=0)
        tip = foot + 0.2 * (box[3] - box[2]) * w / length
        canvas.arrow(foot, tip, panel="2", arrowwidth=2)
        figure.add_annotation(
            x=tip[0], y=tip[1], text="w", showarrow=False, xshift=10, yshift=8, xref="x2", yref="y2"
        )
    plain = {"zeroline": False, "constrain": "domain"}
    figure.update_xaxes(title_text=names[0], range=box[:2], **plain, **where)
    figure.update_yaxes(title_text=names[1], range=box[2:], **plain, **where)
    figure.update_yaxes(scaleanchor="x2", scaleratio=1, **where)
