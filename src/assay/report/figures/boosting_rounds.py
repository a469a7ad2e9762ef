"""Boosting: training examples still wrong, round by round, under n e^(-2 T g^2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.report.figures.curves import Curves, numbers
from assay.report.figures.theme import Figure, Theme
from assay.theory.boosting.majority_boost import boosting_rounds, boosting_training_error
from assay.theory.needs import count

_FORMS: tuple[tuple[Literal["sharp", "textbook"], str], ...] = (
    ("sharp", "bound, sharp"),
    ("textbook", "bound, n e^(-2Tg²)"),
)


def boosting_errors(
    examples: int,
    edge: float,
    wrong: Mapping[str, ArrayLike] | None = None,
    *,
    rounds: int | None = None,
    theme: Theme = "light",
) -> Figure:
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
    title = "Boosting leaves fewer and fewer examples wrong"
    canvas = Curves(title, x="rounds", y="training examples wrong", theme=theme)
    for name, counts in (wrong or {}).items():
        column = numbers(name, counts)[::2]
        canvas.curve(1 + 2 * np.arange(len(column)), column, name, shape="hv")
    for form, name in _FORMS:
        most = [boosting_training_error(n, int(t), edge, form) for t in odd]
        canvas.curve(odd, np.array(most, dtype=np.float64), name)
    highest = max(float(trace.y.max()) for trace in canvas.figure.data)
    canvas.name_ends(canvas.y_range(0.0, highest))
    right = max(float(trace.x[-1]) for trace in canvas.figure.data)
    canvas.figure.update_xaxes(range=[0, right])
    done = boosting_rounds(n, edge)
    if done <= right:
        canvas.upright(done, dash="dot")
    canvas.subtitle(f"{n:,} examples, edge {edge:g}: after {done:,} rounds none can be wrong")
    return canvas.figure
