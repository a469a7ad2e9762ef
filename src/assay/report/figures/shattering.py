"""Which labelings of a few points a class can make: one panel for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np

from assay.errors import require
from assay.report.figures.canvas import Canvas
from assay.report.figures.geometry import Box, line_in_box, rim
from assay.report.figures.theme import Figure, Theme
from assay.theory.complexity.separating_lines import separating_lines
from assay.theory.complexity.shattering import intervals, rectangles
from assay.types import Floats

_MOST_PANELS = 64
_CLASSES: dict[str, Callable[[Any], Any]] = {
    "a line": separating_lines,
    "a rectangle": rectangles,
    "an interval": intervals,
}
Labels = tuple[int, ...]


def labelings(
    points: Any,
    realised: Any = None,
    *,
    show: Literal["all", "possible", "impossible"] | Sequence[Sequence[int]] = "all",
    by: str | None = None,
    boxes: bool | None = None,
    columns: int = 4,
    title: str | None = None,
    theme: Theme = "light",
) -> Figure:
    """The labelings of some points, and which of them a class of concepts can make.

    A class shatters the points if it can make all of them. One that it cannot make is hatched.

    Parameters
    ----------
    points : array-like of shape (n_points, 2) or (n_points,)
        At most six are shown with all labelings; plain numbers lie on a line.
    realised : mapping or table, optional
        The labelings that can be made, where the class is none of those in `by`: a table with a row of -1 and +1 for
        each; or a mapping from labelings to lines (w1, w2, b), which are then drawn.
    show : {"all", "possible", "impossible"} or list of labelings
        Which to show.
    by : {"a line", "a rectangle", "an interval"} or str, optional
        What makes the labelings. Left out: a line, or an interval where the points are plain numbers. With `realised`
        any words for the figure.
    boxes : bool, optional
        Whether the smallest box around the positive points is drawn; left out, where boxes make the labelings.
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
    >>> corners = [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> figures.labelings(corners, show="impossible").layout.title.text
    '14 of 16 labelings can be made by a line'
    >>> figures.labelings([1, 2, 3]).layout.title.text
    '7 of 8 labelings can be made by an interval'
    """
    cloud = np.asarray(points, dtype=np.float64)
    flat = cloud.ndim == 1
    if flat:
        cloud = np.column_stack([cloud, np.zeros(len(cloud))])
    fine = cloud.ndim == 2 and cloud.shape[1] == 2 and len(cloud) > 0
    require(fine, "points", "a table with two columns, or plain numbers", cloud.shape)
    by = by or ("an interval" if flat else "a line")
    if realised is None:
        require(by in _CLASSES, "by", "one of " + ", ".join(map(repr, _CLASSES)), by)
        boxes = by != "a line" if boxes is None else boxes
        realised = _CLASSES[by](cloud[:, 0] if flat and by == "an interval" else cloud)
    lines = _lines(realised, len(cloud))
    shown = _shown(show, lines, len(cloud))
    if title is None:
        title = f"{len(lines)} of {2 ** len(cloud)} labelings can be made by {by}"
    columns = min(columns, max(1, len(shown)))
    rows = math.ceil(len(shown) / columns)
    side = 150 if flat is False else 90
    words = [_title(labels, labels in lines) for labels in shown]
    panels = {
        "rows": rows,
        "cols": columns,
        "subplot_titles": words,
        "horizontal_spacing": 0.02,
        "vertical_spacing": 0.28 / rows if rows > 1 else 0,
    }
    canvas = Canvas(title, theme=theme, height=130 + (side + 40) * rows, panels=panels)
    box = _box(cloud)
    for k, labels in enumerate(shown):
        where = {"row": k // columns + 1, "col": k % columns + 1}
        _add_concept(canvas, cloud, labels, lines, box, bool(boxes), by, where)
        for place, (sign, name) in enumerate(((-1, "−"), (1, "+"))):
            own = np.array(labels) == sign
            canvas.draw(
                (cloud[own, 0] if own.any() else [None], cloud[own, 1] if own.any() else [None]),
                f"label {name}",
                hover="",
                where=where,
                mode="markers",
                marker=canvas.ink.marker(place, 12),
                legendgroup=name,
                showlegend=k == 0,
            )
    bare = {"showticklabels": False, "showgrid": False, "zeroline": False, "ticks": ""}
    bare |= {"showline": True, "mirror": True}
    canvas.figure.update_xaxes(range=box[:2], **bare)
    canvas.figure.update_yaxes(range=box[2:], **bare)
    canvas.figure.update_layout(
        legend={"y": -16 / (canvas.figure.layout.height - 160)}, margin={"b": 60, "t": 84}
    )
    return canvas.figure


def _lines(realised: Any, many: int) -> dict[Labels, Any]:
    if isinstance(realised, Mapping):
        drawn = realised
    else:
        drawn = {tuple(labels): None for labels in np.asarray(realised).tolist()}
    lines = {tuple(int(v) for v in labels): line for labels, line in drawn.items()}
    fits = all(len(labels) == many and set(labels) <= {-1, 1} for labels in lines)
    require(fits, "realised", f"made of rows of -1 and +1, one for each of {many} points", realised)
    return lines


def _shown(show: Any, lines: dict[Labels, Any], many: int) -> list[Labels]:
    every = [tuple(labels) for labels in product((-1, 1), repeat=many)]
    if isinstance(show, str):
        known = {"all": every, "possible": [e for e in every if e in lines]}
        known["impossible"] = [e for e in every if e not in lines]
        require(show in known, "show", "'all', 'possible', 'impossible' or a list", show)
        shown = known[show]
    else:
        shown = [tuple(int(v) for v in labels) for labels in show]
    some = 0 < len(shown) <= _MOST_PANELS
    require(some, "the number of labelings to show", f"from 1 to {_MOST_PANELS}", len(shown))
    return shown


def _title(labels: Labels, possible: bool) -> str:
    signs = " ".join("+" if label > 0 else "−" for label in labels)
    return f"{signs}  {'✓' if possible else '✗'}"


def _box(cloud: Floats) -> Box:
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    pad = 0.35 * max(float((high - low).max()), 1e-9)
    across, up = (low[0] - pad, high[0] + pad), (low[1] - pad, high[1] + pad)
    return float(across[0]), float(across[1]), float(up[0]), float(up[1])


def _add_concept(
    canvas: Canvas,
    cloud: Floats,
    labels: Labels,
    lines: dict[Labels, Any],
    box: Box,
    boxes: bool,
    by: str,
    where: dict[str, int],
) -> None:
    """What makes a labeling, where it is known; a hatched panel where nothing does."""
    left, right, bottom, top = box
    strong = {"color": canvas.ink.text, "width": 2}
    if labels not in lines:
        look = {"mode": "lines", "line": {"width": 0}, "showlegend": False}
        look |= canvas.ink.hatched(canvas.ink.faded(1, 0.08), size=8)
        across, up = [left, right, right, left], [bottom, bottom, top, top]
        canvas.draw((across, up), f"not by {by}", hover="", where=where, **look)
    elif lines[labels] is not None:
        w1, w2, b = lines[labels]
        ends = line_in_box((w1, w2), b, box)
        canvas.outline(ends, "separating line", strong, legend=False, where=where)
    elif boxes and 1 in labels:
        own = cloud[np.array(labels) > 0]
        pad = 0.08 * (right - left)
        (low, below), (high, above) = own.min(axis=0) - pad, own.max(axis=0) + pad
        corners = rim((low, high, below, above))
        canvas.outline(corners, "box", strong, legend=False, where=where)
