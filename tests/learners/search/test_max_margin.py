"""The widest margin against closed forms, quadratic programs, libsvm and planted separators."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from assay import max_margin
from assay.data.synthetic.separable import separable
from assay.errors import BadData
from tests.naive.widest_margin import widest_margin
from tests.refusals import refuses


def labelled(seed, n=120, d=4):
    rng = np.random.default_rng(seed)
    X, v = rng.normal(size=(n, d)), rng.normal(size=d)
    return X, np.where(X @ v > 0, 1.0, -1.0)


def assert_proved(found, X, y, constant=0.0):
    """Both ends of the answer follow from what it carries, in exact sums."""
    whole = np.column_stack([X, np.full(len(y), constant)]) if constant else np.asarray(X)
    norm = math.sqrt(math.fsum(found.vector**2))
    scores = [math.fsum(a * b for a, b in zip(row, found.vector, strict=True)) for row in whole]
    margins = y * np.array(scores)
    assert margins.min() / norm >= found.margin
    assert margins.min() == pytest.approx(1, abs=1e-9)
    assert (found.weights > 0).all()
    assert math.fsum(found.weights) == pytest.approx(1, abs=1e-12)
    mean = (found.weights * y[found.support]) @ whole[found.support]
    assert np.linalg.norm(mean) <= found.ceiling * (1 + 1e-12)
    assert found.margin <= found.ceiling


def test_two_points():
    found = max_margin([[3.0], [-1.0]], [1, -1])
    assert found.margin == pytest.approx(1)
    assert found.support.tolist() == [1]
    np.testing.assert_allclose(found.vector, [1.0])


@pytest.mark.parametrize("constant", [0.0, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(6))
def test_nonnegative_least_squares_agrees(seed, constant):
    X, y = labelled(seed, d=2 + seed)
    whole = np.column_stack([X, np.full(len(y), constant)]) if constant else X
    found = max_margin(X, y, constant=constant)
    assert found.gap <= 1e-9
    assert found.margin == pytest.approx(widest_margin(whole * y[:, None]), rel=1e-8)
    assert_proved(found, X, y, constant)


@pytest.mark.parametrize("seed", range(3))
def test_a_quadratic_program_agrees(seed):
    X, y = labelled(seed, n=40, d=3)
    Z = X * y[:, None]
    start = max_margin(X, y).vector * 1.5
    program = minimize(
        lambda w: w @ w / 2,
        start,
        jac=lambda w: w,
        constraints={"type": "ineq", "fun": lambda w: Z @ w - 1, "jac": lambda w: Z},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert max_margin(X, y).margin == pytest.approx(1 / np.linalg.norm(program.x), rel=1e-6)


def test_liblinear_agrees_with_a_large_price():
    X, y = labelled(1, n=60, d=3)
    peer = LinearSVC(
        C=1e6, loss="hinge", fit_intercept=False, tol=1e-10, max_iter=10**7, random_state=0
    ).fit(X, y)
    theirs = (y * (X @ peer.coef_[0])).min() / np.linalg.norm(peer.coef_)
    ours = max_margin(X, y).margin
    assert ours >= theirs
    assert ours == pytest.approx(theirs, rel=1e-3)


@pytest.mark.parametrize("margin", [0.3, 1e-2, 1e-4])
def test_a_planted_margin_is_found(margin):
    data = separable(20_000, 10, radius=2.0, margin=margin, random_state=5)
    found = max_margin(data.X, data.y)
    assert found.margin == pytest.approx(margin, rel=1e-9)
    assert found.radius == pytest.approx(2.0)
    unit = found.vector / np.linalg.norm(found.vector)
    np.testing.assert_allclose(unit, data.separator, atol=1e-6)


def test_sparse_rows_give_the_same():
    X, y = labelled(2, n=300, d=8)
    X[np.abs(X) < 0.7] = 0
    y = np.where(X @ np.arange(1, 9) > 0, 1.0, -1.0)
    keep = X @ np.arange(1, 9) != 0
    X, y = X[keep], y[keep]
    dense, thin = max_margin(X, y), max_margin(sparse.csr_matrix(X), y)
    assert thin.margin == pytest.approx(dense.margin, rel=1e-9)


def test_more_features_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 500)), rng.choice([-1.0, 1.0], 40)
    found = max_margin(X, y)
    assert found.gap <= 1e-9
    assert_proved(found, X, y)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 4))
def test_noise_has_no_separator_and_a_ceiling_says_so(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)).astype(float)
    y = rng.choice([-1.0, 1.0], n)
    found, widest = max_margin(X, y), widest_margin(X * y[:, None])
    if widest > 1e-7:
        assert found.margin == pytest.approx(widest, rel=1e-7)
    else:
        assert found.margin is None or found.margin < 1e-6
        assert found.ceiling < 1e-6
        assert found.margin is not None or not found.separable


def test_copies_of_a_row_and_rows_of_zeros():
    X, y = np.repeat([[1.0, 0.0], [0.0, 2.0]], 50, axis=0), np.ones(100)
    assert max_margin(X, y).gap <= 1e-9
    zero = max_margin(np.vstack([X, [0.0, 0.0]]), np.ones(101))
    assert zero.margin is None
    assert zero.ceiling == 0.0
    opposite = max_margin(np.vstack([X, [[1.0, 0.0]]]), np.append(np.ones(100), -1))
    assert opposite.margin is None
    assert opposite.gap == 1.0


def test_single_precision_rows_are_read_as_they_are():
    X, y = labelled(4)
    found = max_margin(X.astype(np.float32), y)
    exact = np.linalg.norm(X.astype(np.float32).astype(float), axis=1).max()
    assert exact <= found.radius <= exact * (1 + 1e-12)
    assert found.margin == pytest.approx(widest_margin(X.astype(np.float32) * y[:, None]), rel=1e-7)


def test_few_scans_are_still_honest():
    data = separable(50_000, 20, margin=0.01, random_state=2)
    found = max_margin(data.X, data.y, most_scans=1)
    assert found.ceiling >= 0.01
    assert found.margin is None or found.margin <= 0.01


def test_a_ceiling_from_too_few_rows_would_be_caught():
    """The margin of the working set alone is no margin: the scan of all rows is what makes it one."""
    X, y = labelled(6, n=2000, d=5)
    few = max_margin(X[:100], y[:100])
    assert (y * (X @ few.vector)).min() < 1 - 1e-3


@pytest.mark.guarantees
@pytest.mark.parametrize("margin", [0.1, 1e-3])
def test_a_million_rows(margin):
    data = separable(10**6, 20, margin=margin, random_state=8)
    found = max_margin(data.X, data.y)
    assert found.margin == pytest.approx(margin, rel=1e-9)
    assert found.gap <= 1e-9


def test_half_a_million_rows_that_many_hold_up():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500_000, 10)).astype(np.float32)
    score = X @ np.arange(1.0, 11.0)
    X, y = X[np.abs(score) > 0.5], np.where(score[np.abs(score) > 0.5] > 0, 1.0, -1.0)
    found = max_margin(X, y)
    assert found.gap <= 1e-9
    assert len(found.support) >= 5


def test_refusals():
    X = np.ones((2, 1))
    with pytest.raises(BadData, match=r"^Labels must be -1 or \+1, but row 1 has 0\.$"):
        max_margin(X, [1, 0])
    with pytest.raises(BadData, match=r"^X has 2 rows, and y has the shape \(3,\)\.$"):
        max_margin(X, [1, 1, 1])
    with pytest.raises(BadData, match=r"^Row 1, column 0 holds NaN\.$"):
        max_margin([[1.0], [np.nan]], [1, 1])
    with refuses("X must be a table of rows, but is (2,)."):
        max_margin([1.0, 2.0], [1, 1])
    with refuses("tolerance must be a number strictly between 0 and 1, but is 0."):
        max_margin(X, [1, 1], tolerance=0)
    with refuses("most_scans must be at least 1, but is 0."):
        max_margin(X, [1, 1], most_scans=0)
    with refuses("constant must be a finite number, but is inf."):
        max_margin(X, [1, 1], constant=np.inf)


def test_features_beyond_least_squares_are_solved_from_inside():
    rng = np.random.default_rng(2)
    X, v = rng.normal(size=(900, 620)), rng.normal(size=620)
    y = np.where(X @ v > 0, 1.0, -1.0)
    found = max_margin(X, y)
    assert found.gap <= 1e-8
    assert len(found.support) > 300
    assert_proved(found, X, y)


def test_many_rows_that_hardly_meet_are_solved_by_descent():
    thin = sparse.random(700, 5000, density=0.004, format="csr", random_state=0)
    thin = thin[np.asarray(thin.multiply(thin).sum(axis=1)).ravel() > 0]
    y = np.where(thin @ np.random.default_rng(0).normal(size=5000) > 0, 1.0, -1.0)
    found = max_margin(thin, y)
    assert found.gap <= 1e-8
    assert len(found.support) > 500


def test_beyond_exact_sizes_the_numbers_are_still_proved():
    """More supporting rows than are solved exactly: one along each axis, all as near."""
    n = 6500
    X, y = sparse.identity(n, format="csr"), np.where(np.arange(n) % 2, 1.0, -1.0)
    best = max_margin(X, y)
    assert len(best.support) == n
    assert best.gap < 1e-6
    assert best.margin <= 1 / np.sqrt(n) * (1 + 1e-12)
    assert best.ceiling >= 1 / np.sqrt(n) * (1 - 1e-12)
    # Both ends follow from what it carries: the vector's scores are its coordinates, and so are the weights.
    scores = y * best.vector[:n]
    assert scores.min() / math.sqrt(math.fsum(best.vector**2)) >= best.margin
    assert math.fsum(best.weights) == pytest.approx(1, abs=1e-12)
    assert math.sqrt(math.fsum(best.weights**2)) <= best.ceiling * (1 + 1e-12)
