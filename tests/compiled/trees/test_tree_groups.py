"""Two groups of categories: the order of a class's share, or of the mean, leads to the best of all."""

import itertools

import numpy as np
import pytest

from tests.learners.trees.samples import coded, grown
from tests.naive.tree import impurity

CRITERIA = ["gini", "entropy", "misclassification", "squared_error"]


def sample(seed, classes, arity=6, rows=40):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, arity, rows).astype(np.float32)
    cells[rng.random(rows) < 0.1] = np.nan
    y = rng.integers(0, classes, rows) if classes else rng.normal(size=rows)
    w = rng.integers(1, 4, rows).astype(float)
    cells, [arity] = coded(cells[:, None], [arity])
    return cells, np.nan_to_num(cells[:, 0], nan=arity).astype(int), y, w


def fall_at_the_root(cells, y, w, criterion, **more):
    tree = grown(cells, y, w, [6], criterion=criterion, max_depth=1, **more)
    cost = tree.weight * tree.impurity
    return cost[0] - cost[1:].sum(), tree


def best_of_all(criterion, codes, y, w, classes):
    """Every way to divide the categories in two."""
    present, best = sorted(set(codes)), -1.0
    whole = impurity(criterion, y, w, classes)
    for size in range(1, len(present)):
        for left in itertools.combinations(present, size):
            goes = np.isin(codes, left)
            parts = sum(impurity(criterion, y[m], w[m], classes) for m in (goes, ~goes))
            best = max(best, whole - parts)
    return best


@pytest.mark.parametrize("criterion", CRITERIA)
def test_no_grouping_is_better(criterion):
    classes = 0 if criterion == "squared_error" else 2
    for seed in range(10):
        cells, codes, y, w = sample(seed, classes)
        found, tree = fall_at_the_root(cells, y, w, criterion)
        assert found == pytest.approx(best_of_all(criterion, codes, y, w, classes), abs=1e-9)
        assert set(tree.table_of(0)) == {1, 2}


def test_one_category_against_the_rest_is_not_enough():
    """The check above would see it if only single categories were split off."""
    worse = 0
    for seed in range(10):
        _, codes, y, w = sample(seed, 2)
        whole = impurity("gini", y, w, 2)
        single = max(
            whole - sum(impurity("gini", y[m], w[m], 2) for m in (codes == c, codes != c))
            for c in set(codes)
        )
        worse += single < best_of_all("gini", codes, y, w, 2) - 1e-9
    assert worse > 0


def test_more_classes_lose_little():
    """With more than two classes the order by a class's share need not be best: here is by how much."""
    lost = []
    for seed in range(10):
        cells, codes, y, w = sample(seed, 4)
        found, _ = fall_at_the_root(cells, y, w, "gini")
        best = best_of_all("gini", codes, y, w, 4)
        assert found <= best + 1e-9
        lost.append(1 - found / best)
    assert max(lost) < 0.25


def test_a_group_for_each_category():
    cells, codes, y, w = sample(1, 3)
    found, tree = fall_at_the_root(cells, y, w, "entropy", splits="multiway")
    parts = [codes == c for c in sorted(set(codes))]
    whole = impurity("entropy", y, w, 3)
    assert found == pytest.approx(whole - sum(impurity("entropy", y[m], w[m], 3) for m in parts))
    assert tree.table_of(0) == [1, 2, 3, 4, 5, 6, 7]
