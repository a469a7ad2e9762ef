"""Linear learners as scikit-learn's, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.learners.common.conversion import Convert, converts
from assay.learners.common.rows import Rows
from assay.learners.common.sparse_coef import dense_coef
from assay.learners.linear.gradient_descent import OnlineGradientDescent
from assay.learners.linear.hinge_loss_lp import HingeLossLP
from assay.learners.linear.linear_regression import LinearRegression
from assay.learners.linear.linear_svc import LinearSVC
from assay.learners.linear.logistic_regression import LogisticRegression
from assay.learners.linear.margin_perceptron import MarginPerceptron
from assay.learners.linear.perceptron import Perceptron
from assay.learners.linear.ridge import Ridge
from assay.learners.linear.sgd_classifier import SGDClassifier
from assay.learners.linear.sgd_regressor import SGDRegressor
from assay.learners.linear.winnow import Winnow

# What is known of a fit that scikit-learn's models of that name tell, too.
_TOLD = ("n_iter_", "t_")


def _weights_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    peer.coef_ = np.array(dense_coef(model))
    peer.intercept_ = np.array(model.intercept_) if np.ndim(model.intercept_) else model.intercept_
    if hasattr(model, "classes_"):
        peer.classes_ = model.classes_
    for name in _TOLD:
        if hasattr(model, name):
            setattr(peer, name, getattr(model, name))


def _weights_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    if hasattr(peer, "classes_"):
        model.classes_ = np.asarray(peer.classes_)
    model.coef_ = np.ascontiguousarray(_dense(peer.coef_))
    free = peer.intercept_
    if hasattr(peer, "classes_"):  # a number where there is none
        free = np.broadcast_to(np.asarray(free, model.coef_.dtype), len(model.coef_))
    model.intercept_ = np.array(free) if np.ndim(free) else float(free)
    if hasattr(model, "_hold_settings"):
        model._hold_settings()


def _dense(coef: Any) -> Any:
    return coef.toarray() if hasattr(coef, "toarray") else np.asarray(coef)


def _players_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    """An online learner that goes on from these weights."""
    if getattr(model, "learning_rate", None) == "optimal" and model.eta0 == 0:
        # Where it means nothing, earlier versions of scikit-learn have zero.
        model.eta0 = type(model)().eta0
    coef = np.atleast_2d(_dense(peer.coef_))
    free = np.broadcast_to(np.ravel(peer.intercept_), len(coef))
    if hasattr(peer, "classes_"):
        model._open(np.asarray(peer.classes_), Rows(dense=np.zeros((1, coef.shape[1]))))
    else:
        model._open(coef.shape[1])
    for player, w, b in zip(model.players_, coef, free, strict=True):
        player.weights = np.array(w, player.weights.dtype)
        player.bias = np.array([b], player.bias.dtype)


_BATCH = {
    LinearRegression: "sklearn.linear_model:LinearRegression",
    LinearSVC: "sklearn.svm:LinearSVC",
    LogisticRegression: "sklearn.linear_model:LogisticRegression",
    Ridge: "sklearn.linear_model:Ridge",
}
for _learner, _place in _BATCH.items():
    converts(_learner, _place, _weights_to_peer, _weights_from_peer)
_ONLINE = {
    Perceptron: "sklearn.linear_model:Perceptron",
    SGDClassifier: "sklearn.linear_model:SGDClassifier",
    SGDRegressor: "sklearn.linear_model:SGDRegressor",
}
for _learner, _place in _ONLINE.items():
    converts(_learner, _place, _weights_to_peer, _players_from_peer)
# By other names, whose scikit-learn predicts from the same weights, and learned them otherwise.
converts(HingeLossLP, "sklearn.svm:LinearSVC", _weights_to_peer)
for _learner in (MarginPerceptron, OnlineGradientDescent, Winnow):
    converts(_learner, "sklearn.linear_model:Perceptron", _weights_to_peer)
