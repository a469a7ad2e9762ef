"""The faster way: trees in few dimensions, all rows in many, by what is counted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay import KNeighborsRegressor

RNG = np.random.default_rng(0)


def chosen(X, algorithm="auto", metric="euclidean", **more):
    model = KNeighborsRegressor(5, algorithm=algorithm, metric=metric, **more)
    return model.fit(X, np.zeros(X.shape[0]))


def test_few_dimensions_many_dimensions_and_surfaces():
    assert chosen(RNG.normal(size=(5000, 3))).algorithm_ == "kd_tree"
    assert chosen(RNG.normal(size=(5000, 20))).algorithm_ == "brute"
    assert chosen(RNG.normal(size=(500, 60))).algorithm_ == "brute"
    flat = RNG.normal(size=(5000, 2)) @ RNG.normal(size=(2, 20))
    assert chosen(flat).algorithm_ == "kd_tree"


def test_what_is_asked_for_is_done():
    X, wide = RNG.normal(size=(200, 3)), RNG.normal(size=(200, 60))
    assert chosen(X, "brute").algorithm_ == "brute"
    assert chosen(X, "brute", "manhattan").algorithm_ == "brute"
    assert chosen(wide, "kd_tree").algorithm_ == "kd_tree"
    assert chosen(wide, metric="manhattan").algorithm_ == "brute"
    assert chosen(sparse.csr_matrix(X)).algorithm_ == "brute"


@pytest.mark.parametrize("leaf", [1, 9, 10_000])
def test_any_size_of_leaves(leaf):
    X = RNG.normal(size=(100, 2))
    tree, brute = (chosen(X, way, leaf_size=leaf) for way in ("kd_tree", "brute"))
    np.testing.assert_array_equal(tree.kneighbors(X)[1], brute.kneighbors(X)[1])
