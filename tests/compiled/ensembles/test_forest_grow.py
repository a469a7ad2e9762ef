"""Grown trees against the naive follower: the same words, every cut tried."""

from __future__ import annotations

import numpy as np
import pytest

from assay.learners.ensembles.columns import binned, ranked
from assay.learners.ensembles.grower import Bags, Grower, Limits
from tests.naive.forest import Follower, bag, impurity

PLAIN = Limits(-1, 2, 1, 0.0, 0.0, 0)


def grower(X, y, *, criterion="gini", classes=2, weights=None, most=2, limits=PLAIN, columns=None):
    numbers = criterion == "squared_error"
    return Grower(
        columns=ranked(X) if columns is None else columns,
        bags=Bags(seed=5, rows=len(X), draws=len(X)),
        label=None if numbers else y.astype(np.int32),
        target=y.astype(float) if numbers else None,
        outputs=1 if numbers else classes,
        criterion=criterion,
        weights=weights,
        reweigh=None,
        most_features=most,
        per_tree=False,
        limits=limits,
    )


def follow(X, y, member=0, *, criterion="gini", weights=None, most=2, limits=PLAIN, **how):
    tree = grower(X, y, criterion=criterion, weights=weights, most=most, limits=limits, **how).grow(
        member
    )
    generator, counts = bag(5, member, len(X), len(X))
    w = np.array(counts, float) * (1 if weights is None else weights)
    told = {
        "depth": limits.most_depth,
        "split": limits.least_split,
        "leaf": limits.least_rows,
        "share": limits.least_share,
    }
    Follower(tree, X, y, w, criterion, generator, range(X.shape[1]), most, **told).follow()
    return tree


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
    y = rng.normal(size=len(X)) if criterion == "squared_error" else rng.integers(0, 2, len(X))
    most = 1 + seed % 5
    tree = follow(X, y, seed, criterion=criterion, most=most)
    assert tree.leaves > 3


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_several_classes_weights_and_missing_cells(criterion, seed):
    X, rng = table(seed, missing=0.2)
    numbers = criterion == "squared_error"
    y = rng.normal(size=len(X)) if numbers else rng.integers(0, 4, len(X))
    weights = rng.integers(0, 3, len(X)) / 2
    how = {} if numbers else {"classes": 4}
    follow(X, y, seed, criterion=criterion, weights=weights, most=3, **how)


@pytest.mark.parametrize(
    "limits",
    [
        PLAIN._replace(most_depth=2),
        PLAIN._replace(least_split=9),
        PLAIN._replace(least_rows=4),
        PLAIN._replace(least_share=0.1),
    ],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_limits_are_kept(limits, classes):
    X, rng = table(11)
    follow(X, rng.integers(0, classes, len(X)), limits=limits, classes=classes)
    follow(X, rng.normal(size=len(X)), limits=limits, criterion="squared_error")


def test_two_classes_counted_are_two_classes_weighed():
    X, rng = table(3, rows=300)
    y = rng.integers(0, 2, 300)
    for seed in range(3):
        counted = grower(X, y).grow(seed)
        weighed = grower(X, y, weights=np.ones(300)).grow(seed)
        assert counted.rows[0] == weighed.rows[0]
        # Cuts of equal worth may be told apart by the last bit, so it is the worth that is compared.
        for tree in (counted, weighed):
            generator, counts = bag(5, seed, 300, 300)
            w = np.array(counts, float)
            Follower(tree, X, y, w, "gini", generator, range(5), 2).follow()


def test_a_least_decrease_leaves_no_cut_that_gains_less():
    X, rng = table(4, rows=80)
    y = rng.integers(0, 2, 80)
    least = 0.01
    whole = grower(X, y, most=5).grow(0)
    tree = grower(X, y, most=5, limits=PLAIN._replace(least_decrease=least)).grow(0)
    gains = _gains(tree)
    assert gains.min() >= least - 1e-12
    assert _gains(whole).min() < least
    assert 1 < len(tree) < len(whole)


def _gains(tree):
    inner = np.flatnonzero(tree.feature >= 0)
    heavy = tree.weight * tree.impurity
    return (heavy[inner] - heavy[tree.left[inner]] - heavy[tree.right[inner]]) / tree.weight[0]


def test_best_first_is_the_whole_tree_when_leaves_suffice():
    # Targets of such a kind that no two cuts gain the same.
    X, rng = table(6, rows=60)
    y = rng.normal(size=60)
    told = {"most": 5, "criterion": "squared_error"}
    whole = grower(X[:, 3:4], y, **told).grow(0)
    first = grower(X[:, 3:4], y, **told, limits=PLAIN._replace(most_leaves=1000)).grow(0)
    assert whole.leaves == first.leaves
    for name in ("feature", "threshold", "right", "value", "weight", "rows", "missing_left"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(first, name))


@pytest.mark.parametrize("leaves", [2, 5, 9])
def test_best_first_takes_the_largest_gain_next(leaves):
    X, rng = table(7, rows=120)
    y = (X[:, 0] + X[:, 3] + 0.3 * rng.normal(size=120) > 1).astype(int)
    tree = grower(X, y, most=5, limits=PLAIN._replace(most_leaves=leaves)).grow(0)
    assert tree.leaves == leaves
    assert (np.diff(tree.parent[1:]) != 0).any() or leaves == 2
    # A tree of one leaf less lacks the cut that gains least among those that could come last.
    less = grower(X, y, most=5, limits=PLAIN._replace(most_leaves=leaves - 1 or 1)).grow(0)
    if leaves > 2:
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
    columns = binned(X, 8)
    tree = grower(X, y, columns=columns, most=5).grow(1)
    inner = tree.feature >= 0
    for f, cut in zip(tree.feature[inner], tree.threshold[inner], strict=True):
        assert cut in columns.values[columns.starts[f] : columns.starts[f + 1]]
    # The rows that each leaf was said to have are those that walk there.
    _, counts = bag(5, 1, 200, 200)
    walked = np.bincount(tree.leaf_of(X[np.array(counts) > 0]), minlength=len(tree))
    np.testing.assert_array_equal(walked[~inner], tree.rows[~inner])
    assert impurity("gini", y, np.array(counts)) == pytest.approx(tree.impurity[0])


def test_the_follower_refuses_a_tree_of_other_words():
    X, rng = table(2)
    y = rng.integers(0, 2, len(X))
    tree = grower(X, y).grow(0)
    generator, counts = bag(6, 0, len(X), len(X))
    with pytest.raises(AssertionError):
        Follower(tree, X, y, np.array(counts, float), "gini", generator, range(5), 2).follow()
    generator, counts = bag(5, 0, len(X), len(X))
    with pytest.raises(AssertionError):
        Follower(tree, X, y, np.array(counts, float), "gini", generator, range(5), 1).follow()
