"""Decision trees as the textbooks grow them: every question of every node is tried by counting anew."""

from __future__ import annotations

import math

import numpy as np

SLACK = 1e-12


def impurity(criterion, y, w, classes):
    """The impurity of some examples, times their weight."""
    total = w.sum()
    if total == 0:
        return 0.0
    if criterion == "squared_error":
        return float((w * (y - np.average(y, weights=w)) ** 2).sum())
    parts = [w[y == c].sum() for c in range(classes)]
    if criterion == "gini":
        return total - sum(p * p for p in parts) / total
    if criterion == "misclassification":
        return total - max(parts)
    return -sum(p * math.log2(p / total) for p in parts if p > 0)


class NaiveTree:
    """Grows with `fit`; nodes are dicts with feature, threshold or table, missing_left, children, rows."""

    def __init__(
        self,
        criterion="gini",
        multiway=False,
        ratio=False,
        arity=None,
        max_depth=math.inf,
        min_split=2,
        min_leaf=1,
        min_weight=0.0,
        min_fall=-math.inf,
    ):
        self.criterion, self.multiway, self.ratio, self.arity = criterion, multiway, ratio, arity
        self.max_depth, self.min_split, self.min_leaf = max_depth, min_split, min_leaf
        self.min_weight, self.min_fall = min_weight, min_fall

    def fit(self, X, y, w=None):
        self.X, self.y = np.asarray(X, np.float32), np.asarray(y)
        self.w = np.ones(len(y)) if w is None else np.asarray(w, float)
        self.classes = 0 if self.criterion == "squared_error" else int(self.y.max()) + 1
        self.arity = [0] * self.X.shape[1] if self.arity is None else self.arity
        self.root = self._node(np.arange(len(y)), 0)
        return self

    def _impurity(self, rows):
        return impurity(self.criterion, self.y[rows], self.w[rows], self.classes)

    def _node(self, rows, depth, parent=None):
        node = {"rows": len(rows), "feature": -1, "children": []}
        if not len(rows):
            return node | {"value": parent["value"]}
        node["value"] = self._value(rows)
        few = len(rows) < max(self.min_split, 2 * self.min_leaf)
        light = self.w[rows].sum() < 2 * self.min_weight
        if depth >= self.max_depth or few or light or len(set(self.y[rows])) == 1:
            return node
        question = self._best(rows)
        if question is None or question["fall"] < self.min_fall:
            return node
        node |= {k: question[k] for k in ("feature", "threshold", "missing_left", "table", "fall")}
        node["children"] = [self._node(part, depth + 1, node) for part in question["parts"]]
        return node

    def _value(self, rows):
        if not self.classes:
            return [float(np.average(self.y[rows], weights=self.w[rows]))]
        return [float(self.w[rows][self.y[rows] == c].sum()) for c in range(self.classes)]

    def _best(self, rows):
        weight = self.w[rows].sum()
        whole = self._impurity(rows)
        slack = SLACK * (weight if self.classes else whole)
        found = []
        for f in range(self.X.shape[1]):
            best = None
            for question in self._questions(f, rows):
                parts = [rows[part] for part in question.pop("masks")]
                held = [p for p in parts if len(p)]
                if any(len(p) < self.min_leaf or self.w[p].sum() < self.min_weight for p in held):
                    continue
                if not self._allowed(f, parts):
                    continue
                question |= {"parts": parts, "feature": f}
                question["fall"] = whole - sum(self._impurity(p) for p in held)
                if best is None or question["fall"] > best["fall"] + slack:
                    best = question
            if best is not None:
                shares = [self.w[p].sum() / weight for p in best["parts"] if len(p)]
                information = -sum(p * math.log2(p) for p in shares) * weight
                best["worth"] = best["fall"] / information if self.ratio else best["fall"]
                found.append(best)
        if self.ratio and found:
            average = sum(q["fall"] for q in found) / len(found)
            found = [q for q in found if q["fall"] >= average - slack]
            slack = SLACK
        if not found:
            return None
        top = max(q["worth"] for q in found)
        return next(q for q in found if q["worth"] >= top - slack)

    def _allowed(self, f, parts):
        return True

    def _questions(self, f, rows):
        """All questions about a feature, those with missing cells on the right first."""
        cells = self.X[rows, f]
        missing = np.isnan(cells)
        if self.arity[f]:
            yield from self._groupings(f, rows, cells, missing)
            return
        values = np.unique(cells[~missing]).astype(float)
        middles = list(values[:-1] / 2 + values[1:] / 2)
        ends = [*zip(middles, values[1:], values[:-1], strict=True)]
        middles = [low if m == high else m for m, high, low in ends]
        for left in (False, True) if missing.any() else (False,):
            for t in [
                *middles,
                *([math.inf] if missing.any() and not left and len(values) else []),
            ]:
                goes = (cells <= t) | (missing & left)
                heavier = bool(goes.sum() > (~goes).sum())
                yield {
                    "threshold": t,
                    "missing_left": left if missing.any() else heavier,
                    "table": None,
                    "masks": [goes, ~goes],
                }

    def _groupings(self, f, rows, cells, missing):
        """The order of the categories by a class's share, or by the mean; missing ones are a category."""
        k = self.arity[f]
        codes = np.where(missing, k, np.nan_to_num(cells)).astype(int)
        present = sorted(set(codes.tolist()))
        if len(present) < 2:
            return
        base = {"threshold": math.nan, "missing_left": False}
        if self.multiway:
            groups = [codes == c for c in range(k)] + ([codes == k] if k in present else [])
            heaviest = int(np.argmax([g.sum() for g in groups]))
            table = [*range(k), k if k in present else heaviest]
            yield base | {"table": table, "masks": groups}
            return
        y, w = self.y[rows], self.w[rows]
        for by in [None] if not self.classes else [1] if self.classes == 2 else range(self.classes):
            marks = y if by is None else (y == by).astype(float)
            share = {c: np.average(marks[codes == c], weights=w[codes == c]) for c in present}
            order = sorted(present, key=lambda c: share[c])
            for cut in range(1, len(order)):
                goes = np.isin(codes, order[:cut])
                other = 0 if goes.sum() >= (~goes).sum() else 1
                table = [
                    other if c not in present else int(c not in order[:cut]) for c in range(k + 1)
                ]
                yield base | {"table": table, "masks": [goes, ~goes]}

    def preorder(self):
        found, waiting = [], [self.root]
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(reversed(node["children"]))
        return found
