"""Do promises keep? Certificates against the truth they were about, and probabilities against outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter, require
from assay.report.figures.curves import (
    Label,
    add_line,
    name_ends,
    note,
    numbers,
    same_length,
    subtitle,
)
from assay.report.figures.theme import Theme, canvas, ink, line, marker, plotly_objects
from assay.theory.tail.binomial import holdout_exact_two_sided
from assay.types import Floats

if TYPE_CHECKING:
    import plotly.graph_objects as go

# More points than that are not told apart; broken ones are always drawn.
_MOST_POINTS = 2000


def certificate_reliability(
    promised: ArrayLike, true: ArrayLike, *, delta: float, theme: Theme = "light"
) -> go.Figure:
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
    said, is_so = numbers("promised", promised), numbers("true", true)
    same_length(promised=said, true=is_so)
    require(0 < delta < 1, "delta", "strictly between 0 and 1", delta)
    broken = is_so > said
    many, count = len(said), int(broken.sum())
    low, high = holdout_exact_two_sided(count, many, 0.05)
    figure = canvas(
        f"{count:,} of {many:,} certificates broken, {delta:.1%} allowed",
        x="error promised",
        y="true error",
        theme=theme,
    )
    subtitle(
        figure,
        f"share broken {count / many:.2%}; the true share lies between {low:.2%} and {high:.2%} (95 %)",
        theme,
    )
    kept = np.flatnonzero(~broken)
    kept = kept[:: max(1, len(kept) // _MOST_POINTS)]
    go = plotly_objects()
    for name, places, style, size in (
        ("kept", kept, 0, 6),
        ("broken", np.flatnonzero(broken), 1, 9),
    ):
        figure.add_trace(
            go.Scatter(
                x=said[places],
                y=is_so[places],
                name=name,
                mode="markers",
                marker=marker(style, theme, size)
                | {"symbol": ("circle-open", "x")[style], "opacity": (0.55, 1.0)[style]},
            )
        )
    top = 1.05 * float(max(said.max(), is_so.max(), 1e-9))
    figure.add_trace(
        go.Scatter(
            x=[0, top],
            y=[0, top],
            name="promised = true",
            mode="lines",
            line=line(5, theme) | {"dash": "solid"},
        )
    )
    figure.update_xaxes(range=[0, top])
    figure.update_yaxes(range=[0, top])
    figure.update_layout(showlegend=False)
    mark = {"font": {"size": 13, "color": ink(theme).text}}
    note(
        figure,
        0.03 * top,
        0.97 * top,
        "✖ broken: the truth is above",
        theme,
        xanchor="left",
        **mark,
    )
    note(
        figure, 0.97 * top, 0.03 * top, "○ kept: the truth is below", theme, xanchor="right", **mark
    )
    return figure


def broken_against_delta(
    deltas: ArrayLike, broken: ArrayLike, runs: int, *, theme: Theme = "light"
) -> go.Figure:
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
    figure = canvas(
        "Broken certificates stay below what delta allows"
        if (shares <= asked).all()
        else "Broken certificates, and what delta allows",
        x="delta: the probability of failure asked for",
        y="share of certificates broken",
        theme=theme,
    )
    subtitle(figure, f"{runs:,} runs for each delta; bars are exact 95 % intervals", theme)
    _with_intervals(figure, asked, shares, ends, "broken", theme)
    _diagonal(figure, float(max(asked.max(), shares.max())) * 1.1, "allowed", theme)
    return figure


def reliability_diagram(
    probabilities: ArrayLike, outcomes: ArrayLike, *, bins: int = 10, theme: Theme = "light"
) -> go.Figure:
    """Predicted probabilities against how often the outcome came true, with exact intervals.

    Parameters
    ----------
    probabilities : array
        The predicted probability of the positive class, for each row.
    outcomes : array of 0 and 1
        Whether the row was positive.
    bins : int, default=10
        Into how many parts of equal width the predictions are sorted; empty ones are left out.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = reliability_diagram([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1], bins=2)
    >>> figure.data[0].y.tolist()
    [0.0, 1.0]
    """
    said, came = numbers("probabilities", probabilities), numbers("outcomes", outcomes)
    same_length(probabilities=said, outcomes=came)
    if said.min() < 0 or said.max() > 1:
        raise BadParameter("probabilities must lie between 0 and 1.")
    require(bool(np.isin(came, (0, 1)).all()), "outcomes", "a sequence of 0 and 1", outcomes)
    require(bins >= 1, "bins", "at least 1", bins)
    place = np.minimum((said * bins).astype(np.int64), bins - 1)
    held = np.unique(place)
    sizes = [int((place == b).sum()) for b in held]
    positive = [int(came[place == b].sum()) for b in held]
    mean = np.array([said[place == b].mean() for b in held])
    share = np.array(positive) / np.array(sizes)
    ends = [holdout_exact_two_sided(k, n, 0.05) for k, n in zip(positive, sizes, strict=True)]
    figure = canvas(
        "Predicted probabilities against what came true",
        x="mean predicted probability",
        y="share that was positive",
        theme=theme,
    )
    subtitle(
        figure, f"{len(said):,} rows in {len(held)} parts; bars are exact 95 % intervals", theme
    )
    _with_intervals(
        figure, mean, share, ends, "observed", theme, text=[f"{n:,} rows" for n in sizes]
    )
    _diagonal(figure, 1.0, "as predicted", theme)
    return figure


def _with_intervals(
    figure: go.Figure,
    x: Floats,
    y: Floats,
    ends: list[tuple[float, float]],
    name: str,
    theme: Theme,
    text: list[str] | None = None,
) -> None:
    low, high = np.array(ends).T
    settings: dict[str, Any] = {} if text is None else {"text": text}
    figure.add_trace(
        plotly_objects().Scatter(
            x=x,
            y=y,
            name=name,
            mode="lines+markers",
            line=line(0, theme),
            marker=marker(0, theme),
            error_y={
                "type": "data",
                "symmetric": False,
                "array": high - y,
                "arrayminus": y - low,
                "color": ink(theme).series[0],
                "thickness": 1.5,
                "width": 5,
            },
            **settings,
        )
    )
    figure.update_layout(meta={"high": float(high.max()), "last": float(y[-1]), "name": name})


def _diagonal(figure: go.Figure, end: float, name: str, theme: Theme) -> None:
    add_line(figure, [0.0, end], [0.0, end], name, 1, theme)
    held = figure.layout.meta
    top = max(end, held["high"]) * 1.03
    figure.update_layout(meta=None)
    figure.update_yaxes(range=[0, top])
    figure.update_xaxes(range=[0, end * 1.03])
    labels = [Label(held["name"], held["last"], 0), Label(name, end, 1)]
    name_ends(figure, labels, (0, top), theme)
