"""Dual coordinate descent against its naive twin, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.compiled.common.either_rows import row_squares
from assay.compiled.linear.linear_svm import linear_descent
from tests.loop_rows import block as block_of
from tests.naive.svm import one_by_one


def run(X, y, cap, ridge, block=1, tolerance=1e-12, most=20_000):
    rows = block_of(X)
    n = len(y)
    alpha, w, w0 = np.zeros(n), np.zeros(X.shape[1]), np.zeros(1)
    order, state, bars = np.arange(n), np.array([7], np.uint64), np.array([np.inf, -np.inf])
    active, passes = n, 0
    for _ in range(50):
        made, active, spread = linear_descent(
            rows, 0.0, y, cap, ridge, row_squares(rows), order, active, block, alpha, w, w0,
            state, bars, most, tolerance,
        )  # fmt: skip
        passes += made
        if active == n:
            break
        active, bars[:] = n, (np.inf, -np.inf)
    assert sorted(order.tolist()) == list(range(n))
    return alpha, w, spread


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_the_minimum_is_that_of_the_naive_twin(squared, C):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 4))
    y = np.where(X @ [1.0, 2, 0, -1] + rng.normal(size=30) > 0, 1.0, -1.0)
    cap = np.full(30, np.inf if squared else C)
    ridge = np.full(30, 0.5 / C if squared else 0.0)
    _, wanted = one_by_one(X, y, cap, ridge)
    for rows, block in ((X, 1), (X, 4), (sparse.csr_matrix(X), 1), (sparse.csr_matrix(X), 16)):
        alpha, w, spread = run(rows, y, cap, ridge, block)
        np.testing.assert_allclose(w, wanted, atol=1e-8)
        np.testing.assert_allclose(w, (alpha * y) @ X, atol=1e-10)
        assert spread <= 1e-12
        assert (alpha >= 0).all()
        assert (alpha <= cap).all()


def test_rows_of_zeros_cost_what_they_cost():
    X, y = np.zeros((2, 3)), np.array([1.0, -1.0])
    alpha, w, _ = run(X, y, np.full(2, 5.0), np.zeros(2))
    assert alpha.tolist() == [5.0, 5.0]
    assert not w.any()
