"""Starts without one example, and scores by machines that have not seen theirs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels import Gaussian
from assay.learners.kernel.dual_search import Dual, solve
from assay.learners.kernel.gram import Gram
from assay.learners.kernel.left_out import _without, leaned_on, scores_left_out
from assay.learners.kernel.support import bias_of


def fitted(n, seed, cap):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 2)), rng.choice([-1.0, 1.0], n)
    y[:4] = [1.0, -1.0, 1.0, -1.0]
    dual = Dual(y, np.where(y > 0, 0.0, -cap), np.where(y > 0, cap, 0.0), np.arange(n))
    gram = Gram(Gaussian(1.0), X)
    return dual, gram, solve(dual, gram, tolerance=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 30), st.integers(0, 99), st.sampled_from([0.1, 1.0, 100.0]))
def test_a_start_without_one_keeps_bounds_and_sum(n, seed, cap):
    dual, _, found = fitted(n, seed, cap)
    for place in np.flatnonzero(found.beta).tolist():
        lower, upper = dual.lower.copy(), dual.upper.copy()
        lower[place] = upper[place] = 0.0
        start = _without(found.beta, place, lower, upper, np.abs(dual.target))
        assert abs(start.sum()) < 1e-9 * cap
        assert (start >= lower - 1e-12 * cap).all()
        assert (start <= upper + 1e-12 * cap).all()


def test_scores_are_those_of_searches_from_nothing():
    dual, gram, found = fitted(25, 3, 1.0)

    def search(rest, gram, start=None, kept=None):
        return solve(rest, gram, tolerance=1e-9, start=start, kept=kept)

    left = scores_left_out(dual, gram, found.beta, bias_of(dual, found), search, 1e-9)
    for place in range(25):
        lower, upper = dual.lower.copy(), dual.upper.copy()
        lower[place] = upper[place] = 0.0
        rest = Dual(dual.target, lower, upper, dual.row)
        anew = search(rest, gram)
        np.testing.assert_allclose(left[place], anew.scores[place] + bias_of(rest, anew), atol=1e-6)


def test_an_example_that_carries_nothing_but_holds_the_intercept_is_leaned_on():
    target, scores = np.array([1.0, -1, 1, -1]), np.array([0.0, 0, 5, -3])
    beta = np.array([1.0, -1, 0, 0])
    dual = Dual(target, np.array([0.0, -1, 0, -1]), np.array([1.0, 0, 1, 0]), np.arange(4))
    # Any intercept from -1 to 1 is optimal; neither of the last two is at an end.
    assert leaned_on(dual, beta, scores, 0.0, 1e-3).tolist() == [False] * 4
    scores = np.array([0.0, 0, 1.5, -3])
    assert leaned_on(dual, beta, scores, 0.25, 1e-3).tolist() == [False, False, True, False]


def test_an_example_that_may_lie_on_the_margin_is_leaned_on():
    dual = Dual(np.ones(3), np.zeros(3), np.ones(3), np.arange(3))
    beta, scores = np.array([0.5, 0, 0]), np.array([1.0, 1.1, 1.3])
    assert leaned_on(dual, beta, scores, 0.0, 0.2).tolist() == [False, True, False]
    assert leaned_on(dual, beta, scores, 0.0, 1e-3).tolist() == [False] * 3
