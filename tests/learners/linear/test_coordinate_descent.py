"""Coordinate descent that copies the rows that still move."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.learners.common.rows import Rows
from assay.learners.linear import coordinate_descent
from assay.learners.linear.coordinate_descent import CoordinateDescent
from tests.naive.svm import one_by_one


def problem(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.where(X @ [1.0, 2, 0, -1] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y


def descent(X, y, cap, ridge, live=None):
    rows = Rows.of(X)
    live = np.arange(len(y)) if live is None else live
    return CoordinateDescent(rows, 0.0, y, cap, ridge, rows.squares(), live, 3)


def solved(X, y, cap, ridge, live=None):
    """Until no row has to move, with what was copied on the way."""
    made = descent(X, y, cap, ridge, live)
    copied = []
    for _ in range(200):
        made.run(1e-12, 10_000)
        copied.append(made._places is not None)
        slope = y * (X @ made.w) - 1 + ridge * made.alpha
        still = ((made.alpha > 0) & (slope > 1e-9)) | ((made.alpha < cap) & (slope < -1e-9))
        still &= np.isin(np.arange(len(y)), np.arange(len(y)) if live is None else live)
        if not still.any():
            return made, copied
        made.look_again(np.flatnonzero(still))
    raise AssertionError("it does not end")


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("squared", [False, True])
def test_the_minimum_is_that_of_the_naive_twin(thin, squared):
    X, y = problem()
    cap, ridge = np.full(40, np.inf if squared else 0.3), np.full(40, 5.0 if squared else 0.0)
    alpha, w = one_by_one(X, y, cap, ridge, 1000)
    made, copied = solved(sparse.csr_matrix(X) if thin else X, y, cap, ridge)
    np.testing.assert_allclose(made.w, w, atol=1e-7)
    np.testing.assert_allclose(made.w, (made.alpha * y) @ X, atol=1e-10)
    if not squared:
        assert any(copied)
    else:
        np.testing.assert_allclose(made.alpha, alpha, atol=1e-6)


def test_rows_left_out_stay_at_zero():
    X, y = problem()
    live = np.arange(0, 40, 2)
    cap = np.full(40, 0.3)
    made, _ = solved(X, y, cap, np.zeros(40), live)
    assert not made.alpha[1::2].any()
    _, w = one_by_one(X[live], y[live], cap[live], np.zeros(20), 1000)
    np.testing.assert_allclose(made.w, w, atol=1e-7)


def test_passes_are_limited_and_counted():
    X, y = problem()
    made = descent(X, y, np.full(40, 0.3), np.zeros(40))
    assert made.run(1e-300, 7)[0] == 7
    passes, reached = made.run(1e-3, 10_000)
    assert 0 < passes < 10_000
    assert reached <= 1e-3


def test_what_is_copied_is_what_moves(monkeypatch):
    monkeypatch.setattr(coordinate_descent, "_PASSES", 1)
    X, y = problem(400, 1)
    made = descent(X, y, np.full(400, 0.05), np.zeros(400))
    made.run(1e-9, 10_000)
    assert made._places is not None
    assert len(made._places) < 200
    np.testing.assert_array_equal(made._seen.dense, X[made._places])
    np.testing.assert_array_equal(made.alpha[made._places], made._moved)
    np.testing.assert_allclose(made.w, (made.alpha * y) @ X, atol=1e-10)
