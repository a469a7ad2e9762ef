"""A kd-tree of points, by the textbook's rule: what figures need of one where no fitted rule has it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from assay.errors import require
from assay.record.cells import KdCells
from assay.theory.needs import count
from assay.types import Floats, Ints

Halving = Literal["cyclic", "widest"]


def cells_of(points: Any, rule: Halving, leaf_size: int) -> KdCells:
    """The boxes of a kd-tree; what is one already stays as it is.

    A node of depth q is divided by feature q modulo d (cyclic), or by that in which its rows spread most (widest), at
    the median: what is at most the median goes left. Where all rows have one value there, the next feature is taken.

    Examples
    --------
    >>> cells = cells_of([[2, 3], [5, 4], [9, 6], [4, 7], [8, 1], [7, 2]], "cyclic", 1)
    >>> cells.feature.tolist(), cells.threshold[0].item(), cells.blocks
    ([0, 1, 0, -1, -1, -1, 1, 0, -1, -1, -1], 6.0, 6)
    """
    if isinstance(points, KdCells):
        return points
    require(rule in ("cyclic", "widest"), "rule", "'cyclic' or 'widest'", rule)
    most = count("leaf_size", leaf_size, at_least=1)
    rows = np.asarray(points, dtype=np.float64)
    fine = rows.ndim == 2 and rows.size > 0 and bool(np.isfinite(rows).all())
    require(fine, "points", "a table of finite numbers with a row at least", rows.shape)
    return _Halves(rows, rule, most).cells()


class _Halves:
    def __init__(self, points: Floats, rule: Halving, most: int) -> None:
        self.points, self.rule, self.most = points, rule, most
        self.feature: list[int] = []
        self.edge: list[tuple[float, float]] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.depth: list[int] = []
        self.rows: list[Ints] = []
        self.low: list[Floats] = []
        self.high: list[Floats] = []

    def cells(self) -> KdCells:
        ends = self.points.min(axis=0), self.points.max(axis=0)
        self._add(np.arange(len(self.points)), 0, *ends)
        feature = np.array(self.feature, dtype=np.int64)
        return KdCells(
            feature=feature,
            threshold=np.where(feature >= 0, np.array(self.edge).mean(axis=1), np.nan),
            left=np.array(self.left),
            right=np.array(self.right),
            depth=np.array(self.depth, dtype=np.int64),
            low=np.array(self.low),
            high=np.array(self.high),
            rows=tuple(self.rows),
            points=self.points,
        )

    def _add(self, rows: Ints, depth: int, low: Floats, high: Floats) -> int:
        """A node, followed by all of its left half and all of its right one; its number."""
        node, halves = len(self.feature), self._halved(rows, depth)
        self.feature.append(-1 if halves is None else halves[0])
        self.edge.append((np.nan, np.nan))
        self.left.append(-1)
        self.right.append(-1)
        self.depth.append(depth)
        self.low.append(low)
        self.high.append(high)
        self.rows.append(rows if halves is None else np.zeros(0, dtype=np.int64))
        if halves is not None:
            j, below, above = halves
            ends = float(self.points[below, j].max()), float(self.points[above, j].min())
            self.edge[node] = ends
            upper, lower = high.copy(), low.copy()
            upper[j], lower[j] = ends
            self.left[node] = self._add(below, depth + 1, low, upper)
            self.right[node] = self._add(above, depth + 1, lower, high)
        return node

    def _halved(self, rows: Ints, depth: int) -> tuple[int, Ints, Ints] | None:
        if len(rows) <= self.most:
            return None
        width = self.points.shape[1]
        order = (depth + np.arange(width)) % width
        if self.rule == "widest":
            order = np.argsort(-np.ptp(self.points[rows], axis=0), kind="stable")
        for j in order.tolist():
            values = self.points[rows, j]
            middle = np.sort(values)[(len(rows) - 1) // 2]
            # Equal values stay on one side; if that is everything, the median goes right.
            for goes_left in (values <= middle, values < middle):
                if goes_left.any() and not goes_left.all():
                    return j, rows[goes_left], rows[~goes_left]
        return None
