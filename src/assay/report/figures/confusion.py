"""Which classes are taken for which: the held-out rows counted by truth and prediction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from assay.certificates.show.words import percent
from assay.errors import require
from assay.report.figures.canvas import Canvas
from assay.report.figures.theme import Figure, Theme, with_alpha


def confusion_figure(
    counts: ArrayLike, labels: Sequence[object], *, theme: Theme = "light"
) -> Figure:
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
    table = np.asarray(counts)
    square = table.ndim == 2 and table.shape == (len(labels), len(labels))
    require(square, "counts", "one row and one column for every label", table.shape)
    share = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    text = [
        [f"{n:,}<br>{percent(s)}" if n else "0" for n, s in zip(row, part, strict=True)]
        for row, part in zip(table.tolist(), share.tolist(), strict=True)
    ]
    names = [str(label) for label in labels]
    title, height = "Truth and prediction on the held-out rows", 240 + 46 * len(names)
    canvas = Canvas(title, x="predicted", y="truth", theme=theme, height=height)
    colours = canvas.ink
    canvas.figure.add_heatmap(
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
    canvas.figure.update_yaxes(autorange="reversed", type="category", showgrid=False)
    canvas.figure.update_xaxes(type="category", showgrid=False)
    return canvas.figure
