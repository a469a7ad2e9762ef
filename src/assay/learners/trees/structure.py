"""A decision tree as plain arrays, one entry for each node."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.compiled.trees.tree_walk import NODE, leaves_of, leaves_of_mixed
from assay.learners.common import kinds
from assay.types import Array, Bools, Floats, Ints


def _none() -> NDArray[np.int32]:
    return np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes in preorder: a node, then all of its first child's subtree, then its next child's, and so on.

    A cell is compared as float32, as in scikit-learn: it goes left if it is at most the threshold, which is a
    double. The left child of node k is always node k + 1.

    Attributes
    ----------
    feature : array of int32
        The feature that a node asks for, -1 at a leaf.
    threshold : array of float64
        Cells at most this go left; NaN at leaves and at nodes that ask for a category.
    left, right : array of int32
        The first and the last child, -1 at a leaf.
    value : array of float64, shape (nodes, outputs)
        The weight of each class among the examples at a node, or their mean. Where no example came, those of
        the parent.
    weight : array of float64
        The sum of the weights of the examples at a node.
    impurity : array of float64
        By the criterion that the tree was grown with.
    missing_left : array of int8
        1 where a missing cell goes left.
    rows : array of int64
        How many examples came to a node; empty if nobody counted.
    branch : array of int32
        At a node that asks for a category the start of its part of `children`, else -1; empty if there is
        no such node.
    arity : array of int32
        How many categories such a node knows, else 0; empty as `branch` is.
    children : array of int32
        For each such node the child of each category, then the child for missing and unknown ones.

    Examples
    --------
    >>> stump = Tree(
    ...     feature=np.array([0, -1, -1], np.int32), threshold=np.array([0.5, np.nan, np.nan]),
    ...     left=np.array([1, -1, -1], np.int32), right=np.array([2, -1, -1], np.int32),
    ...     value=np.array([[2.0, 2], [2, 0], [0, 2]]), weight=np.array([4.0, 2, 2]),
    ...     impurity=np.array([0.5, 0, 0]), missing_left=np.zeros(3, np.int8),
    ... )
    >>> stump.leaf_of(np.array([[0.5], [0.75], [np.nan]], np.float32)).tolist()
    [1, 2, 2]
    """

    feature: NDArray[np.int32]
    threshold: Floats
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: Floats
    weight: Floats
    impurity: Floats
    missing_left: NDArray[np.int8]
    rows: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    branch: NDArray[np.int32] = field(default_factory=_none)
    arity: NDArray[np.int32] = field(default_factory=_none)
    children: NDArray[np.int32] = field(default_factory=_none)

    @classmethod
    def binary(cls, feature: NDArray[np.int32], **arrays: Any) -> Tree:
        """A tree that asks for no categories, whose left children follow from the order of the nodes."""
        left = np.where(feature >= 0, np.arange(1, len(feature) + 1), -1)
        return cls(feature=feature, left=left.astype(np.int32), **arrays)

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def leaves(self) -> int:
        """How many leaves there are."""
        return int((self.feature < 0).sum())

    @property
    def has_categories(self) -> bool:
        """Whether some node asks for a category."""
        return len(self.branch) > 0

    @cached_property
    def nodes(self) -> Array:
        """The nodes as packed records of 16 bytes, which the compiled walk follows.

        A float32 is at most a double if and only if it is at most the largest float32 that is, so the
        threshold is rounded down and the comparison stays exact.
        """
        leaf = self.feature < 0
        with np.errstate(over="ignore"):
            single = self.threshold.astype(np.float32)
        above = single > self.threshold
        single[above] = np.nextafter(single[above], np.float32(-np.inf))
        nodes = np.zeros(len(self), dtype=NODE)
        nodes["threshold"] = np.where(leaf, np.float32(np.nan), single)
        nodes["feature"] = np.where(leaf, 0, self.feature)
        nodes["right"] = np.where(leaf, np.arange(len(self)), self.right)
        nodes["missing"] = np.where(leaf, 0, self.missing_left)
        return nodes

    @cached_property
    def parent(self) -> Ints:
        """The parent of each node, -1 for the root."""
        parent = np.full(len(self), -1)
        inner = np.flatnonzero(self.feature >= 0)
        parent[self.left[inner]] = inner
        parent[self.right[inner]] = inner
        if self.has_categories:
            for node in np.flatnonzero(self.branch >= 0):
                parent[self.children_of(int(node))] = node
        return parent

    @cached_property
    def depths(self) -> Ints:
        """How many questions lie above each node."""
        depths = [0] * len(self)
        for node, parent in enumerate(self.parent.tolist()):  # a parent comes before its children
            depths[node] = depths[parent] + 1 if parent >= 0 else 0
        return np.array(depths)

    @property
    def depth(self) -> int:
        """The most questions that are asked about any row."""
        return int(self.depths.max())

    def children_of(self, node: int) -> list[int]:
        """The children of a node in their order; none at a leaf."""
        if self.feature[node] < 0:
            return []
        if self.has_categories and self.branch[node] >= 0:
            return sorted(set(self.table_of(node)))
        return [int(self.left[node]), int(self.right[node])]

    def table_of(self, node: int) -> list[int]:
        """The child of each category, then the one of missing and unknown ones."""
        start = self.branch[node]
        table: list[int] = self.children[start : start + self.arity[node] + 1].tolist()
        return table

    def leaf_of(self, X: NDArray[np.float32]) -> NDArray[np.int32]:
        """The leaf that each row ends in; X is float32, in one piece."""
        leaf = np.empty(len(X), np.int32)
        if self.has_categories:
            leaves_of_mixed(self.nodes, self.branch, self.arity, self.children, X, leaf)
        else:
            leaves_of(self.nodes, X, leaf)
        return leaf

    def require_sound(self, arity: NDArray[np.int32], outputs: int, may_miss: Bools) -> None:
        """Refuse, in a model file, nodes that lead nowhere, in circles, or to cells that are not there."""
        n = len(self)
        sound(n > 0 and self.value.shape == (n, outputs), "its nodes do not fit what it predicts")
        inner = np.flatnonzero(self.feature >= 0)
        there = (self.feature < len(arity)) & (self.feature >= -1)
        sound(there.all(), "it asks for features that are not there")
        grouped = np.zeros(n, bool)
        if self.has_categories:
            grouped = self._require_tables(arity, may_miss)
        asked = arity[self.feature[inner]] > 0
        fits = (grouped[inner] == asked).all() and not grouped[self.feature < 0].any()
        sound(fits, "its questions do not fit its features")
        limits, missing = self.threshold[inner[~asked]], may_miss[self.feature[inner[~asked]]]
        sound(not (np.isnan(limits) | (np.isinf(limits) & ~missing)).any(), "a threshold is none")
        # Every child but the first comes after a whole subtree, so that nodes lead on and never back.
        first = self.left[inner] == inner + 1
        later = (self.right[inner] > inner + 1) | ((self.right[inner] == inner + 1) & asked)
        sound((first & later & (self.right[inner] < n)).all(), "its nodes are in no order")
        children = np.concatenate([self.children_of(int(k)) for k in inner] or [[]]).astype(int)
        met = np.bincount(children, minlength=n)
        sound((met[1:] == 1).all() and not met[0], "some node has no parent, or two")
        came = np.zeros(n, np.int64)
        np.add.at(came, self.parent[1:], self.rows[1:])
        kept = (came[inner] == self.rows[inner]).all() and self.rows[0] >= 1
        sound(kept, "rows were lost on the way")
        sound(((self.weight > 0) == (self.rows > 0)).all(), "its rows do not fit their weights")

    def _require_tables(self, arity: NDArray[np.int32], may_miss: Bools) -> Bools:
        n = len(self)
        sound(len(self.branch) == n and len(self.arity) == n, "its nodes have other sizes")
        grouped: Bools = self.branch >= 0
        places = np.flatnonzero(grouped)
        sound((self.feature[places] >= 0).all(), "a leaf asks for a category")
        known = self.arity[places]
        ends = self.branch[places].astype(np.int64) + known + 1
        fits = (known == arity[self.feature[places]]).all() and (ends <= len(self.children)).all()
        sound(fits, "its questions do not fit its categories")
        ways = set()
        for node in places:
            table = np.array(self.table_of(int(node)))
            ordered = table.min() == node + 1 and table.max() == self.right[node]
            sound(ordered and table.max() < n, "its nodes are in no order")
            own, all_ = len(set(table[:-1].tolist())), len(set(table.tolist()))
            sound(own >= 2 or may_miss[self.feature[node]], "a question has one answer")
            # Two groups, or a child for each: a description knows no others, and never both in one tree.
            each = own == len(table) - 1
            sound(each or all_ == 2, "its questions do not fit its categories")
            if len(table) > 3:
                ways.add(each)
        sound(len(ways) <= 1, "its questions are of two kinds")
        return grouped

    def same_as(self, other: Tree) -> bool:
        """Whether both have the same arrays, bit for bit."""
        return all(
            getattr(self, f.name).tobytes() == getattr(other, f.name).tobytes()
            for f in fields(self)
        )


def sound(fine: Any, problem: str) -> None:
    """Refuse, in a model file, nodes that do not belong together."""
    if not fine:
        raise ValueError(problem)


#: What a model file may hold of the nodes of a tree; `Tree.require_sound` sees whether they lead anywhere.
NODES = kinds.declare(
    feature=kinds.array("<i4", "nodes", least=-1),
    threshold=kinds.array("<f8", "nodes", nan=True),
    right=kinds.array("<i4", "nodes", least=-1),
    value=kinds.numbers("nodes", None),
    weight=kinds.amounts("nodes"),
    impurity=kinds.amounts("nodes"),
    missing_left=kinds.array("|i1", "nodes", least=0, most=1),
    rows=kinds.counts("nodes"),
)
TREE = kinds.record(
    Tree,
    **NODES,
    left=kinds.array("<i4", "nodes", least=-1),
    branch=kinds.array("<i4", least=-1),
    arity=kinds.array("<i4", least=0),
    children=kinds.array("<i4", least=0),
)
