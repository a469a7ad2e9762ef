from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC, LinearSVC

from assay.compiled.linear.comparator import dual_descent, largest_square, seed
from tests.instances import noisy, separable
from tests.loop_rows import block


def solve(X, y, cap, *, ones=0.0, thin=False, passes=3000, tolerance=1e-9, least=0.0):
    rows = sparse.csr_matrix(X) if thin else X
    ones = np.full(len(y), ones)
    squares = (X**2).sum(axis=1) + ones**2
    alpha, u, u0 = np.zeros(len(y)), np.zeros(X.shape[1]), np.zeros(1)
    seed(0)
    made, worst = dual_descent(
        block(rows),
        ones,
        np.asarray(y, dtype=float),
        np.full(len(y), cap),
        squares,
        np.arange(len(y)),
        alpha,
        u,
        u0,
        passes,
        tolerance,
        least,
    )
    return np.append(u, u0), alpha, made, worst


def objective(u, X, y, cap, ones=0.0):
    scores = y * (X @ u[:-1] + ones * u[-1])
    return 0.5 * u @ u + cap * np.maximum(1 - scores, 0).sum()


@pytest.mark.parametrize("ones", [0.0, 1.0])
@pytest.mark.parametrize("cap", [0.1, 1.0, 10.0])
def test_it_finds_the_minimum_that_liblinear_finds(ones, cap):
    X, y, _ = noisy(3, rows=60)
    u, *_ = solve(X, y, cap, ones=ones)
    peer = LinearSVC(
        C=cap, loss="hinge", tol=1e-9, max_iter=10**6, fit_intercept=False, random_state=0
    )
    peer.fit(np.column_stack([X, np.full(len(y), ones)]), y)
    ours, theirs = objective(u, X, y, cap, ones), objective(peer.coef_[0], X, y, cap, ones)
    assert ours == pytest.approx(theirs, rel=1e-6)


def test_unbounded_caps_give_the_separator_of_largest_margin():
    X, y, _ = separable(5, rows=60, margin=0.05)
    u, alpha, *_ = solve(X, y, np.inf)
    X0, y0 = np.vstack([X, -X]), np.concatenate([y, -y])  # a symmetric sample has no intercept
    peer = SVC(kernel="linear", C=1e9, tol=1e-8).fit(X0, y0)
    margin = (y * (X @ u[:-1])).min() / np.linalg.norm(u)
    assert margin == pytest.approx(1 / np.linalg.norm(peer.coef_), rel=1e-5)
    # No separator's margin exceeds the length of the convex combination: at the best one they meet.
    assert margin <= np.linalg.norm(u) / alpha.sum() * (1 + 1e-12)
    assert np.linalg.norm(u) / alpha.sum() == pytest.approx(margin, rel=1e-5)


def test_sparse_rows_give_the_same():
    X, y, _ = noisy(8, rows=50)
    X[np.abs(X) < 0.2] = 0
    assert np.allclose(solve(X, y, 1.0, ones=1.0)[0], solve(X, y, 1.0, ones=1.0, thin=True)[0])


@pytest.mark.parametrize("thin", [False, True])
def test_the_search_for_a_wide_margin_ends_when_there_is_none(thin):
    X, y, _ = noisy(1, rows=60)
    u, alpha, made, worst = solve(X, y, np.inf, least=0.05, thin=thin)
    assert made < 3000
    assert worst > 1e-9
    assert np.linalg.norm(u) < 0.05 * alpha.sum()


def test_the_same_seed_gives_the_same_bits():
    X, y, _ = noisy(2)
    assert np.array_equal(solve(X, y, 1.0, passes=3)[0], solve(X, y, 1.0, passes=3)[0])


def test_rows_of_zeros_are_left_alone():
    u, alpha, *_ = solve(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([1, 1]), 5.0)
    assert alpha.tolist() == [0.0, 1.0]
    assert u.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_longest_of_some_rows(dtype):
    X = np.array([[3, 4], [1, 0], [0, 0], [2, 2]], dtype=dtype)
    places = np.array([1, 2, 3])
    assert largest_square(X, places) == 8.0
    assert largest_square(block(sparse.csr_matrix(X)), places) == 8.0
    assert largest_square(X, places[:0]) == 0.0
