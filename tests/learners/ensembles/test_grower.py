"""Bags by seed and number, and growth that depends on nothing else."""

from __future__ import annotations

import numpy as np

from assay import RandomForestClassifier
from assay.learners.ensembles.columns import ranked
from assay.learners.ensembles.grower import Bags, Grower
from tests.compiled.ensembles.test_forest_grow import grower, table
from tests.naive.forest import bag


def test_bags_are_those_of_the_naive_twin():
    bags = Bags(seed=11, rows=30, draws=30)
    for member in (0, 1, 7):
        assert bags.draw(member)[1].tolist() == bag(11, member, 30, 30)[1]
    assert Bags(seed=11, rows=30, draws=0).draw(3)[1].tolist() == [1] * 30


def test_bags_without_repetition():
    counts = np.array([Bags(2, 10, 4, again=False).draw(m)[1] for m in range(500)])
    assert (counts.sum(axis=1) == 4).all()
    assert set(counts.ravel().tolist()) == {0, 1}
    assert abs(counts.mean(axis=0) - 0.4).max() < 5 * np.sqrt(0.24 / 500)


def test_growing_in_any_order_gives_the_same_trees():
    X, rng = table(1, rows=100)
    y = rng.integers(0, 3, 100)
    forest = grower(X, y, classes=3)
    forward = [forest.grow(t) for t in range(4)]
    backward = [forest.grow(t) for t in (3, 2, 1, 0)][::-1]
    assert all(a.same_as(b) for a, b in zip(forward, backward, strict=True))
    assert not forward[0].same_as(forward[1])


def test_a_bag_whose_rows_have_no_weight():
    X, rng = table(1, rows=20)
    y = rng.integers(0, 2, 20)
    _, counts = bag(5, 0, 20, 20)
    weights = np.where(np.array(counts) > 0, 0.0, 1.0)
    tree = grower(X, y, weights=weights, columns=ranked(X)).grow(0)
    assert tree.rows[0] == np.count_nonzero(counts)


def test_rows_left_out_that_are_of_a_third_class_change_no_tree(monkeypatch):
    def changed():
        """How many trees differ once all rows that their bags left out are of a third class."""
        found = 0
        for seed in range(12):
            rng = np.random.default_rng(seed)
            X = rng.integers(0, 4, (30, 3)).astype(np.float32)
            y, how = rng.integers(0, 2, 30), {"random_state": seed, "criterion": "entropy"}
            model = RandomForestClassifier(6, **how).fit(X, y)
            for t, rows in enumerate(model.estimators_samples_):
                other = y.copy()
                other[np.setdiff1d(np.arange(30), rows)] = 2
                if len(np.unique(other)) < 3:
                    continue
                tree = RandomForestClassifier(6, **how).fit(X, other).trees_[t]
                same = tree.feature.tolist() == model.trees_[t].feature.tolist()
                same = same and tree.value[:, :2].tolist() == model.trees_[t].value.tolist()
                found += not (same and not tree.value[:, 2:].any())
        return found

    assert changed() == 0
    # With the loops chosen by the classes of the whole sample, some do.
    whole = lambda self, counts: [0, 1] if self.outputs == 2 else []  # noqa: E731
    monkeypatch.setattr(Grower, "_two", whole)
    assert changed() > 0
