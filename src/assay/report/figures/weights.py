"""What a model looks at: the features with the largest weights or importances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import require
from assay.report.figures.theme import Theme, canvas, ink, plotly_objects

if TYPE_CHECKING:
    import plotly.graph_objects as go


def largest_weights(
    weights: ArrayLike,
    names: Sequence[str],
    *,
    what: str = "weight",
    most: int = 15,
    theme: Theme = "light",
) -> go.Figure:
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
    found = np.asarray(weights, dtype=float)
    require(found.shape == (len(names),), "weights", "one for every name", found.shape)
    order = np.argsort(-np.abs(found), kind="stable")[:most]
    colours, go = ink(theme), plotly_objects()
    shown, values = [str(names[i]) for i in order], found[order]
    negative = values < 0
    title = f"The {len(shown)} features of largest {what}"
    if len(shown) == len(names):
        title = f"All features by their {what}"
    figure = canvas(title, x=what, theme=theme, height=170 + 26 * len(shown))
    figure.add_trace(
        go.Bar(
            x=values,
            y=shown,
            orientation="h",
            marker={
                "color": [colours.series[1] if below else colours.series[0] for below in negative],
                "pattern": {
                    "shape": ["/" if below else "" for below in negative],
                    "fgcolor": colours.paper,
                },
            },
            hovertemplate="%{y}: %{x:.4g}<extra></extra>",
            showlegend=False,
        )
    )
    figure.update_yaxes(autorange="reversed", type="category")
    return figure
