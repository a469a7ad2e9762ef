"""What parameters of forests mean, and which are refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn import ensemble

from assay import RandomForestClassifier
from assay.errors import BadParameter
from assay.learners.ensembles.forest_parameters import forest_limits
from assay.learners.trees.limits import features_of

X = np.random.default_rng(0).normal(size=(50, 9))
Y = np.arange(50) % 2


@pytest.mark.parametrize("most", ["sqrt", "log2", None, 1, 5, 0.01, 0.4, 0.99, 1.0])
@pytest.mark.parametrize("width", [1, 2, 3, 20, 100])
def test_as_many_features_as_scikit_learn_draws(most, width):
    if isinstance(most, int) and most > width:
        assert features_of(most, width) == width
        return
    theirs = ensemble.RandomForestClassifier(1, max_features=most, max_depth=1)
    theirs.fit(np.random.default_rng(0).normal(size=(10, width)), np.arange(10) % 2)
    assert features_of(most, width) == theirs.estimators_[0].max_features_


def test_limits():
    model = RandomForestClassifier(min_samples_split=0.1, min_samples_leaf=0.05, max_depth=3)
    limits, most = forest_limits(model, 95, 9)
    assert (limits.least_split, limits.least_rows, limits.most_depth, most) == (10, 5, 3, 3)
    limits, _ = forest_limits(RandomForestClassifier(), 95, 9)
    assert limits == (-1, 2, 1, 0.0, 0.0, 0)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"max_depth": 0}, "max_depth must be None or a count of at least 1, but is 0."),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes must be None or a count of at least 2, but is 1."),
        (
            {"min_samples_split": 1},
            "min_samples_split must be a count of at least 2, or a share of the rows, but is 1.",
        ),
        (
            {"min_samples_leaf": 0.0},
            "min_samples_leaf must be a count of at least 1, or a share of the rows, but is 0.0.",
        ),
        (
            {"min_weight_fraction_leaf": 0.6},
            "min_weight_fraction_leaf must be a number from 0 to 0.5, but is 0.6.",
        ),
        (
            {"min_impurity_decrease": np.inf},
            "min_impurity_decrease must be a finite number, zero or more, but is inf.",
        ),
        (
            {"max_features": "all"},
            "max_features must be 'sqrt', 'log2', None, a count of at least 1, or a share above 0 and at most 1, "
            "but is 'all'.",
        ),
        (
            {"max_samples": 1.5},
            "max_samples must be None, a count of at least 1, or a share above 0 and at most 1, but is 1.5.",
        ),
        ({"n_estimators": True}, "n_estimators must be a count of at least 1, but is True."),
        ({"verbose": 0.5}, "verbose must be a whole number, zero or more, but is 0.5."),
    ],
)
def test_refusals(told, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        RandomForestClassifier(**told).fit(X, Y)
