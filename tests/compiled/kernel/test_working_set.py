"""The loop over pairs, and what keeps its rows."""

from __future__ import annotations

import numpy as np
import pytest

from assay.compiled.kernel.working_set import add_rows, gather, repack
from assay.compiled.kernel.working_set import solve_working_set as solve_some
from tests.naive.svm import pairwise


def solve_working_set(K, size, *rest):
    """All of K as the working set."""
    return solve_some(K, np.arange(len(K)), np.empty_like(K), size, *rest)


def problem(seed, q=40, cap=2.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(q, 3))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    y = rng.choice([-1.0, 1.0], q)
    return K, y, np.where(y > 0, 0.0, -cap), np.where(y > 0, cap, 0.0)


@pytest.mark.parametrize("q", [2, 31, 32, 33, 80])
@pytest.mark.parametrize("cap", [0.1, 2.0, 100.0])
def test_the_minimum_is_that_of_the_naive_twin(q, cap):
    K, y, lower, upper = problem(q, q, cap)
    y[:2] = [-1.0, 1.0]
    lower, upper = np.where(y > 0, 0.0, -cap), np.where(y > 0, cap, 0.0)
    b, v = np.zeros(q), y.copy()
    solve_working_set(K, np.ones(q), lower, upper, b, v, 1e-10, 100_000)
    naive = pairwise(K, y, lower, upper)
    value = 0.5 * b @ K @ b - y @ b
    assert value == pytest.approx(0.5 * naive @ K @ naive - y @ naive, rel=1e-9)
    assert abs(b.sum()) < 1e-9
    assert (b >= lower).all()
    assert (b <= upper).all()
    np.testing.assert_allclose(v, y - K @ b, atol=1e-9)


def test_steps_are_counted_and_limited():
    K, y, lower, upper = problem(1)
    b, v = np.zeros(40), y.copy()
    assert solve_working_set(K, np.ones(40), lower, upper, b, v, 1e-10, 3) == 3
    assert np.count_nonzero(b) <= 6


def test_nothing_moves_where_nothing_may():
    K, y, lower, upper = problem(2)
    b, v = np.zeros(40), y.copy()
    assert solve_working_set(K, np.ones(40), 0 * lower, 0 * upper, b, v, 1e-3, 100) == 0


def test_equal_rows_with_other_labels_go_to_their_bounds():
    K, y = np.ones((2, 2)), np.array([-1.0, 1.0])
    b, v = np.zeros(2), y.copy()
    solve_working_set(K, np.ones(2), np.array([-3.0, 0]), np.array([0, 3.0]), b, v, 1e-3, 10)
    assert b.tolist() == [-3.0, 3.0]


def test_rows_are_gathered_added_and_repacked():
    rng = np.random.default_rng(0)
    kept = rng.normal(size=(7, 50))
    rows, columns = np.array([4, 0, 2]), np.array([10, 3, 49, 3])
    block = np.empty((3, 4))
    gather(kept, rows, columns, block)
    np.testing.assert_array_equal(block, kept[rows][:, columns])
    for many in (1, 3, 4, 7):
        steps, scores = rng.normal(size=many), np.zeros(50)
        add_rows(kept, np.arange(many), steps, scores, 5, 45)
        np.testing.assert_allclose(scores[5:45], (steps @ kept[:many])[5:45], atol=1e-12)
        assert not scores[:5].any()
        assert not scores[45:].any()


def test_rows_get_narrower_and_wider_where_they_lie():
    old = np.arange(20.0).reshape(4, 5)
    store = np.concatenate([old.ravel(), np.zeros(20)])
    repack(store, np.array([0, 2, 3]), 5, 2, np.array([1, 4]), np.array([0, 1]))
    np.testing.assert_array_equal(store[:6].reshape(3, 2), old[[0, 2, 3]][:, [1, 4]])
    repack(store, np.arange(3), 2, 4, np.array([0, 1]), np.array([1, 3]))
    np.testing.assert_array_equal(store[:12].reshape(3, 4)[:, [1, 3]], old[[0, 2, 3]][:, [1, 4]])
