"""Naive Bayes as scikit-learn's, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.learners.bayes.bernoulli_nb import BernoulliNB
from assay.learners.bayes.gaussian_nb import GaussianNB
from assay.learners.common.conversion import Convert, converts


def _gaussian_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    peer.classes_, peer.class_count_ = model.classes_, model.class_count_.copy()
    peer.theta_, peer.var_ = model.theta_.copy(), model.var_
    peer.class_prior_, peer.epsilon_ = model.class_prior_, model.epsilon_


def _gaussian_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    _opened(peer, model)
    model.theta_ = np.array(peer.theta_, dtype=np.float64)
    smoothing = float(peer.epsilon_)
    spread = np.maximum(peer.var_ - smoothing, 0.0)
    model.squares_ = np.ascontiguousarray(spread * np.maximum(model.class_count_, 1e-300)[:, None])
    model.center_ = np.zeros(model.theta_.shape[1])
    # The largest variance of a feature, which smoothing follows.
    largest = smoothing / peer.var_smoothing if peer.var_smoothing else 0.0
    model.deviations_ = np.full(model.theta_.shape[1], largest * model.rows_)


def _bernoulli_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    peer.classes_, peer.class_count_ = model.classes_, model.class_count_.copy()
    peer.feature_count_ = model.feature_count_.copy()
    peer.feature_log_prob_ = model.feature_log_prob_
    peer.class_log_prior_ = model.class_log_prior_


def _bernoulli_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    _opened(peer, model)
    model.feature_count_ = np.array(peer.feature_count_, dtype=np.float64)


def _opened(peer: Any, model: Any) -> None:
    model.classes_ = np.asarray(peer.classes_)
    model.class_count_ = np.array(peer.class_count_, dtype=np.float64)
    model.rows_ = max(1, round(float(model.class_count_.sum())))
    model._hold_parameters()


converts(GaussianNB, "sklearn.naive_bayes:GaussianNB", _gaussian_to_peer, _gaussian_from_peer)
converts(BernoulliNB, "sklearn.naive_bayes:BernoulliNB", _bernoulli_to_peer, _bernoulli_from_peer)
