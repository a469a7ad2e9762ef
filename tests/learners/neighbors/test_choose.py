"""The faster way: trees in few dimensions, all rows in many, by what is counted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.learners.neighbors.choose import all_rows_cost, make_index, tree_cost
from assay.learners.neighbors.scan_index import ScanIndex
from assay.learners.neighbors.screen_index import ScreenIndex
from assay.learners.neighbors.space import Space
from assay.learners.neighbors.sparse_index import SparseIndex
from assay.learners.neighbors.tree_index import TreeIndex

RNG = np.random.default_rng(0)


def chosen(X, algorithm="auto", metric="euclidean"):
    return type(make_index(Space(metric, X), algorithm, 30, 5))


def test_few_dimensions_many_dimensions_and_surfaces():
    assert chosen(RNG.normal(size=(5000, 3))) is TreeIndex
    assert chosen(RNG.normal(size=(5000, 20))) is ScreenIndex
    assert chosen(RNG.normal(size=(500, 60))) is ScreenIndex
    flat = RNG.normal(size=(5000, 2)) @ RNG.normal(size=(2, 20))
    assert chosen(flat) is TreeIndex


def test_what_is_asked_for_is_done():
    X = RNG.normal(size=(200, 3))
    assert chosen(X, "brute") is ScreenIndex
    assert chosen(X, "brute", "manhattan") is ScanIndex
    wide = RNG.normal(size=(200, 60))
    assert chosen(wide, "kd_tree") is TreeIndex
    assert chosen(wide, metric="manhattan") is ScanIndex
    assert chosen(sparse.csr_matrix(X)) is SparseIndex


def test_costs_grow_with_what_is_looked_at():
    small, large = (Space("euclidean", RNG.normal(size=(n, 4))) for n in (500, 5000))
    assert all_rows_cost(small) < all_rows_cost(large)
    assert tree_cost(TreeIndex(small, 32), 32, 1) < tree_cost(TreeIndex(small, 32), 32, 50)


@pytest.mark.parametrize("leaf", [1, 9, 10_000])
def test_any_size_of_leaves(leaf):
    X = RNG.normal(size=(100, 2))
    index = make_index(Space("euclidean", X), "kd_tree", leaf, 3)
    other = make_index(Space("euclidean", X), "brute", leaf, 3)
    np.testing.assert_array_equal(index.nearest(X, 3)[1], other.nearest(X, 3)[1])
