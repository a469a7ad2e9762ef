"""A quantity as it was predicted, beside what it was."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import require
from assay.report.figures.canvas import Canvas
from assay.report.figures.theme import Figure, Theme, with_alpha

_MOST = 2000


def predicted_figure(
    truth: ArrayLike, predicted: ArrayLike, limit: float | None = None, *, theme: Theme = "light"
) -> Figure:
    """Every row by its true and its predicted number, with the line on which both are equal.

    Parameters
    ----------
    truth, predicted : array-like of shape (n_rows,)
        The numbers; of more than 2,000 rows evenly chosen ones are shown.
    limit : float, optional
        How far off most rows are, as a band about the line.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = predicted_figure([1.0, 2.0], [1.5, 2.0], 0.5)
    >>> figure.data[-1].x.tolist(), figure.data[-1].y.tolist()
    ([1.5, 2.0], [1.0, 2.0])
    """
    y, p = np.asarray(truth, dtype=float), np.asarray(predicted, dtype=float)
    require(y.shape == p.shape and y.ndim == 1, "predicted", "one for every row", p.shape)
    shown = np.unique(np.linspace(0, len(y) - 1, min(len(y), _MOST)).astype(int))
    canvas = Canvas(
        "True and predicted numbers on the held-out rows", x="predicted", y="truth", theme=theme
    )
    ends = np.array([p.min(), p.max()]) if len(p) else np.zeros(2)
    ink = canvas.ink
    if limit is not None:
        canvas.figure.add_scatter(
            x=np.concatenate([ends, ends[::-1]]),
            y=np.concatenate([ends - limit, ends[::-1] + limit]),
            mode="lines",
            fill="toself",
            fillcolor=with_alpha(ink.series[0], 0.15),
            line={"width": 0},
            hoverinfo="skip",
            name="promised",
        )
    canvas.figure.add_scatter(
        x=ends, y=ends, mode="lines", line={"color": ink.text, "width": 1}, name="equal"
    )
    canvas.figure.add_scatter(
        x=p[shown],
        y=y[shown],
        mode="markers",
        marker={"color": ink.series[0], "size": 5, "opacity": 0.6},
        name="rows",
    )
    return canvas.figure
