"""The compiled grower against the textbook's, node by node."""

import numpy as np
import pytest

from tests.learners.trees.samples import coded, grown, labels, table
from tests.naive.tree import NaiveTree

CRITERIA = ["gini", "entropy", "misclassification", "squared_error"]


def assert_same(tree, naive, tolerance=1e-9):
    nodes = naive.preorder()
    assert len(tree) == len(nodes)
    for k, node in enumerate(nodes):
        assert tree.feature[k] == node["feature"], k
        assert tree.rows[k] == node["rows"]
        np.testing.assert_allclose(tree.value[k], node["value"], rtol=tolerance, atol=tolerance)
        if node["feature"] < 0:
            continue
        if node["table"] is None:
            assert tree.threshold[k] == node["threshold"]
            assert bool(tree.missing_left[k]) == node["missing_left"]
        else:
            below = tree.children_of(k)
            assert tree.table_of(k) == [below[c] for c in node["table"]]


def sample(seed, criterion, *, weighted, **shape):
    rng = np.random.default_rng(seed)
    X = table(rng, int(rng.integers(8, 45)), **shape)
    if criterion == "squared_error":
        y = np.nan_to_num(X[:, 0]) + rng.normal(size=len(X))
    else:
        y = labels(rng, X, int(rng.integers(2, 5)))
    w = rng.integers(1, 5, len(X)) / 4 if weighted else None
    arity = shape.get("arity", ())
    X, arity = coded(X, [0] * (X.shape[1] - len(arity)) + [*arity])
    return X, y, w, arity


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"digits": 0},
        {"digits": 0, "missing": 0.2},
        {"features": 2, "digits": 1, "missing": 0.1, "arity": (2, 4)},
    ],
)
def test_same_tree_as_the_textbook(criterion, weighted, shape):
    for seed in range(3):
        X, y, w, arity = sample(seed, criterion, weighted=weighted, **shape)
        tree = grown(X, y, w, arity, criterion=criterion)
        assert_same(tree, NaiveTree(criterion, arity=arity.tolist()).fit(X, y, w))


@pytest.mark.parametrize("ratio", [False, True])
@pytest.mark.parametrize("multiway", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_tree_with_a_child_for_each_category(ratio, multiway, weighted):
    for seed in range(4):
        X, y, w, arity = sample(
            seed, "entropy", weighted=weighted, features=1, digits=1, missing=0.1, arity=(2, 3, 5)
        )
        criterion = "gain_ratio" if ratio else "entropy"
        splits = "multiway" if multiway else "binary"
        tree = grown(X, y, w, arity, criterion=criterion, splits=splits)
        naive = NaiveTree("entropy", multiway=multiway, ratio=ratio, arity=arity.tolist())
        assert_same(tree, naive.fit(X, y, w))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_limits(criterion):
    limits = [
        ({"max_depth": 2}, {"max_depth": 2}),
        ({"min_samples_split": 9}, {"min_split": 9}),
        ({"min_samples_leaf": 4}, {"min_leaf": 4}),
        ({"min_weight_fraction_leaf": 0.2}, {"min_weight": 0.2}),
        ({"min_impurity_decrease": 0.04}, {"min_fall": 0.04}),
    ]
    for seed, (ours, theirs) in enumerate(limits):
        for weighted in (False, True):
            X, y, w, arity = sample(
                seed, criterion, weighted=weighted, digits=0, missing=0.1, arity=(3,)
            )
            tree = grown(X, y, w, arity, criterion=criterion, **ours)
            # What is a share of the sample for a learner is an amount for the twin.
            total = len(y) if w is None else w.sum()
            limit = {name: v * total if v < 1 else v for name, v in theirs.items()}
            assert_same(tree, NaiveTree(criterion, arity=arity.tolist(), **limit).fit(X, y, w))


def test_a_broken_twin_is_caught():
    """A twin that sends missing cells right whatever they say grows another tree."""

    class Broken(NaiveTree):
        def _questions(self, f, rows):
            return (q for q in super()._questions(f, rows) if not q["missing_left"])

    X, y, w, arity = sample(3, "gini", weighted=False, digits=0, missing=0.3)
    tree = grown(X, y, w, arity)
    with pytest.raises(AssertionError):
        assert_same(tree, Broken("gini").fit(X, y, w))


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    X = table(rng, 200, digits=1, missing=0.1)
    y = labels(rng, X, 3)
    order = rng.permutation(200)
    assert grown(X, y).same_as(grown(X[order], y[order]))


def test_whole_weights_are_repeated_rows():
    rng = np.random.default_rng(1)
    X = table(rng, 120, digits=1)
    y = labels(rng, X, 3)
    times = rng.integers(1, 4, 120)
    for criterion in ("gini", "entropy", "misclassification"):
        one = grown(X, y, times.astype(float), criterion=criterion)
        other = grown(X.repeat(times, axis=0), y.repeat(times), criterion=criterion)
        assert (one.feature == other.feature).all()
        np.testing.assert_array_equal(one.threshold, other.threshold)
        np.testing.assert_allclose(one.value, other.value)


def test_a_limit_on_leaves_takes_the_best_questions_first():
    rng = np.random.default_rng(2)
    X = table(rng, 300, digits=1, arity=(4,), missing=0.05)
    y = labels(rng, X, 3)
    arity = [0, 0, 0, 0, 4]
    full = grown(X, y, None, arity)
    before = np.inf
    for leaves in (2, 3, 5, 10, full.leaves, full.leaves + 5):
        tree = grown(X, y, None, arity, max_leaf_nodes=leaves)
        assert tree.leaves == min(leaves, full.leaves)
        cost = (tree.weight * tree.impurity)[tree.feature < 0].sum()
        assert cost <= before
        before = cost
    assert tree.same_as(full)  # in preorder, whatever the order of growth


def test_drawn_features_depend_on_the_seed_alone():
    rng = np.random.default_rng(3)
    X = table(rng, 200, features=8)
    y = labels(rng, X, 2)
    trees = [grown(X, y, max_features=2, random_state=seed) for seed in (1, 1, 2)]
    assert trees[0].same_as(trees[1])
    assert not trees[0].same_as(trees[2])
    leaf = trees[0].leaf_of(X)
    assert (trees[0].value.argmax(axis=1)[leaf] == y).all()


def test_deep_trees_have_room():
    """A row at a time: the stack is as deep as the sample is long."""
    n = 400
    X = np.arange(n, dtype=np.float32)[:, None]
    y = np.arange(n) % 2
    tree = grown(X, y)
    assert (tree.value.argmax(axis=1)[tree.leaf_of(X)] == y).all()
    assert tree.leaves == n
