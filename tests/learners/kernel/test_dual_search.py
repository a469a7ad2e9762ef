"""The search behind the machines, seen from outside: KKT conditions, small caches, shrinking, threads, votes."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import svm
from sklearn.datasets import make_blobs
from threadpoolctl import ThreadpoolController

from assay import SVC
from assay.errors import BadData
from assay.kernels import Exponential, Gaussian
from tests.naive.svm import pairwise


def instance(n, seed, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    return X, y


def variables(model, n):
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    return beta


@settings(max_examples=20)
@given(st.integers(2, 60), st.integers(0, 99), st.sampled_from([1e-3, 0.5, 10.0, 1e4]))
def test_kkt_conditions_hold_and_the_objective_is_the_twins(n, seed, cap):
    X, y = instance(n, seed)
    beta, K = variables(SVC(C=cap, gamma=0.5, tol=1e-9).fit(X, y), n), Gaussian(0.5)(X)
    lower, upper = np.where(y > 0, 0.0, -cap), np.where(y > 0, cap, 0.0)
    v = y - K @ beta
    grow, fall = beta < upper, beta > lower
    assert v[grow].max() - v[fall].min() <= 1e-9 + 1e-9 * cap
    assert abs(beta.sum()) <= 1e-9 * max(1.0, cap)
    assert (beta >= lower).all()
    assert (beta <= upper).all()
    if n <= 20 and cap <= 10:
        twin = pairwise(K, y, lower, upper)
        value = 0.5 * twin @ K @ twin - y @ twin
        assert 0.5 * beta @ K @ beta - y @ beta == pytest.approx(value, rel=1e-6, abs=1e-9)


@pytest.fixture(scope="module")
def many():
    """More rows than one working set takes; the machine of a search that keeps all rows and sets none aside."""
    X, y = instance(2600, 4)
    return X, y, SVC(gamma=0.5, tol=1e-4, shrinking=False, cache_size=1000).fit(X, y)


@pytest.mark.parametrize("size", [0.001, 2.0, 1000.0])
def test_neither_shrinking_nor_the_cache_changes_the_machine(size, many):
    X, y, wanted = many
    model = SVC(gamma=0.5, tol=1e-4, cache_size=size).fit(X, y)
    assert model.record_.residual <= 1e-4
    assert model.record_.dual == pytest.approx(wanted.record_.dual, rel=1e-6)
    exact = Gaussian(0.5)(X, model.support_vectors_) @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), exact, atol=1e-9)
    alphas = np.abs(variables(model, len(y)))
    primal = 0.5 * model.record_.norm**2 + np.maximum(0, 1 - y * exact).sum()
    assert model.record_.primal == pytest.approx(primal, rel=1e-9)
    assert model.record_.dual == pytest.approx(alphas.sum() - 0.5 * model.record_.norm**2, rel=1e-9)


@pytest.mark.parametrize("size", [0.001, 1000.0])
def test_rows_that_cost_much_are_kept_and_change_nothing(size):
    X, y = instance(300, 8)
    wanted = SVC(kernel="precomputed", tol=1e-6).fit(Exponential(0.3)(X), y)
    model = SVC(kernel=Exponential(0.3), tol=1e-6, cache_size=size).fit(X, y)
    assert model.record_.dual == pytest.approx(wanted.record_.dual, rel=1e-8)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="sets processors")
def test_processors_change_no_bit_and_threads_are_given_back(many):
    X, y, wanted = many
    pools = ThreadpoolController().select(user_api="blas")
    before = [pool.num_threads for pool in pools.lib_controllers]
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(every)})
    try:
        alone = SVC(gamma=0.5, tol=1e-4, shrinking=False, cache_size=1000).fit(X, y)
    finally:
        os.sched_setaffinity(0, every)
    assert alone.dual_coef_.tobytes() == wanted.dual_coef_.tobytes()
    assert alone.decision_function(X).tobytes() == wanted.decision_function(X).tobytes()
    assert [pool.num_threads for pool in pools.lib_controllers] == before


def test_a_hard_margin_needs_separable_classes():
    X, y = instance(50, 7)
    with pytest.raises(
        BadData, match=r"^No hyperplane separates the classes, so there is no hard margin\."
    ):
        SVC(C=math.inf, kernel="linear").fit(X, y)
    with pytest.raises(BadData, match=r"Give C a finite value\.$"):
        SVC(C=math.inf).fit(np.vstack([X[:2], X[:2]]), [1, -1, -1, 1])


@pytest.mark.parametrize("classes", [4, 7])
@pytest.mark.parametrize("shape", ["ovo", "ovr"])
def test_votes_of_pairs_are_scikit_learns(classes, shape):
    X, y = make_blobs(120, centers=classes, cluster_std=3.0, random_state=classes)
    told = {"tol": 1e-8, "decision_function_shape": shape}
    ours, theirs = SVC(**told).fit(X, y), svm.SVC(**told).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    assert (ours.predict(X) == theirs.predict(X)).all()


# Promises

MARGINS = [
    "svm-loo",
    "svm-loo",
    "svm-duality-kkt",
    "svm-duality-kkt",
    "svm-margin",
    "point-plane-distance",
    "svm-regularization-equivalence",
    "vc-large-margin",
]


def test_every_theorem_of_margins_is_there():
    X, _ = instance(60, 1)
    clear = X[:, 0] > 0
    soft = SVC(C=1e4, kernel="linear").fit(X, clear).guarantees()
    assert [g.theorem for g in soft[: len(MARGINS)]] == MARGINS
    assert soft[len(MARGINS) - 1].textbook == ("vc-halfspaces-affine", "4")
    # A hard margin is no regularised risk.
    hard = SVC(C=math.inf, kernel="linear").fit(X, clear).guarantees()
    rest = [t for t in MARGINS if "regularization" not in t]
    assert [g.theorem for g in hard[: len(rest)]] == rest
    scores = np.where(clear, 1, -1) * (
        np.column_stack([X, np.ones(60)]) @ witness(hard[len(rest) - 1])
    )
    assert scores.min() >= 1


def witness(guarantee):
    return np.array([float(value) for value in guarantee.witness])
