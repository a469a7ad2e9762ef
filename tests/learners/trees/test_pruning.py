"""Pruned trees: nested, and the best of all prunings."""

import numpy as np
import pytest

from assay.learners.trees.growing import grown
from assay.learners.trees.pruning import path_of, pruned, weakest_link
from tests.compiled.trees.test_tree_grow import rule
from tests.learners.trees.samples import labels, table
from tests.naive.pruning import best, shape


def small_tree(seed, multiway=False, classes=3):
    rng = np.random.default_rng(seed)
    X = table(rng, 40, features=2, digits=1, arity=(3,))
    y = labels(rng, X, classes) if classes else X[:, 0] + rng.normal(size=40)
    criterion = "gini" if classes else "squared_error"
    arity = np.array([0, 0, 3], np.int32)
    limits = rule(criterion, multiway=multiway, most_depth=3)
    return X, grown(X, y, classes, None, arity, limits)


def nested(tree, node=0):
    """A tree as the enumerating twin takes it."""
    cost = float(tree.weight[node] / tree.weight[0] * tree.impurity[node])
    return cost, [nested(tree, child) for child in tree.children_of(node)]


@pytest.mark.parametrize("multiway", [False, True])
@pytest.mark.parametrize("classes", [0, 3])
def test_no_pruning_is_better(multiway, classes):
    if multiway and not classes:
        pytest.skip("a target is divided in two")
    for seed in range(5):
        _, tree = small_tree(seed, multiway, classes)
        whole = nested(tree)
        path = path_of(tree)
        between = (path.ccp_alphas[:-1] + path.ccp_alphas[1:]) / 2
        before = tree.leaves
        for place, alpha in enumerate(between):
            found = pruned(tree, float(alpha))
            least, _ = best(whole, float(alpha))
            leaf = found.feature < 0
            cost = (found.weight / found.weight[0] * found.impurity)[leaf].sum()
            assert cost + alpha * leaf.sum() == pytest.approx(least)
            assert cost == pytest.approx(path.impurities[place])
            assert leaf.sum() == path.leaves[place] <= before
            before = leaf.sum()
            link = weakest_link(found)
            assert link is None or (link[0] - link[1]) / (link[2] - 1) > alpha
        assert len(pruned(tree, path.ccp_alphas[-1] + 1e-9)) == 1


def test_a_pruned_tree_sends_rows_where_the_whole_one_did():
    for multiway in (False, True):
        X, tree = small_tree(7, multiway)
        for alpha in path_of(tree).ccp_alphas:
            found = pruned(tree, float(alpha) + 1e-9)
            found.require_sound(np.array([0, 0, 3], np.int32), 3, np.ones(3, bool))
            leaf = found.leaf_of(X)
            assert np.bincount(leaf, minlength=len(found))[found.feature < 0].tolist() == (
                found.rows[found.feature < 0].tolist()
            )


def test_nothing_to_prune():
    _, tree = small_tree(0)
    assert pruned(tree, -1.0) is tree
    single = pruned(tree, np.inf)
    assert len(single) == 1
    assert path_of(single).ccp_alphas.tolist() == [0.0]
    assert weakest_link(single) is None
    assert shape(nested(single)) == ()
