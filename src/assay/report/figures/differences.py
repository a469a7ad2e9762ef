"""Learners beside the best one: by how much more they err, as it was seen and as far as it is promised."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import BadParameter
from assay.report.figures.canvas import Canvas
from assay.report.figures.theme import Figure, Theme

_NEEDED = ("learner", "observed", "least", "most")


def differences_figure(
    rows: Sequence[Mapping[str, Any]], *, best: str = "the best", theme: Theme = "light"
) -> Figure:
    """By how much the error of each model is above that of one, with the two ends that are promised.

    Parameters
    ----------
    rows : sequence of mapping
        One for each other model: ``learner`` (its name), ``observed`` (the difference seen), ``least`` and ``most``
        (the ends that are promised, or None where nothing is). A bar that does not touch zero tells the two apart.
    best : str
        What the model is called that they are held to.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure
        Whose height grows with the rows.

    Examples
    --------
    >>> rows = [
    ...     {"learner": "gaussian-nb", "observed": 0.12, "least": 0.08, "most": 0.17},
    ...     {"learner": "perceptron", "observed": 0.01, "least": -0.02, "most": 0.04},
    ... ]
    >>> figure = differences_figure(rows, best="svc")
    >>> [text.split("<br>")[0] for text in figure.layout.yaxis.ticktext]
    ['perceptron', 'gaussian-nb']
    """
    ordered = sorted(map(_read, rows, range(len(rows))), key=lambda row: float(row["observed"]))
    if not ordered:
        raise BadParameter("rows must hold at least one model, but is empty.")
    names = [str(row["learner"]) for row in ordered]
    height = 180 + 42 * len(names)
    title = f"By how much more others err than {best}"
    canvas = Canvas(title, x="difference of error rates", theme=theme, height=height)
    seen = [float(row["observed"]) for row in ordered]
    ends = [[math.nan if row[n] is None else float(row[n]) for row in ordered] for n in _NEEDED[2:]]
    places = list(range(len(ordered)))
    blue = canvas.ink.series[0]
    canvas.upright(0.0, width=1.5)
    for place, least, most in zip(places, *ends, strict=True):
        if not math.isnan(least) and not math.isnan(most):
            line = {"x0": least, "x1": most, "y0": place, "y1": place}
            canvas.figure.add_shape(type="line", **line, line={"color": blue, "width": 2.5})
    tick = {"symbol": "line-ns", "size": 13, "line": {"width": 3, "color": blue}}
    for name, x, style in (
        ("observed", seen, {"symbol": "circle", "size": 10}),
        ("at least", ends[0], tick),
        ("at most", ends[1], tick),
    ):
        look = canvas.ink.marker(0) | style
        words = "%{text}: " + name + " %{x:.4%}"
        canvas.draw((x, places), name, hover=words, mode="markers", marker=look, text=names)
    told = [value for column in (seen, *ends) for value in column if not math.isnan(value)]
    low, high = min(0.0, *told), max(0.0, *told)
    air = 0.06 * max(high - low, 1e-3)
    canvas.rows([_words(row) for row in ordered], low=len(names) - 0.4)
    canvas.figure.update_layout(
        showlegend=False,
        margin={"l": 20, "r": 30, "b": 60},
        title={"x": 0.02, "xref": "container"},
        xaxis={"range": [low - air, high + air], "tickformat": ".2~%"},
    )
    canvas.subtitle("● difference seen   | promised: with the chosen confidence, all bars at once")
    return canvas.figure


def _read(row: Mapping[str, Any], place: int) -> Mapping[str, Any]:
    missing = [name for name in _NEEDED if name not in row]
    if missing:
        raise BadParameter(
            f"Row {place} of the differences must hold {', '.join(_NEEDED)}, but {missing[0]} is missing."
        )
    return row


def _words(row: Mapping[str, Any]) -> str:
    """The name of a model, and its numbers under it; what is promised never reads narrower than it is."""
    ends = "no promise"
    if row["least"] is not None and row["most"] is not None:
        least = math.floor(float(row["least"]) * 10_000 + 1e-9) / 100
        most = math.ceil(float(row["most"]) * 10_000 - 1e-9) / 100
        ends = f"{least:+.2f} to {most:+.2f} points promised"
    seen = f"{float(row['observed']) * 100:+.2f} points seen"
    return f"{row['learner']}<br><span style='font-size:11px'>{seen}, {ends}</span>"
