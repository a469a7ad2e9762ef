"""Boosting: training examples still wrong, round by round, under n e^(-2 T g^2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from assay.report.figures.curves import Label, add_line, name_ends, numbers, subtitle, y_range
from assay.report.figures.theme import Theme, canvas, ink
from assay.theory.boosting.majority_boost import boosting_rounds, boosting_training_error
from assay.theory.needs import count

if TYPE_CHECKING:
    import plotly.graph_objects as go


def boosting_errors(
    examples: int,
    edge: float,
    wrong: Mapping[str, ArrayLike] | None = None,
    *,
    rounds: int | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """Training examples that the boosted majority still gets wrong, and the most there can be.

    Parameters
    ----------
    examples : int
        Training examples.
    edge : float
        Every weak hypothesis is right on at least 1/2 + edge of the weight.
    wrong : mapping of str to array, optional
        For each run, how many examples the majority of the first 1, 2, 3, ... hypotheses gets wrong. Rounds of an
        even number, whose votes may be tied, are left out.
    rounds : int, optional
        Up to how many; by default until the bound promises that none is wrong.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = boosting_errors(100, 0.1, {"coin": [40, 41, 35, 36, 30]})
    >>> [(trace.name, int(trace.y[-1])) for trace in figure.data]
    [('coin', 30), ('bound, sharp', 0), ('bound, n e^(-2Tg²)', 0)]
    """
    n = count("examples", examples, at_least=1)
    last = (
        boosting_rounds(n, edge, "textbook")
        if rounds is None
        else count("rounds", rounds, at_least=1)
    )
    last -= 1 - last % 2
    odd = np.arange(1, last + 1, max(2, 2 * (last // 400)))
    odd = odd if odd[-1] == last else np.append(odd, last)
    figure = canvas(
        "Boosting leaves fewer and fewer examples wrong",
        x="rounds",
        y="training examples wrong",
        theme=theme,
    )
    series = []
    for name, counts in (wrong or {}).items():
        column = numbers(name, counts)[::2]
        series.append((name, 1 + 2 * np.arange(len(column)), column, "hv"))
    for form, name in (("sharp", "bound, sharp"), ("textbook", "bound, n e^(-2Tg²)")):
        most = [boosting_training_error(n, int(t), edge, form) for t in odd]  # type: ignore[arg-type]
        series.append((name, odd, np.array(most, dtype=np.float64), "linear"))
    labels = []
    for place, (name, x, y, shape) in enumerate(series):
        add_line(figure, x, y, name, place, theme, shape=shape)  # type: ignore[arg-type]
        labels.append(Label(name, float(y[-1]), place))
    highest = max(float(y.max()) for _, _, y, _ in series)
    name_ends(figure, labels, y_range(figure, 0.0, highest), theme)
    right = max(float(x[-1]) for _, x, _, _ in series)
    figure.update_xaxes(range=[0, right])
    done = boosting_rounds(n, edge)
    if done <= right:
        figure.add_vline(x=done, line={"color": ink(theme).faint, "width": 1, "dash": "dot"})
    subtitle(
        figure, f"{n:,} examples, edge {edge:g}: after {done:,} rounds none can be wrong", theme
    )
    return figure
