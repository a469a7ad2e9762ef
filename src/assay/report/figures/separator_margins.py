"""The two margins of separators, as the number of features grows: whether the perceptron or Winnow errs less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.report.figures.curves import Curves, decades, numbers, same_length
from assay.report.figures.theme import Figure, Theme


def two_margins(
    results: Sequence[Any],
    *,
    seen: Mapping[str, ArrayLike] | None = None,
    target: str = "",
    theme: Theme = "light",
) -> Figure:
    r"""What mistakes grow like by the L2/L2 margin and by the L1/L\ :math:`\infty` margin.

    Parameters
    ----------
    results : sequence of SeparatorMargins
        From `assay.separator_margins`, one for each number of features.
    seen : mapping, optional
        From names of learners to the mistakes that they made at each of these numbers.
    target : str
        What the separators are, for the title.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> from assay import separator_margins
    >>> one_on = [np.vstack([np.eye(d), -np.eye(d)]) for d in (4, 16)]
    >>> results = [separator_margins(X[0] * 0 + 1, X, X.sum(axis=1) > 0) for X in one_on]
    >>> figure = two_margins(results)
    >>> [(trace.name, trace.y.round(1).tolist()) for trace in figure.data]
    [('perceptron, 1/γ₂²', [4.0, 16.0]), ('Winnow, ln d/γ₁²', [22.2, 709.8])]
    """
    rows = sorted(results, key=lambda result: result.features)
    d = numbers("the numbers of features", [result.features for result in rows])
    orders = {
        "perceptron, 1/γ₂²": [result.perceptron_order for result in rows],
        "Winnow, ln d/γ₁²": [result.winnow_order for result in rows],
    }
    for name, counted in (seen or {}).items():
        column = numbers(f"the mistakes of {name}", counted)
        same_length(features=d, mistakes=column)
        orders[f"mistakes of {name}"] = column.tolist()
    of = f": {target}" if target else ""
    canvas = Curves(
        f"Winnow or perceptron{of}",
        x="features d (logarithmic)",
        y="mistakes (logarithmic)",
        theme=theme,
    )
    for place, (name, values) in enumerate(orders.items()):
        canvas.curve(d, np.maximum(values, 0.5), name, place, end=max(values[-1], 0.5), points=True)
    every = np.concatenate([np.maximum(values, 0.5) for values in orders.values()])
    canvas.name_ends(canvas.y_range(float(every.min()), float(every.max()), log=True))
    ticks = d.tolist() if len(d) <= 6 else decades(float(d.min()), float(d.max()))
    canvas.figure.update_xaxes(type="log", tickvals=ticks)
    better = {"winnow": "Winnow", "perceptron": "the perceptron"}[rows[-1].favours]
    canvas.subtitle(
        f"orders without constants; at {rows[-1].features} features the smaller one is that of {better}"
    )
    return canvas.figure
