"""The compiled grower against the textbook's, node by node."""

import numpy as np
import pytest

from assay.compiled.trees.tree_sample import Rule
from assay.compiled.trees.tree_scan import ENTROPY, GINI, MISCLASSIFICATION, SQUARES
from assay.learners.trees.growing import grown
from tests.learners.trees.samples import labels, table
from tests.naive.tree import NaiveTree

CODES = {
    "gini": GINI,
    "entropy": ENTROPY,
    "misclassification": MISCLASSIFICATION,
    "squared_error": SQUARES,
}


def rule(criterion="gini", **more):
    given = {
        "multiway": False,
        "ratio": False,
        "most_depth": 2**31 - 1,
        "least_split": 2,
        "least_leaf": 1,
        "least_weight": 0.0,
        "least_fall": -np.inf,
        "most_features": 2**31 - 1,
        "most_leaves": 0,
    }
    return Rule(CODES[criterion], **(given | more))


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
    arity = np.array([0] * (X.shape[1] - len(shape.get("arity", ()))) + [*shape.get("arity", ())])
    return X, y, w, arity.astype(np.int32)


@pytest.mark.parametrize("criterion", CODES)
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
        classes = 0 if criterion == "squared_error" else int(y.max()) + 1
        tree = grown(X, y, classes, w, arity, rule(criterion))
        assert_same(tree, NaiveTree(criterion, arity=arity.tolist()).fit(X, y, w))


@pytest.mark.parametrize("ratio", [False, True])
@pytest.mark.parametrize("multiway", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_tree_with_a_child_for_each_category(ratio, multiway, weighted):
    for seed in range(4):
        X, y, w, arity = sample(
            seed, "entropy", weighted=weighted, features=1, digits=1, missing=0.1, arity=(2, 3, 5)
        )
        tree = grown(
            X, y, int(y.max()) + 1, w, arity, rule("entropy", multiway=multiway, ratio=ratio)
        )
        naive = NaiveTree("entropy", multiway=multiway, ratio=ratio, arity=arity.tolist())
        assert_same(tree, naive.fit(X, y, w))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_limits(criterion):
    limits = [
        ({"most_depth": 2}, {"max_depth": 2}),
        ({"least_split": 9}, {"min_split": 9}),
        ({"least_leaf": 4}, {"min_leaf": 4}),
        ({"least_weight": 5.0}, {"min_weight": 5.0}),
        ({"least_fall": 1.5}, {"min_fall": 1.5}),
    ]
    for seed, (ours, theirs) in enumerate(limits):
        for weighted in (False, True):
            X, y, w, arity = sample(
                seed, criterion, weighted=weighted, digits=0, missing=0.1, arity=(3,)
            )
            classes = 0 if criterion == "squared_error" else int(y.max()) + 1
            tree = grown(X, y, classes, w, arity, rule(criterion, **ours))
            assert_same(tree, NaiveTree(criterion, arity=arity.tolist(), **theirs).fit(X, y, w))


def test_a_broken_twin_is_caught():
    """A twin that sends missing cells right whatever they say grows another tree."""

    class Broken(NaiveTree):
        def _questions(self, f, rows):
            return (q for q in super()._questions(f, rows) if not q["missing_left"])

    X, y, w, arity = sample(3, "gini", weighted=False, digits=0, missing=0.3)
    tree = grown(X, y, int(y.max()) + 1, w, arity, rule())
    with pytest.raises(AssertionError):
        assert_same(tree, Broken("gini").fit(X, y, w))


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    X = table(rng, 200, digits=1, missing=0.1)
    y = labels(rng, X, 3)
    arity, order = np.zeros(4, np.int32), rng.permutation(200)
    one = grown(X, y, 3, None, arity, rule())
    other = grown(np.ascontiguousarray(X[order]), y[order], 3, None, arity, rule())
    assert one.same_as(other)


def test_whole_weights_are_repeated_rows():
    rng = np.random.default_rng(1)
    X = table(rng, 120, digits=1)
    y = labels(rng, X, 3)
    times = rng.integers(1, 4, 120)
    arity = np.zeros(4, np.int32)
    for criterion in ("gini", "entropy", "misclassification"):
        one = grown(X, y, 3, times.astype(float), arity, rule(criterion))
        other = grown(X.repeat(times, axis=0), y.repeat(times), 3, None, arity, rule(criterion))
        assert (one.feature == other.feature).all()
        np.testing.assert_array_equal(one.threshold, other.threshold)
        np.testing.assert_allclose(one.value, other.value)


def test_a_limit_on_leaves_takes_the_best_questions_first():
    rng = np.random.default_rng(2)
    X = table(rng, 300, digits=1, arity=(4,), missing=0.05)
    y = labels(rng, X, 3)
    arity = np.array([0, 0, 0, 0, 4], np.int32)
    whole = grown(X, y, 3, None, arity, rule())
    before = np.inf
    for leaves in (2, 3, 5, 10, whole.leaves, whole.leaves + 5):
        tree = grown(X, y, 3, None, arity, rule(most_leaves=leaves))
        assert tree.leaves == min(leaves, whole.leaves)
        cost = (tree.weight * tree.impurity)[tree.feature < 0].sum()
        assert cost <= before
        before = cost
    assert tree.same_as(whole)  # in preorder, whatever the order of growth


def test_drawn_features_depend_on_the_seed_alone():
    rng = np.random.default_rng(3)
    X = table(rng, 200, features=8)
    y = labels(rng, X, 2)
    arity = np.zeros(8, np.int32)
    trees = [grown(X, y, 2, None, arity, rule(most_features=2), seed) for seed in (1, 1, 2)]
    assert trees[0].same_as(trees[1])
    assert not trees[0].same_as(trees[2])
    leaf = trees[0].leaf_of(X)
    assert (trees[0].value.argmax(axis=1)[leaf] == y).all()


def test_deep_trees_have_room():
    """A row at a time: the stack is as deep as the sample is long."""
    n = 400
    X = np.arange(n, dtype=np.float32)[:, None]
    y = np.arange(n) % 2
    tree = grown(X, y, 2, None, np.zeros(1, np.int32), rule())
    assert (tree.value.argmax(axis=1)[tree.leaf_of(X)] == y).all()
    assert tree.leaves == n
