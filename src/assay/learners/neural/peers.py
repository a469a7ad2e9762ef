"""Networks as scikit-learn's, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import LabelBinarizer

from assay.errors import BadParameter
from assay.learners.common.conversion import Convert, converts
from assay.learners.neural.mlp_classifier import MLPClassifier


def _to_peer(model: Any, peer: Any, convert: Convert) -> None:
    peer.activation = model.gates_
    peer.coefs_ = [np.array(part) for part in model.coefs_]
    peer.intercepts_ = [np.array(part) for part in model.intercepts_]
    peer.n_layers_, peer.n_outputs_ = model.n_layers_, model.n_outputs_
    peer.out_activation_, peer.classes_ = model.out_activation_, model.classes_
    peer.n_iter_, peer.t_ = getattr(model, "n_iter_", 0), getattr(model, "t_", 0)
    peer._label_binarizer = LabelBinarizer().fit(model.classes_)


def _from_peer(peer: Any, model: Any, convert: Convert) -> None:
    model.classes_ = np.asarray(peer.classes_)
    if peer.out_activation_ == "logistic" and len(model.classes_) > 2:
        raise BadParameter(
            "This MLPClassifier was fitted to several labels for each row, and assay's has one. Fit one for each label."
        )
    model.layers_ = (*(int(part.shape[0]) for part in peer.coefs_), int(peer.coefs_[-1].shape[1]))
    model.gates_ = peer.activation
    # The matrices of all layers, then their intercepts.
    model.parameters_ = np.concatenate([*map(np.ravel, peer.coefs_), *peer.intercepts_])


converts(MLPClassifier, "sklearn.neural_network:MLPClassifier", _to_peer, _from_peer)
