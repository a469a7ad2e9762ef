"""What parameters of forests mean, and which are refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn import tree

from assay import DecisionTreeClassifier, RandomForestClassifier
from assay.errors import BadParameter

X = np.random.default_rng(0).normal(size=(50, 9))
Y = np.arange(50) % 2


@pytest.mark.parametrize("most", ["sqrt", "log2", None, 1, 5, 0.01, 0.4, 0.99, 1.0])
@pytest.mark.parametrize("width", [1, 2, 3, 20, 100])
def test_as_many_features_as_scikit_learn_draws(most, width):
    cells, y = np.random.default_rng(0).normal(size=(10, width)), np.arange(10) % 2
    ours = DecisionTreeClassifier(max_features=most, max_depth=1).fit(cells, y)
    if isinstance(most, int) and most > width:
        assert ours.max_features_ == width
        return
    theirs = tree.DecisionTreeClassifier(max_features=most, max_depth=1).fit(cells, y)
    assert ours.max_features_ == theirs.max_features_


def test_shares_of_rows_are_rounded_up_to_counts():
    """Of 50 rows a tenth are 5, and what is just above a tenth is 6."""
    how = {"random_state": 0, "n_estimators": 2}
    for share, count in ((0.1, 5), (0.101, 6)):
        for name in ("min_samples_split", "min_samples_leaf"):
            one, other = (
                RandomForestClassifier(**how, **{name: least}).fit(X, Y) for least in (share, count)
            )
            assert all(a.same_as(b) for a, b in zip(one.trees_, other.trees_, strict=True))


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
            {"max_samples": 0.0},
            "max_samples must be None, a count of at least 1, or a share above 0, but is 0.0.",
        ),
        ({"n_estimators": True}, "n_estimators must be a count of at least 1, but is True."),
        ({"verbose": 0.5}, "verbose must be a whole number, zero or more, but is 0.5."),
    ],
)
def test_refusals(told, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        RandomForestClassifier(**told).fit(X, Y)
