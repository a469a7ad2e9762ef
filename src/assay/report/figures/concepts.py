"""Two concepts that a small sample cannot tell apart, and a large one can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.report.figures.curves import (
    Label,
    add_line,
    moments,
    name_ends,
    note,
    numbers,
    second_panel,
    subtitle,
    y_range,
)
from assay.report.figures.theme import Theme, canvas, ink, marker, plotly_objects, with_alpha
from assay.theory.generalization.impossibility import unseen_point
from assay.types import Floats

if TYPE_CHECKING:
    import plotly.graph_objects as go


def two_concepts(
    samples: Sequence[ArrayLike], *, first: float = 0.5, second: float = 0.6, theme: Theme = "light"
) -> go.Figure:
    """Two thresholds on [0, 1], samples that do or do not tell them apart, and how likely each is.

    Concept c1 is positive from `first` on, c2 from `second` on. They differ between the two; under the uniform
    distribution, n rows miss that region with probability (1 - width)^n (``unseen-point``).

    Parameters
    ----------
    samples : sequence of arrays
        Samples of numbers in [0, 1], such as a small one and a large one; each is a row of the figure.
    first, second : float
        The thresholds.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> figure = two_concepts([rng.random(5), rng.random(50)])
    >>> probability = figure.data[-2]
    >>> probability.name, round(float(probability.y[4]), 5)
    ('exactly', 0.59049)
    """
    low, high = min(first, second), max(first, second)
    if not 0 <= low < high <= 1:
        raise BadParameter(
            f"first and second must be two different numbers between 0 and 1, but are {first!r} and {second!r}."
        )
    rows = [_sample(f"samples[{i}]", sample) for i, sample in enumerate(samples)]
    if not rows:
        raise BadParameter("samples must hold at least one sample, but is empty.")
    height = 340 + 60 * (len(rows) + 2)
    figure = canvas(
        "Two concepts that few rows cannot tell apart", x="x", theme=theme, height=height
    )
    subtitle(
        figure, f"they differ on {high - low:.3g} of the distribution: the hatched region", theme
    )
    second_panel(figure, x="rows", y="chance of no such row", share=0.52, below=True, gap=0.22)
    _concepts(figure, low, high, len(rows), theme)
    for place, sample in enumerate(rows):
        _row(figure, sample, len(rows) - 1 - place, low, high, theme)
    _chance(figure, high - low, max(len(sample) for sample in rows), theme)
    names = [f"{len(sample):,} rows" for sample in reversed(rows)]
    figure.update_layout(
        xaxis={"range": [-0.02, 1.02], "zeroline": False},
        yaxis={
            "showgrid": False,
            "zeroline": False,
            "ticks": "",
            "tickvals": list(range(len(rows) + 2)),
            "ticktext": [*names, "c2 positive", "c1 positive"],
            "range": [-0.6, len(rows) + 1.6],
        },
    )
    return figure


def _sample(name: str, values: ArrayLike) -> Floats:
    read = numbers(name, values)
    if read.min() < 0 or read.max() > 1:
        raise BadParameter(f"{name} must lie between 0 and 1.")
    return read


def _concepts(figure: go.Figure, low: float, high: float, rows: int, theme: Theme) -> None:
    """The two concepts as bars over the samples, and the region in which they differ."""
    go, colours = plotly_objects(), ink(theme)
    for place, (name, start) in enumerate((("c1", low), ("c2", high))):
        figure.add_trace(
            go.Scatter(
                x=[start, 1.0],
                y=[rows + 1 - place] * 2,
                name=name,
                mode="lines",
                line={"color": colours.series[place], "width": 9},
                hovertemplate=f"{name} is positive from {start:g} on<extra></extra>",
            )
        )
    figure.add_trace(
        go.Scatter(
            x=[low, high, high, low],
            y=[-0.5, -0.5, rows + 1.5, rows + 1.5],
            fill="toself",
            mode="none",
            fillpattern={
                "shape": "/",
                "fgcolor": with_alpha(colours.faint, 0.7),
                "bgcolor": "rgba(0,0,0,0)",
                "solidity": 0.15,
            },
            name="they differ",
            hoverinfo="skip",
        )
    )


def _row(
    figure: go.Figure, sample: Floats, height: int, low: float, high: float, theme: Theme
) -> None:
    go = plotly_objects()
    inside = (sample >= low) & (sample < high)
    # Labelled by c1: positive from the lower threshold on.
    for name, chosen, style, symbol, size in (
        ("negative by both", sample < low, 5, "circle-open", 9),
        ("positive by both", sample >= high, 5, "circle", 9),
        ("tells them apart", inside, 1, "star-diamond", 14),
    ):
        figure.add_trace(
            go.Scatter(
                x=sample[chosen],
                y=np.full(int(chosen.sum()), float(height)),
                name=name,
                mode="markers",
                marker=marker(style, theme, size)
                | {"symbol": symbol, "line": {"width": 1, "color": ink(theme).text}},
                hovertemplate=f"{name}: %{{x:.3g}}<extra></extra>",
            )
        )
    many = int(inside.sum())
    told = "no row tells" if many == 0 else "1 row tells" if many == 1 else f"{many} rows tell"
    note(
        figure,
        0.0,
        height + 0.42,
        f"{told} them apart",
        theme,
        xanchor="left",
        font={"size": 12, "color": ink(theme).text},
    )


def _chance(figure: go.Figure, width: float, rows: int, theme: Theme) -> None:
    at = moments(max(rows, 10))
    forms = (("exactly", "sharp"), ("e^(-width n)", "textbook"))
    labels = []
    for place, (name, form) in enumerate(forms):
        chance = [unseen_point(width, int(n), form) for n in at]  # type: ignore[arg-type]
        add_line(figure, at, chance, name, 2 + place, theme, panel="2")
        labels.append(Label(name, chance[-1], 2 + place))
    ends = y_range(figure, 0.0, 1.0, panel="2")
    name_ends(figure, labels, ends, theme, panel="2", height=180)
    figure.update_layout(xaxis2={"range": [0, int(at[-1])]})
