"""Forests, boosted trees, AdaBoost and bagging as scikit-learn's, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from assay.compiled.ensembles.boosting_bins import BINS, MISSING
from assay.errors import BadParameter
from assay.learners.common.conversion import Convert, converts
from assay.learners.ensembles.adaboost import AdaBoostClassifier
from assay.learners.ensembles.bagging import BaggingClassifier
from assay.learners.ensembles.boosted_trees import BoostedTrees
from assay.learners.ensembles.boosting_bins import NUMBER
from assay.learners.ensembles.boosting_losses import LOSSES
from assay.learners.ensembles.decision_stump import DecisionStump
from assay.learners.ensembles.hist_gradient_boosting_classifier import (
    HistGradientBoostingClassifier,
)
from assay.learners.ensembles.hist_gradient_boosting_regressor import HistGradientBoostingRegressor
from assay.learners.ensembles.packed_forest import Grove
from assay.learners.ensembles.random_forest_classifier import RandomForestClassifier
from assay.learners.ensembles.random_forest_regressor import RandomForestRegressor
from assay.learners.trees.peer_tree import peer_tree
from assay.learners.trees.peers import nodes_of
from assay.learners.trees.structure import Tree
from assay.types import Array, Floats

# Forests


def _forest_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    peer.estimators_ = [convert(tree) for tree in model.estimators_]
    peer.estimator_ = clone(peer.estimators_[0])
    peer.n_estimators, peer.n_outputs_ = len(peer.estimators_), model.n_outputs_
    if hasattr(model, "classes_"):
        peer.classes_ = model.classes_
        many = [len(labels) for labels in model._labels]
        peer.n_classes_ = many if len(many) > 1 else many[0]


def _forest_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    if hasattr(peer, "classes_"):
        several = peer.n_outputs_ > 1
        model.classes_ = [*peer.classes_] if several else np.asarray(peer.classes_)
    model._grove = Grove.of([nodes_of(tree) for tree in peer.estimators_], model._levels)
    model.nodes_ = model._grove.arrays


converts(
    RandomForestClassifier,
    "sklearn.ensemble:RandomForestClassifier",
    _forest_to_peer,
    _forest_from_peer,
)
converts(
    RandomForestRegressor,
    "sklearn.ensemble:RandomForestRegressor",
    _forest_to_peer,
    _forest_from_peer,
)


# Boosted trees


def _boosting_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    from sklearn.ensemble._hist_gradient_boosting.binning import (
        _BinMapper,  # only here: it is scikit-learn's own
    )

    peer._predictors, outputs = predictors_of(model), model.n_trees_per_iteration_
    bins = _BinMapper(n_bins=BINS)
    bins.bin_thresholds_ = [
        cuts[: used - 1] for cuts, used in zip(model.cuts_, model.used_, strict=True)
    ]
    bins.n_bins_non_missing_ = model.used_.astype(np.uint32)
    bins.missing_values_bin_idx_ = MISSING
    bins.is_categorical_ = np.zeros(model.n_features_in_, np.uint8)
    peer._bin_mapper = bins
    peer._preprocessor = peer._is_categorical_remapped = peer.is_categorical_ = None
    peer._n_features, peer.n_trees_per_iteration_ = model.n_features_in_, outputs
    if hasattr(model, "classes_"):
        peer.classes_ = model.classes_
    peer._baseline_prediction = np.asarray(model.start_, np.float64).reshape(1, -1)
    peer._loss = peer._get_loss(sample_weight=None)
    peer.do_early_stopping_ = peer._use_validation_data = False
    peer.train_score_ = peer.validation_score_ = np.zeros(0)


def predictors_of(model: Any) -> list[list[Any]]:
    """Boosted trees as scikit-learn's predictors of each round; for numbers only."""
    from sklearn.ensemble._hist_gradient_boosting.predictor import (
        TreePredictor,  # only here: it is scikit-learn's own
    )

    if (model.kinds_ != NUMBER).any():
        raise BadParameter(
            f"This {type(model).__name__} asks for categories, which scikit-learn's encodes in its own way. Write them "
            "as columns of zeros and ones, and fit again."
        )
    none, outputs = np.zeros((0, 8), np.uint32), model.n_trees_per_iteration_
    nodes = _predictor_nodes(model._all_trees, model.cuts_)
    made = [TreePredictor(one, none, none) for one in nodes]
    return [made[at : at + outputs] for at in range(0, len(made), outputs)]


def _predictor_nodes(trees: BoostedTrees, cuts: Floats) -> list[Array]:
    """The nodes of each tree as scikit-learn's predictor reads them: questions first, then leaves."""
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    made = []
    for number in range(len(trees)):
        first, last = int(trees.starts[number]), int(trees.starts[number + 1])
        inner, leaves = slice(first - number, last - number - 1), slice(first, last)
        many = last - first - 1
        nodes = np.zeros(2 * many + 1, PREDICTOR_RECORD_DTYPE)
        asked, ends = nodes[:many], nodes[many:]
        for side in ("left", "right"):
            child = getattr(trees, side)[inner].astype(np.int64)
            asked[side] = np.where(child >= 0, child, many - 1 - child)
        asked["feature_idx"] = trees.feature[inner]
        asked["num_threshold"] = cuts[trees.feature[inner], trees.cut[inner]]
        asked["bin_threshold"] = trees.cut[inner]
        asked["missing_go_to_left"] = trees.missing_left[inner]
        asked["gain"] = trees.gain[inner]
        ends["value"], ends["count"] = trees.value[leaves], trees.rows[leaves]
        ends["is_leaf"] = 1
        _fill_up(nodes, many)
        made.append(nodes)
    return made


def _fill_up(nodes: Array, many: int) -> None:
    """The depth of each node, and of each question how many rows came to it."""
    for node in range(many):  # a node comes before its children
        for side in ("left", "right"):
            nodes["depth"][nodes[side][node]] = nodes["depth"][node] + 1
    for node in reversed(range(many)):
        nodes["count"][node] = (
            nodes["count"][nodes["left"][node]] + nodes["count"][nodes["right"][node]]
        )


def _boosting_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    if peer.is_categorical_ is not None and np.any(peer.is_categorical_):
        raise BadParameter(
            f"This {type(peer).__name__} asks for categories, which assay reads in its own way. Write them as columns "
            "of zeros and ones, and fit again."
        )
    if peer.loss not in LOSSES:
        raise BadParameter(
            f"loss must be one of {', '.join(map(repr, LOSSES))}, but is {peer.loss!r}."
        )
    width = int(peer.n_features_in_)
    if hasattr(peer, "classes_"):
        model.classes_ = np.asarray(peer.classes_)
    thresholds = peer._bin_mapper.bin_thresholds_
    model.cuts_ = np.full((width, BINS), np.inf)
    for feature, ends in enumerate(thresholds):
        model.cuts_[feature, : len(ends)] = ends
    model.used_ = np.array([len(ends) + 1 for ends in thresholds], np.int64)
    model.kinds_ = np.full(width, NUMBER, np.int64)
    model.gaps_, model.categories_ = np.zeros(width, np.int64), [None] * width
    model.n_trees_per_iteration_ = int(peer.n_trees_per_iteration_)
    model.start_ = np.array(peer._baseline_prediction, np.float64).reshape(-1)
    model.loss_, model.rate_ = str(peer.loss), float(peer.learning_rate)
    parts = [_boosted_tree(one.nodes) for each in peer._predictors for one in each]
    model._trees = BoostedTrees.joined(parts) if parts else BoostedTrees.none()
    model.trees_ = model._trees.arrays


def _boosted_tree(nodes: Array) -> BoostedTrees:
    leaf = nodes["is_leaf"] == 1
    place = np.where(leaf, -np.cumsum(leaf), np.cumsum(~leaf) - 1).astype(np.int32)
    inner, ends = nodes[~leaf], nodes[leaf]
    many = len(inner)
    return BoostedTrees(
        starts=np.array([0, len(ends)], np.int64),
        feature=inner["feature_idx"].astype(np.int32),
        cut=inner["bin_threshold"].astype(np.int32),
        left=place[inner["left"]],
        right=place[inner["right"]],
        missing_left=inner["missing_go_to_left"].astype(np.int8),
        group=np.full(many, -1, np.int32),
        gain=np.maximum(inner["gain"], 0.0),
        groups=np.zeros((0, 4), np.int64),
        value=np.ascontiguousarray(ends["value"], np.float64),
        rows=ends["count"].astype(np.int64),
    )


for _learner in (HistGradientBoostingClassifier, HistGradientBoostingRegressor):
    converts(
        _learner, f"sklearn.ensemble:{_learner.__name__}", _boosting_to_peer, _boosting_from_peer
    )


# AdaBoost


def _stump_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    """A stump as a tree of one question; its threshold is compared with cells in single precision there."""
    feature = model.features_.astype(np.int32)
    shares = np.asarray(model.shares_, np.float64)
    if feature[0] < 0:
        value, leaf = shares[:1], np.array([-1], np.int32)
    else:
        value, leaf = np.vstack([shares.mean(axis=0), shares]), np.array([-1, -1], np.int32)
    asked = np.concatenate([feature[feature >= 0], leaf]).astype(np.int32)
    inner = asked >= 0
    nodes = Tree.binary(
        feature=asked,
        threshold=np.where(inner, model.thresholds_[0], np.nan),
        right=np.where(inner, 2, -1).astype(np.int32),
        value=np.ascontiguousarray(value),
        weight=value.sum(axis=1),
        impurity=np.zeros(len(asked)),
        missing_left=np.zeros(len(asked), np.int8),
    )
    many = np.array([len(model.classes_)])
    peer.tree_ = peer_tree(nodes, model.n_features_in_, value[:, None, :], many)
    peer.max_depth, peer.n_outputs_, peer.max_features_ = 1, 1, model.n_features_in_
    peer.classes_, peer.n_classes_ = model.classes_, len(model.classes_)


converts(DecisionStump, "sklearn.tree:DecisionTreeClassifier", _stump_to_peer)


def _adaboost_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    peer.estimators_ = [convert(one) for one in model.estimators_]
    peer.estimator_ = peer.estimator = clone(peer.estimators_[0])
    peer.classes_, peer.n_classes_ = model.classes_, len(model.classes_)
    peer.estimator_weights_ = model.estimator_weights_.copy()
    peer.estimator_errors_ = getattr(model, "estimator_errors_", np.zeros(0)).copy()


def _adaboost_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    model.classes_ = np.asarray(peer.classes_)
    model.learners_ = [convert(one) for one in peer.estimators_]
    model.estimator = clone(model.learners_[0])
    model.estimator_weights_ = np.array(peer.estimator_weights_[: len(peer.estimators_)])


converts(
    AdaBoostClassifier,
    "sklearn.ensemble:AdaBoostClassifier",
    _adaboost_to_peer,
    _adaboost_from_peer,
)


# Bagging


def _bagging_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    peer.classes_, peer.n_classes_ = model.classes_, len(model.classes_)
    pairs = zip(model.learners_, model.lone_.tolist(), strict=True)
    width = model.columns_.shape[1]
    peer.estimators_ = [_member(one, only, model.classes_, width, convert) for one, only in pairs]
    peer.estimators_features_ = [*model.columns_]
    peer.n_estimators, peer.estimator_ = len(peer.estimators_), clone(peer.estimators_[0])
    peer.estimator, peer._max_features = peer.estimator_, width


def _member(one: Any, only: int, classes: Array, width: int, convert: Convert) -> Any:
    """A member that says the numbers of classes, as scikit-learn's bags ask for."""
    if only >= 0:
        from sklearn.tree import DecisionTreeClassifier  # only here: it is seldom needed

        return DecisionTreeClassifier().fit(np.zeros((1, width)), [only])
    made = convert(one)
    made.classes_ = np.searchsorted(classes, made.classes_).astype(np.int64)
    return made


def _bagging_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    model.classes_ = np.asarray(peer.classes_)
    model.columns_ = np.array([np.asarray(f) for f in peer.estimators_features_], np.int64)
    lone, learners = [], []
    for one in peer.estimators_:
        known = np.asarray(one.classes_, dtype=np.int64)
        made = convert(one)
        made.classes_ = model.classes_[known]
        lone.append(int(known[0]) if len(known) == 1 else -1)
        learners.append(made)
    model.learners_, model.lone_ = learners, np.array(lone, np.int64)
    model.estimator = clone(learners[0])


converts(
    BaggingClassifier, "sklearn.ensemble:BaggingClassifier", _bagging_to_peer, _bagging_from_peer
)
