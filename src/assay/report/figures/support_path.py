"""The dual variables of a support vector machine as the price of a slack rises."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.report.figures.curves import Curves
from assay.report.figures.theme import Figure, Theme
from assay.types import Floats, Ints

# More lines than these, and that of the price, cannot be told apart.
_MOST = 5


def support_path_figure(path: Any, *, theme: Theme = "light") -> Figure:
    """The dual variables over C: pieces of straight lines.

    Of more than five rows, those are drawn that get farthest from both 0 and C; most rows stay at one or the other.

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
    shown = _shown(alpha, prices)
    canvas = Curves("Dual variables over the price of a slack", x="price C", y="α", theme=theme)
    for place, row in enumerate(shown.tolist()):
        canvas.curve(prices, alpha[:, row], f"row {row}", place, points=len(prices) <= 12)
    canvas.curve(prices, prices, "the price C", len(shown), points=False)
    canvas.name_ends(canvas.y_range(0.0, float(prices.max())))
    rows = alpha.shape[1]
    some = f"{len(shown)} of {rows} rows; " if len(shown) < rows else ""
    canvas.subtitle(
        f"{some}one at C does not clear the margin, one at 0 may be left out; "
        f"leaving one out errs least at C = {path.best:.3g}"
    )
    return canvas.figure


def _shown(alpha: Floats, prices: Floats) -> Ints:
    """The rows to draw: one that stays at 0 or at C would lie on the axis or on the line of the price."""
    if alpha.shape[1] <= _MOST:
        return np.arange(alpha.shape[1])
    away = np.minimum(alpha, prices[:, None] - alpha).max(axis=0)
    order = np.argsort(-away, kind="stable")[:_MOST]
    moving = away[order] > 1e-6 * prices.max()
    return np.sort(order[moving] if moving.any() else order)
