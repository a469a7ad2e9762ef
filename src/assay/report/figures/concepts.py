"""Two concepts that a small sample cannot tell apart, and a large one can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.report.figures.curves import Curves, moments, numbers
from assay.report.figures.theme import Figure, Theme, with_alpha
from assay.theory.generalization.impossibility import unseen_point
from assay.types import Floats

_FORMS: tuple[tuple[str, Literal["sharp", "textbook"]], ...] = (
    ("exactly", "sharp"),
    ("e^(-width n)", "textbook"),
)


def two_concepts(
    samples: Sequence[ArrayLike], *, first: float = 0.5, second: float = 0.6, theme: Theme = "light"
) -> Figure:
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
    title = "Two concepts that few rows cannot tell apart"
    canvas = Curves(title, x="x", theme=theme, height=340 + 60 * (len(rows) + 2))
    canvas.subtitle(f"they differ on {high - low:.3g} of the distribution: the hatched region")
    canvas.second_panel(x="rows", y="chance of no such row", share=0.52, below=True, gap=0.22)
    _concepts(canvas, low, high, len(rows))
    for place, sample in enumerate(rows):
        _row(canvas, sample, len(rows) - 1 - place, low, high)
    _chance(canvas, high - low, max(len(sample) for sample in rows))
    names = [f"{len(sample):,} rows" for sample in reversed(rows)]
    canvas.figure.update_layout(
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
    return canvas.figure


def _sample(name: str, values: ArrayLike) -> Floats:
    read = numbers(name, values)
    if read.min() < 0 or read.max() > 1:
        raise BadParameter(f"{name} must lie between 0 and 1.")
    return read


def _concepts(canvas: Curves, low: float, high: float, rows: int) -> None:
    """The two concepts as bars over the samples, and the region in which they differ."""
    for place, (name, start) in enumerate((("c1", low), ("c2", high))):
        canvas.draw(
            ([start, 1.0], [rows + 1 - place] * 2),
            name,
            hover=f"{name} is positive from {start:g} on",
            mode="lines",
            line={"color": canvas.ink.series[place], "width": 9},
        )
    hatch = {"shape": "/", "fgcolor": with_alpha(canvas.ink.faint, 0.7), "solidity": 0.15}
    canvas.draw(
        ([low, high, high, low], [-0.5, -0.5, rows + 1.5, rows + 1.5]),
        "they differ",
        hover="",
        fill="toself",
        mode="none",
        fillpattern={**hatch, "bgcolor": "rgba(0,0,0,0)"},
    )


def _row(canvas: Curves, sample: Floats, height: int, low: float, high: float) -> None:
    inside = (sample >= low) & (sample < high)
    edge = {"width": 1, "color": canvas.ink.text}
    # Labelled by c1: positive from the lower threshold on.
    for name, chosen, style, symbol, size in (
        ("negative by both", sample < low, 5, "circle-open", 9),
        ("positive by both", sample >= high, 5, "circle", 9),
        ("tells them apart", inside, 1, "star-diamond", 14),
    ):
        canvas.draw(
            (sample[chosen], np.full(int(chosen.sum()), float(height))),
            name,
            hover=f"{name}: %{{x:.3g}}",
            mode="markers",
            marker=canvas.ink.marker(style, size) | {"symbol": symbol, "line": edge},
        )
    many = int(inside.sum())
    words = "no row tells" if many == 0 else "1 row tells" if many == 1 else f"{many} rows tell"
    canvas.note(0.0, height + 0.42, f"{words} them apart", strong=True, xanchor="left")


def _chance(canvas: Curves, width: float, rows: int) -> None:
    at = moments(max(rows, 10))
    for place, (name, form) in enumerate(_FORMS, start=2):
        canvas.curve(at, [unseen_point(width, int(n), form) for n in at], name, place, panel="2")
    canvas.name_ends(canvas.y_range(0.0, 1.0, panel="2"), panel="2", height=180)
    canvas.figure.update_layout(xaxis2={"range": [0, int(at[-1])]})
