"""The nodes of a tree as scikit-learn's own tools read them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadParameter
from assay.learners.trees.structure import Tree
from assay.types import Floats, Ints

# What stands in scikit-learn's arrays where a leaf asks nothing.
_LEAF, _NOTHING = -1, -2


def peer_tree(tree: Tree, features: int, values: Floats, levels: Ints) -> Any:
    """The same nodes as a `sklearn.tree._tree.Tree`.

    Parameters
    ----------
    tree : Tree
        One that asks for no categories.
    features : int
        How many there are.
    values : array of shape (nodes, outputs, most classes)
        What each node says: shares of classes, or one number for each output.
    levels : array of int
        The number of classes of each output; ones for numbers.
    """
    from sklearn.tree import _tree as peer  # only here: a fit need not wait for it

    nodes = np.zeros(len(tree), peer.NODE_DTYPE)
    leaf = tree.feature < 0
    nodes["left_child"] = np.where(leaf, _LEAF, tree.left)
    nodes["right_child"] = np.where(leaf, _LEAF, tree.right)
    nodes["feature"] = np.where(leaf, _NOTHING, tree.feature)
    nodes["threshold"] = np.where(leaf, float(_NOTHING), tree.threshold)
    nodes["impurity"] = tree.impurity
    nodes["n_node_samples"] = tree.rows if len(tree.rows) else 0
    nodes["weighted_n_node_samples"] = tree.weight
    nodes["missing_go_to_left"] = tree.missing_left
    made = peer.Tree(features, levels.astype(np.intp), len(levels))
    state = {"max_depth": tree.depth, "node_count": len(tree), "nodes": nodes, "values": values}
    made.__setstate__(state)
    return made


def stacked(parts: list[Floats]) -> Floats:
    """Shares of the classes of each output side by side, filled up with zeros."""
    most = max(part.shape[1] for part in parts)
    values = np.zeros((len(parts[0]), len(parts), most))
    for k, part in enumerate(parts):
        values[:, k, : part.shape[1]] = part
    return values


class PeerNodes:
    """A tree whose nodes scikit-learn's tools can read."""

    nodes_: Tree
    n_features_in_: int

    @property
    def tree_(self) -> Any:
        """The nodes as scikit-learn has them: a `sklearn.tree._tree.Tree`."""
        check_is_fitted(self, "nodes_")
        if self.nodes_.has_categories:
            raise AttributeError(
                "A tree that asks for categories has no tree_ of scikit-learn's, which knows numbers only. See nodes_, "
                "rules and drawing."
            )
        kept = vars(self).get("_peer_tree")
        if kept is None or kept[0] is not self.nodes_:
            kept = (self.nodes_, peer_tree(self.nodes_, self.n_features_in_, *self._peer_values()))
            self._peer_tree = kept
        return kept[1]

    def _compute_partial_dependence_recursion(self, grid: Any, target_features: Any) -> Floats:
        """What scikit-learn's partial dependence asks of trees for numbers."""
        if self.nodes_.has_categories:
            raise BadParameter(
                "Partial dependence by recursion knows numbers only, but this tree asks for categories. Say "
                "method='brute'."
            )
        cells = np.asarray(grid, dtype=np.float32, order="C")
        average = np.zeros(len(cells))
        places = np.asarray(target_features, dtype=np.intp, order="C")
        self.tree_.compute_partial_dependence(cells, places, average)
        return average

    def _peer_values(self) -> tuple[Floats, Ints]:
        """What nodes say, and the number of classes of each output."""
        if hasattr(self, "classes_"):
            parts = self._shares()
            return stacked(parts), np.array([part.shape[1] for part in parts])
        value = self.nodes_.value
        return np.ascontiguousarray(value[:, :, None]), np.ones(value.shape[1], np.int64)

    def _shares(self) -> list[Floats]:
        raise NotImplementedError
