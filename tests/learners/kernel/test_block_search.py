"""Searches among examples whose kernel values are at hand."""

from __future__ import annotations

import numpy as np
import pytest

from assay.kernels import Gaussian
from assay.learners.kernel import block_search
from assay.learners.kernel.block_search import choose, solve_block, violations
from assay.learners.kernel.dual_search import Dual
from tests.naive.svm import pairwise


def problem(n, seed, cap=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    dual = Dual(y, np.where(y > 0, 0.0, -cap), np.where(y > 0, cap, 0.0), np.arange(n))
    return Gaussian(0.5)(X), dual


@pytest.mark.parametrize("size", [8, 512])
@pytest.mark.parametrize("cap", [0.1, 10.0])
def test_the_minimum_is_that_of_the_naive_twin(size, cap, monkeypatch):
    monkeypatch.setattr(block_search, "_SET", size)
    K, dual = problem(30, 1, cap)
    beta, scores = np.zeros(30), np.zeros(30)
    steps = solve_block(dual, K, np.diag(K), beta, scores, tolerance=1e-9, most_steps=np.inf)
    assert steps > 10
    np.testing.assert_allclose(scores, K @ beta, atol=1e-12)
    twin = pairwise(K, dual.target, dual.lower, dual.upper)
    value = 0.5 * beta @ K @ beta - dual.target @ beta
    assert value == pytest.approx(0.5 * twin @ K @ twin - dual.target @ twin, rel=1e-9)


def test_what_lies_outside_counts_and_two_variables_may_share_an_example():
    K, whole = problem(20, 2)
    rng = np.random.default_rng(3)
    rest = rng.normal(size=20)
    row = np.tile(np.arange(20), 2)
    dual = Dual(
        np.concatenate([whole.target + 0.1, whole.target - 0.1]),
        np.repeat([0.0, -1.0], 20),
        np.repeat([1.0, 0.0], 20),
        row,
    )
    beta, scores = np.zeros(40), rest.copy()
    solve_block(dual, K, np.diag(K), beta, scores, tolerance=1e-8, most_steps=np.inf)
    sums = np.bincount(row, beta)
    np.testing.assert_allclose(scores, rest + K @ sums, atol=1e-12)
    up, low = violations(dual, beta, scores)
    assert up.max() - low.min() <= 1e-8
    assert abs(beta.sum()) < 1e-12


def test_steps_are_limited():
    K, dual = problem(100, 4)
    beta, scores = np.zeros(100), np.zeros(100)
    assert solve_block(dual, K, np.diag(K), beta, scores, tolerance=1e-9, most_steps=5) == 5
    assert np.count_nonzero(beta) <= 10


def test_the_worst_are_chosen_beside_half_of_the_former():
    up = np.array([5.0, -np.inf, 3.0, 4.0, 1.0, -np.inf, 0.0])
    low = np.array([np.inf, -5.0, 3.0, np.inf, 1.0, -4.0, 0.0])
    assert sorted(choose(up, low, np.empty(0, np.int64), 4)) == [0, 1, 3, 5]
    again = choose(up, low, np.array([6, 4, 0, 1]), 4)
    assert again[:2].tolist() == [0, 1]
    assert sorted(again[2:]) == [3, 5]
    everything = choose(up, low, np.empty(0, np.int64), 20)
    assert sorted(everything) == list(range(7))
