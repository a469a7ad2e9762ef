"""The kd-tree of a nearest-neighbour rule, and one search in it, in the open.

The compiled search tells nothing but its answer. Here it is done again in Python, for figures and for teaching: the
same boxes in the same order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import BadData, require
from assay.learners.common.number_kinds import is_count
from assay.learners.neighbors.base import NeighborsModel
from assay.learners.neighbors.metric import EUCLIDEAN, MANHATTAN
from assay.learners.neighbors.tree_index import TreeIndex
from assay.record.cells import KdCells, KdSearch, KdStep
from assay.types import Floats, Ints

# By so little a box may be nearer than it is computed to be; see compiled/neighbors/kd_search.py.
_ROUNDING = 1e-12


def kd_cells(model: NeighborsModel) -> KdCells:
    """The boxes of a rule's kd-tree.

    Parameters
    ----------
    model : fitted rule of nearest neighbours
        With the Euclidean or the Manhattan distance, and a tree: ``algorithm="kd_tree"``.

    Examples
    --------
    >>> from assay import KNeighborsClassifier
    >>> rows = [[float(i), 0.0] for i in range(16)]
    >>> model = KNeighborsClassifier(algorithm="kd_tree", leaf_size=8).fit(rows, [0, 1] * 8)
    >>> cells = kd_cells(model)
    >>> cells.blocks, cells.threshold.tolist()[0], cells.rows[1].tolist()
    (2, 7.5, [0, 1, 2, 3, 4, 5, 6, 7])
    """
    index = _tree_of(model)
    tree = index.tree
    feature, right, edge = tree.feature, tree.right, tree.edge
    n, width = len(feature), len(tree.low)
    low, high = np.empty((n, width)), np.empty((n, width))
    low[0], high[0] = tree.low, tree.high
    left, after, depth = np.full(n, -1), np.full(n, -1), np.zeros(n, np.int64)
    rows: list[Ints] = [np.zeros(0, np.int64)] * n
    for node in range(n):  # a node comes before its halves
        j = int(feature[node])
        if j < 0:
            numbers = tree.rows[right[node]]
            rows[node] = np.sort(numbers[numbers >= 0])
            continue
        left[node], after[node] = node + 1, right[node]
        for half in (left[node], after[node]):
            low[half], high[half], depth[half] = low[node], high[node], depth[node] + 1
        high[left[node], j], low[after[node], j] = edge[node]
    middle = np.where(feature >= 0, edge.mean(axis=1), np.nan)
    points = np.asarray(index.space.rows, dtype=np.float64)
    return KdCells(
        feature.astype(np.int64), middle, left, after, depth, low, high, tuple(rows), points
    )


def kd_search(model: NeighborsModel, query: Any, n_neighbors: int | None = None) -> KdSearch:
    """The way to the nearest rows of one example: which blocks are looked at, and which boxes are passed over.

    Parameters
    ----------
    model : fitted rule of nearest neighbours
        As for `kd_cells`.
    query : array-like of shape (n_features,)
    n_neighbors : int, optional
        How many; as many as the rule uses if not given.

    Examples
    --------
    >>> from assay import KNeighborsClassifier
    >>> rows = [[float(i), 0.0] for i in range(16)]
    >>> model = KNeighborsClassifier(1, algorithm="kd_tree", leaf_size=8).fit(rows, [0, 1] * 8)
    >>> search = kd_search(model, [3.2, 0.0])
    >>> search.rows, [(step.node, step.looked) for step in search.steps]
    ((3,), [(1, True), (2, False)])
    """
    index, cells = _tree_of(model), kd_cells(model)
    k = getattr(model, "n_neighbors", 1) if n_neighbors is None else n_neighbors
    fine = is_count(k) and k <= len(cells.points)
    require(fine, "n_neighbors", f"a whole number from 1 to {len(cells.points)}", k)
    q = np.asarray(query, dtype=np.float64)
    wide = q.shape == (cells.points.shape[1],) and bool(np.isfinite(q).all())
    require(wide, "query", f"one row of {cells.points.shape[1]} finite numbers", query)
    return _Search(cells, index.tree.first, q, int(k), model.effective_metric_).run()


def _tree_of(model: NeighborsModel) -> TreeIndex:
    index = model._search
    if not isinstance(index, TreeIndex):
        raise BadData("This rule has no kd-tree. Fit it with algorithm='kd_tree', to dense rows.")
    known = model.effective_metric_ in (EUCLIDEAN, MANHATTAN)
    require(known, "metric", "'euclidean' or 'manhattan'", model.effective_metric_)
    return index


class _Search:
    def __init__(self, cells: KdCells, first: Ints, q: Floats, k: int, metric: str) -> None:
        self.cells, self.first, self.q, self.k, self.metric = cells, first, q, k, metric
        self.kept: list[tuple[float, int]] = []
        self.steps: list[KdStep] = []
        self.opened = self.scanned = 0

    def far(self, gaps: Floats) -> Floats:
        """Squares or absolute values, added up: as the rows are compared."""
        return np.asarray(
            np.abs(gaps).sum(axis=-1) if self.metric == MANHATTAN else np.square(gaps).sum(axis=-1)
        )

    def length(self, value: float) -> float:
        return value if self.metric == MANHATTAN else math.sqrt(value)

    def to_box(self, node: int) -> float:
        low, high = self.cells.low[node], self.cells.high[node]
        return float(self.far(np.maximum(0.0, np.maximum(low - self.q, self.q - high))))

    @property
    def bar(self) -> float:
        return self.kept[-1][0] if len(self.kept) == self.k else math.inf

    def wanted(self, node: int, distance: float) -> bool:
        """Whether a box may hold a row that is nearer, or as near with a smaller number."""
        if distance > self.bar * (1 + _ROUNDING):
            return False
        return self.bar > 0 or bool(self.first[node] < self.kept[-1][1])

    def note(self, node: int, looked: bool) -> None:
        rows = tuple(row for _, row in self.kept)
        away, worst = self.length(self.to_box(node)), self.bar
        worst = worst if math.isinf(worst) else self.length(worst)
        self.steps.append(KdStep(node, looked, away, worst, rows))

    def run(self) -> KdSearch:
        cells, waiting = self.cells, [0]
        while waiting:
            node = waiting.pop()
            if node and not self.wanted(node, self.to_box(node)):
                self.note(node, looked=False)
                continue
            while cells.feature[node] >= 0:
                self.opened += 1
                nearer, other = self.halves(node)
                waiting.append(other)
                node = nearer
            self.scan(node)
            self.note(node, looked=True)
        values = [self.length(value) for value, _ in self.kept]
        rows = tuple(row for _, row in self.kept)
        steps = tuple(self.steps)
        return KdSearch(self.q, self.metric, steps, rows, tuple(values), self.opened, self.scanned)

    def halves(self, node: int) -> tuple[int, int]:
        """The half that the query is nearer to, and the other."""
        cells, j = self.cells, int(self.cells.feature[node])
        left, right = int(cells.left[node]), int(cells.right[node])
        to_left, to_right = self.q[j] - cells.high[left, j], cells.low[right, j] - self.q[j]
        before = to_left < to_right or (
            to_left == to_right and self.first[left] < self.first[right]
        )
        return (left, right) if before else (right, left)

    def scan(self, node: int) -> None:
        self.scanned += 1
        rows = self.cells.rows[node]
        values = self.far(self.cells.points[rows] - self.q)
        self.kept = sorted([*self.kept, *zip(values.tolist(), rows.tolist(), strict=True)])[
            : self.k
        ]
