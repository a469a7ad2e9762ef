"""Lines, boxes and circles of the plane, as the corners that a figure draws."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from assay.errors import require
from assay.types import Floats

Box = tuple[float, float, float, float]
"""Left, right, bottom, top."""


def plane_points(X: Any, name: str = "X") -> Floats:
    """Points of the plane as a table of two columns; anything else is refused.

    Examples
    --------
    >>> plane_points([[0, 1], [2, 3]]).shape
    (2, 2)
    """
    try:
        points = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        require(False, name, "a table of numbers", "one with something else in it")
        raise
    flat = points.ndim == 2 and points.shape[1] == 2 and len(points) > 0
    require(flat, name, "a table with two columns and a row at least", points.shape)
    finite = bool(np.isfinite(points).all())
    require(finite, name, "a table of finite numbers", "one with NaN or infinity in it")
    return points


def box_around(points: Floats, pad: float = 0.12) -> Box:
    """The smallest box around points, made larger by a share of its sides.

    Examples
    --------
    >>> box_around(np.array([[0.0, 0.0], [10.0, 20.0]]), pad=0.1)
    (-1.0, 11.0, -2.0, 22.0)
    """
    low, high = points.min(axis=0), points.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    (left, bottom), (right, top) = low - pad * width, high + pad * width
    return float(left), float(right), float(bottom), float(top)


def wide_box(points: Floats, pad: float = 0.12, aspect: float = 1.75) -> Box:
    """A box around points that is as wide as a page is, so that lengths on both axes can be the same.

    Examples
    --------
    >>> wide_box(np.array([[0.0, 0.0], [10.0, 10.0]]), pad=0.0, aspect=2.0)
    (-5.0, 15.0, 0.0, 10.0)
    """
    left, right, bottom, top = box_around(points, pad)
    width, height = right - left, top - bottom
    more, higher = max(0.0, aspect * height - width) / 2, max(0.0, width / aspect - height) / 2
    return left - more, right + more, bottom - higher, top + higher


def comparable(points: Floats) -> bool:
    """Whether the features spread about equally, so that a length means the same on both axes.

    Examples
    --------
    >>> comparable(np.array([[0.0, 0.0], [1.0, 2.0]])), comparable(np.array([[0.0, 0.0], [1.0, 900.0]]))
    (True, False)
    """
    spread = np.ptp(points, axis=0)
    return bool(spread.max() <= 4 * spread.min())


def line_in_box(w: Any, b: float, box: Box) -> Floats:
    """The two ends of the line <w, x> + b = 0 inside a box; no rows where it passes outside.

    Examples
    --------
    >>> line_in_box((1.0, 0.0), -2.0, (0, 4, 0, 1)).tolist()
    [[2.0, 0.0], [2.0, 1.0]]
    >>> line_in_box((1.0, 0.0), 5.0, (0, 4, 0, 1)).shape
    (0, 2)
    """
    corners = rim(box)[:-1]
    first, second = float(w[0]), float(w[1])
    if first == 0 and second == 0:
        return np.zeros((0, 2))
    scores = corners @ np.array([first, second]) + b
    met: list[Floats] = []
    for k in range(4):
        here, there = scores[k], scores[(k + 1) % 4]
        if here == 0:
            met.append(corners[k])
        elif here * there < 0:
            share = here / (here - there)
            met.append(corners[k] + share * (corners[(k + 1) % 4] - corners[k]))
    ends = np.array(met).reshape(-1, 2)
    if len(ends) < 2:
        return np.zeros((0, 2))
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    return np.asarray(ends[order][[0, -1]])


def side_of_box(w: Any, b: float, box: Box) -> Floats:
    """The part of a box where <w, x> + b is at least zero, as the corners of a polygon.

    Examples
    --------
    >>> side_of_box((1.0, 0.0), -2.0, (0, 4, 0, 1)).tolist()
    [[2.0, 0.0], [4.0, 0.0], [4.0, 1.0], [2.0, 1.0]]
    """
    return cut(rim(box)[:-1], w, b)


def cut(polygon: Floats, w: Any, b: float) -> Floats:
    """The part of a convex polygon where <w, x> + b is at least zero."""
    scores = polygon @ np.asarray(w, dtype=np.float64) + b
    kept: list[Floats] = []
    for k in range(len(polygon)):
        after = (k + 1) % len(polygon)
        if scores[k] >= 0:
            kept.append(polygon[k])
        if scores[k] * scores[after] < 0:
            share = scores[k] / (scores[k] - scores[after])
            kept.append(polygon[k] + share * (polygon[after] - polygon[k]))
    return np.array(kept).reshape(-1, 2)


def circle(centre: Any, radius: float, corners: int = 120) -> Floats:
    """A circle as a closed polygon.

    Examples
    --------
    >>> circle((0.0, 0.0), 2.0, corners=4).round(9).tolist()[:2]
    [[2.0, 0.0], [0.0, 2.0]]
    """
    turns = np.linspace(0.0, 2 * math.pi, corners + 1)
    return np.column_stack([centre[0] + radius * np.cos(turns), centre[1] + radius * np.sin(turns)])


def segments(parts: Iterable[Any]) -> Floats:
    """Lines one after the other, with a gap after each.

    Examples
    --------
    >>> segments([[(0, 0), (1, 1)], [(2, 2)]]).tolist()
    [[0.0, 0.0], [1.0, 1.0], [nan, nan], [2.0, 2.0], [nan, nan]]
    """
    gap = np.full((1, 2), np.nan)
    return np.vstack([np.vstack([part, gap]) for part in parts])


def rim(box: Box) -> Floats:
    """The corners of a box, closed.

    Examples
    --------
    >>> rim((0, 2, 0, 1)).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    """
    a, b, c, d = box
    return np.array([(a, c), (b, c), (b, d), (a, d), (a, c)], dtype=np.float64)


def hull(points: Floats) -> Floats:
    """The corners of the convex hull of points, closed; one point or two are their own hull.

    Examples
    --------
    >>> len(hull(np.array([[0.0, 0], [2, 0], [0, 2], [0.5, 0.5]])))
    4
    """
    rows = sorted({(float(a), float(b)) for a, b in points})
    if len(rows) < 3:
        return np.array(rows)
    chain: list[tuple[float, float]] = []
    for way in (rows, rows[::-1]):
        start = len(chain)
        for point in way:
            while len(chain) - start >= 2 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        chain.pop()
    return np.array([*chain, chain[0]])


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Above zero where a, b, c turn left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def node_boxes(tree: Any, box: Box) -> dict[int, Box]:
    """The part of a box that belongs to each node, parents first; parts outside the box are left out.

    Parameters
    ----------
    tree : object with arrays `feature`, `threshold`, `left` and `right`
        As a decision tree's `nodes_` or a `KdCells`, over two features that are numbers.
    box : tuple of four floats
        Left, right, bottom, top.
    """
    parts: dict[int, Box] = {}
    waiting: list[tuple[int, Box]] = [(0, box)]
    while waiting:
        node, (left, right, bottom, top) = waiting.pop()
        parts[node] = (left, right, bottom, top)
        feature, at = int(tree.feature[node]), float(tree.threshold[node])
        if feature < 0:
            continue
        low, high = (left, right) if feature == 0 else (bottom, top)
        below, above = (low, min(high, at)), (max(low, at), high)
        for child, (a, b) in ((tree.right[node], above), (tree.left[node], below)):
            if a < b:
                half = (a, b, bottom, top) if feature == 0 else (left, right, a, b)
                waiting.append((int(child), half))
    return parts


def leaf_boxes(tree: Any, box: Box) -> list[Box]:
    """The part of a box that ends in each leaf, in the order of the leaves.

    Examples
    --------
    >>> from assay import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[0.0, 0], [0, 1], [2, 0], [2, 1]], [0, 0, 1, 1])
    >>> leaf_boxes(model.nodes_, (0.0, 4.0, 0.0, 1.0))
    [(0.0, 1.0, 0.0, 1.0), (1.0, 4.0, 0.0, 1.0)]
    """
    parts = node_boxes(tree, box).items()
    return [part for node, part in parts if int(tree.feature[node]) < 0]
