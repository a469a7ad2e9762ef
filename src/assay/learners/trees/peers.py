"""Decision trees as scikit-learn's, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import BadParameter
from assay.learners.common.conversion import Convert, converts
from assay.learners.trees.classifier import DecisionTreeClassifier
from assay.learners.trees.peer_tree import peer_tree
from assay.learners.trees.regressor import DecisionTreeRegressor
from assay.learners.trees.structure import Tree
from assay.types import Floats, Ints


def _to_peer(model: Any, peer: Any, convert: Convert) -> None:
    if model.nodes_.has_categories:
        raise BadParameter(
            f"This {type(model).__name__} asks for categories, which no tree of scikit-learn does. Write them as "
            "columns of zeros and ones, and fit again."
        )
    peer.tree_ = peer_tree(model.nodes_, model.n_features_in_, *model._peer_values())
    peer.n_outputs_ = model.n_outputs_
    peer.max_features_ = getattr(model, "max_features_", 0) or model.n_features_in_
    peer.ccp_alpha = model.ccp_alpha_
    if hasattr(model, "classes_"):
        peer.classes_, peer.n_classes_ = model.classes_, model.n_classes_


def _from_peer(peer: Any, model: Any, convert: Convert) -> None:
    width = int(peer.n_features_in_)
    if hasattr(peer, "classes_"):
        model.classes_ = _labels(peer)
    model.nodes_ = nodes_of(peer)
    model.ccp_alpha_ = float(peer.ccp_alpha)
    # Which cells were missing is not known; where such go is.
    model.categories_, model.missing_features_ = [None] * width, np.ones(width, bool)
    model.max_features_ = int(peer.max_features_)
    model.training_rows_ = int(model.nodes_.rows[0])


def _labels(peer: Any) -> Any:
    if peer.n_outputs_ > 1:
        return [np.asarray(labels) for labels in peer.classes_]
    return np.asarray(peer.classes_)


def nodes_of(peer: Any) -> Tree:
    """The nodes of a tree of scikit-learn, each child's subtree behind its parent."""
    tree = peer.tree_
    order = _preorder(tree.children_left, tree.children_right)
    place = np.full(len(order) + 1, -1)
    place[order] = np.arange(len(order))  # -1 stays, being the last of them
    inner = tree.children_left[order] >= 0
    nowhere = -np.ones(len(order), np.int64)
    weight = tree.weighted_n_node_samples[order].astype(np.float64)
    value = tree.value[order].astype(np.float64)
    parts = [value[:, k, :many] for k, many in enumerate(np.atleast_1d(tree.n_classes))]
    if hasattr(peer, "classes_"):
        parts = [_weights_of(part, weight) for part in parts]
    missing = getattr(tree, "missing_go_to_left", None)
    goes_left = np.zeros(len(order)) if missing is None else missing[order]
    return Tree.binary(
        feature=np.where(inner, tree.feature[order], -1).astype(np.int32),
        threshold=np.where(inner, tree.threshold[order], np.nan).astype(np.float64),
        right=np.where(inner, place[tree.children_right[order]], nowhere).astype(np.int32),
        value=np.ascontiguousarray(np.concatenate(parts, axis=1)),
        weight=weight,
        impurity=np.maximum(tree.impurity[order], 0.0).astype(np.float64),
        missing_left=np.where(inner, goes_left, 0).astype(np.int8),
        rows=tree.n_node_samples[order].astype(np.int64),
    )


def _preorder(left: Ints, right: Ints) -> Ints:
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if left[node] >= 0:
            waiting.extend((int(right[node]), int(left[node])))
    return np.array(order)


def _weights_of(shares: Floats, weight: Floats) -> Floats:
    """The weight of each class at every node, from shares: whole numbers where rows were counted."""
    heavy = shares * weight[:, None]
    whole = np.rint(heavy)
    counted = np.allclose(heavy, whole, rtol=0, atol=1e-6) and (whole.sum(axis=1) == weight).all()
    return whole if counted else shares


converts(DecisionTreeClassifier, "sklearn.tree:DecisionTreeClassifier", _to_peer, _from_peer)
converts(DecisionTreeRegressor, "sklearn.tree:DecisionTreeRegressor", _to_peer, _from_peer)
