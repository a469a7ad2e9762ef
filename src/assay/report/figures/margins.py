"""How far examples lie on the right side: the distribution of margins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import require
from assay.report.figures.theme import Theme, canvas, ink, line, plotly_objects

if TYPE_CHECKING:
    import plotly.graph_objects as go

# More steps than a screen can show would only make the page heavy.
_MOST_STEPS = 1500


def margins_distribution(
    margins: Any,
    *,
    x: str = "margin: above zero, the example is classified rightly",
    title: str = "Margins of the examples",
    theme: Theme = "light",
) -> go.Figure:
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
    go, colours = plotly_objects(), ink(theme)
    figure = canvas(title, x=x, y="share of examples with at most this margin", theme=theme)
    for place, (name, values) in enumerate(named.items()):
        at, share = cumulated(name, values)
        figure.add_trace(
            go.Scatter(
                x=at,
                y=share,
                mode="lines",
                line={**line(place, theme), "shape": "hv"},
                name=str(name),
                hovertemplate=f"{name}: %{{y:.1%}} have at most %{{x:.3g}}<extra></extra>",
            )
        )
    figure.add_vline(x=0, line={"color": colours.faint, "width": 1.2})
    figure.add_annotation(
        x=0, y=1, yref="paper", yanchor="bottom", text="wrong ◂ ▸ right", showarrow=False,
        font={"color": colours.faint, "size": 12},
    )  # fmt: skip
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%")
    figure.update_layout(showlegend=True)
    return figure


def cumulated(name: object, values: Any) -> tuple[Any, Any]:
    """The different values in order, and the share of all that is at most each of them."""
    found = np.asarray(values, dtype=np.float64).ravel()
    fine = found.size > 0 and bool(np.isfinite(found).all())
    require(fine, f"the margins of {name}", "finite numbers, one at least", found.tolist()[:5])
    at, many = np.unique(found, return_counts=True)
    share = np.cumsum(many) / found.size
    if len(at) > _MOST_STEPS:
        kept = np.unique(np.linspace(0, len(at) - 1, _MOST_STEPS).astype(int))
        at, share = at[kept], share[kept]
    return at, share
