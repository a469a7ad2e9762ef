"""Neighbours as scikit-learn's, and back: the rows are there, so that either is fitted to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.learners.common.conversion import Convert, converts
from assay.learners.common.target import labels_of
from assay.learners.neighbors.k_neighbors_classifier import KNeighborsClassifier
from assay.learners.neighbors.k_neighbors_regressor import KNeighborsRegressor
from assay.learners.neighbors.radius_neighbors_classifier import RadiusNeighborsClassifier
from assay.learners.neighbors.radius_neighbors_regressor import RadiusNeighborsRegressor


def _to_peer(model: Any, peer: Any, convert: Convert) -> None:
    if hasattr(model, "VI_"):  # as it was computed here
        peer.metric_params = {"VI": model.VI_}
    # Its tree's own distances are rounded otherwise; of sparse rows it has none.
    peer.fit(model.X_fit_, _target_of(model))


def _target_of(model: Any) -> Any:
    if not hasattr(model, "classes_"):
        return model.targets_
    if isinstance(model.classes_, list):
        return labels_of(model.classes_, model.codes_)
    return model.classes_[model.codes_]


def _from_peer(peer: Any, model: Any, convert: Convert) -> None:
    target = np.asarray(peer._y)
    if hasattr(peer, "classes_"):
        labels = peer.classes_
        several = isinstance(labels, list)
        target = labels_of(labels, target) if several else labels[target.ravel()]
    model.fit(peer._fit_X, target)


for _learner in (
    KNeighborsClassifier,
    KNeighborsRegressor,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
):
    converts(_learner, f"sklearn.neighbors:{_learner.__name__}", _to_peer, _from_peer)
