"""The curse of dimensionality: neighbours become far, and their labels say less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.report.figures.curves import (
    Label,
    add_line,
    decades,
    name_ends,
    numbers,
    same_length,
    second_panel,
    subtitle,
    y_range,
)
from assay.report.figures.theme import Theme, canvas
from assay.theory.generalization.neighbors import curse_of_dimension

if TYPE_CHECKING:
    import plotly.graph_objects as go


def curse_of_dimensionality(
    dimensions: ArrayLike,
    errors: ArrayLike,
    distances: ArrayLike,
    *,
    best: float | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """Nearest neighbours as the dimension grows and the sample does not.

    Above, the error of the classifier; below, the distance to the nearest neighbour relative to that to a point
    drawn at random, and the part of a ball that lies within half its radius (``curse-of-dimension``).

    Parameters
    ----------
    dimensions : array of int
    errors : array
        The error of nearest neighbours in each dimension.
    distances : array
        The distance to the nearest neighbour over that to a random point, in each dimension.
    best : float, optional
        The error of the best rule.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = curse_of_dimensionality([1, 2, 10], [0.1, 0.15, 0.4], [0.01, 0.1, 0.6])
    >>> figure.data[-1].y.tolist()
    [0.5, 0.25, 0.0009765625]
    """
    d, wrong = numbers("dimensions", dimensions), numbers("errors", errors)
    near = numbers("distances", distances)
    same_length(dimensions=d, errors=wrong, distances=near)
    if d.min() < 1 or (d != np.round(d)).any():
        raise BadParameter("dimensions must be whole numbers of at least 1.")
    order = np.argsort(d)
    d, wrong, near = d[order], wrong[order], near[order]
    ball = [curse_of_dimension(int(k)) for k in d]
    figure = canvas(
        "In many dimensions neighbours are far away", y="error rate", theme=theme, height=560
    )
    second_panel(figure, x="dimensions (logarithmic)", y="share", share=0.5, below=True, gap=0.12)
    add_line(figure, d, wrong, "nearest neighbour", 0, theme, points=True)
    labels = [Label(f"nearest neighbour: {wrong[-1]:.3g}", float(wrong[-1]), 0)]
    if best is not None:
        add_line(figure, d, np.full(len(d), best), "best rule", 1, theme)
        labels.append(Label(f"best rule: {best:.3g}", best, 1))
    ends = y_range(figure, 0.0, max(float(wrong.max()), best or 0.0))
    name_ends(figure, labels, ends, theme, height=185)
    add_line(
        figure, d, near, "nearest distance / random distance", 2, theme, points=True, panel="2"
    )
    add_line(
        figure, d, ball, "part of a ball within half its radius", 3, theme, points=True, panel="2"
    )
    below = [
        Label("nearest distance over random distance", float(near[-1]), 2),
        Label("part of a ball within half its radius", ball[-1], 3),
    ]
    ends = y_range(figure, 0.0, max(1.0, float(near.max())), panel="2")
    margin = figure.layout.margin.r
    name_ends(figure, below, ends, theme, height=185, panel="2")
    right = float(np.log10(d[-1])), float(np.log10(d[0]))
    span = [right[1], right[0] if right[0] > right[1] else right[1] + 1]
    figure.update_layout(
        margin={"r": max(margin, figure.layout.margin.r)},
        xaxis={"type": "log", "range": span, "showticklabels": False},
        xaxis2={"type": "log", "range": span, "tickvals": decades(d[0], d[-1])},
    )
    subtitle(figure, "the same number of rows in every dimension", theme)
    return figure
