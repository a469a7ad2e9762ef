"""The search by working sets: KKT conditions, rows set aside, starts, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from assay.errors import BadData
from assay.kernels import Gaussian, Linear
from assay.learners.kernel import block_search, dual_search
from assay.learners.kernel import gram as room_of_gram
from assay.learners.kernel.dual_search import Dual, solve
from assay.learners.kernel.gram import Gram
from tests.naive.svm import pairwise


def instance(n, seed, cap=1.0, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    caps = np.full(n, cap)
    dual = Dual(y, np.where(y > 0, 0.0, -caps), np.where(y > 0, caps, 0.0), np.arange(n))
    return X, dual


def small_sets(monkeypatch):
    """Working sets of 64 variables, solved by those of 32, as if the sample were large."""
    monkeypatch.setattr(dual_search, "_LARGEST", 64)
    monkeypatch.setattr(dual_search, "_LEAST", 48)
    monkeypatch.setattr(block_search, "_SET", 32)


def objective(dual, found):
    return 0.5 * found.beta @ found.scores - dual.target @ found.beta


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 60), st.integers(0, 99), st.sampled_from([1e-3, 0.5, 10.0, 1e4]))
def test_kkt_conditions_hold_and_the_objective_is_the_twins(n, seed, cap):
    X, dual = instance(n, seed, cap)
    kernel = Gaussian(0.5)
    found = solve(dual, Gram(kernel, X), tolerance=1e-9)
    beta, K = found.beta, kernel(X)
    v = dual.target - K @ beta
    grow, fall = beta < dual.upper, beta > dual.lower
    assert v[grow].max() - v[fall].min() <= 1e-9 + 1e-9 * cap
    assert abs(beta.sum()) <= 1e-9 * max(1.0, cap)
    assert (beta >= dual.lower).all()
    assert (beta <= dual.upper).all()
    if n <= 20 and cap <= 10:
        twin = pairwise(K, dual.target, dual.lower, dual.upper)
        value = 0.5 * twin @ K @ twin - dual.target @ twin
        assert objective(dual, found) == pytest.approx(value, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("single", [False, True])
def test_setting_examples_aside_changes_nothing(single, monkeypatch):
    monkeypatch.setattr(dual_search, "_SMALLEST", 100)
    monkeypatch.setattr(dual_search, "_EVERY", 1)
    monkeypatch.setattr(dual_search, "_ASIDE", 0.95)
    small_sets(monkeypatch)
    X, dual = instance(1500, 4)
    watched = []
    watch = dual_search._Search._watch
    monkeypatch.setattr(
        dual_search._Search, "_watch", lambda s, c: (watched.append(len(c)), watch(s, c))[1]
    )
    gram = Gram(Gaussian(0.5), X, single=single)
    values = []
    for shrinking, room in ((False, 1e9), (True, 1e9), (True, 64 * 1500 * 8)):
        watched.clear()
        found = solve(dual, gram, tolerance=1e-4, shrinking=shrinking, room=room)
        assert found.gap <= 1e-4
        exact = Gaussian(0.5)(X) @ found.beta
        np.testing.assert_allclose(found.scores, exact, atol=1e-3 if single else 1e-9)
        values.append(objective(dual, found))
        assert (min(watched) < 1500) == shrinking
    assert values[0] == pytest.approx(values[1], rel=1e-6)
    assert values[0] == pytest.approx(values[2], rel=1e-6)


@pytest.mark.parametrize("room", [0.0, 20 * 400 * 8, 1e9])
def test_small_working_sets_end_where_one_set_of_all_does(room, monkeypatch):
    X, dual = instance(400, 8, cap=10.0)
    gram = Gram(Gaussian(0.5), X)
    whole = solve(dual, gram, tolerance=1e-6)
    assert whole.rounds == 1
    small_sets(monkeypatch)
    found = solve(dual, gram, tolerance=1e-6, room=room)
    assert found.rounds > 5
    assert found.gap <= 1e-6
    assert objective(dual, found) == pytest.approx(objective(dual, whole), rel=1e-8)
    np.testing.assert_allclose(found.scores, Gaussian(0.5)(X) @ found.beta, atol=1e-9)


def test_threads_change_no_bit(monkeypatch):
    X, dual = instance(3000, 9)
    found = []
    for count in (1, 2, 3):
        monkeypatch.setattr(room_of_gram, "_processors", lambda count=count: count)
        monkeypatch.setattr(room_of_gram, "_WORTH_THREADS", 1)
        with threadpool_limits(1, user_api="blas"):
            found.append(solve(dual, Gram(Gaussian(0.5), X, single=True), tolerance=1e-3))
    for other in found[1:]:
        np.testing.assert_array_equal(other.beta, found[0].beta)
        np.testing.assert_array_equal(other.scores, found[0].scores)


def test_a_search_goes_on_from_where_another_ended():
    X, dual = instance(300, 5)
    gram = Gram(Gaussian(0.5), X)
    first = solve(dual, gram, tolerance=1e-6)
    again = solve(dual, gram, tolerance=1e-6, start=(first.beta, first.scores))
    assert again.steps == 0
    np.testing.assert_array_equal(again.beta, first.beta)


def test_a_limit_on_the_steps_is_kept():
    X, dual = instance(300, 6)
    found = solve(dual, Gram(Gaussian(0.5), X), tolerance=1e-6, most_steps=7)
    assert found.steps == 7
    assert found.gap > 1e-6


def test_unbounded_variables_need_separable_classes():
    X, dual = instance(50, 7, cap=np.inf)
    with pytest.raises(
        BadData, match=r"^No hyperplane separates the classes, so there is no hard margin\."
    ):
        solve(dual, Gram(Linear(), X), tolerance=1e-8)
    twice = np.vstack([X[:2], X[:2]])
    y = np.array([1.0, -1, -1, 1])
    dual = Dual(y, np.where(y > 0, 0, -np.inf), np.where(y > 0, np.inf, 0), np.arange(4))
    with pytest.raises(BadData, match=r"Give C a finite value\.$"):
        solve(dual, Gram(Gaussian(1.0), twice), tolerance=1e-8)
