"""The smallest decision tree that fits a sample, beside the one that greed grows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from assay.errors import BadData, require
from assay.learners.trees.classifier import DecisionTreeClassifier
from assay.types import Array, Bools

_MOST_FEATURES = 12


@dataclass(frozen=True)
class SmallestTree:
    """The smallest consistent tree and the greedy one.

    Attributes
    ----------
    leaves, greedy_leaves : int
        Of the smallest tree without training errors, and of the one that ID3 grows.
    questions : tuple
        The smallest tree: ``(feature, where it is 0, where it is 1)``, or a label.
    greedy : DecisionTreeClassifier
        The other one, fitted.
    searched : int
        How many different parts of the sample were looked at: at most three to the power of the features.
    """

    leaves: int
    greedy_leaves: int
    questions: Any
    greedy: DecisionTreeClassifier
    searched: int

    def predict(self, X: Any) -> Array:
        """What the smallest tree says of rows of zeros and ones."""
        return np.array([_answer(self.questions, row) for row in np.asarray(X)])


def smallest_tree(X: Any, y: Any) -> SmallestTree:
    """Search all decision trees over truth values for the smallest one that fits, and grow one by information gain.

    To find the smallest tree is NP-hard, so nobody does: ID3 asks what looks best now, and never takes a question
    back. On a parity every question by itself looks useless, and greed may ask a useless one first.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Zeros and ones, of at most 12 features.
    y : array-like of shape (n_samples,)
        Labels; rows that are alike must have the same.

    Returns
    -------
    SmallestTree

    Examples
    --------
    Whether two switches differ, and a lamp that shows it in two cases of three. Every case is there, so two questions
    about the switches are enough; but only the lamp looks useful by itself, and once it is asked, both answers need the
    switches all the same.

    >>> import assay
    >>> cases = [(a, b, lamp) for a in (0, 1) for b in (0, 1) for lamp in (0, 1)]
    >>> X = cases + [case for case in cases if case[2] == case[0] ^ case[1]]
    >>> tree = assay.smallest_tree(X, [a ^ b for a, b, _ in X])
    >>> tree.leaves, tree.greedy_leaves, tree.questions
    (4, 8, (0, (1, 0, 1), (1, 1, 0)))
    """
    rows, labels = np.asarray(X), np.asarray(y)
    fine = rows.ndim == 2 and bool(np.isin(rows, (0, 1)).all()) and len(rows) == len(labels) > 0
    require(fine, "X", "a table of zeros and ones with a label for each row", rows.shape)
    width = rows.shape[1]
    require(width <= _MOST_FEATURES, "the number of features", f"at most {_MOST_FEATURES}", width)
    ones: Bools = rows.astype(bool)
    distinct, first, which = np.unique(ones, axis=0, return_index=True, return_inverse=True)
    codes = labels[first]
    if not (codes[which.ravel()] == labels).all():
        raise BadData("No tree fits rows that are alike and have different labels.")
    masks = [sum(1 << i for i in np.flatnonzero(distinct[:, j]).tolist()) for j in range(width)]
    of_label = [
        (label, sum(1 << i for i in np.flatnonzero(codes == label).tolist()))
        for label in np.unique(codes)
    ]

    @cache
    def best(part: int) -> tuple[int, Any]:
        """The fewest leaves for these rows, as bits of a number, and a tree that has so many."""
        for label, own in of_label:
            if part & ~own == 0:
                return 1, label.item() if isinstance(label, np.generic) else label
        fewest: tuple[int, Any] | None = None
        for j, mask in enumerate(masks):
            high, low = part & mask, part & ~mask
            if not (high and low):
                continue
            if fewest is not None and fewest[0] == 2:
                break  # two labels need two leaves
            a, b = best(low), best(high)
            if fewest is None or a[0] + b[0] < fewest[0]:
                fewest = a[0] + b[0], (j, a[1], b[1])
        assert fewest is not None  # rows that differ are told apart by some feature
        return fewest

    leaves, questions = best((1 << len(distinct)) - 1)
    greedy = DecisionTreeClassifier(algorithm="id3", categorical_features="all")
    greedy.fit(ones.astype(int), labels)
    return SmallestTree(
        leaves, greedy.get_n_leaves(), questions, greedy, best.cache_info().currsize
    )


def _answer(tree: Any, row: Array) -> Any:
    while isinstance(tree, tuple):
        feature, low, high = tree
        tree = high if row[feature] else low
    return tree
