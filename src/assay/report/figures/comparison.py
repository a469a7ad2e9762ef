"""Learners side by side: error seen, error certified, and the time it took."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import BadParameter
from assay.report.figures.canvas import Canvas
from assay.report.figures.theme import Figure, Theme

_NEEDED = ("learner", "error", "bound", "seconds")


def comparison_figure(rows: Sequence[Mapping[str, Any]], *, theme: Theme = "light") -> Figure:
    """Each learner's observed error with its certified upper bound, the smallest bound first, and its time.

    Parameters
    ----------
    rows : sequence of mapping
        One for each learner: ``learner`` (its name), ``error`` (the rate seen), ``bound`` (the rate certified, or
        None where nothing is promised) and ``seconds`` (to fit). A row with ``baseline=True`` is marked as one that
        learns nothing, such as the commonest class.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure
        Whose height grows with the rows.

    Examples
    --------
    >>> rows = [
    ...     {"learner": "Perceptron", "error": 0.08, "bound": 0.1, "seconds": 0.02},
    ...     {"learner": "SVC", "error": 0.05, "bound": 0.07, "seconds": 1.5},
    ... ]
    >>> figure = comparison_figure(rows)
    >>> [text.split("<br>")[0] for text in figure.layout.yaxis.ticktext]
    ['SVC', 'Perceptron']
    """
    ordered = sorted((_read(row, place) for place, row in enumerate(rows)), key=_by_bound)
    if not ordered:
        raise BadParameter("rows must hold at least one learner, but is empty.")
    names = [_name(row) for row in ordered]
    height = 180 + 42 * len(names)
    canvas = Canvas("Learners by certified error", x="error rate", theme=theme, height=height)
    canvas.second_panel(x="time to fit (log)", share=0.68, gap=0.06)
    blue = canvas.ink.series[0]
    places = list(range(len(ordered)))
    errors = [float(row["error"]) for row in ordered]
    bounds = [math.nan if row["bound"] is None else float(row["bound"]) for row in ordered]
    for place, error, bound in zip(places, errors, bounds, strict=True):
        if not math.isnan(bound):
            ends = {"x0": error, "x1": bound, "y0": place, "y1": place}
            canvas.figure.add_shape(type="line", **ends, line={"color": blue, "width": 2.5})
    tick = {"symbol": "line-ns", "size": 13, "line": {"width": 3, "color": blue}}
    for name, x, style in (
        ("observed", errors, {"symbol": "circle", "size": 10}),
        ("certified", bounds, tick),
    ):
        look = canvas.ink.marker(0) | style
        words = "%{text}: " + name + " %{x:.4%}"
        canvas.draw((x, places), name, hover=words, mode="markers", marker=look, text=names)
    seconds = [max(float(row["seconds"]), 1e-6) for row in ordered]
    canvas.draw(
        (seconds, places),
        "seconds to fit",
        hover="%{text}: %{x:.3g} s",
        mode="markers",
        marker=canvas.ink.marker(2, 10),
        text=names,
        xaxis="x2",
        yaxis="y2",
    )
    right = max([*errors, *(b for b in bounds if not math.isnan(b)), 1e-3])
    _times(canvas, seconds, [float(row["seconds"]) for row in ordered])
    _axes(canvas, [_words(row) for row in ordered], seconds, right)
    canvas.subtitle("● error seen   | certified: with the chosen confidence, no larger   ◆ time")
    return canvas.figure


def _name(row: Mapping[str, Any]) -> str:
    return str(row["learner"]) + (" (baseline)" if row.get("baseline") else "")


def _words(row: Mapping[str, Any]) -> str:
    """The name of a learner, and its numbers under it."""
    seen, bound = f"{float(row['error']):.2%} seen", row["bound"]
    most = "no promise"
    if bound is not None:
        most = "vacuous" if float(bound) >= 1 else f"at most {_up(float(bound))}"
    return f"{_name(row)}<br><span style='font-size:11px'>{seen}, {most}</span>"


def _times(canvas: Canvas, seconds: Sequence[float], measured: Sequence[float]) -> None:
    logs = np.log10(seconds)
    for place, log in enumerate(logs.tolist()):
        beside = {"xanchor": "left", "xshift": 10}
        if log > logs.min() + 0.5 * (np.ptp(logs) or 1.0):
            beside = {"xanchor": "right", "xshift": -10}
        axes = {"xref": "x2", "yref": "y2"}
        canvas.note(log, place, _time(measured[place]), strong=True, **axes, **beside)


def _axes(canvas: Canvas, names: Sequence[str], seconds: Sequence[float], right: float) -> None:
    low, high = float(np.log10(min(seconds))), float(np.log10(max(seconds)))
    air = 0.15 * max(high - low, 1.0)
    ticks = [10.0**power for power in range(math.ceil(low - air), math.floor(high + air) + 1)]
    # Times that are all alike may have no power of ten among them.
    ticks = ticks[:: math.ceil(len(ticks) / 3)] if ticks else [10.0 ** ((low + high) / 2)]
    canvas.rows(names, low=len(names) - 0.4)
    canvas.figure.update_layout(
        showlegend=False,
        margin={"l": 20, "r": 30, "b": 60},
        title={"x": 0.02, "xref": "container"},
        xaxis={"range": [0, 1.06 * right], "tickformat": ".2~%"},
        xaxis2={
            "type": "log",
            "range": [low - air, high + air],
            "tickvals": ticks,
            "ticktext": [_time(tick) for tick in ticks],
            "tickangle": 0,
        },
        yaxis2={
            "showticklabels": False,
            "tickvals": list(range(len(names))),
            "range": [len(names) - 0.4, -0.6],
            "ticks": "",
            "zeroline": False,
        },
    )


def _read(row: Mapping[str, Any], place: int) -> Mapping[str, Any]:
    missing = [name for name in _NEEDED if name not in row]
    if missing:
        raise BadParameter(
            f"Row {place} of the comparison must hold {', '.join(_NEEDED)}, but {missing[0]} is missing."
        )
    return row


def _by_bound(row: Mapping[str, Any]) -> tuple[float, float, str]:
    bound = math.inf if row["bound"] is None else float(row["bound"])
    return bound, float(row["error"]), str(row["learner"])


def _up(rate: float) -> str:
    # What is certified never reads lower than it is.
    return f"{math.ceil(rate * 10_000 - 1e-9) / 100:.2f}%"


def _time(seconds: float) -> str:
    if seconds < 0.1:
        return f"{1000 * seconds:.2g} ms"
    return f"{seconds:.2g} s" if seconds < 100 else f"{seconds:.0f} s"
