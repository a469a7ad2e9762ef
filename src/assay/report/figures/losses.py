"""Loss functions on one axis: what a margin costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.errors import BadParameter, require
from assay.report.figures.curves import Curves
from assay.report.figures.theme import Figure, Theme
from assay.types import Floats

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
) -> Figure:
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
    canvas = Curves("What a margin costs", x="margin y f(x)", y="loss", theme=theme)
    canvas.subtitle("left of zero the example is misclassified; the hinge pays until margin 1")
    for name in names:
        wide = 3.5 if name == "0-1" else 2.0
        canvas.curve(m, LOSSES[name](m), name, list(LOSSES).index(name), width=wide)
    canvas.y_range(0.0, most)
    canvas.figure.update_xaxes(range=[low, high])
    canvas.upright(0)
    canvas.name_ends((0, most))
    return canvas.figure


def hinge_loss(*, margin: float = 1.0, theme: Theme = "light") -> Figure:
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
    title = "The hinge loss pays before the boundary"
    canvas = Curves(title, x="y f(x)", y="loss", theme=theme)
    canvas.curve(x, wrong, "0-1", width=3.5)
    canvas.curve(x, hinge, "hinge")
    zone = (x >= 0) & (x <= margin)
    hatch = {"shape": "/", "fgcolor": canvas.ink.series[1], "solidity": 0.2}
    canvas.draw(
        (x[zone], hinge[zone]),
        "right, but paying",
        hover="",
        fill="tozeroy",
        mode="none",
        fillpattern={**hatch, "bgcolor": "rgba(0,0,0,0)"},
    )
    ends = canvas.y_range(0.0, 2.5)
    words = "right, but within<br>the margin: pays"
    canvas.note(1.05 * margin, 0.55, words, xanchor="left")
    canvas.note(-0.05 * margin, 0.12, "mistakes", xanchor="right")
    canvas.name_ends(ends)
    canvas.figure.update_xaxes(range=[-1.5 * margin, 2 * margin])
    for at in (0.0, margin):
        canvas.upright(at, dash="dot")
    return canvas.figure


def _require_known(names: Sequence[str]) -> None:
    known = ", ".join(repr(name) for name in LOSSES)
    if not names:
        raise BadParameter(f"names must hold some of {known}, but is empty.")
    for name in names:
        require(name in LOSSES, "names", f"some of {known}", name)
