"""How many rows a promise takes, and what a promise is worth after so many rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from assay.certificates.issue.plan import plan
from assay.errors import BadParameter, require
from assay.report.figures.curves import Curves, decades, moments, numbers
from assay.report.figures.theme import Figure, Theme
from assay.theory.needs import count
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.hoeffding import validation_hoeffding
from assay.theory.tail.kl import holdout_kl

ERRORS = (0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2)


def rows_needed(
    errors: ArrayLike = ERRORS,
    *,
    delta: float = 0.05,
    expected: float = 0.5,
    power: float = 0.9,
    theme: Theme = "light",
) -> Figure:
    """Holdout rows that it takes to promise an error: with none wrong, with some, and by the textbook.

    Parameters
    ----------
    errors : array
        The error rates to be promised.
    delta : float, default=0.05
        The probability of failure.
    expected : float, default=0.5
        How the true error of the model relates to the promise: half of it, by default.
    power : float, default=0.9
        How probable it shall be that a model of that error passes.
    theme : {"light", "dark"}
        The colours.

    Notes
    -----
    All numbers are those of `assay.plan`.

    Examples
    --------
    >>> figure = rows_needed([0.05, 0.1])
    >>> [(trace.name, trace.y.tolist()) for trace in figure.data]
    [('exact, no errors', [59, 29]), ('exact, error half the promise', [506, 239]), \
('Hoeffding, error half the promise', [2397, 600])]
    """
    rates = numbers("errors", errors)
    if rates.min() <= 0 or rates.max() >= 1:
        raise BadParameter("errors must lie strictly between 0 and 1.")
    require(0 <= expected < 1, "expected", "at least 0 and below 1", expected)
    perfect = [plan(rate, delta).rows for rate in rates.tolist()]
    imperfect = [
        plan(rate, delta, expected=rate * expected, power=power) for rate in rates.tolist()
    ]
    part = "half" if expected == 0.5 else f"{expected:g} of"
    series = {
        "exact, no errors": perfect,
        f"exact, error {part} the promise": [p.rows for p in imperfect],
        f"Hoeffding, error {part} the promise": [p.textbook[1] for p in imperfect if p.textbook],
    }
    canvas = Curves(
        "Rows it takes to promise an error",
        x="error rate to be promised (logarithmic)",
        y="holdout rows (logarithmic)",
        theme=theme,
    )
    canvas.subtitle(
        f"delta {delta:g}; a model whose error is {part} the promise passes with probability {power:g}"
    )
    order = np.argsort(rates)
    for name, rows in series.items():
        canvas.curve(rates[order], np.array(rows)[order], name, points=True)
    every = [row for rows in series.values() for row in rows]
    canvas.name_ends(canvas.y_range(min(every), max(every), log=True))
    ticks = decades(rates.min(), rates.max())
    canvas.figure.update_xaxes(type="log", tickvals=ticks, tickformat="~%")
    canvas.figure.update_yaxes(tickformat=",", dtick=1)
    return canvas.figure


def bound_by_rows(
    observed: float = 0.05, *, rows: int = 10_000, delta: float = 0.05, theme: Theme = "light"
) -> Figure:
    """The error that may be promised after so many rows of which a given share was wrong.

    Parameters
    ----------
    observed : float, default=0.05
        The share of wrong rows; the number of errors is that share of the rows, rounded up.
    rows : int, default=10000
        Up to how many rows.
    delta : float, default=0.05
        The probability of failure.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = bound_by_rows(0.05, rows=1000)
    >>> [(trace.name, round(float(trace.y[-1]), 4)) for trace in figure.data]
    [('exact', 0.0629), ('relative entropy', 0.0687), ('Hoeffding', 0.0887), ('observed', 0.05)]
    """
    require(0 <= observed < 1, "observed", "at least 0 and below 1", observed)
    most = count("rows", rows, at_least=10)
    at = moments(most, 90)
    at = at[at >= 10]
    wrong = [int(np.ceil(observed * n - 1e-9)) for n in at.tolist()]
    bounds: list[tuple[str, Callable[[int, int, float], float]]] = [
        ("exact", holdout_exact),
        ("relative entropy", holdout_kl),
        ("Hoeffding", validation_hoeffding),
    ]
    title = f"What may be promised with {100 * observed:.3g} % of the rows wrong"
    canvas = Curves(title, x="holdout rows (logarithmic)", y="error rate", theme=theme)
    canvas.subtitle(f"delta {delta:g}")
    highest = 0.0
    for name, bound in bounds:
        most_error = [min(bound(k, n, delta), 1.0) for k, n in zip(wrong, at.tolist(), strict=True)]
        canvas.curve(at, most_error, name, label=f"{name}: {most_error[-1]:.4g}")
        highest = max(highest, *most_error)
    rate, label = np.array(wrong) / at, f"observed: {observed:g}"
    canvas.curve(at, rate, "observed", 5, label=label, end=observed)
    canvas.name_ends(canvas.y_range(0.0, highest))
    span = [1.0, float(np.log10(most))]
    canvas.figure.update_xaxes(type="log", range=span, dtick=1, tickformat=",")
    canvas.figure.update_yaxes(tickformat=".0%")
    canvas.figure.add_hline(y=observed, line={"color": canvas.ink.grid, "width": 1})
    return canvas.figure
