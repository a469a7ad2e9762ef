"""Where error comes from: noise, bias and variance; training and test error by capacity and by rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.report.figures.curves import (
    Label,
    add_band,
    add_line,
    decades,
    name_ends,
    numbers,
    same_length,
    subtitle,
    y_range,
)
from assay.report.figures.theme import Theme, canvas, ink

if TYPE_CHECKING:
    import plotly.graph_objects as go

# An error so many times the usual one asks for a logarithmic axis.
_MUCH = 8


class _Estimate(Protocol):
    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


# What `assay.bias_variance` gives; the report room does not import the experiments.
class _Parts(Protocol):
    @property
    def error(self) -> _Estimate: ...
    @property
    def noise(self) -> float: ...
    @property
    def bias(self) -> _Estimate: ...
    @property
    def variance(self) -> _Estimate: ...
    @property
    def promised(self) -> float: ...


def bias_variance_curve(
    results: Sequence[_Parts], capacity: ArrayLike, *, of: str = "capacity", theme: Theme = "light"
) -> go.Figure:
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
    >>> found = [
    ...     bias_variance(BasisRidge(degree=d), source, rows=30, trials=20, random_state=0) for d in (1, 2)
    ... ]
    >>> figure = bias_variance_curve(found, [1, 2], of="degree")
    >>> [trace.name for trace in figure.data if trace.name]
    ['error seen', 'promised sum', 'squared bias', 'variance', 'noise']
    """
    x = numbers("capacity", capacity)
    found = list(results)
    same_length(capacity=x, results=found)
    order = np.argsort(x)
    x, found = x[order], [found[i] for i in order]
    figure = canvas("Where the square error comes from", x=of, y="mean square error", theme=theme)
    estimates = {
        "error seen": [r.error for r in found],
        "squared bias": [r.bias for r in found],
        "variance": [r.variance for r in found],
    }
    columns = {
        "error seen": [e.value for e in estimates["error seen"]],
        "promised sum": [r.promised for r in found],
        "squared bias": [max(e.value, 0.0) for e in estimates["squared bias"]],
        "variance": [e.value for e in estimates["variance"]],
        "noise": [r.noise for r in found],
    }
    whole = np.array(columns["promised sum"])
    # One exploding fit must not press all others flat.
    log = bool(whole.max() > _MUCH * np.median(whole))
    parts = np.concatenate([np.array(values) for values in columns.values()])
    least = max(float(parts[parts > 0].min()), 1e-3 * float(np.median(whole))) if log else 0.0
    labels = []
    for place, (name, values) in enumerate(columns.items()):
        if name in estimates:
            low, high = ([max(e, least) for e in ends] for ends in _ends(estimates[name]))
            add_band(figure, x, low, high, place, theme)
        add_line(figure, x, np.maximum(values, least), name, place, theme, points=True)
        labels.append(Label(name, values[-1], place))
    highest = float(max(whole.max(), *columns["error seen"]))
    name_ends(figure, labels, y_range(figure, least, highest, log=log), theme, log=log)
    if log:
        figure.update_yaxes(title={"text": "mean square error (logarithmic)"}, dtick=1)
    best = int(np.argmin(columns["promised sum"]))
    subtitle(
        figure,
        f"noise + squared bias + variance = the promise of bias-variance; least at {of} {x[best]:g}",
        theme,
    )
    return figure


def _ends(estimates: Sequence[_Estimate]) -> tuple[list[float], list[float]]:
    return [e.low for e in estimates], [e.high for e in estimates]


def fit_curves(
    capacity: ArrayLike,
    training: ArrayLike,
    test: ArrayLike,
    *,
    of: str = "capacity",
    error: str = "error",
    theme: Theme = "light",
) -> go.Figure:
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
    figure = canvas("Too little and too much capacity", x=of, y=error, theme=theme)
    highest = _two(figure, x, seen, unseen, theme)
    best = int(np.argmin(unseen))
    subtitle(figure, f"the test error is least at {of} {x[best]:g}", theme)
    faint = ink(theme).faint
    figure.add_vline(x=float(x[best]), line={"color": faint, "width": 1, "dash": "dot"})
    for side, text, anchor in ((-8, "underfits ←", "right"), (8, "→ overfits", "left")):
        if (best > 0 and side < 0) or (best < len(x) - 1 and side > 0):
            figure.add_annotation(
                x=float(x[best]),
                y=highest,
                text=text,
                xanchor=anchor,
                xshift=side,
                showarrow=False,
                font={"size": 12, "color": faint},
            )
    return figure


def learning_curve(
    rows: ArrayLike,
    training: ArrayLike,
    test: ArrayLike,
    *,
    bound: tuple[str, ArrayLike] | None = None,
    error: str = "error",
    theme: Theme = "light",
) -> go.Figure:
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
    figure = canvas(
        "Training and test error come together",
        x="training rows (logarithmic)",
        y=error,
        theme=theme,
    )
    promised = None
    if bound is not None:
        promised = (bound[0], numbers("bound", bound[1])[np.argsort(numbers("rows", rows))])
        same_length(rows=x, bound=promised[1])
    _two(figure, x, seen, unseen, theme, promised)
    gap = float(unseen[-1] - seen[-1])
    subtitle(figure, f"after {x[-1]:,.0f} rows they are {gap:.3g} apart", theme)
    figure.update_xaxes(type="log", tickvals=decades(x[0], x[-1]), tickformat=",")
    return figure


def _columns(x: ArrayLike, training: ArrayLike, test: ArrayLike, name: str) -> Any:
    at, seen, unseen = numbers(name, x), numbers("training", training), numbers("test", test)
    same_length(**{name: at, "training": seen, "test": unseen})
    order = np.argsort(at)
    return at[order], seen[order], unseen[order]


def _two(
    figure: go.Figure,
    x: Any,
    training: Any,
    test: Any,
    theme: Theme,
    bound: tuple[str, Any] | None = None,
) -> float:
    """Both lines with their names; gives the upper end of the axis."""
    series = [("training", training), ("test", test), *([] if bound is None else [bound])]
    labels = []
    for place, (name, values) in enumerate(series):
        add_line(figure, x, values, name, place, theme, points=True)
        labels.append(Label(f"{name}: {values[-1]:.3g}", float(values[-1]), place))
    highest = _without_outliers(np.concatenate([values for _, values in series]))
    ends = y_range(figure, 0.0, highest)
    name_ends(figure, labels, ends, theme)
    return ends[1] * 0.98


def _without_outliers(values: Any) -> float:
    """The top of the axis: one exploding fit must not press all others flat."""
    top, usual = float(values.max()), float(np.median(values))
    return top if top <= 20 * usual or usual <= 0 else 6 * usual
