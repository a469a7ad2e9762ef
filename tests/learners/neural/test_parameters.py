"""What the parameters of a network must be."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from assay import MLPClassifier
from assay.errors import BadParameter

X, Y = np.eye(4), [0, 1, 0, 1]
UNRULED = {
    "shuffle",
    "random_state",
    "verbose",
    "warm_start",
    "nesterovs_momentum",
    "early_stopping",
}


@pytest.mark.parametrize("name", sorted(set(MLPClassifier().get_params()) - UNRULED))
def test_odd_values_are_refused(name):
    for odd in (math.nan, -1, True, "x", None, [1.5], {}):
        with pytest.raises(BadParameter, match=f"^{name} must be "):
            MLPClassifier(**{name: odd}).fit(X, Y)


def test_good_values_are_taken():
    for name, values in {
        "hidden_layer_sizes": [(), [3], 5, np.array([4, 2]), np.int64(3)],
        "batch_size": [1, "auto"],
        "n_iter_no_change": [1, math.inf],
        "momentum": [0, 1.0],
        "alpha": [0, np.float32(0.5)],
    }.items():
        for value in values:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                MLPClassifier(**({"max_iter": 1} | {name: value})).fit(X, Y)


def test_layers():
    model = MLPClassifier(np.array([4, 2])).partial_fit(X[:, :3], Y, classes=[0, 1])
    assert [c.shape for c in model.coefs_] == [(3, 4), (4, 2), (2, 1)]
    model = MLPClassifier(()).partial_fit(X[:, :3], Y, classes=[0, 1, 2, 3])
    assert [c.shape for c in model.coefs_] == [(3, 4)]
