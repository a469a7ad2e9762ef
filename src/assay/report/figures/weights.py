"""What a model looks at: the features with the largest weights or importances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import require
from assay.report.figures.canvas import Canvas
from assay.report.figures.theme import Figure, Theme


def largest_weights(
    weights: ArrayLike,
    names: Sequence[str],
    *,
    what: str = "weight",
    most: int = 15,
    theme: Theme = "light",
) -> Figure:
    """The features that weigh most, the largest first; a weight below zero is hatched.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        Weights of a linear model, or importances.
    names : sequence of str
        The features.
    what : str
        What the numbers are.
    most : int
        How many features to show.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = largest_weights([0.1, -2.0, 0.5], ["a", "b", "c"], most=2)
    >>> list(figure.data[0].y)
    ['b', 'c']
    """
    numbers = np.asarray(weights, dtype=float)
    require(numbers.shape == (len(names),), "weights", "one for every name", numbers.shape)
    order = np.argsort(-np.abs(numbers), kind="stable")[:most]
    shown, values = [str(names[i]) for i in order], numbers[order]
    negative = values < 0
    title = f"The {len(shown)} features of largest {what}"
    if len(shown) == len(names):
        title = f"All features by their {what}"
    canvas = Canvas(title, x=what, theme=theme, height=170 + 26 * len(shown))
    above_zero, below_zero = canvas.ink.series[:2]
    hatch = ["/" if below else "" for below in negative]
    canvas.figure.add_bar(
        x=values,
        y=shown,
        orientation="h",
        marker={
            "color": [below_zero if below else above_zero for below in negative],
            "pattern": {"shape": hatch, "fgcolor": canvas.ink.paper},
        },
        hovertemplate="%{y}: %{x:.4g}<extra></extra>",
        showlegend=False,
    )
    canvas.figure.update_yaxes(autorange="reversed", type="category")
    return canvas.figure
