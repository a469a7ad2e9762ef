"""Random trees, followed node by node in plain Python: the same random words, every cut tried one by one."""

from __future__ import annotations

import math

import numpy as np

from tests.naive.generator import Generator


def below(generator, many):
    """A whole number below `many`: the upper half of a word times `many`, words that would favour some refused."""
    while True:
        product = (generator.word() >> 32) * many
        if product % 2**32 >= (2**32 - many) % many:
            return product >> 32


def bag(seed, member, rows, draws):
    """The generator of a member after its bag was drawn, and how often each row is in it."""
    generator, counts = Generator(seed, member), [0] * rows
    for _ in range(draws):
        counts[below(generator, rows)] += 1
    return generator, counts


def impurity(criterion, y, w):
    """The impurity of a node, from the definition."""
    y, w = np.asarray(y), np.asarray(w, float)
    if criterion == "squared_error":
        mean = np.average(y, weights=w)
        return float(np.average((y - mean) ** 2, weights=w))
    shares = [w[y == c].sum() / w.sum() for c in set(y.tolist())]
    if criterion == "gini":
        return 1 - sum(p * p for p in shares)
    return -sum(p * math.log2(p) for p in shares)


def cuts(column):
    """Every way to cut a column: whether each cell goes left, the threshold, and whether missing cells go left."""
    missing = np.isnan(column)
    values = sorted(set(column[~missing].astype(float)))
    for low, high in zip(values, [*values[1:], math.inf], strict=True):
        middle = (low + high) / 2
        at_left = np.where(missing, False, column <= middle)
        if high < math.inf or missing.any():
            yield at_left, middle, False
        if missing.any() and high < math.inf:
            yield at_left | missing, middle, True


class Follower:
    """Goes through a tree in preorder and fails where it is not what the rule says.

    Parameters
    ----------
    tree : Tree
    X, y, w : arrays
        Cells as float32, labels or targets, and weights of all rows, zero for those outside the bag.
    criterion : str
    generator : Generator
        As it stands after the bag was drawn.
    features : list
        The features to draw from.
    most : int
        How many are drawn.
    depth, split, leaf, share : the limits.
    """

    def __init__(self, tree, X, y, w, criterion, generator, features, most, **limits):
        self.tree, self.X, self.y, self.w = tree, X, y, w
        self.criterion, self.generator = criterion, generator
        self.features, self.most = list(features), most
        self.depth = limits.get("depth", math.inf)
        self.split, self.leaf = limits.get("split", 2), limits.get("leaf", 1)
        self.weight = limits.get("share", 0.0) * w.sum()
        self.next = 0

    def follow(self):
        self._node(np.flatnonzero(self.w), 0, 0)
        assert self.next == len(self.tree)

    def _node(self, rows, depth, known):
        tree, k = self.tree, self.next
        self.next += 1
        y, w = self.y[rows], self.w[rows]
        own = impurity(self.criterion, y, w)
        assert tree.rows[k] == len(rows)
        assert math.isclose(tree.weight[k], w.sum())
        assert math.isclose(tree.impurity[k], own, abs_tol=1e-9)
        if self.criterion == "squared_error":
            assert math.isclose(tree.value[k, 0], np.average(y, weights=w), abs_tol=1e-9)
        else:
            np.testing.assert_allclose(
                tree.value[k], np.bincount(y, w, minlength=tree.value.shape[1])
            )
        small = len(rows) < max(self.split, 2 * self.leaf) or w.sum() < 2 * self.weight
        if len(set(y.tolist())) == 1 or small or depth == self.depth:
            assert tree.feature[k] == -1
            return
        drawn, constant = self._draw(rows, known)
        gains = {f: self._gains(rows, f) for f in drawn}
        best = max((g for found in gains.values() for g, *_ in found), default=None)
        if best is None:
            assert tree.feature[k] == -1
            return
        assert tree.feature[k] in drawn
        chosen = [
            (g, side)
            for g, side, threshold, missing_left in gains[tree.feature[k]]
            if threshold == tree.threshold[k]
            and (missing_left == bool(tree.missing_left[k]) or not self._missing(rows, k))
        ]
        assert len(chosen) == 1
        gain, at_left = chosen[0]
        assert math.isclose(gain, best, rel_tol=1e-9, abs_tol=1e-9)
        if not self._missing(rows, k):
            assert tree.missing_left[k] == (at_left.sum() > (~at_left).sum())
        assert tree.left[k] == self.next
        self._node(rows[at_left], depth + 1, constant)
        assert tree.right[k] == self.next
        self._node(rows[~at_left], depth + 1, constant)

    def _missing(self, rows, k):
        return bool(np.isnan(self.X[rows, self.tree.feature[k]]).any())

    def _draw(self, rows, known):
        """The features drawn that are not constant, and how many of the list are now known to be."""
        drawn, seen, found, skipped, end = [], 0, 0, 0, len(self.features)
        while end > known + found and (seen < self.most or not drawn):
            seen += 1
            j = skipped + below(self.generator, end - found - skipped)
            if j < known:
                skipped += 1
                continue
            j += found
            f = self.features[j]
            column = self.X[rows, f]
            if (column == column[0]).all() or np.isnan(column).all():
                to, found = known + found, found + 1
            else:
                to = end = end - 1
                drawn.append(f)
            self.features[j], self.features[to] = self.features[to], f
        return drawn, known + found

    def _gains(self, rows, f):
        y, w, found = self.y[rows], self.w[rows], []
        for side, threshold, missing_left in cuts(self.X[rows, f]):
            parts = [side, ~side]
            if any(
                part.sum() < self.leaf or w[part].sum() < max(self.weight, 1e-300) for part in parts
            ):
                continue
            gain = w.sum() * impurity(self.criterion, y, w)
            gain -= sum(w[p].sum() * impurity(self.criterion, y[p], w[p]) for p in parts)
            found.append((gain, side, threshold, missing_left))
        return found


def vote(trees, X):
    """The mean over trees of the shares at the leaf where each row ends, by walking down one row at a time."""
    out = np.zeros((len(X), trees[0].value.shape[1]))
    for tree in trees:
        for i, row in enumerate(X):
            at = leaf(tree, row)
            shares = tree.value[at]
            out[i] += shares if len(shares) == 1 else shares / shares.sum()
    return out / len(trees)


def leaf(tree, row):
    """The leaf that a row ends in."""
    at = 0
    while tree.feature[at] >= 0:
        cell = row[tree.feature[at]]
        left = tree.missing_left[at] == 1 if np.isnan(cell) else cell <= tree.threshold[at]
        at = tree.left[at] if left else tree.right[at]
    return at


def out_of_bag(trees, bags, X, codes):
    """Votes, members' mean losses, and the mean product of each pair's losses, row by row."""
    n, many = len(X), len(trees)
    shares = [[t.value[leaf(t, row)] / t.value[leaf(t, row)].sum() for row in X] for t in trees]
    left = [[counts[i] == 0 for i in range(n)] for counts in bags]
    loss = [[1 - shares[t][i][codes[i]] for i in range(n)] for t in range(many)]
    votes = [
        np.mean(
            [shares[t][i] for t in range(many) if left[t][i]]
            or [[math.nan] * trees[0].value.shape[1]],
            axis=0,
        )
        for i in range(n)
    ]
    single = [np.mean([loss[t][i] for i in range(n) if left[t][i]]) for t in range(many)]
    pairs = {
        (t, s): [loss[t][i] * loss[s][i] for i in range(n) if left[t][i] and left[s][i]]
        for t in range(many)
        for s in range(many)
    }
    return votes, single, pairs
