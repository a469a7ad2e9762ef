"""Trees as arrays: what they tell, and what a changed file may not hold."""

import dataclasses

import numpy as np
import pytest

from assay.learners.trees.growing import grown
from assay.learners.trees.structure import TREE, Tree
from tests.compiled.trees.test_tree_grow import rule
from tests.learners.trees.samples import labels, table

ARITY = np.array([0, 0, 0, 0, 3], np.int32)
MISSING = np.zeros(5, bool)


def tree(multiway=False):
    rng = np.random.default_rng(0)
    X = table(rng, 80, digits=1, arity=(3,))
    return grown(X, labels(rng, X, 3), 3, None, ARITY, rule(multiway=multiway))


@pytest.mark.parametrize("multiway", [False, True])
def test_parents_and_depths(multiway):
    found = tree(multiway)
    found.require_sound(ARITY, 3, MISSING)
    for node in range(len(found)):
        for child in found.children_of(node):
            assert found.parent[child] == node
            assert found.depths[child] == found.depths[node] + 1
    assert found.parent[0] == -1
    assert found.depth == found.depths.max()
    inner = found.feature >= 0
    assert (found.left[inner] == np.flatnonzero(inner) + 1).all()
    assert found.leaves == (~inner).sum()
    # What comes to a node goes to its children.
    sums = np.zeros(len(found))
    np.add.at(sums, found.parent[1:], found.weight[1:])
    assert (sums[inner] == found.weight[inner]).all()


def changed(found, name, place, value):
    array = getattr(found, name).copy()
    array[place] = value
    return dataclasses.replace(found, **{name: array})


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
def test_nodes_that_lead_nowhere_are_refused(name, value):
    found = tree()
    node = int(np.flatnonzero(found.branch < 0)[0])
    assert found.feature[node] >= 0
    with pytest.raises(ValueError, match=r"\w"):
        changed(found, name, node, value).require_sound(ARITY, 3, MISSING)


@pytest.mark.parametrize("value", [-1, 0, 1, 10_000])
def test_tables_that_lead_nowhere_are_refused(value):
    found = tree(multiway=True)
    node = int(np.flatnonzero(found.branch >= 0)[0])
    place = int(found.branch[node]) + 1
    if found.children[place] != value:
        with pytest.raises(ValueError, match=r"\w"):
            changed(found, "children", place, value).require_sound(ARITY, 3, MISSING)
    for name in ("arity", "branch"):
        with pytest.raises(ValueError, match=r"\w"):
            changed(found, name, node, 10_000).require_sound(ARITY, 3, MISSING)


def test_sizes_that_differ_are_refused():
    found = tree()
    assert TREE(found)
    for field in ("threshold", "weight", "rows", "value"):
        assert not TREE(dataclasses.replace(found, **{field: getattr(found, field)[:-1]}))
    with pytest.raises(ValueError, match="its nodes have other sizes"):
        dataclasses.replace(found, branch=found.branch[:-1]).require_sound(ARITY, 3, MISSING)
    with pytest.raises(ValueError, match="do not fit what it predicts"):
        found.require_sound(ARITY, 2, MISSING)
    empty = dataclasses.replace(
        found, **{f.name: getattr(found, f.name)[:0] for f in dataclasses.fields(Tree)}
    )
    with pytest.raises(ValueError, match="do not fit what it predicts"):
        empty.require_sound(ARITY, 3, MISSING)


def test_a_forest_of_nodes_is_refused():
    """Two parents of one node, or none, though every child is in range."""
    found = tree()
    inner = np.flatnonzero((found.feature >= 0) & (found.branch < 0))
    node = int(inner[-1])
    later = found.right[node] + 1
    if later < len(found):
        with pytest.raises(ValueError, match=r"no parent, or two"):
            changed(found, "right", node, later).require_sound(ARITY, 3, MISSING)
