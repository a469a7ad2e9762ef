"""The search of the representer theorem: closed forms, general optimisers, and the gradient it promises."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from assay.errors import BadData
from assay.kernels import Gaussian, Linear
from assay.learners.kernel.newton import minimise
from assay.learners.kernel.smooth_losses import (
    FOR_CLASSES,
    SQUARED,
    SmoothLoss,
    huber,
    squared_epsilon_insensitive,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
SIGNS = np.where(X[:, 0] + 0.5 * RNG.normal(size=40) > 0, 1.0, -1.0)
K = Gaussian(0.4)(X)
ONES = np.ones(40)
LOSSES = FOR_CLASSES | {"huber": huber(0.3), "tube": squared_epsilon_insensitive(0.2)}


def objective(a, gram, y, weights, loss, penalty):
    f = gram @ a
    return float(weights @ loss.value(y, f) + penalty * a @ f)


def test_the_square_has_a_closed_form():
    found = minimise(K, SIGNS, ONES, SQUARED, 0.5, 1e-12, 50)
    np.testing.assert_allclose(found.alpha, np.linalg.solve(K + 0.5 * np.eye(40), SIGNS), rtol=1e-8)
    np.testing.assert_allclose(found.scores, K @ found.alpha, atol=1e-12)
    assert found.steps <= 2


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("penalty", [1e-3, 0.1, 10.0])
def test_no_general_optimiser_does_better(name, penalty):
    loss, weights = LOSSES[name], RNG.uniform(0, 2, 40)
    found = minimise(K, SIGNS, weights, loss, penalty, 1e-9, 200)
    values, vectors = np.linalg.eigh(K)
    E = vectors * np.sqrt(np.maximum(values, 0))

    def of(z):
        f = E @ z
        slope = E.T @ (weights * loss.slope(SIGNS, f)) + 2 * penalty * z
        return float(weights @ loss.value(SIGNS, f) + penalty * z @ z), slope

    best = optimize.minimize(of, np.zeros(40), jac=True, method="BFGS", options={"gtol": 1e-10}).fun
    assert found.objective <= best * (1 + 1e-8) + 1e-9
    assert found.objective == pytest.approx(
        objective(found.alpha, K, SIGNS, weights, loss, penalty), rel=1e-12
    )
    assert best >= found.objective - found.gradient**2 / (4 * penalty) - 1e-12


@pytest.mark.parametrize("name", LOSSES)
def test_without_a_curvature_it_ends_in_the_same_place(name):
    loss = LOSSES[name]
    plain = SmoothLoss(loss.value, loss.slope)
    one = minimise(K, SIGNS, ONES, loss, 0.3, 1e-9, 100)
    other = minimise(K, SIGNS, ONES, plain, 0.3, 1e-9, 100)
    np.testing.assert_allclose(other.scores, one.scores, atol=1e-4)
    assert other.objective == pytest.approx(one.objective, rel=1e-6)


@pytest.mark.parametrize("name", LOSSES)
def test_the_gradient_is_never_longer_than_it_says(name):
    """Against extended precision, at the minimum and on the way there."""
    loss = LOSSES[name]
    for steps in (1, 2, 100):
        found = minimise(K, SIGNS, ONES, loss, 0.05, 1e-12, steps)
        a, gram = found.alpha.astype(np.longdouble), K.astype(np.longdouble)
        rest = loss.slope(SIGNS, gram @ a) + np.longdouble(0.1) * a
        length = float(np.sqrt(rest @ gram @ rest))
        assert length <= found.gradient
        assert found.gradient <= 1.01 * length + 1e-9


def test_a_gradient_of_half_its_length_would_be_caught():
    early = minimise(K, SIGNS, ONES, FOR_CLASSES["log_loss"], 0.05, 1e-12, 1)
    best = minimise(K, SIGNS, ONES, FOR_CLASSES["log_loss"], 0.05, 1e-12, 100)
    square = minimise(np.eye(2), np.ones(2), np.ones(2), SQUARED, 1.0, 1e-300, 1)
    assert early.objective - best.objective <= early.gradient**2 / 0.2
    # Of a function that is all penalty the bound is met: from alpha = 0 with a loss that hardly bends.
    flat = SmoothLoss(lambda y, f: -y * f, lambda y, f: -y + 0 * f, lambda y, f: 0 * f)
    start = -np.ones(2)
    low = minimise(np.eye(2), np.ones(2), np.ones(2), flat, 1.0, 1e-12, 5)
    excess = (-start.sum() + start @ start) - low.objective
    gradient = np.linalg.norm(-np.ones(2) + 2 * start)
    assert excess == pytest.approx(gradient**2 / 4)
    assert excess > (gradient / 2) ** 2 / 4
    assert square.gradient < 1e-12


def test_a_singular_kernel_leaves_coefficients_that_satisfy_the_equations():
    rows = RNG.integers(-2, 3, (60, 2)).astype(float)
    gram, y = Linear()(rows), RNG.normal(size=60)
    found = minimise(gram, y, np.ones(60), huber(0.5), 0.7, 1e-10, 100)
    assert found.residual < 1e-8
    np.testing.assert_allclose(
        found.alpha, -huber(0.5).slope(y, gram @ found.alpha) / 1.4, atol=1e-8
    )


def test_rows_of_no_weight_do_not_count():
    weights = np.where(np.arange(40) < 30, 1.0, 0.0)
    loss = FOR_CLASSES["log_loss"]
    part = minimise(K[:30, :30], SIGNS[:30], np.ones(30), loss, 0.2, 1e-10, 100)
    whole = minimise(K, SIGNS, weights, loss, 0.2, 1e-10, 100)
    np.testing.assert_allclose(whole.alpha[:30], part.alpha, atol=1e-8)
    assert not whole.alpha[30:].any()


def test_what_is_no_kernel_is_refused():
    with pytest.raises(BadData, match=r"^The kernel matrix must be positive semidefinite, but is"):
        minimise(-10 * np.eye(3), np.ones(3), np.ones(3), SQUARED, 0.1, 1e-8, 10)
