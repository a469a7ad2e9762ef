"""The labelings of a few points of the plane that a line tells apart, each with the line of widest margin."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from assay.errors import require
from assay.types import Floats, Ints

_MOST_POINTS = 10
_APART = 1e-9


def separating_lines(points: Any) -> dict[tuple[int, ...], tuple[float, float, float]]:
    """For every labeling of points of the plane that a line tells apart, the line with the widest margin.

    Parameters
    ----------
    points : array-like of shape (n_points, 2)
        At most ten, since there are 2^n labelings.

    Returns
    -------
    dict
        From labels, -1 or +1 for each point, to (w1, w2, b): the sign of w1 x1 + w2 x2 + b is the label, and the
        nearest points have ±1. Where all labels are the same, the line passes beside the points.

    Examples
    --------
    >>> lines = separating_lines([[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> len(lines), (1, -1, -1, 1) in lines  # exclusive or
    (14, False)
    """
    cloud = np.asarray(points, dtype=np.float64)
    flat = cloud.ndim == 2 and cloud.shape[1] == 2 and 1 <= len(cloud) <= _MOST_POINTS
    must = f"a table with two columns and 1 to {_MOST_POINTS} rows"
    require(flat, "points", must, cloud.shape)
    require(bool(np.isfinite(cloud).all()), "points", "finite", cloud.tolist())
    lines = {}
    for labels in product((-1, 1), repeat=len(cloud)):
        line = _line(cloud, np.array(labels))
        if line is not None:
            lines[labels] = line
    return lines


def _line(cloud: Floats, labels: Ints) -> tuple[float, float, float] | None:
    above, below = cloud[labels > 0], cloud[labels < 0]
    size = float(np.abs(cloud - cloud[0]).max()) or 1.0
    if not len(above) or not len(below):
        side, reach = float(labels[0]), 0.2 * size
        return side / reach, 0.0, side * (1 - float(cloud[:, 0].min()) / reach)
    # The widest margin lies between the nearest points of the two hulls: half of the shortest difference.
    differences = (above[:, None, :] - below[None, :, :]).reshape(-1, 2)
    shortest = _shortest(differences)
    square = float(shortest @ shortest)
    # Nearest to the origin in the hull is the point beyond whose perpendicular all others lie.
    if square <= (_APART * size) ** 2 or (differences @ shortest).min() < square * (1 - _APART):
        return None
    w = 2 * shortest / square
    middle = (float((above @ w).min()) + float((below @ w).max())) / 2
    return float(w[0]), float(w[1]), -middle


def _shortest(points: Floats) -> Floats:
    """The point nearest to the origin on any segment between two of the points."""
    start = points[:, None, :]
    step = points[None, :, :] - start
    length = (step**2).sum(axis=2)
    along = -(start * step).sum(axis=2)
    share = np.clip(np.divide(along, length, out=np.zeros_like(length), where=length > 0), 0.0, 1.0)
    nearest = (start + share[:, :, None] * step).reshape(-1, 2)
    return np.asarray(nearest[(nearest**2).sum(axis=1).argmin()])
