"""The compiled walk against one that follows the arrays a row at a time."""

import numpy as np
import pytest

from tests.learners.trees.samples import grown, labels, table


def naive_leaf(tree, row):
    node = 0
    while tree.feature[node] >= 0:
        cell = row[tree.feature[node]]
        if tree.has_categories and tree.branch[node] >= 0:
            known = 0 <= cell < tree.arity[node] and cell == int(cell)
            node = tree.table_of(node)[int(cell) if known else tree.arity[node]]
        elif np.isnan(cell):
            node = tree.left[node] if tree.missing_left[node] else tree.right[node]
        else:
            node = tree.left[node] if float(cell) <= tree.threshold[node] else tree.right[node]
    return node


@pytest.mark.parametrize("arity", [(), (3, 5)])
@pytest.mark.parametrize("rows", [1, 7, 8, 9, 600])
def test_same_leaves(arity, rows):
    rng = np.random.default_rng(rows)
    X = table(rng, 300, digits=1, missing=0.1, arity=arity)
    y = labels(rng, X, 3)
    tree = grown(X, y, None, [0] * 4 + [*arity])
    asked = table(rng, rows, digits=1, missing=0.1, arity=arity)
    if arity:
        asked[:, -1] += rng.choice([0, 0, 0.5, -9, 9], rows)  # categories that are none
    found = tree.leaf_of(asked)
    assert found.tolist() == [naive_leaf(tree, row) for row in asked]


def test_comparison_is_exact_next_to_the_threshold():
    """A threshold that is no float32 divides the float32 numbers around it as doubles would."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        low = np.float32(rng.normal() * 10.0 ** rng.integers(-30, 30))
        high = np.nextafter(low, np.float32(np.inf))
        X = np.array([[low], [high]], np.float32)
        tree = grown(X, np.array([0, 1]))
        assert low <= tree.threshold[0] < high
        near = np.array([np.nextafter(low, -np.inf, dtype=np.float32), low, high])[:, None]
        assert tree.leaf_of(np.ascontiguousarray(near)).tolist() == [1, 1, 2]


def test_ends_of_the_range():
    tiny, large = np.float32(1e-45), np.finfo(np.float32).max
    cells = np.array([-large, -1, -tiny, 0, tiny, 1, large], np.float32)[:, None]
    y = np.arange(7) % 2
    tree = grown(cells, y)
    assert (tree.value.argmax(axis=1)[tree.leaf_of(cells)] == y).all()
    minus_zero = np.array([[-0.0]], np.float32)
    assert tree.leaf_of(minus_zero) == tree.leaf_of(np.zeros((1, 1), np.float32))
