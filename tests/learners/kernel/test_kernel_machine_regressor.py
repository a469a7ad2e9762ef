"""Kernel machines that predict numbers: other libraries' machines, outliers, guarantees, model files."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import HuberRegressor
from sklearn.svm import LinearSVR

from assay import KernelMachineRegressor, load, save
from assay.errors import BadParameter
from assay.kernels import Gaussian, Linear
from assay.learners.kernel import SmoothLoss
from tests.scikit_checks import assert_checks_pass_but_those_named

X, _ = make_moons(120, noise=0.3, random_state=0)
NUMBERS = np.sin(3 * X[:, 0]) + X[:, 1]
LOSSES = ["huber", "squared_error", "squared_epsilon_insensitive"]


def test_scikit_learns_checks() -> None:
    assert_checks_pass_but_those_named(KernelMachineRegressor())


def test_other_libraries_machines() -> None:
    alpha = 0.3
    ours = KernelMachineRegressor("squared_error", Gaussian(1.0), alpha).fit(X, NUMBERS)
    theirs = KernelRidge(alpha=alpha, kernel="rbf", gamma=1.0).fit(X, NUMBERS)
    np.testing.assert_allclose(ours.dual_coef_[0], theirs.dual_coef_, rtol=1e-8)
    loss, C = "squared_epsilon_insensitive", 1 / (2 * alpha)
    ours = KernelMachineRegressor(loss, Linear(), alpha, epsilon=0.1).fit(X, NUMBERS)
    theirs = LinearSVR(C=C, loss=loss, epsilon=0.1, fit_intercept=False, tol=1e-10, max_iter=10**5)
    np.testing.assert_allclose((ours.dual_coef_ @ X)[0], theirs.fit(X, NUMBERS).coef_, rtol=1e-4)


def test_huber_is_not_led_astray() -> None:
    target = NUMBERS.copy()
    target[::10] += 40
    ours = KernelMachineRegressor("huber", Linear() + 1, 1e-4, epsilon=0.3).fit(X, target)
    squared = KernelMachineRegressor("squared_error", Linear() + 1, 1e-4).fit(X, target)
    clean = HuberRegressor(alpha=0).fit(X, NUMBERS)
    far = np.abs(ours.predict(X) - clean.predict(X)).max()
    assert far < np.abs(squared.predict(X) - clean.predict(X)).max() / 4


@pytest.mark.parametrize("loss", LOSSES)
def test_the_excess_is_promised(loss) -> None:
    best = KernelMachineRegressor(loss, Gaussian(2.0), 0.01, epsilon=0.2).fit(X, NUMBERS)
    [promise] = best.guarantees()
    assert promise.theorem == "strongly-convex-excess"
    assert [a.status for a in promise.assumptions] == ["by construction"] * 2
    assert promise.value < 1e-9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        early = KernelMachineRegressor(loss, Gaussian(2.0), 0.01, epsilon=0.2, max_iter=1)
        early.fit(X, NUMBERS)
    gained = early.objective_ - best.objective_
    assert gained <= early.guarantees()[0].value


def test_a_singular_kernel_leaves_coefficients_that_satisfy_the_equations() -> None:
    rng = np.random.default_rng(0)
    rows, target = rng.integers(-2, 3, (60, 2)).astype(float), rng.normal(size=60)
    model = KernelMachineRegressor("huber", Linear(), 0.7, epsilon=0.5, tol=1e-10).fit(rows, target)
    a = model.dual_coef_[0]
    rest = target - Linear()(rows) @ a
    np.testing.assert_allclose(a, np.clip(rest, -0.5, 0.5) / 1.4, atol=1e-8)


def test_what_is_taken_on_trust_is_called_assumed() -> None:
    known = SmoothLoss(lambda y, f: (y - f) ** 2, lambda y, f: 2 * (f - y))
    own = KernelMachineRegressor(known, Gaussian(1.0)).fit(X, NUMBERS)
    function = KernelMachineRegressor("huber", lambda A, B: A @ B.T).fit(X, NUMBERS)
    for model, why in ((own, "the loss is one of yours"), (function, "taken on trust")):
        told = model.guarantees()[0].assumptions[0]
        assert told.status == "assumed"
        assert why in told.evidence


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_files(tmp_path, form) -> None:
    model = KernelMachineRegressor().fit(form(X), NUMBERS)
    save(model, tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    assert np.array_equal(again.predict(form(X)), model.predict(form(X)))
    assert again.guarantees() == model.guarantees()


def test_refusals() -> None:
    sentence = "epsilon must be a finite number above zero, but is 0.0."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        KernelMachineRegressor(epsilon=0.0).fit(X, NUMBERS)
    sentence = "epsilon must be a finite number, zero or more, but is -1.0."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        KernelMachineRegressor("squared_error", epsilon=-1.0).fit(X, NUMBERS)
