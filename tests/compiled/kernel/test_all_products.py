"""The product over all features, dense and sparse, against the product written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.compiled.kernel.all_products import all_products, all_products_csr
from tests.naive.all_products import all_products as naive

rng = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_is_the_product_to_the_bit(dtype) -> None:
    X = (rng.normal(size=(13, 9)) * (rng.random((13, 9)) < 0.6)).astype(dtype)
    T = (rng.normal(size=(6, 9)) * (rng.random((6, 9)) < 0.6)).astype(dtype)
    want = naive(X, T)
    found = np.empty((13, 6), dtype=dtype)
    all_products(X, T, found)
    assert found.tolist() == want
    left, right = sparse.csr_matrix(X), sparse.csr_matrix(T)
    found[:] = 0
    all_products_csr(
        left.data, left.indices, left.indptr, right.data, right.indices, right.indptr, found
    )
    assert found.tolist() == want


def test_rows_without_entries() -> None:
    empty = sparse.csr_matrix((2, 4))
    found = np.zeros((2, 2))
    parts = (empty.data, empty.indices, empty.indptr)
    all_products_csr(*parts, *parts, found)
    assert found.tolist() == [[1, 1], [1, 1]]
