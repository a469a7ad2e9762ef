"""How far examples lie on the right side: the distribution of margins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import require
from assay.report.figures.canvas import Canvas
from assay.report.figures.theme import Figure, Theme

# More steps than a screen can show would only make the page heavy.
_MOST_STEPS = 1500


def margins_distribution(
    margins: Any,
    *,
    x: str = "margin: above zero, the example is classified rightly",
    title: str = "Margins of the examples",
    theme: Theme = "light",
) -> Figure:
    """The share of examples with at most some margin, for every margin.

    Parameters
    ----------
    margins : array, or mapping from names to arrays
        The margin of every example: of a vote, from `AdaBoostClassifier.margins` or `staged_margins`; of a linear
        machine, the label times the score over the length of w.
    x : str
        What the horizontal axis holds.
    title : str
        Above the figure.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import figures
    >>> figure = figures.margins_distribution({"5 rounds": [-0.5, 0.25, 0.25, 1.0]})
    >>> figure.data[0].x.tolist(), figure.data[0].y.tolist()
    ([-0.5, 0.25, 1.0], [0.25, 0.75, 1.0])
    """
    named = margins if isinstance(margins, Mapping) else {"margins": margins}
    require(len(named) > 0, "margins", "one sample at least", dict(named))
    canvas = Canvas(title, x=x, y="share of examples with at most this margin", theme=theme)
    for place, (name, values) in enumerate(named.items()):
        at, share = cumulated(name, values)
        canvas.draw(
            (at, share),
            str(name),
            hover=f"{name}: %{{y:.1%}} have at most %{{x:.3g}}",
            mode="lines",
            line={**canvas.ink.line(place), "shape": "hv"},
        )
    canvas.upright(0, width=1.2)
    canvas.note(0, 1, "wrong ◂ ▸ right", yref="paper", yanchor="bottom")
    canvas.figure.update_yaxes(range=[0, 1.02], tickformat=".0%")
    canvas.figure.update_layout(showlegend=True)
    return canvas.figure


def cumulated(name: object, values: Any) -> tuple[Any, Any]:
    """The different values in order, and the share of all that is at most each of them."""
    sample = np.asarray(values, dtype=np.float64).ravel()
    fine = sample.size > 0 and bool(np.isfinite(sample).all())
    require(fine, f"the margins of {name}", "finite numbers, one at least", sample.tolist()[:5])
    at, many = np.unique(sample, return_counts=True)
    share = np.cumsum(many) / sample.size
    if len(at) > _MOST_STEPS:
        kept = np.unique(np.linspace(0, len(at) - 1, _MOST_STEPS).astype(int))
        at, share = at[kept], share[kept]
    return at, share
