import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from assay.theory.margin.representer import representer
from tests.refusals import NOT_POSITIVE, POSITIVE, assert_refuses_all, refuses

LOSSES = {
    "square": lambda y, f: (y - f) ** 2,
    "squared-hinge": lambda y, f: np.maximum(0, 1 - y * f) ** 2,
    "exponential": lambda y, f: np.exp(-y * f),
    "logistic": lambda y, f: np.log1p(np.exp(-y * f)),
}


def problem(seed):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(6, 3))
    return features, rng.choice([-1.0, 1.0], 6)


def best_weights(features, y, loss, penalty):
    """The minimiser over all of feature space, found without the theorem."""
    price = lambda w: LOSSES[loss](y, features @ w).sum() + penalty * w @ w  # noqa: E731
    found = minimize(price, np.zeros(3), method="BFGS", options={"gtol": 1e-10})
    return found.x


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("penalty", [0.1, 1.0])
def test_the_best_machine_has_the_coefficients_of_its_slopes(loss, penalty):
    features, y = problem(4)
    w = best_weights(features, y, loss, penalty)
    f, h = features @ w, 1e-6
    slopes = (LOSSES[loss](y, f + h) - LOSSES[loss](y, f - h)) / (2 * h)
    alphas = -slopes / (2 * penalty)
    np.testing.assert_allclose(alphas @ features, w, atol=1e-5)
    gram = features @ features.T
    gram = (gram + gram.T) / 2
    assert representer(gram, y, alphas, penalty, loss).residual < 1e-3
    # The sign as it is printed in places, and a penalty left out, are caught by the same equations.
    assert representer(gram, y, -alphas, penalty, loss).residual > 1e-2
    assert representer(gram, y, 2 * alphas, penalty, loss).residual > 1e-2


def test_ridge_with_its_golden_coefficients():
    # X = [1; 2], y = (1, 2), penalty 1: w = 5/6, alpha = (1/6, 1/3).
    found = representer([[1, 2], [2, 4]], [1, 2], [Fraction(1, 6), Fraction(1, 3)], penalty=1)
    assert found.residual == 0.0
    assert found.scores == (Fraction(5, 6), Fraction(5, 3))


def test_the_residual_is_rounded_up():
    found = representer([[1]], [1], [0], penalty=1, loss="logistic")
    assert found.residual >= 0.25
    assert found.residual == pytest.approx(0.25, rel=1e-12)
    with_exp = representer([[1]], [1], [1], penalty=1, loss="exponential")
    assert with_exp.residual >= 1 - math.exp(-1) / 2


def test_refusals():
    good = {"gram": [[1]], "y": [1], "alphas": [1], "penalty": 1}
    assert_refuses_all(representer, good, "penalty", POSITIVE, NOT_POSITIVE)
    with refuses("y[0] must be -1 or +1, but is 0.5."):
        representer([[1]], [0.5], [1], 1, "logistic")
    with refuses("gram must be symmetric, but is [[1, 2], [0, 1]]."):
        representer([[1, 2], [0, 1]], [1, 1], [1, 1], 1)
    with refuses(
        "loss must be one of 'square', 'squared-hinge', 'exponential', 'logistic', but is 'hinge'."
    ):
        representer([[1]], [1], [1], 1, "hinge")
