"""Which labelings of a few points a class can make: one panel for each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import Box, line_in_box
from assay.report.figures.points import add_line
from assay.report.figures.theme import Theme, faded, ink, marker, panels, plotly_objects
from assay.types import Floats

if TYPE_CHECKING:
    import plotly.graph_objects as go

_MOST_PANELS = 64
Labels = tuple[int, ...]


def labelings(
    points: Any,
    realised: Any,
    *,
    show: Literal["all", "possible", "impossible"] | Sequence[Sequence[int]] = "all",
    by: str = "a line",
    boxes: bool = False,
    columns: int = 4,
    title: str | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """The labelings of some points, and which of them a class of concepts can make.

    A class shatters the points if it can make all of them. One that it cannot make is hatched.

    Parameters
    ----------
    points : array-like of shape (n_points, 2) or (n_points,)
        At most six are shown with all labelings; plain numbers lie on a line.
    realised : mapping or table
        The labelings that can be made: a table with a row of -1 and +1 for each, as `halfspaces`, `rectangles` and
        `intervals` of `assay.theory.complexity.shattering` give it; or a mapping from labelings to lines
        (w1, w2, b), which are then drawn, as `assay.learners.search.separating_lines.separating_lines` gives it.
    show : {"all", "possible", "impossible"} or list of labelings
        Which to show.
    by : str
        What makes the labelings, for the words of the figure.
    boxes : bool
        Whether the smallest box around the positive points is drawn.
    columns : int
        How many panels stand beside each other.
    title : str, optional
        Left out, how many of the labelings can be made.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import figures
    >>> from assay.learners.search.separating_lines import separating_lines
    >>> corners = [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> figure = figures.labelings(corners, separating_lines(corners), show="impossible")
    >>> figure.layout.title.text
    '14 of 16 labelings can be made by a line'
    """
    cloud = np.asarray(points, dtype=np.float64)
    flat = cloud.ndim == 1
    if flat:
        cloud = np.column_stack([cloud, np.zeros(len(cloud))])
    fine = cloud.ndim == 2 and cloud.shape[1] == 2 and len(cloud) > 0
    require(fine, "points", "a table with two columns, or plain numbers", cloud.shape)
    lines = _lines(realised, len(cloud))
    shown = _shown(show, lines, len(cloud))
    if title is None:
        title = f"{len(lines)} of {2 ** len(cloud)} labelings can be made by {by}"
    columns = min(columns, max(1, len(shown)))
    rows = math.ceil(len(shown) / columns)
    side = 150 if flat is False else 90
    words = [_title(labels, labels in lines) for labels in shown]
    figure = panels(
        title, rows=rows, columns=columns, titles=words, theme=theme, height=130 + (side + 40) * rows,
        horizontal_spacing=0.02, vertical_spacing=0.28 / rows if rows > 1 else 0,
    )  # fmt: skip
    box = _box(cloud)
    for k, labels in enumerate(shown):
        where = {"row": k // columns + 1, "col": k % columns + 1}
        _add_panel(figure, cloud, labels, lines, box, boxes, by, theme, where, legend=k == 0)
    figure.update_xaxes(
        range=box[:2], showticklabels=False, showgrid=False, zeroline=False, ticks=""
    )
    figure.update_yaxes(
        range=box[2:], showticklabels=False, showgrid=False, zeroline=False, ticks=""
    )
    figure.update_xaxes(showline=True, mirror=True)
    figure.update_yaxes(showline=True, mirror=True)
    figure.update_layout(
        legend={"y": -16 / (figure.layout.height - 160)}, margin={"b": 60, "t": 84}
    )
    return figure


def _lines(realised: Any, many: int) -> dict[Labels, Any]:
    if isinstance(realised, Mapping):
        found = {tuple(int(v) for v in labels): line for labels, line in realised.items()}
    else:
        found = {tuple(int(v) for v in labels): None for labels in np.asarray(realised).tolist()}
    fits = all(len(labels) == many and set(labels) <= {-1, 1} for labels in found)
    require(fits, "realised", f"made of rows of -1 and +1, one for each of {many} points", realised)
    return found


def _shown(show: Any, lines: dict[Labels, Any], many: int) -> list[Labels]:
    every = [tuple(labels) for labels in product((-1, 1), repeat=many)]
    if isinstance(show, str):
        known = {"all": every, "possible": [e for e in every if e in lines]}
        known["impossible"] = [e for e in every if e not in lines]
        require(show in known, "show", "'all', 'possible', 'impossible' or a list", show)
        found = known[show]
    else:
        found = [tuple(int(v) for v in labels) for labels in show]
    some = 0 < len(found) <= _MOST_PANELS
    require(some, "the number of labelings to show", f"from 1 to {_MOST_PANELS}", len(found))
    return found


def _title(labels: Labels, possible: bool) -> str:
    signs = " ".join("+" if label > 0 else "−" for label in labels)
    return f"{signs}  {'✓' if possible else '✗'}"


def _box(cloud: Floats) -> Box:
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    pad = 0.35 * max(float((high - low).max()), 1e-9)
    across, up = (low[0] - pad, high[0] + pad), (low[1] - pad, high[1] + pad)
    return float(across[0]), float(across[1]), float(up[0]), float(up[1])


def _add_panel(
    figure: go.Figure,
    cloud: Floats,
    labels: Labels,
    lines: dict[Labels, Any],
    box: Box,
    boxes: bool,
    by: str,
    theme: Theme,
    where: dict[str, int],
    legend: bool,
) -> None:
    go, colours = plotly_objects(), ink(theme)
    left, right, bottom, top = box
    if labels not in lines:
        hatch = {"shape": "/", "size": 8, "solidity": 0.12, "fgcolor": colours.faint}
        figure.add_trace(
            go.Scatter(
                x=[left, right, right, left], y=[bottom, bottom, top, top], mode="lines",
                line={"width": 0}, fill="toself", fillcolor=faded(1, theme, 0.08),
                fillpattern={**hatch, "bgcolor": faded(1, theme, 0.08)}, hoverinfo="skip",
                name=f"not by {by}", showlegend=False,
            ),
            **where,
        )  # fmt: skip
    elif lines[labels] is not None:
        w1, w2, b = lines[labels]
        ends = line_in_box((w1, w2), b, box)
        line = {"color": colours.text, "width": 2}
        add_line(figure, ends, "separating line", line=line, legend=False, where=where)
    elif boxes and 1 in labels:
        own = cloud[np.array(labels) > 0]
        pad = 0.08 * (right - left)
        (a, c), (b, d) = own.min(axis=0) - pad, own.max(axis=0) + pad
        corners = np.array([(a, c), (b, c), (b, d), (a, d), (a, c)])
        line = {"color": colours.text, "width": 2}
        add_line(figure, corners, "box", line=line, legend=False, where=where)
    for place, (sign, name) in enumerate(((-1, "−"), (1, "+"))):
        own = np.array(labels) == sign
        figure.add_trace(
            go.Scatter(
                x=cloud[own, 0] if own.any() else [None],
                y=cloud[own, 1] if own.any() else [None],
                mode="markers",
                marker=marker(place, theme, 12),
                name=f"label {name}",
                legendgroup=name,
                showlegend=legend,
                hoverinfo="skip",
            ),
            **where,
        )
