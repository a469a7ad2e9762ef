"""Bags by seed and number, and growth that depends on nothing else."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from assay import BaggingClassifier, RandomForestClassifier
from tests.compiled.ensembles.test_forest_grow import forest, table
from tests.naive.forest import bag


def test_bags_are_those_of_the_naive_twin():
    X, rng = table(0, rows=30)
    model = forest(X, rng.integers(0, 2, 30), 8)
    for member, rows in enumerate(model.estimators_samples_):
        counts = np.bincount(rows, minlength=30).tolist()
        assert counts == bag(model.seed_, member, 30, 30)[1]
    assert forest(X, X[:, 0] > 0, bootstrap=False).trees_[0].weight[0] == 30


class Silent(ClassifierMixin, BaseEstimator):
    """Learns nothing, at once."""

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def test_bags_without_repetition():
    model = BaggingClassifier(Silent(), 500, bootstrap=False, max_samples=4, random_state=2)
    model.fit(np.zeros((10, 1)), np.arange(10) % 2)
    counts = np.array([np.bincount(rows, minlength=10) for rows in model.estimators_samples_])
    assert (counts.sum(axis=1) == 4).all()
    assert set(counts.ravel().tolist()) == {0, 1}
    assert abs(counts.mean(axis=0) - 0.4).max() < 5 * np.sqrt(0.24 / 500)


def test_a_bag_whose_rows_have_no_weight():
    X, rng = table(1, rows=20)
    y = rng.integers(0, 2, 20)
    counts = np.array(bag(forest(X, y).seed_, 0, 20, 20)[1])
    [tree] = forest(X, y, weights=np.where(counts > 0, 0.0, 1.0)).trees_
    assert tree.rows[0] == np.count_nonzero(counts)


def test_rows_left_out_that_are_of_a_third_class_change_no_tree():
    """Bags of two classes have loops of their own: which are taken is decided by the bag, not by the sample."""
    compared = broken = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, (30, 3)).astype(np.float32)
        y, how = rng.integers(0, 2, 30), {"random_state": seed, "criterion": "entropy"}
        model = RandomForestClassifier(6, **how).fit(X, y)
        # The loops of more classes, which weights are left to, round otherwise: taken by the sample they would show.
        general = RandomForestClassifier(6, **how).fit(X, y, np.ones(30))
        for one, other in zip(model.trees_, general.trees_, strict=True):
            broken += one.feature.tolist() != other.feature.tolist()
        for t, rows in enumerate(model.estimators_samples_):
            other = y.copy()
            other[np.setdiff1d(np.arange(30), rows)] = 2
            tree, same = (
                RandomForestClassifier(t + 1, **how).fit(X, other).trees_[t],
                model.trees_[t],
            )
            assert tree.feature.tolist() == same.feature.tolist()
            assert tree.value[:, :2].tolist() == same.value.tolist()
            assert not tree.value[:, 2:].any()
            compared += 1
    assert compared == 36
    assert broken > 0
