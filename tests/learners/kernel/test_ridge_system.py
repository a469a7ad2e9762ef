"""The system behind kernel ridge regression: many penalties in one matrix, weights of any size, the receipt."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from assay import KernelRidge
from assay.kernels import Gaussian
from assay.learners.kernel import RidgeSystem


def problem(seed, n=50):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return rng, X, np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n)


def objective(a, K, y, alpha):
    return np.sum((y - K @ a) ** 2) + alpha * a @ K @ a


def test_the_receipt_is_never_below_the_excess():
    """Of weights that are off by any amount, in both precisions."""
    broken = 0
    for seed in range(60):
        rng, X, y = problem(seed, 15)
        alpha = float(10.0 ** rng.integers(-3, 3))
        K = rbf_kernel(X, gamma=0.5)
        best = np.linalg.solve(K + alpha * np.eye(15), y)
        off = best + rng.standard_normal(15) * 10.0 ** rng.integers(-5, 0)
        distance = RidgeSystem(Gaussian(0.5), X, y[:, None], None).distance(
            off[:, None], np.array([alpha])
        )
        excess = objective(off, K, y, alpha) - objective(best, K, y, alpha)
        assert excess <= alpha * distance**2 * (1 + 1e-9) + 1e-13
        broken += excess > alpha * (distance * alpha) ** 2 / 15  # a factor in the wrong place
    assert broken > 0


def test_the_receipt_of_a_fit_in_single_precision():
    """Such fits are off, and the receipt says by how much at most."""
    broken = 0
    for seed in range(40):
        rng, X, y = problem(seed, 15)
        alpha = float(10.0 ** rng.integers(-3, 3))
        K = rbf_kernel(X, gamma=0.5)
        best = np.linalg.solve(K + alpha * np.eye(15), y)
        model = KernelRidge(alpha, kernel="rbf", gamma=0.5, dtype="float32").fit(X, y)

        off = model.dual_coef_.astype(float)
        excess = objective(off, K, y, alpha) - objective(best, K, y, alpha)
        promise = model.guarantees()[0].value
        assert excess <= promise + 1e-13
        broken += excess > promise * 1e-8 + 1e-14
    assert broken > 0  # so that the receipt is of something


@pytest.mark.parametrize("loo", [False, True])
def test_targets_may_have_penalties_of_their_own(loo):
    _, X, y = problem(3)
    Y = np.column_stack([y, y**2, y])
    penalties = np.array([0.1, 5.0, 0.1])
    model = KernelRidge(penalties, kernel="rbf", gamma=0.5, loo=loo).fit(X, Y)
    for place, penalty in enumerate(penalties):
        full = np.linalg.inv(rbf_kernel(X, gamma=0.5) + penalty * np.eye(50))
        a = full @ Y[:, place]
        np.testing.assert_allclose(model.dual_coef_[:, place], a, atol=1e-9)
        if loo:
            left = Y[:, place] - a / full.diagonal()
            np.testing.assert_allclose(model.loo_predictions_[:, place], left, atol=1e-8)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_penalty_has_its_own_error(dtype):
    rng, X, y = problem(1)
    weights, penalties = rng.uniform(0.1, 3, 50), [1e-2, 1.0, 100.0]
    model = KernelRidge(kernel="rbf", gamma=0.5, alphas=penalties, dtype=dtype, loo=True)
    model.fit(X, y, weights)
    K = rbf_kernel(X, gamma=0.5)
    for penalty, error in zip(penalties, model.loo_errors_, strict=True):
        # By the normal equations of the weighted problem.
        full = np.linalg.inv(K + penalty * np.diag(1 / weights))
        left = (full @ y) / full.diagonal()
        near = 1e-8 if dtype == "float64" else 1e-3
        assert error == pytest.approx(np.average(left**2, weights=weights), rel=near)


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
