"""Trees as arrays: what they tell, and what a changed file may not hold."""

import dataclasses

import numpy as np
import pytest

from assay import DecisionTreeClassifier, load, save
from assay.errors import BadData
from tests.learners.trees.samples import coded, labels, table


def fitted(multiway=False):
    rng = np.random.default_rng(0)
    X, _ = coded(table(rng, 80, digits=1, arity=(3,)), [0, 0, 0, 0, 3])
    splits = "multiway" if multiway else "binary"
    return DecisionTreeClassifier(splits=splits, categorical_features=[4]).fit(X, labels(rng, X, 3))


@pytest.fixture
def refused(tmp_path):
    """See a tree refused, with a word of why, that somebody has put into a model file."""

    def see(tree, why=r"\w", multiway=False):
        model = fitted(multiway)
        save(model, tmp_path / "tree.assay")
        load(tmp_path / "tree.assay")
        model.nodes_ = tree
        save(model, tmp_path / "tree.assay")
        with pytest.raises(BadData, match="damaged or was changed: .*" + why):
            load(tmp_path / "tree.assay")

    return see


@pytest.mark.parametrize("multiway", [False, True])
def test_parents_and_depths(multiway):
    tree = fitted(multiway).nodes_
    for node in range(len(tree)):
        for child in tree.children_of(node):
            assert tree.parent[child] == node
            assert tree.depths[child] == tree.depths[node] + 1
    assert tree.parent[0] == -1
    assert tree.depth == tree.depths.max()
    inner = tree.feature >= 0
    assert (tree.left[inner] == np.flatnonzero(inner) + 1).all()
    assert tree.leaves == (~inner).sum()
    # What comes to a node goes to its children.
    sums = np.zeros(len(tree))
    np.add.at(sums, tree.parent[1:], tree.weight[1:])
    assert (sums[inner] == tree.weight[inner]).all()


def changed(tree, name, place, value):
    array = getattr(tree, name).copy()
    array[place] = value
    return dataclasses.replace(tree, **{name: array})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("feature", 5),
        ("feature", -2),
        ("feature", -1),
        ("left", 2),
        ("right", 0),
        ("right", 1),
        ("right", 10_000),
        ("threshold", np.nan),
        ("branch", 0),
    ],
)
def test_nodes_that_lead_nowhere_are_refused(name, value, refused):
    tree = fitted().nodes_
    node = int(np.flatnonzero(tree.branch < 0)[0])
    assert tree.feature[node] >= 0
    refused(changed(tree, name, node, value))


@pytest.mark.parametrize("value", [-1, 0, 1, 10_000])
def test_tables_that_lead_nowhere_are_refused(value, refused):
    tree = fitted(multiway=True).nodes_
    node = int(np.flatnonzero(tree.branch >= 0)[0])
    place = int(tree.branch[node]) + 1
    if tree.children[place] != value:
        refused(changed(tree, "children", place, value), multiway=True)
    for name in ("arity", "branch"):
        refused(changed(tree, name, node, 10_000), multiway=True)


def test_sizes_that_differ_are_refused(refused):
    tree = fitted().nodes_
    for name in ("threshold", "weight", "rows", "value"):
        refused(dataclasses.replace(tree, **{name: getattr(tree, name)[:-1]}))
    refused(dataclasses.replace(tree, branch=tree.branch[:-1]))
    refused(dataclasses.replace(tree, value=tree.value[:, :2].copy()))
    empty = {f.name: getattr(tree, f.name)[:0] for f in dataclasses.fields(tree)}
    refused(dataclasses.replace(tree, **empty))


def test_a_forest_of_nodes_is_refused(refused):
    """Two parents of one node, or none, though every child is in range."""
    tree = fitted().nodes_
    inner = np.flatnonzero((tree.feature >= 0) & (tree.branch < 0))
    node = int(inner[-1])
    later = tree.right[node] + 1
    assert later < len(tree)
    refused(changed(tree, "right", node, later))
