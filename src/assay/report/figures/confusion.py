"""Which classes are taken for which: the held-out rows counted by truth and prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import require
from assay.report.figures.theme import Theme, canvas, ink, plotly_objects, with_alpha

if TYPE_CHECKING:
    import plotly.graph_objects as go


def confusion_figure(
    counts: ArrayLike, labels: Sequence[object], *, theme: Theme = "light"
) -> go.Figure:
    """Rows by truth and prediction: what lies off the diagonal is wrong.

    Every cell is written out with its share of the row's truth, so that no colour need be read.

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_classes)
        ``counts[t][p]`` rows are of truth ``labels[t]`` and were predicted ``labels[p]``.
    labels : sequence
        The classes.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = confusion_figure([[90, 10], [5, 45]], ["ham", "spam"])
    >>> figure.data[0].text[0][1]
    '10<br>10 %'
    """
    found = np.asarray(counts)
    square = found.ndim == 2 and found.shape == (len(labels), len(labels))
    require(square, "counts", "one row and one column for every label", found.shape)
    colours, go = ink(theme), plotly_objects()
    whole = np.maximum(found.sum(axis=1, keepdims=True), 1)
    share = found / whole
    text = [
        [f"{n:,}<br>{100 * s:.3g} %" if n else "0" for n, s in zip(row, part, strict=True)]
        for row, part in zip(found.tolist(), share.tolist(), strict=True)
    ]
    names = [str(label) for label in labels]
    figure = canvas(
        "Truth and prediction on the held-out rows",
        x="predicted",
        y="truth",
        theme=theme,
        height=240 + 46 * len(names),
    )
    figure.add_trace(
        go.Heatmap(
            z=share,
            x=names,
            y=names,
            text=text,
            texttemplate="%{text}",
            textfont={"color": colours.text},
            colorscale=[[0, colours.paper], [1, with_alpha(colours.series[0], 0.45)]],
            zmin=0,
            zmax=1,
            showscale=False,
            xgap=2,
            ygap=2,
            hovertemplate="truth %{y}, predicted %{x}: %{text}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False)
    figure.update_xaxes(type="category", showgrid=False)
    return figure
