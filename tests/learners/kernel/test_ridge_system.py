"""The system behind kernel ridge regression: many penalties in one matrix, weights of any size, the receipt."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from assay import KernelRidge
from assay.kernels import Gaussian
from assay.learners.kernel import ridge_system
from assay.learners.kernel.ridge_system import RidgeSystem

PENALTIES = np.array([1e-2, 1.0, 100.0])


def problem(seed, n=50):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return rng, X, np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n)


def test_the_receipt_is_never_below_the_excess():
    broken = 0
    for seed in range(60):
        rng, X, y = problem(seed, 15)
        alpha = float(10.0 ** rng.integers(-3, 3))
        K = rbf_kernel(X, gamma=0.5)
        best = np.linalg.solve(K + alpha * np.eye(15), y)
        off = best + rng.standard_normal(15) * 10.0 ** rng.integers(-5, 0)

        def objective(a, K=K, y=y, alpha=alpha):
            return np.sum((y - K @ a) ** 2) + alpha * a @ K @ a

        system = RidgeSystem(Gaussian(0.5), X, y[:, None], None)
        distance = system.distance(off[:, None], np.array([alpha]))
        excess = objective(off) - objective(best)
        assert excess <= alpha * distance**2 * (1 + 1e-9) + 1e-13
        broken += excess > alpha * (distance * alpha) ** 2 / 15  # a factor in the wrong place
    assert broken > 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("by", ["eigenvalues", "factors"])
def test_every_penalty_has_its_own_solution(by, dtype, monkeypatch):
    monkeypatch.setattr(ridge_system, "_DECOMPOSED", 0 if by == "factors" else 10**9)
    rng, X, y = problem(1)
    weights = rng.uniform(0.1, 3, 50)
    X, y = X.astype(dtype), y.astype(dtype)[:, None]
    system = RidgeSystem(Gaussian(0.5), X, y, weights)
    K = rbf_kernel(X.astype(float), gamma=0.5)
    near = 1e-9 if dtype is np.float64 else 2e-3
    found = list(system.each(PENALTIES))
    assert len(found) == 3
    for penalty, (coef, inverse, product) in zip(PENALTIES, found, strict=True):
        # By the normal equations of the weighted problem.
        a = np.linalg.solve(K + penalty * np.diag(1 / weights), y[:, 0].astype(float))
        np.testing.assert_allclose(system.roots * coef[:, 0], a, atol=near)
        full = np.linalg.inv(
            np.sqrt(np.outer(weights, weights)) * K / weights.max()
            + penalty / weights.max() * np.eye(50)
        )
        np.testing.assert_allclose(inverse[:, 0], full.diagonal(), rtol=max(near, 1e-8))
        if by == "factors":
            scaled = np.sqrt(np.outer(weights, weights)) / weights.max() * K
            np.testing.assert_allclose(product[:, 0], scaled @ coef[:, 0], atol=near)


def test_factors_lie_in_one_matrix_that_is_restored(monkeypatch):
    monkeypatch.setattr(ridge_system, "_DECOMPOSED", 0)
    _, X, y = problem(2)
    system = RidgeSystem(Gaussian(0.5), X, y[:, None], None)
    made = []
    plain = system.matrix
    monkeypatch.setattr(system, "matrix", lambda: made.append(plain()) or made[-1])
    list(system.each(PENALTIES))
    assert len(made) == 1
    np.testing.assert_array_equal(made[0], Gaussian(0.5)(X))


def test_penalties_lost_in_rounding_are_left_to_eigenvalues(monkeypatch):
    monkeypatch.setattr(ridge_system, "_DECOMPOSED", 0)
    X = np.linspace(0, 1, 60)[:, None]
    system = RidgeSystem(Gaussian(1.0), X, X, None)
    found = list(system.each(np.array([1e-25, 1.0])))
    assert all(np.isfinite(coef).all() for coef, _, _ in found)
    assert system.factored(np.array([1e-25]), inverse=False) is None


def test_targets_may_have_penalties_of_their_own():
    _, X, y = problem(3)
    Y = np.column_stack([y, y**2, y])
    system = RidgeSystem(Gaussian(0.5), X, Y, None)
    coef, inverse, _ = system.factored(np.array([0.1, 5.0, 0.1]), inverse=True)
    for place, penalty in enumerate((0.1, 5.0, 0.1)):
        full = np.linalg.inv(rbf_kernel(X, gamma=0.5) + penalty * np.eye(50))
        np.testing.assert_allclose(coef[:, place], full @ Y[:, place], atol=1e-9)
        np.testing.assert_allclose(inverse[:, place], full.diagonal(), rtol=1e-9)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("extra", [{}, {"alphas": [0.01, 0.1]}, {"loo": True}])
@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_weights_mean_repeated_rows_in_any_precision_and_of_any_size(scale, extra, dtype):
    rng, X, y = problem(4)
    times = rng.integers(0, 4, 50)
    terms = {"kernel": "rbf", "gamma": 0.5, "dtype": dtype}
    if "alphas" in extra:
        more = {"alphas": [scale * alpha for alpha in extra["alphas"]]}
    else:
        more = extra | {"alpha": 0.05 * scale}
    heavy = KernelRidge(**terms, **more).fit(X, y, scale * times)
    plain = KernelRidge(0.05, **terms, **extra)
    plain.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert heavy.alpha_ == pytest.approx(scale * plain.alpha_)
    near = 1e-9 if dtype == "float64" else 2e-4
    np.testing.assert_allclose(heavy.predict(X), plain.predict(X), atol=near)
    # Rows of no weight count for nothing, in single precision too.
    assert not heavy.dual_coef_[times == 0].any()


def test_a_weight_that_counts_once_instead_of_its_square_root_is_caught():
    rng, X, y = problem(4)
    times = rng.integers(1, 4, 50)
    model = KernelRidge(0.05, kernel="rbf", gamma=0.5).fit(X, y, times)
    K = rbf_kernel(X, gamma=0.5)
    right = np.linalg.solve(K + 0.05 * np.diag(1 / times), y)
    wrong = np.linalg.solve(K + 0.05 * np.diag(1 / times**2), y)
    np.testing.assert_allclose(model.dual_coef_, right, atol=1e-9)
    assert np.abs(model.dual_coef_ - wrong).max() > 1e-3


_PROBE = r"""
import re
import numpy as np
from assay import KernelRidge
X = np.random.default_rng(0).normal(size=(5000, 5))
terms = {"kernel": "rbf", "gamma": 0.1, "alphas": [0.1, 1.0]}
KernelRidge(**terms).fit(X[:300], X[:300, 0])
def most():
    return int(re.search(r"VmHWM:\s*(\d+)", open("/proc/self/status").read())[1])
before = most()
KernelRidge(**terms).fit(X, X[:, 0])
print((most() - before) * 1024 / 5000**2 / 8)
"""


@pytest.mark.guarantees
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_choosing_a_penalty_needs_one_matrix():
    done = subprocess.run(
        [sys.executable, "-c", _PROBE], capture_output=True, text=True, check=True
    )
    assert 1 < float(done.stdout) < 1.2
