"""The distance of a machine from the best one, against machines that are solved exactly or by another library."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import entr, expit
from sklearn.svm import SVR

from assay.theory.margin.optimality import penalised_duality, strongly_convex_excess
from assay.theory.margin.support_vectors import svm_duality_kkt
from tests.refusals import (
    NONNEGATIVE,
    NOT_NONNEGATIVE,
    NOT_NUMBERS,
    NOT_POSITIVE,
    POSITIVE,
    assert_refuses_all,
)

C, TUBE = 2.0, 0.3


def hinge(y, f):
    return C * np.maximum(0, 1 - y * f)


def squared_hinge(y, f):
    return C * np.maximum(0, 1 - y * f) ** 2


def insensitive(y, f):
    return C * np.maximum(0, np.abs(y - f) - TUBE)


def logistic(y, f):
    return C * np.logaddexp(0, -y * f)


# Of a loss: its values, coefficients it allows from numbers in (0, 1), and its conjugate at minus these.
LOSSES = {
    "hinge": (hinge, lambda y, u: y * C * u, lambda y, b: -y * b),
    "squared_hinge": (squared_hinge, lambda y, u: y * 5 * u, lambda y, b: -y * b + b**2 / (4 * C)),
    "insensitive": (
        insensitive,
        lambda y, u: C * (2 * u - 1),
        lambda y, b: -y * b + TUBE * np.abs(b),
    ),
    "logistic": (
        logistic,
        lambda y, u: y * C * u,
        lambda y, b: -C * (entr(y * b / C) + entr(1 - y * b / C)),
    ),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("bias", [False, True])
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_no_machine_is_below_the_dual(name, bias, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(8, 3)), rng.choice([-1.0, 1.0], 8)
    y[:2] = -1, 1
    loss, allowed, conjugate = LOSSES[name]
    beta = allowed(y, rng.uniform(0.01, 0.99, 8))
    if bias:
        # What sums to zero is made from half of the sides, of equal size, so that it stays allowed.
        up, down = beta > 0, beta < 0
        if not (up.any() and down.any()):
            return
        least = min(beta[up].sum(), -beta[down].sum())
        beta[up] *= least / beta[up].sum()
        beta[down] *= least / -beta[down].sum()
    v, value = X.T @ beta, float(conjugate(y, beta).sum())
    for w in [v, np.zeros(3), *rng.normal(size=(10, 3))]:
        for b in rng.normal(scale=3, size=4) if bias else [0.0]:
            objective = float(w @ w / 2 + loss(y, X @ w + b).sum())
            assert penalised_duality(objective, float(v @ v), value) >= -1e-9


def test_a_dual_that_leaves_the_bias_out_is_caught():
    """Coefficients that do not sum to zero are no proof about machines with a bias."""
    X, y = np.array([[1.0], [2.0]]), np.array([1.0, 1.0])
    v = X.T @ (C * y)
    best = 0.0  # w = 0 and b = 1 lose nothing
    assert penalised_duality(best, float(v @ v), -C * 2) > 0  # wide, and true by luck
    beta = np.array([0.1, 0.1])
    v = X.T @ beta
    assert penalised_duality(best, float(v @ v), -0.2) < -0.1


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("hinge", lambda y, b: -2 * y * b),
        ("squared_hinge", lambda y, b: -y * b),
        ("insensitive", lambda y, b: -y * b - TUBE * np.abs(b)),
        ("logistic", lambda y, b: -2 * C * (entr(y * b / C) + entr(1 - y * b / C))),
    ],
)
def test_a_wrong_conjugate_is_caught(name, wrong):
    loss, allowed, right = LOSSES[name]
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(12, 2)), rng.choice([-1.0, 1.0], 12)
    best = minimize(lambda w: w @ w / 2 + loss(y, X @ w).sum(), np.zeros(2), method="Nelder-Mead")

    def gap(u, conjugate):
        beta = allowed(y, u)
        v = X.T @ beta
        return penalised_duality(float(best.fun), float(v @ v), float(conjugate(y, beta).sum()))

    def least(conjugate):
        start, inside = rng.uniform(0.3, 0.7, 12), [(1e-3, 1 - 1e-3)] * 12
        return minimize(gap, start, args=(conjugate,), bounds=inside).fun

    assert least(wrong) < -1e-3
    assert least(right) > -1e-6


def test_the_best_regressor_of_libsvm_has_no_gap():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=60)
    machine = SVR(kernel="rbf", gamma=0.5, C=C, epsilon=TUBE, tol=1e-10).fit(X, y)
    beta = machine.dual_coef_[0]
    S, goal = machine.support_vectors_, y[machine.support_]
    K = np.exp(-0.5 * ((S[:, None] - S) ** 2).sum(2))
    square = float(beta @ K @ beta)
    objective = square / 2 + float(insensitive(y, machine.predict(X)).sum())
    gap = penalised_duality(objective, square, float((-goal * beta + TUBE * np.abs(beta)).sum()))
    assert abs(gap) < 1e-6 * objective
    assert penalised_duality(objective, square, float((-goal * beta).sum())) < -0.1


def test_the_best_logistic_machine_has_no_gap():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 3)), rng.choice([-1.0, 1.0], 50)
    best = minimize(
        lambda w: w @ w / 2 + logistic(y, X @ w).sum(), np.zeros(3), method="BFGS", tol=1e-9
    )
    beta = C * y * expit(-y * (X @ best.x))
    v = X.T @ beta
    gap = penalised_duality(
        float(best.fun), float(v @ v), float(LOSSES["logistic"][2](y, beta).sum())
    )
    assert 0 <= gap < 1e-8


@given(st.fractions(0, 100), st.fractions(0, 100), st.fractions(0, 100))
def test_with_the_hinge_loss_it_is_the_gap_of_support_vectors(square, hinge_loss, total):
    both = penalised_duality(square / 2 + hinge_loss, square, -total)
    assert both == svm_duality_kkt(square, hinge_loss, total, 1)


# The gradient


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.floats(0.01, 10))
def test_no_value_is_further_below_than_the_gradient_says(seed, penalty):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(8, 3)), rng.choice([-1.0, 1.0], 8)

    def value(w):
        return float(np.logaddexp(0, -y * (X @ w)).sum() + penalty * w @ w)

    def slope(w):
        return X.T @ (-y * expit(-y * (X @ w))) + 2 * penalty * w

    best = minimize(value, np.zeros(3), jac=slope, tol=1e-12).fun
    for w in rng.normal(size=(20, 3)) * 3:
        gradient = float(np.linalg.norm(slope(w)))
        assert value(w) - best <= strongly_convex_excess(gradient, 2 * penalty) + 1e-9


def test_a_square_meets_it_and_twice_the_curvature_is_caught():
    # P(w) = 3 w^2 has curvature 6; at w = 2 it is 12 above its least value.
    assert strongly_convex_excess(gradient=12, curvature=6) == 12.0
    assert strongly_convex_excess(gradient=12, curvature=12) < 12.0


@given(st.fractions(0, 1000), st.fractions(min_value=Fraction(1, 1000), max_value=1000))
def test_rounding_only_loosens(gradient, curvature):
    exact = gradient**2 / (2 * curvature)
    assert Fraction(strongly_convex_excess(gradient, curvature)) >= exact
    assert Fraction(penalised_duality(gradient, curvature, -gradient)) >= curvature / 2


@given(st.floats(0, 1e6), st.floats(1e-3, 1e3), st.floats(1, 10))
def test_it_grows_with_the_gradient_and_falls_with_the_curvature(gradient, curvature, more):
    base = strongly_convex_excess(gradient, curvature)
    assert strongly_convex_excess(gradient * more, curvature) >= base
    assert strongly_convex_excess(gradient, curvature * more) <= base


def test_refusals():
    gap = {"objective": 1, "square": 1, "conjugate": -1}
    for name in ("objective", "conjugate"):
        assert_refuses_all(penalised_duality, gap, name, "a finite number", NOT_NUMBERS)
    assert_refuses_all(penalised_duality, gap, "square", NONNEGATIVE, NOT_NONNEGATIVE)
    near = {"gradient": 1, "curvature": 1}
    assert_refuses_all(strongly_convex_excess, near, "gradient", NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(strongly_convex_excess, near, "curvature", POSITIVE, NOT_POSITIVE)
