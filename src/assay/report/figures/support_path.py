"""The dual variables of a support vector machine as the price of a slack rises."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.report.figures.curves import Curves
from assay.report.figures.theme import Figure, Theme

# More lines than these cannot be told apart: those of the rows that move most are drawn.
_MOST = 6


def support_path_figure(path: Any, *, theme: Theme = "light") -> Figure:
    """The dual variable of every row over C: pieces of straight lines.

    Parameters
    ----------
    path : SupportPath
        From `assay.support_path`.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> from assay import support_path
    >>> path = support_path([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], [0.1, 0.2, 0.4])
    >>> figure = support_path_figure(path)
    >>> [trace.name for trace in figure.data]
    ['row 0', 'row 1', 'row 2', 'row 3', 'the price C']
    """
    alpha, prices = path.alpha, path.prices
    shown = np.sort(np.argsort(-alpha.max(axis=0), kind="stable")[:_MOST])
    canvas = Curves("Dual variables over the price of a slack", x="price C", y="α", theme=theme)
    for place, row in enumerate(shown.tolist()):
        canvas.curve(prices, alpha[:, row], f"row {row}", place, points=len(prices) <= 12)
    canvas.curve(prices, prices, "the price C", len(shown), points=False)
    canvas.name_ends(canvas.y_range(0.0, float(prices.max())))
    others = f", {len(shown)} of {alpha.shape[1]} rows shown" if len(shown) < alpha.shape[1] else ""
    canvas.subtitle(
        f"a row at C does not clear the margin, one at zero may be left out{others}; "
        f"leaving one out errs least at C = {path.best:g}"
    )
    return canvas.figure
