"""Where error comes from: noise, bias and variance; training and test error by capacity and by rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.report.figures.curves import Curves, decades, numbers, same_length
from assay.report.figures.theme import Figure, Theme

# An error so many times the usual one asks for a logarithmic axis.
_MUCH = 8


def bias_variance_curve(
    results: Sequence[Any], capacity: ArrayLike, *, of: str = "capacity", theme: Theme = "light"
) -> Figure:
    """Noise, squared bias and variance, and the error they add up to, as capacity grows.

    Parameters
    ----------
    results : sequence of BiasVariance
        From `assay.bias_variance`, one for each capacity.
    capacity : array
        Such as the degrees of polynomials, the depths of trees, or numbers of neighbours.
    of : str
        What the capacity is, for the axis.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> from assay import BasisRidge, bias_variance
    >>> from assay.data.synthetic import NoisyFunction
    >>> source = NoisyFunction(np.cos, noise=0.5, low=-3.0, high=3.0)
    >>> results = [
    ...     bias_variance(BasisRidge(degree=d), source, rows=30, trials=20, random_state=0) for d in (1, 2)
    ... ]
    >>> figure = bias_variance_curve(results, [1, 2], of="degree")
    >>> [trace.name for trace in figure.data if trace.name]
    ['error seen', 'promised sum', 'squared bias', 'variance', 'noise']
    """
    x = numbers("capacity", capacity)
    parts = list(results)
    same_length(capacity=x, results=parts)
    order = np.argsort(x)
    x, parts = x[order], [parts[i] for i in order]
    canvas = Curves("Where the square error comes from", x=of, y="mean square error", theme=theme)
    estimates = {
        "error seen": [r.error for r in parts],
        "squared bias": [r.bias for r in parts],
        "variance": [r.variance for r in parts],
    }
    columns = {
        "error seen": [e.value for e in estimates["error seen"]],
        "promised sum": [r.promised for r in parts],
        "squared bias": [max(e.value, 0.0) for e in estimates["squared bias"]],
        "variance": [e.value for e in estimates["variance"]],
        "noise": [r.noise for r in parts],
    }
    promised = np.array(columns["promised sum"])
    # One exploding fit must not press all others flat.
    log = bool(promised.max() > _MUCH * np.median(promised))
    every = np.concatenate([np.array(values) for values in columns.values()])
    least = max(float(every[every > 0].min()), 1e-3 * float(np.median(promised))) if log else 0.0
    for place, (name, values) in enumerate(columns.items()):
        if name in estimates:
            low = [max(e.low, least) for e in estimates[name]]
            high = [max(e.high, least) for e in estimates[name]]
            canvas.band(x, low, high, place)
        canvas.curve(x, np.maximum(values, least), name, place, end=values[-1], points=True)
    highest = float(max(promised.max(), *columns["error seen"]))
    canvas.name_ends(canvas.y_range(least, highest, log=log))
    if log:
        canvas.figure.update_yaxes(title={"text": "mean square error (logarithmic)"}, dtick=1)
    best = x[int(np.argmin(promised))]
    canvas.subtitle(
        f"noise + squared bias + variance = the promise of bias-variance; least at {of} {best:g}"
    )
    return canvas.figure


def fit_curves(
    capacity: ArrayLike,
    training: ArrayLike,
    test: ArrayLike,
    *,
    of: str = "capacity",
    error: str = "error",
    theme: Theme = "light",
) -> Figure:
    """Training and test error as capacity grows: too little underfits, too much overfits.

    Parameters
    ----------
    capacity, training, test : arrays
        The capacities, and the errors of the model on its own rows and on others.
    of, error : str
        What the capacity and the error are, for the axes.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = fit_curves([1, 2, 3], [0.5, 0.2, 0.0], [0.6, 0.3, 0.5], of="degree")
    >>> [(trace.name, trace.y.tolist()) for trace in figure.data]
    [('training', [0.5, 0.2, 0.0]), ('test', [0.6, 0.3, 0.5])]
    """
    x, seen, unseen = _columns(capacity, training, test, "capacity")
    canvas = Curves("Too little and too much capacity", x=of, y=error, theme=theme)
    top = _two(canvas, x, {"training": seen, "test": unseen})
    best = int(np.argmin(unseen))
    canvas.subtitle(f"the test error is least at {of} {x[best]:g}")
    canvas.upright(float(x[best]), dash="dot")
    for shown, side, text, anchor in (
        (best > 0, -8, "underfits ←", "right"),
        (best < len(x) - 1, 8, "→ overfits", "left"),
    ):
        if shown:
            canvas.note(float(x[best]), 0.98 * top, text, xanchor=anchor, xshift=side)
    return canvas.figure


def learning_curve(
    rows: ArrayLike,
    training: ArrayLike,
    test: ArrayLike,
    *,
    bound: tuple[str, ArrayLike] | None = None,
    error: str = "error",
    theme: Theme = "light",
) -> Figure:
    """Training and test error come together as the sample grows, under a promised bound.

    Parameters
    ----------
    rows, training, test : arrays
        Sizes of the training set, and the errors of the model on its own rows and on others.
    bound : tuple of (theorem, array), optional
        The id of a theorem, and what it promises about the test error for each size.
    error : str
        What the error is, for the axis.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = learning_curve([10, 100], [0.0, 0.1], [0.4, 0.15], bound=("occam-exact", [0.9, 0.3]))
    >>> [(trace.name, trace.y.tolist()) for trace in figure.data]
    [('training', [0.0, 0.1]), ('test', [0.4, 0.15]), ('occam-exact', [0.9, 0.3])]
    """
    x, seen, unseen = _columns(rows, training, test, "rows")
    if x.min() <= 0:
        raise BadParameter("rows must be above zero.")
    title = "Training and test error come together"
    canvas = Curves(title, x="training rows (logarithmic)", y=error, theme=theme)
    series = {"training": seen, "test": unseen}
    if bound is not None:
        series[bound[0]] = numbers("bound", bound[1])[np.argsort(numbers("rows", rows))]
        same_length(rows=x, bound=series[bound[0]])
    _two(canvas, x, series)
    gap = float(unseen[-1] - seen[-1])
    canvas.subtitle(f"after {x[-1]:,.0f} rows they are {gap:.3g} apart")
    canvas.figure.update_xaxes(type="log", tickvals=decades(x[0], x[-1]), tickformat=",")
    return canvas.figure


def _columns(x: ArrayLike, training: ArrayLike, test: ArrayLike, name: str) -> Any:
    at, seen, unseen = numbers(name, x), numbers("training", training), numbers("test", test)
    same_length(**{name: at, "training": seen, "test": unseen})
    order = np.argsort(at)
    return at[order], seen[order], unseen[order]


def _two(canvas: Curves, x: Any, series: Mapping[str, Any]) -> float:
    """Both errors, and a bound where there is one; gives the upper end of the axis."""
    for name, values in series.items():
        canvas.curve(x, values, name, label=f"{name}: {values[-1]:.3g}", points=True)
    ends = canvas.y_range(0.0, _without_outliers(np.concatenate(list(series.values()))))
    canvas.name_ends(ends)
    return ends[1]


def _without_outliers(values: Any) -> float:
    """The top of the axis: one exploding fit must not press all others flat."""
    top, usual = float(values.max()), float(np.median(values))
    return top if top <= 20 * usual or usual <= 0 else 6 * usual
