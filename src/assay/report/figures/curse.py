"""The curse of dimensionality: neighbours become far, and their labels say less."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.report.figures.curves import Curves, decades, numbers, same_length
from assay.report.figures.theme import Figure, Theme
from assay.theory.generalization.neighbors import curse_of_dimension


def curse_of_dimensionality(
    dimensions: ArrayLike,
    errors: ArrayLike,
    distances: ArrayLike,
    *,
    best: float | None = None,
    theme: Theme = "light",
) -> Figure:
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
    title = "In many dimensions neighbours are far away"
    canvas = Curves(title, y="error rate", theme=theme, height=560)
    canvas.second_panel(x="dimensions (logarithmic)", y="share", below=True, gap=0.12)
    name = "nearest neighbour"
    canvas.curve(d, wrong, name, 0, label=f"{name}: {wrong[-1]:.3g}", points=True)
    if best is not None:
        canvas.curve(d, np.full(len(d), best), "best rule", 1, label=f"best rule: {best:.3g}")
    ends = canvas.y_range(0.0, max(float(wrong.max()), best or 0.0))
    canvas.name_ends(ends, height=185)
    margin = canvas.figure.layout.margin.r
    beside, name = "nearest distance over random distance", "nearest distance / random distance"
    canvas.curve(d, near, name, 2, label=beside, points=True, panel="2")
    canvas.curve(d, ball, "part of a ball within half its radius", 3, points=True, panel="2")
    ends = canvas.y_range(0.0, max(1.0, float(near.max())), panel="2")
    canvas.name_ends(ends, height=185, panel="2")
    left, right = float(np.log10(d[0])), float(np.log10(d[-1]))
    span = [left, right if right > left else left + 1]
    canvas.figure.update_layout(
        margin={"r": max(margin, canvas.figure.layout.margin.r)},
        xaxis={"type": "log", "range": span, "showticklabels": False},
        xaxis2={"type": "log", "range": span, "tickvals": decades(d[0], d[-1])},
    )
    canvas.subtitle("the same number of rows in every dimension")
    return canvas.figure
