"""A linear classifier drawn as a neuron, and its line beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import line_in_box, plane_points, wide_box
from assay.report.figures.points import add_line, add_points, classes_in, labels_of, plain
from assay.report.figures.theme import Theme, ink, panels, plotly_objects
from assay.types import Floats

if TYPE_CHECKING:
    import plotly.graph_objects as go

_MOST_INPUTS = 16


def neuron_diagram(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature_names: Sequence[str] | None = None,
    title: str = "A linear classifier as a neuron",
    theme: Theme = "light",
) -> go.Figure:
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
    figure = panels(title, columns=len(widths), column_widths=widths, theme=theme, height=height)
    _add_neuron(figure, w, b, names, model, theme)
    figure.update_xaxes(visible=False, range=[-0.75, 4.5], row=1, col=1)
    figure.update_yaxes(visible=False, range=[-0.7, len(w) + 0.7], row=1, col=1)
    if beside:
        _add_plane(figure, w, b, X, y, model, names, theme)
    return figure


def _names(model: Any, names: Sequence[str] | None, width: int) -> list[str]:
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = [
            f"x{str(k + 1).translate(str.maketrans('0123456789', '₀₁₂₃₄₅₆₇₈₉'))}"
            for k in range(width)
        ]
    require(len(names) == width, "feature_names", f"{width} names", len(names))
    return [plain(name) for name in names]


def _add_neuron(
    figure: go.Figure, w: Floats, b: float, names: list[str], model: Any, theme: Theme
) -> None:
    go, colours = plotly_objects(), ink(theme)
    heights = np.arange(len(w), -1, -1, dtype=np.float64)
    middle = float(heights.mean())
    largest = max(float(np.abs(np.append(w, b)).max()), 1e-300)
    said = [*(f"w of {name} = {v:.4g}" for name, v in zip(names, w, strict=True))]
    said.append(f"weight of the constant = {b:.4g}")
    for height, value, text in zip(heights, [*w, b], said, strict=True):
        look = {
            "color": colours.series[0 if value >= 0 else 1],
            "width": 1 + 5 * abs(value) / largest,
            "dash": "solid" if value >= 0 else "dash",
        }
        ends = np.array([(0.0, height), (1.9, middle)])
        add_line(figure, ends, text, line=look, legend=False, where={"row": 1, "col": 1})
        share = 0.36
        figure.add_annotation(
            x=1.9 * share, y=height + share * (middle - height), text=f"{value:.3g}",
            showarrow=False, bgcolor=colours.paper, font={"size": 12}, row=1, col=1,
        )  # fmt: skip
    classes = [plain(c) for c in getattr(model, "classes_", ("−", "+"))]
    for start, end in ((1.9, 2.9), (2.9, 3.6)):
        # From the rim of one circle, in pixels, to the rim of the next.
        figure.add_annotation(
            x=end, y=middle, ax=start, ay=middle, xref="x", yref="y", axref="x", ayref="y",
            showarrow=True, arrowhead=2, arrowwidth=1.8, arrowcolor=colours.text, text="",
            startstandoff=29 if start == 1.9 else 25, standoff=26 if end == 2.9 else 4,
        )  # fmt: skip
    circles = [*((0.0, float(h), n) for h, n in zip(heights, [*names, "1"], strict=True))]
    circles += [(1.9, middle, "Σ"), (2.9, middle, "sgn")]
    figure.add_trace(
        go.Scatter(
            x=[c[0] for c in circles],
            y=[c[1] for c in circles],
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
            hoverinfo="skip",
            name="neuron",
        ),
        row=1,
        col=1,
    )
    for height, name in zip(heights, names, strict=False):
        if len(name) > 4:
            figure.add_annotation(
                x=-0.16, y=height, text=name, xanchor="right", showarrow=False, row=1, col=1
            )
    figure.add_annotation(
        x=3.62, y=middle, text=f"≥ 0: {classes[1]}<br>&lt; 0: {classes[0]}", xanchor="left",
        align="left", showarrow=False, row=1, col=1,
    )  # fmt: skip


def _add_plane(
    figure: go.Figure,
    w: Floats,
    b: float,
    X: Any,
    y: Any,
    model: Any,
    names: list[str],
    theme: Theme,
) -> None:
    points, where = plane_points(X), {"row": 1, "col": 2}
    require(len(w) == 2, "the number of features", "2, to be drawn in the plane", len(w))
    labels = labels_of(y, len(points))
    classes = classes_in(labels, getattr(model, "classes_", None))
    box = wide_box(points, aspect=1.15)
    add_points(figure, points, labels, classes, theme=theme, where=where)
    ends = line_in_box(w, b, box)
    strong = {"color": ink(theme).text, "width": 2.4}
    add_line(figure, ends, "where the sum is 0", line=strong, where=where)
    length = float(np.linalg.norm(w))
    if length and len(ends):
        foot = ends.mean(axis=0)
        tip = foot + 0.2 * (box[3] - box[2]) * w / length
        figure.add_annotation(
            x=tip[0], y=tip[1], ax=foot[0], ay=foot[1], xref="x2", yref="y2", axref="x2",
            ayref="y2", showarrow=True, arrowhead=2, arrowwidth=2, arrowcolor=ink(theme).text,
        )  # fmt: skip
        figure.add_annotation(
            x=tip[0], y=tip[1], text="w", showarrow=False, xshift=10, yshift=8, xref="x2", yref="y2"
        )
    figure.update_xaxes(title_text=names[0], range=box[:2], zeroline=False, **where)
    figure.update_yaxes(title_text=names[1], range=box[2:], zeroline=False, **where)
    figure.update_xaxes(constrain="domain", **where)
    figure.update_yaxes(scaleanchor="x2", scaleratio=1, constrain="domain", **where)
