"""Several outputs, other criteria and monotone predictions, against the textbook's, node by node, and against peers."""

import numpy as np
import pytest
from sklearn import tree as peers

from assay import DecisionTreeClassifier, DecisionTreeRegressor
from tests.compiled.trees.test_tree_grow import assert_same
from tests.learners.trees.samples import grown, labels, table
from tests.naive.tree_aims import NaiveAims

NUMBERS = ["squared_error", "absolute_error", "poisson"]
CLASSES = ["gini", "entropy", "misclassification"]


def sample(seed, criterion, columns, *, digits=None):
    rng = np.random.default_rng(seed)
    X = table(rng, int(rng.integers(10, 40)), features=3, missing=0.15, digits=digits)
    weights = rng.integers(1, 5, len(X)) / 4 if seed % 2 else None
    if criterion in CLASSES:
        y = np.column_stack([labels(rng, X, k) for k in (2, 3, 4)[:columns]])
        return X, y, weights, (2, 3, 4)[:columns]
    y = np.nan_to_num(X[:, :1]) + rng.normal(size=(len(X), columns))
    if criterion == "poisson":
        y = np.floor(np.abs(3 * y))
        y[0] = 1.0
    return X, y, weights, ()


@pytest.mark.parametrize("criterion", NUMBERS + CLASSES)
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_same_tree_as_the_textbook(criterion, columns):
    if columns == 1 and criterion in CLASSES:
        pytest.skip("one column of classes is grown by other loops")
    for seed in range(4):
        X, y, w, levels = sample(seed, criterion, columns, digits=0 if seed > 1 else None)
        ours = grown(X, y[:, 0] if columns == 1 else y, w, criterion=criterion)
        assert_same(ours, NaiveAims(criterion, levels).fit(X, y, w))


@pytest.mark.parametrize(
    "criterion", ["squared_error", "absolute_error", "poisson", "gini", "entropy"]
)
def test_same_tree_as_the_textbook_where_predictions_rise(criterion):
    for seed in range(4):
        X, y, w, levels = sample(seed, criterion, 1)
        rising = [1, -1, 0] if seed % 2 else [-1, 0, 1]
        ours = grown(X, y[:, 0], w, criterion=criterion, monotonic_cst=rising)
        assert_same(ours, NaiveAims(criterion, levels, rising).fit(X, y, w))


@pytest.mark.parametrize("criterion", NUMBERS + CLASSES)
def test_limits(criterion):
    for ours, theirs in [
        ({"max_depth": 2}, {"max_depth": 2}),
        ({"min_samples_leaf": 4}, {"min_leaf": 4}),
        ({"min_weight_fraction_leaf": 0.2}, {"min_weight": 0.2}),
        ({"min_impurity_decrease": 0.04}, {"min_fall": 0.04}),
    ]:
        X, y, w, levels = sample(1, criterion, 2)
        total = w.sum()
        limit = {name: v * total if v < 1 else v for name, v in theirs.items()}
        tree = grown(X, y, w, criterion=criterion, **ours)
        assert_same(tree, NaiveAims(criterion, levels, **limit).fit(X, y, w))


def test_a_broken_twin_is_caught():
    """A twin that lets predictions go any way grows another tree."""

    class Broken(NaiveAims):
        def _allowed(self, f, parts):
            return True

    X, y, w, _ = sample(0, "squared_error", 1)
    tree = grown(X, y[:, 0], w, monotonic_cst=[-1, -1, -1])
    with pytest.raises(AssertionError):
        assert_same(tree, Broken("squared_error", rising=[-1, -1, -1]).fit(X, y, w))


def test_predictions_rise_and_fall_whatever_the_sample():
    """Along any line of one feature, others held, to the bit; weights make sums round."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(400, 3)), rng.uniform(0.1, 1.0, 400)
    y = np.sin(3 * X[:, 0]) + X[:, 1] + rng.normal(size=400)
    ends = np.linspace(-3, 3, 101)
    for most in (None, 60):
        how = {"monotonic_cst": [1, -1, 0], "max_leaf_nodes": most}
        number = DecisionTreeRegressor(**how).fit(X, y, w)
        median = DecisionTreeRegressor(criterion="absolute_error", **how).fit(X, y, w)
        share = DecisionTreeClassifier(**how).fit(X, y > 0, w)
        tellers = (number.predict, median.predict, lambda rows: share.predict_proba(rows)[:, 1])  # noqa: B023
        for tell in tellers:
            for start in X[:40]:
                for feature, sign in ((0, 1), (1, -1)):
                    line = np.tile(start, (len(ends), 1))
                    line[:, feature] = ends
                    assert (sign * np.diff(tell(line)) >= 0).all()


@pytest.mark.parametrize(
    "limits", [{}, {"max_leaf_nodes": 9}, {"min_samples_leaf": 3, "max_depth": 4}]
)
def test_same_tree_as_scikit_learn(limits):
    """But for ties, of which samples of normal numbers have none near the root."""
    rng = np.random.default_rng(3)
    X, w = rng.normal(size=(150, 4)), rng.uniform(0.5, 1.5, 150)
    y = X[:, :2] + rng.normal(size=(150, 2))
    limits = {"max_depth": 5} | limits
    for criterion in NUMBERS:
        target = np.abs(y) if criterion == "poisson" else y
        ours = DecisionTreeRegressor(criterion=criterion, **limits).fit(X, target, w)
        theirs = peers.DecisionTreeRegressor(criterion=criterion, random_state=0, **limits)
        np.testing.assert_allclose(ours.predict(X), theirs.fit(X, target, w).predict(X))
    for criterion in ("gini", "entropy"):
        target = np.column_stack([np.digitize(y[:, 0], [-1, 0, 1]), y[:, 1] > 0])
        ours = DecisionTreeClassifier(criterion=criterion, **limits).fit(X, target, w)
        theirs = peers.DecisionTreeClassifier(criterion=criterion, random_state=0, **limits)
        theirs.fit(X, target, w)
        for one, other in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
            np.testing.assert_allclose(one, other)
