from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy import sparse

from assay.compiled.common import either_rows
from tests.loop_rows import block


@njit
def asked(rows, order, turn, step, w):
    """All that a loop may ask of a row."""
    t = either_rows.fetch_turn(rows, order, turn)
    either_rows.fetch(rows, t)
    sums = either_rows.row_dot(rows, t, w), either_rows.wide_row_dot(rows, t, w)
    either_rows.add_row(rows, t, step, w)
    return sums, either_rows.row_square(rows, t), either_rows.heights(rows)


@njit
def ahead(rows):
    return either_rows.fetched_ahead(rows)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("thin", [False, True])
def test_dense_and_sparse_rows_give_the_same_answers(dtype, thin):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(9, 20)).astype(dtype)  # exact in either precision
    rows = block(sparse.csr_matrix(X) if thin else X)
    for t, order in [
        (t, order) for t in range(9) for order in (np.arange(0), np.arange(9)[::-1].copy())
    ]:
        w = rng.integers(-3, 4, size=20).astype(dtype)
        product, moved = float(X[t] @ w), w + 2 * X[t]
        sums, square, height = asked(rows, order, 8 - t if order.size else t, dtype(2), w)
        assert (*sums, square, height) == (product, product, float(X[t] @ X[t]), 9)
        assert np.array_equal(w, moved)
    assert np.array_equal(either_rows.row_squares(rows), (X * X).sum(axis=1))
    assert (ahead(rows) > 0) == (not thin)


def test_only_loops_may_ask():
    with pytest.raises(NotImplementedError, match="only for compiled loops"):
        either_rows.row_dot(np.eye(2), 0, np.ones(2))
