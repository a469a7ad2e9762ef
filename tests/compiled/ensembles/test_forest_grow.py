"""Grown trees against the naive follower: the same words, every cut tried."""

from __future__ import annotations

import numpy as np
import pytest

from assay import RandomForestClassifier, RandomForestRegressor
from tests.naive.forest import Follower, bag, impurity


def forest(X, y, trees=1, *, criterion="gini", weights=None, most=2, seed=5, **limits):
    kind = RandomForestRegressor if criterion == "squared_error" else RandomForestClassifier
    model = kind(trees, criterion=criterion, max_features=most, random_state=seed, **limits)
    return model.fit(X, y, weights)


def grown(X, y, member=0, **how):
    return forest(X, y, member + 1, **how).trees_[member]


def follow(X, y, member=0, *, criterion="gini", weights=None, most=2, **limits):
    model = forest(X, y, member + 1, criterion=criterion, weights=weights, most=most, **limits)
    generator, counts = bag(model.seed_, member, len(X), len(X))
    w = np.array(counts, float) * (1 if weights is None else weights)
    names = {
        "max_depth": "depth",
        "min_samples_split": "split",
        "min_samples_leaf": "leaf",
        "min_weight_fraction_leaf": "share",
    }
    known = {names[name]: value for name, value in limits.items()}
    tree = model.trees_[member]
    Follower(tree, X, y, w, criterion, generator, range(X.shape[1]), most, **known).follow()
    return tree


def classes_of(rng, rows, classes):
    """Random labels; every one of them occurs."""
    y = rng.integers(0, classes, rows)
    y[:classes] = np.arange(classes)
    return y


def table(seed, rows=40, *, missing=0.0):
    """Cells with many ties, a constant column and one that is nearly so."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (rows, 5)).astype(np.float32) / 4
    X[:, 1] = 3
    X[:, 2] = rng.random(rows) < 0.1
    X[:, 3] = rng.normal(size=rows)
    X[rng.random(X.shape) < missing] = np.nan
    return X, rng


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_every_cut_is_the_best_of_the_features_drawn(criterion, seed):
    X, rng = table(seed)
    y = rng.normal(size=len(X)) if criterion == "squared_error" else classes_of(rng, len(X), 2)
    most = 1 + seed % 5
    tree = follow(X, y, seed, criterion=criterion, most=most)
    assert tree.leaves > 3


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_several_classes_weights_and_missing_cells(criterion, seed):
    X, rng = table(seed, missing=0.2)
    numbers = criterion == "squared_error"
    y = rng.normal(size=len(X)) if numbers else classes_of(rng, len(X), 4)
    follow(X, y, seed, criterion=criterion, weights=rng.integers(0, 3, len(X)) / 2, most=3)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_depth": 2},
        {"min_samples_split": 9},
        {"min_samples_leaf": 4},
        {"min_weight_fraction_leaf": 0.1},
    ],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_limits_are_kept(limits, classes):
    X, rng = table(11)
    follow(X, classes_of(rng, len(X), classes), **limits)
    follow(X, rng.normal(size=len(X)), criterion="squared_error", **limits)


def test_two_classes_counted_are_two_classes_weighed():
    X, rng = table(3, rows=300)
    y = rng.integers(0, 2, 300)
    models = forest(X, y, 3), forest(X, y, 3, weights=np.ones(300))
    for seed in range(3):
        counted, weighed = (model.trees_[seed] for model in models)
        assert counted.rows[0] == weighed.rows[0]
        # Cuts of equal worth may be told apart by the last bit, so it is the worth that is compared.
        for tree in (counted, weighed):
            generator, counts = bag(models[0].seed_, seed, 300, 300)
            w = np.array(counts, float)
            Follower(tree, X, y, w, "gini", generator, range(5), 2).follow()


def test_a_least_decrease_leaves_no_cut_that_gains_less():
    X, rng = table(4, rows=80)
    y = rng.integers(0, 2, 80)
    least = 0.01
    full = grown(X, y, most=5)
    tree = grown(X, y, most=5, min_impurity_decrease=least)
    gains = _gains(tree)
    assert gains.min() >= least - 1e-12
    assert _gains(full).min() < least
    assert 1 < len(tree) < len(full)


def _gains(tree):
    inner = np.flatnonzero(tree.feature >= 0)
    heavy = tree.weight * tree.impurity
    return (heavy[inner] - heavy[tree.left[inner]] - heavy[tree.right[inner]]) / tree.weight[0]


def test_best_first_is_the_whole_tree_when_leaves_suffice():
    # Targets of such a kind that no two cuts gain the same.
    X, rng = table(6, rows=60)
    y = rng.normal(size=60)
    how = {"most": 5, "criterion": "squared_error"}
    full = grown(X[:, 3:4], y, **how)
    first = grown(X[:, 3:4], y, **how, max_leaf_nodes=1000)
    assert full.leaves == first.leaves
    for name in ("feature", "threshold", "right", "value", "weight", "rows", "missing_left"):
        np.testing.assert_array_equal(getattr(full, name), getattr(first, name))


@pytest.mark.parametrize("leaves", [2, 5, 9])
def test_best_first_takes_the_largest_gain_next(leaves):
    X, rng = table(7, rows=120)
    y = (X[:, 0] + X[:, 3] + 0.3 * rng.normal(size=120) > 1).astype(int)
    tree = grown(X, y, most=5, max_leaf_nodes=leaves)
    assert tree.leaves == leaves
    assert (np.diff(tree.parent[1:]) != 0).any() or leaves == 2
    # A tree of one leaf less lacks the cut that gains least among those that could come last.
    if leaves > 2:
        less = grown(X, y, most=5, max_leaf_nodes=leaves - 1)
        assert _gains(less).sum() <= _gains(tree).sum()
        last = _gains(tree).sum() - _gains(less).sum()
        ends = [
            gain
            for node, gain in zip(np.flatnonzero(tree.feature >= 0), _gains(tree), strict=True)
            if tree.feature[tree.left[node]] < 0 and tree.feature[tree.right[node]] < 0
        ]
        assert any(abs(last - gain) < 1e-12 for gain in ends)


def test_bins_cut_where_bins_end():
    X, rng = table(8, rows=200)
    X[:, 3] = rng.normal(size=200)
    y = rng.integers(0, 2, 200)
    model = forest(X, y, 6, most=5, max_bins=8)
    tree = model.trees_[1]
    inner = tree.feature >= 0
    for f in range(5):
        cuts = {float(c) for t in model.trees_ for c in t.threshold[t.feature == f]}
        values = np.unique(X[:, f].astype(float))
        assert len(cuts) < 8
        assert cuts <= set((values[:-1] + values[1:]) / 2)
    # The rows that each leaf was said to have are those that walk there.
    _, counts = bag(model.seed_, 1, 200, 200)
    walked = np.bincount(tree.leaf_of(X[np.array(counts) > 0]), minlength=len(tree))
    np.testing.assert_array_equal(walked[~inner], tree.rows[~inner])
    assert impurity("gini", y, np.array(counts)) == pytest.approx(tree.impurity[0])


def test_the_follower_refuses_a_tree_of_other_words():
    X, rng = table(2)
    y = rng.integers(0, 2, len(X))
    model = forest(X, y)
    [tree] = model.trees_
    for seed, most in ((model.seed_ + 1, 2), (model.seed_, 1)):
        generator, counts = bag(seed, 0, len(X), len(X))
        w = np.array(counts, float)
        with pytest.raises(AssertionError):
            Follower(tree, X, y, w, "gini", generator, range(5), most).follow()
