"""Do promises keep? Certificates against the truth they were about, and probabilities against outcomes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter, require
from assay.report.figures.curves import Curves, Label, numbers, same_length
from assay.report.figures.theme import Figure, Theme
from assay.theory.tail.binomial import holdout_exact_two_sided
from assay.types import Floats

# More points than that are not told apart; broken ones are always drawn.
_MOST_POINTS = 2000


def certificate_reliability(
    promised: ArrayLike, true: ArrayLike, *, delta: float, theme: Theme = "light"
) -> Figure:
    """Certificates of simulated runs against the truth: promised error, true error, and how many broke.

    Parameters
    ----------
    promised, true : arrays
        For each run, the error its certificate promised and the error its model really has.
    delta : float
        The probability of failure that the certificates allowed themselves.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = certificate_reliability([0.1, 0.2, 0.3], [0.05, 0.1, 0.35], delta=0.05)
    >>> [(trace.name, len(trace.x)) for trace in figure.data]
    [('kept', 2), ('broken', 1), ('promised = true', 2)]
    """
    bound, error = numbers("promised", promised), numbers("true", true)
    same_length(promised=bound, true=error)
    require(0 < delta < 1, "delta", "strictly between 0 and 1", delta)
    broken = error > bound
    many, count = len(bound), int(broken.sum())
    low, high = holdout_exact_two_sided(count, many, 0.05)
    title = f"{count:,} of {many:,} certificates broken, {delta:.1%} allowed"
    canvas = Curves(title, x="error promised", y="true error", theme=theme)
    canvas.subtitle(
        f"share broken {count / many:.2%}; the true share lies between {low:.2%} and {high:.2%} (95 %)"
    )
    kept = np.flatnonzero(~broken)
    kept = kept[:: max(1, len(kept) // _MOST_POINTS)]
    circle, cross = canvas.ink.marker(0, 6), canvas.ink.marker(1, 9)
    for name, places, look in (
        ("kept", kept, circle | {"symbol": "circle-open", "opacity": 0.55}),
        ("broken", np.flatnonzero(broken), cross | {"symbol": "x", "opacity": 1.0}),
    ):
        canvas.draw((bound[places], error[places]), name, mode="markers", marker=look)
    top = 1.05 * float(max(bound.max(), error.max(), 1e-9))
    line = canvas.ink.line(5) | {"dash": "solid"}
    canvas.draw(([0, top], [0, top]), "promised = true", mode="lines", line=line)
    canvas.figure.update_xaxes(range=[0, top])
    canvas.figure.update_yaxes(range=[0, top])
    canvas.figure.update_layout(showlegend=False)
    font = {"size": 13, "color": canvas.ink.text}
    left, right, above, below = 0.03 * top, 0.97 * top, 0.97 * top, 0.03 * top
    canvas.note(left, above, "✖ broken: the truth is above", xanchor="left", font=font)
    canvas.note(right, below, "○ kept: the truth is below", xanchor="right", font=font)
    return canvas.figure


def broken_against_delta(
    deltas: ArrayLike, broken: ArrayLike, runs: int, *, theme: Theme = "light"
) -> Figure:
    """The share of broken certificates for each delta that was asked for, with exact intervals.

    Parameters
    ----------
    deltas : array
        Probabilities of failure.
    broken : array of int
        How many of the runs broke their promise, for each delta.
    runs : int
        How many runs there were for each delta.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = broken_against_delta([0.05, 0.1], [30, 71], 1000)
    >>> [round(float(y), 3) for y in figure.data[0].y]
    [0.03, 0.071]
    """
    asked, count = numbers("deltas", deltas), numbers("broken", broken)
    same_length(deltas=asked, broken=count)
    shares = count / runs
    ends = [holdout_exact_two_sided(int(k), runs, 0.05) for k in count]
    kept = bool((shares <= asked).all())
    title = "Broken certificates stay below what delta allows"
    canvas = Curves(
        title if kept else "Broken certificates, and what delta allows",
        x="delta: the probability of failure asked for",
        y="share of certificates broken",
        theme=theme,
    )
    canvas.subtitle(f"{runs:,} runs for each delta; bars are exact 95 % intervals")
    end = float(max(asked.max(), shares.max())) * 1.1
    _against_diagonal(canvas, asked, shares, ends, end, ("broken", "allowed"))
    return canvas.figure


def reliability_diagram(
    probabilities: ArrayLike,
    outcomes: ArrayLike,
    *,
    bins: int = 10,
    outcome: str = "positive",
    theme: Theme = "light",
) -> Figure:
    """Predicted probabilities against how often the outcome came true, with exact intervals.

    Parameters
    ----------
    probabilities : array
        The predicted probability of the positive class, for each row.
    outcomes : array of 0 and 1
        Whether the row was positive.
    bins : int, default=10
        Into how many parts of equal width the predictions are sorted; empty ones are left out.
    outcome : str, default="positive"
        What a row is whose outcome is 1.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = reliability_diagram([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1], bins=2)
    >>> figure.data[0].y.tolist()
    [0.0, 1.0]
    """
    predicted, came = numbers("probabilities", probabilities), numbers("outcomes", outcomes)
    same_length(probabilities=predicted, outcomes=came)
    if predicted.min() < 0 or predicted.max() > 1:
        raise BadParameter("probabilities must lie between 0 and 1.")
    require(bool(np.isin(came, (0, 1)).all()), "outcomes", "a sequence of 0 and 1", outcomes)
    require(bins >= 1, "bins", "at least 1", bins)
    place = np.minimum((predicted * bins).astype(np.int64), bins - 1)
    held = np.unique(place)
    sizes = [int((place == b).sum()) for b in held]
    positive = [int(came[place == b].sum()) for b in held]
    mean = np.array([predicted[place == b].mean() for b in held])
    share = np.array(positive) / np.array(sizes)
    ends = [holdout_exact_two_sided(k, n, 0.05) for k, n in zip(positive, sizes, strict=True)]
    canvas = Curves(
        "Predicted probabilities against what came true",
        x="mean predicted probability",
        y=f"share that was {outcome}",
        theme=theme,
    )
    canvas.subtitle(f"{len(predicted):,} rows in {len(held)} parts; bars are exact 95 % intervals")
    words = [f"{n:,} rows" for n in sizes]
    _against_diagonal(canvas, mean, share, ends, 1.0, ("observed", "as predicted"), text=words)
    return canvas.figure


def _against_diagonal(
    canvas: Curves,
    x: Floats,
    y: Floats,
    ends: list[tuple[float, float]],
    end: float,
    names: tuple[str, str],
    **words: Any,
) -> None:
    """Shares with the ends of their intervals, and the line where they should lie."""
    low, high = np.array(ends).T
    bars = {"type": "data", "symmetric": False, "array": high - y, "arrayminus": y - low}
    canvas.draw(
        (x, y),
        names[0],
        mode="lines+markers",
        line=canvas.ink.line(0),
        marker=canvas.ink.marker(0),
        error_y={**bars, "color": canvas.ink.series[0], "thickness": 1.5, "width": 5},
        **words,
    )
    canvas.labels[""].append(Label(names[0], float(y[-1]), 0))
    canvas.curve([0.0, end], [0.0, end], names[1])
    top = max(end, float(high.max())) * 1.03
    canvas.figure.update_yaxes(range=[0, top])
    canvas.figure.update_xaxes(range=[0, end * 1.03])
    canvas.name_ends((0, top))
