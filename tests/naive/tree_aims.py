"""Trees of several outputs, other criteria and monotone predictions, every question tried by counting anew."""

from __future__ import annotations

import math

import numpy as np

from tests.naive.tree import NaiveTree, impurity


def median(y, w):
    """The number that half the weight lies up to; halfway to the next where it is just half."""
    order = np.argsort(y)
    y, reached = y[order], np.cumsum(w[order])
    return (y[reached >= reached[-1] / 2][0] + y[reached > reached[-1] / 2][0]) / 2


class NaiveAims(NaiveTree):
    """Columns of y are of classes where `levels` says how many each has, else of numbers."""

    def __init__(self, criterion, levels=(), rising=None, **limits):
        super().__init__(criterion, **limits)
        self.levels, self.rising = levels, rising

    def fit(self, X, y, w=None):
        self.X, self.y = np.asarray(X, np.float32), np.asarray(y).reshape(len(X), -1)
        self.w = np.ones(len(self.y)) if w is None else np.asarray(w, float)
        self.classes, self.arity = 0, [0] * self.X.shape[1]
        self.root = self._node(np.arange(len(self.y)), 0)
        return self

    def _impurity(self, rows):
        w = self.w[rows]
        return np.mean([self._lost(k, self.y[rows, k], w) for k in range(self.y.shape[1])])

    def _lost(self, k, y, w):
        if self.levels:
            return impurity(self.criterion, y, w, self.levels[k])
        about = self._said(y, w)
        if self.criterion == "absolute_error":
            return float(w @ np.abs(y - about))
        if self.criterion == "poisson":
            some = y > 0
            return float(w[some] @ (y[some] * np.log(y[some] / about)))
        return float(w @ (y - about) ** 2)

    def _said(self, y, w):
        return (
            median(y, w) if self.criterion == "absolute_error" else float(np.average(y, weights=w))
        )

    def _values(self, rows):
        """One number of each column, or the weight of each class of each."""
        y, w = self.y[rows], self.w[rows]
        if not self.levels:
            return [self._said(column, w) for column in y.T]
        each = zip(y.T, self.levels, strict=True)
        return [float(w[column == c].sum()) for column, many in each for c in range(many)]

    def _one(self, rows):
        """What must rise or fall: the number, or the share of the second class."""
        values = self._values(rows)
        return values[1] / sum(values) if self.levels else values[0]

    def _allowed(self, f, parts):
        if self.criterion == "poisson" and any(not self.y[p].sum(axis=0).all() for p in parts):
            return False
        if self.rising is None or not self.rising[f]:
            return True
        left, right = map(self._one, parts)
        inside = all(self.low <= one <= self.high for one in (left, right))
        return inside and (right - left) * self.rising[f] >= 0

    def _node(self, rows, depth, parent=None, bounds=(-math.inf, math.inf)):
        node = {"rows": len(rows), "feature": -1, "children": [], "table": None}
        node["value"] = self._values(rows)
        if self.rising is not None:
            one = min(max(self._one(rows), bounds[0]), bounds[1])
            node["value"] = [1 - one, one] if self.levels else [one]
        few = len(rows) < max(self.min_split, 2 * self.min_leaf)
        light = self.w[rows].sum() < 2 * self.min_weight
        alike = (self.y[rows] == self.y[rows[0]]).all()
        self.low, self.high = bounds
        question = None if depth >= self.max_depth or few or light or alike else self._best(rows)
        if question is None or question["fall"] < self.min_fall:
            return node
        node |= {k: question[k] for k in ("feature", "threshold", "missing_left")}
        between = [bounds, bounds]
        sign = 0 if self.rising is None else self.rising[question["feature"]]
        if sign:
            middle = sum(map(self._one, question["parts"])) / 2
            between = [(bounds[0], middle), (middle, bounds[1])][::sign]
        each = zip(question["parts"], between, strict=True)
        node["children"] = [self._node(part, depth + 1, node, ends) for part, ends in each]
        return node
