"""Pruned trees: nested, and the best of all prunings."""

import numpy as np
import pytest

from assay import DecisionTreeClassifier, DecisionTreeRegressor, load, save
from tests.learners.trees.samples import coded, labels, table
from tests.naive.pruning import best, shape


def small(seed, multiway=False, classes=3):
    """Rows, labels, and a function from the price of a leaf to a tree that is not fitted yet."""
    rng = np.random.default_rng(seed)
    X, _ = coded(table(rng, 40, features=2, digits=1, arity=(3,)), [0, 0, 3])
    y = labels(rng, X, classes) if classes else X[:, 0] + rng.normal(size=40)
    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    more = {"splits": "multiway"} if multiway else {}
    return X, y, lambda price: kind(max_depth=3, categorical_features=[2], ccp_alpha=price, **more)


def nested(tree, node=0):
    """A tree as the enumerating twin takes it."""
    cost = float(tree.weight[node] / tree.weight[0] * tree.impurity[node])
    return cost, [nested(tree, child) for child in tree.children_of(node)]


@pytest.mark.parametrize(("classes", "multiway"), [(0, False), (3, False), (3, True)])
def test_no_pruning_is_better(classes, multiway):
    for seed in range(5):
        X, y, at = small(seed, multiway, classes)
        full = nested(at(0.0).fit(X, y).nodes_)
        path = at(0.0).cost_complexity_pruning_path(X, y)
        between = (path.ccp_alphas[:-1] + path.ccp_alphas[1:]) / 2
        before = 40
        for place, alpha in enumerate(between):
            model = at(float(alpha)).fit(X, y)
            tree = model.nodes_
            least, _ = best(full, float(alpha))
            leaf = tree.feature < 0
            cost = (tree.weight / tree.weight[0] * tree.impurity)[leaf].sum()
            assert cost + alpha * leaf.sum() == pytest.approx(least)
            assert cost == pytest.approx(path.impurities[place])
            assert leaf.sum() == path.leaves[place] <= before
            before = leaf.sum()
            # What is promised of its weakest link: no question is worth less than the price.
            price = [g for g in model.guarantees() if g.of == "price of a leaf"]
            assert all(g.holds for g in price)
            assert bool(price) == (len(tree) > 1)
        assert len(at(float(path.ccp_alphas[-1]) + 1e-9).fit(X, y).nodes_) == 1


@pytest.mark.parametrize("multiway", [False, True])
def test_a_pruned_tree_sends_rows_where_the_full_one_did(multiway, tmp_path):
    X, y, at = small(7, multiway)
    for alpha in at(0.0).cost_complexity_pruning_path(X, y).ccp_alphas:
        model = at(float(alpha) + 1e-9).fit(X, y)
        save(model, tmp_path / "tree.assay")
        tree = load(
            tmp_path / "tree.assay"
        ).nodes_  # which refuses nodes that do not belong together
        ends = tree.feature < 0
        counts = np.bincount(model.apply(X), minlength=len(tree))
        assert counts[ends].tolist() == tree.rows[ends].tolist()


def test_nothing_to_prune():
    X, y, at = small(0)
    single = at(1e6).fit(X, y)
    assert len(single.nodes_) == 1
    assert shape(nested(single.nodes_)) == ()
    assert [g for g in single.guarantees() if g.of == "price of a leaf"] == []
    one_leaf = DecisionTreeClassifier().cost_complexity_pruning_path(np.zeros((4, 1)), [0, 1, 0, 1])
    assert one_leaf.ccp_alphas.tolist() == [0.0]
