"""Products of rows: exactly symmetric with themselves, in both precisions, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.kernels.points import dots, matrix, mirror, squares, strips, upper_dots


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (7, 0), (300, 5), (513, 2)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_are_those_of_the_rows(shape, dtype) -> None:
    A = np.random.default_rng(0).normal(size=shape).astype(dtype)
    for rows in (A, np.asfortranarray(A), A[:, ::-1], sparse.csr_matrix(A)):
        whole = rows.toarray() if sparse.issparse(rows) else rows
        found = dots(rows, rows)
        assert found.dtype == dtype
        assert found.flags.c_contiguous
        assert np.array_equal(found, found.T)
        near = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"atol": 1e-12}
        np.testing.assert_allclose(found, whole @ whole.T, **near)
        np.testing.assert_allclose(np.triu(upper_dots(rows)), np.triu(found), **near)
        np.testing.assert_allclose(squares(rows), np.diag(found), **near)


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 600])
def test_a_mirror_copies_one_side(n) -> None:
    block = np.random.default_rng(0).normal(size=(n, n))
    want = np.triu(block) + np.triu(block, 1).T
    mirror(block)
    assert np.array_equal(block, want)


def test_strips_cover_all_rows() -> None:
    for shape in ((1000, 3), (5, 10**6), (0, 4), (3, 0)):
        rows = [i for strip in strips(np.empty(shape)) for i in range(*strip.indices(shape[0]))]
        assert rows == list(range(shape[0]))


def test_entries_that_stand_twice_are_added() -> None:
    twice = sparse.csr_matrix(([1.0, 2.0, 5.0], [1, 1, 0], [0, 3]), shape=(1, 2))
    assert matrix(twice).toarray().tolist() == [[5.0, 3.0]]
    assert not twice.has_canonical_format
