"""Pruning a tree: which subtree is the best at every price of a leaf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import require
from assay.report.figures.canvas import Canvas
from assay.report.figures.theme import Figure, Theme


def pruning_path(
    path: Any,
    *,
    errors: Mapping[str, Any] | None = None,
    tried: tuple[Any, Any] | None = None,
    chosen: float | None = None,
    title: str = "Pruning: the best subtree at every price of a leaf",
    theme: Theme = "light",
) -> Figure:
    """The leaves, the impurity and the errors of the nested subtrees, against the price α of a leaf.

    The price runs from zero, where the whole tree is kept, to that at which nothing but the root is left. Its axis is
    logarithmic where the prices differ much; zero then stands at its left end.

    Parameters
    ----------
    path : PruningPath
        From `cost_complexity_pruning_path`: `ccp_alphas`, `impurities`, `leaves`.
    errors : mapping from names to arrays, optional
        What else to show for each subtree of the path, such as its error on some rows.
    tried : pair of arrays, optional
        Prices and the error of each, as from validation: `cv_alphas_` and `cv_losses_` over the rows.
    chosen : float, optional
        The price that was taken, such as `ccp_alpha_`.
    title : str
        Above the figure.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import DecisionTreeClassifier, figures
    >>> X, y = [[1.0], [2], [3], [4]], [0, 1, 0, 1]
    >>> path = DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
    >>> figures.pruning_path(path).data[0].y.tolist()[:-1] == path.leaves.tolist()
    True
    """
    alphas = np.asarray(path.ccp_alphas, dtype=np.float64)
    require(len(alphas) > 0, "path", "one with a subtree at least", path)
    at, ticks = _places(alphas, tried, chosen)
    panels = {"rows": 2, "cols": 1, "shared_xaxes": True, "vertical_spacing": 0.06}
    canvas = Canvas(title, theme=theme, height=620, panels=panels)
    _add_steps(canvas, at(alphas), path.leaves, alphas, "leaves", 0, row=1)
    _add_steps(canvas, at(alphas), path.impurities, alphas, "impurity of the leaves", 1)
    for place, (name, values) in enumerate((errors or {}).items(), start=2):
        many = np.asarray(values, dtype=np.float64)
        fits = many.shape == alphas.shape
        require(fits, f"errors of {name}", f"one for each of {len(alphas)} subtrees", many.shape)
        _add_steps(canvas, at(alphas), many, alphas, str(name), place)
    if tried is not None:
        prices, lost = (np.asarray(part, dtype=np.float64) for part in tried)
        canvas.draw(
            (at(prices), lost),
            "error by validation",
            hover="α = %{customdata:.4g}: %{y:.4g}",
            where={"row": 2, "col": 1},
            mode="markers+lines",
            line={**canvas.ink.line(4, 1.2), "dash": "dot"},
            marker=canvas.ink.marker(4, 8),
            customdata=prices,
        )
    figure = canvas.figure
    figure.update_xaxes(title_text="price α of a leaf", row=2, col=1)
    if ticks is not None:
        figure.update_xaxes(type="log", tickvals=ticks[0], ticktext=ticks[1])
    if chosen is not None:
        _mark(canvas, float(at(np.array([chosen]))[0]), f"chosen: α = {chosen:.3g}")
    scale = "log" if max(path.leaves) > 30 else "linear"
    figure.update_yaxes(title_text="leaves", type=scale, row=1, col=1)
    figure.update_yaxes(title_text="impurity, error", rangemode="tozero", row=2, col=1)
    return figure


def _places(alphas: Any, tried: Any, chosen: float | None) -> tuple[Any, Any]:
    """Where prices stand on the axis, and its ticks: as they are, or with zero at the left of a logarithmic one."""
    given = [alphas] if tried is None else [alphas, np.asarray(tried[0], dtype=np.float64)]
    given.append(np.array([] if chosen is None else [chosen]))
    every = np.concatenate(given)
    above = every[every > 0]
    if not above.size or above.max() <= 30 * above.min():
        return (lambda prices: prices), None
    zero = above.min() / 3
    powers = 10.0 ** np.arange(np.ceil(np.log10(above.min())), np.floor(np.log10(above.max())) + 1)
    names = ["0", *(f"{p:.0e}" if p < 1e-3 else f"{p:g}" for p in powers)]
    return (lambda prices: np.maximum(prices, zero)), ([zero, *powers], names)


def _add_steps(
    canvas: Canvas, x: Any, y: Any, alphas: Any, name: str, place: int, row: int = 2
) -> None:
    """What holds from each price on until the next; the last goes on to the right."""
    end = x[-1] * 1.6 if x[-1] > 0 else 1.0
    values = np.asarray(y, dtype=np.float64)
    canvas.draw(
        (np.append(x, end), np.append(values, values[-1])),
        name,
        hover=f"from α = %{{customdata:.4g}} on: %{{y:.4g}} {name}",
        where={"row": row, "col": 1},
        mode="lines+markers",
        line={**canvas.ink.line(place), "shape": "hv"},
        marker=canvas.ink.marker(place, 6),
        customdata=np.append(alphas, end),
    )


def _mark(canvas: Canvas, x: float, text: str) -> None:
    figure, line = canvas.figure, {"color": canvas.ink.text, "width": 1.4, "dash": "dash"}
    for row in (1, 2):
        figure.add_vline(x=x, line=line, row=row, col=1)
    logarithmic = figure.layout.xaxis.type == "log"
    figure.add_annotation(
        x=float(np.log10(x)) if logarithmic else x,
        y=1, yref="y domain", xref="x", xanchor="left", yanchor="top", xshift=4,
        text=text, showarrow=False,
    )  # fmt: skip
