"""Loss functions on one axis: what a margin costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import BadParameter, require
from assay.report.figures.curves import Label, add_line, name_ends, note, subtitle, y_range
from assay.report.figures.theme import Theme, canvas, ink, plotly_objects
from assay.types import Floats

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Definitions; that they bound the 0-1 loss, and which are convex, are theorems.
LOSSES: dict[str, Callable[[Floats], Floats]] = {
    "0-1": lambda m: (m <= 0).astype(np.float64),
    "hinge": lambda m: np.maximum(0.0, 1.0 - m),
    "square": lambda m: (1.0 - m) ** 2,
    "exponential": lambda m: np.exp(-m),
    "logistic": lambda m: np.logaddexp(0.0, -m) / np.log(2.0),
    "perceptron": lambda m: np.maximum(0.0, -m),
}


def loss_functions(
    names: Sequence[str] = tuple(LOSSES),
    *,
    low: float = -2.0,
    high: float = 2.5,
    most: float = 4.0,
    theme: Theme = "light",
) -> go.Figure:
    """What each loss takes for a margin y f(x): a mistake costs at least one, but for the perceptron's.

    Parameters
    ----------
    names : sequence of str
        Which of "0-1", "hinge", "square", "exponential", "logistic" (to base 2) and "perceptron".
    low, high : float
        The margins at the ends of the axis.
    most : float
        Where the axis of the loss ends.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = loss_functions(["0-1", "hinge"], low=-1.0, high=2.0)
    >>> [(trace.name, float(trace.y[0]), float(trace.y[-1])) for trace in figure.data]
    [('0-1', 1.0, 0.0), ('hinge', 2.0, 0.0)]
    """
    _require_known(names)
    require(low < 0 < high, "low", "below zero, and high above it", low)
    # Zero and one are among the margins: corners and the jump stand where they are.
    m = np.unique(np.concatenate([np.linspace(low, high, 301), [0.0, 1e-9, 1.0]]))
    m = m[(m >= low) & (m <= high)]
    figure = canvas("What a margin costs", x="margin y f(x)", y="loss", theme=theme)
    subtitle(
        figure, "left of zero the example is misclassified; the hinge pays until margin 1", theme
    )
    labels = []
    for name in names:
        place = list(LOSSES).index(name)
        values = LOSSES[name](m)
        wide = 3.5 if name == "0-1" else 2.0
        add_line(figure, m, values, name, place, theme, width=wide)
        labels.append(Label(name, float(values[0]), place))
    y_range(figure, 0.0, most)
    figure.update_xaxes(range=[low, high])
    figure.add_vline(x=0, line={"color": ink(theme).faint, "width": 1})
    name_ends(
        figure, [Label(n, float(LOSSES[n](m)[-1]), p) for n, _, p in labels], (0, most), theme
    )
    return figure


def hinge_loss(*, margin: float = 1.0, theme: Theme = "light") -> go.Figure:
    """The hinge loss against the mistake it stands for: it starts to cost before the boundary.

    Parameters
    ----------
    margin : float, default=1.0
        The margin that is asked for: the loss is max(0, 1 - y f(x) / margin).
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = hinge_loss(margin=0.5)
    >>> hinge = figure.data[1]
    >>> float(np.interp(0.25, hinge.x, hinge.y))
    0.5
    """
    require(0 < margin < np.inf, "margin", "finite and above zero", margin)
    x = np.unique(np.concatenate([np.linspace(-1.5, 2.0, 141), [0.0, 1e-9, 1.0]])) * margin
    wrong, hinge = LOSSES["0-1"](x), LOSSES["hinge"](x / margin)
    figure = canvas("The hinge loss pays before the boundary", x="y f(x)", y="loss", theme=theme)
    add_line(figure, x, wrong, "0-1", 0, theme, width=3.5)
    add_line(figure, x, hinge, "hinge", 1, theme)
    zone = (x >= 0) & (x <= margin)
    figure.add_trace(
        plotly_objects().Scatter(
            x=x[zone],
            y=hinge[zone],
            fill="tozeroy",
            mode="none",
            fillpattern={
                "shape": "/",
                "fgcolor": ink(theme).series[1],
                "bgcolor": "rgba(0,0,0,0)",
                "solidity": 0.2,
            },
            name="right, but paying",
            hoverinfo="skip",
        )
    )
    ends = y_range(figure, 0.0, 2.5)
    note(
        figure, 1.05 * margin, 0.55, "right, but within<br>the margin: pays", theme, xanchor="left"
    )
    note(figure, -0.05 * margin, 0.12, "mistakes", theme, xanchor="right")
    labels = [Label("0-1", 0.0, 0), Label("hinge", 0.0, 1)]
    name_ends(figure, labels, ends, theme)
    figure.update_xaxes(range=[-1.5 * margin, 2 * margin])
    for at in (0.0, margin):
        figure.add_vline(x=at, line={"color": ink(theme).faint, "width": 1, "dash": "dot"})
    return figure


def _require_known(names: Sequence[str]) -> None:
    known = ", ".join(repr(name) for name in LOSSES)
    if not names:
        raise BadParameter(f"names must hold some of {known}, but is empty.")
    for name in names:
        require(name in LOSSES, "names", f"some of {known}", name)
