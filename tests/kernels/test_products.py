"""The kernel of all products equals its explicit map of two to the d features."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse

from assay.kernels import ANOVA, AllProducts

rng = np.random.default_rng(0)


def subsets(rows):
    """One column for every subset of the features: 1, x1, x2, x1x2, x3, ..."""
    columns = [np.ones(len(rows))]
    for column in np.asarray(rows, dtype=float).T:
        columns += [earlier * column for earlier in columns]
    return np.column_stack(columns)


def test_the_map_has_the_order_of_its_subsets() -> None:
    assert subsets([[2, 3, 5]]).tolist() == [[1, 2, 3, 6, 5, 10, 15, 30]]


@pytest.mark.parametrize("width", [1, 2, 3, 6])
def test_it_equals_its_map(width: int) -> None:
    X, Y = rng.normal(size=(9, width)), rng.normal(size=(4, width))
    np.testing.assert_allclose(
        AllProducts()(X, Y), subsets(X) @ subsets(Y).T, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(
        AllProducts()(sparse.csr_matrix(X), Y), subsets(X) @ subsets(Y).T, rtol=1e-12, atol=1e-12
    )


def test_on_bits_it_counts_exactly() -> None:
    assert AllProducts()([[1, 0, 1, 1, 0]], [[1, 1, 1, 0, 0]]).item() == 4
    cube = np.array(list(itertools.product([0.0, 1.0], repeat=4)))
    common = cube @ cube.T
    assert np.array_equal(AllProducts()(cube), 2.0**common)
    assert np.array_equal(AllProducts()(sparse.csr_matrix(cube)), 2.0**common)
    wide = rng.integers(0, 2, (5, 900))
    shared = wide @ wide.T
    assert AllProducts()(wide).tolist() == [[2.0**c for c in row] for row in shared.tolist()]
    assert np.array_equal(AllProducts().diagonal(wide), 2.0 ** wide.sum(axis=1))


def test_it_has_another_name() -> None:
    assert ANOVA() == AllProducts()
