import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.compiled.linear import losses
from tests.naive.losses import EPSILON, LOSSES, SGD_LOSSES

CODES = {
    "perceptron": losses.PERCEPTRON,
    "hinge": losses.HINGE,
    "squared_error": losses.SQUARED,
    "log_loss": losses.LOGISTIC,
    "exponential": losses.EXPONENTIAL,
    "epsilon_insensitive": losses.EPSILON_INSENSITIVE,
    "squared_hinge": losses.SQUARED_HINGE,
    "modified_huber": losses.MODIFIED_HUBER,
    "huber": losses.HUBER,
    "squared_epsilon_insensitive": losses.SQUARED_EPSILON_INSENSITIVE,
}
# All of them, with the side of the corner on which the theorems step.
TWINS = SGD_LOSSES | LOSSES
CORNERS = {"perceptron": [0.0], "hinge": [1.0, -1.0], "epsilon_insensitive": [0.9, 1.1, -0.9, -1.1]}
every_loss = pytest.mark.parametrize("name", CODES)
scores = st.floats(-20, 20)
labels = st.sampled_from([-1.0, 1.0])


@every_loss
@given(score=scores, label=labels)
def test_loss_and_slope_are_the_definition(name, score, label):
    value, slope = TWINS[name]
    assert losses.loss_of(CODES[name], score, label, EPSILON) == pytest.approx(
        value(score, label), rel=1e-13, abs=1e-15
    )
    assert losses.slope_of(CODES[name], score, label, EPSILON) == pytest.approx(
        slope(score, label), rel=1e-13, abs=1e-15
    )


@every_loss
@given(score=scores, label=labels)
def test_slope_is_the_finite_difference(name, score, label):
    h = 1e-6
    if any(abs(score - corner) < 1e-3 for corner in CORNERS.get(name, [])):
        return
    above, below = (losses.loss_of(CODES[name], score + s, label, EPSILON) for s in (h, -h))
    slope = losses.slope_of(CODES[name], score, label, EPSILON)
    assert slope == pytest.approx((above - below) / (2 * h), rel=1e-5, abs=1e-5)


def test_another_slope_is_no_finite_difference():
    """The check above can fail: the slope of the squared loss without the factor 1/2."""
    h, score = 1e-6, 0.3
    above, below = (losses.loss_of(losses.SQUARED, score + s, 1.0, 0.0) for s in (h, -h))
    assert 2 * (score - 1) != pytest.approx((above - below) / (2 * h), rel=1e-5)


@every_loss
@given(first=scores, second=scores, label=labels)
def test_losses_are_convex_and_the_slope_supports_them(name, first, second, label):
    at = losses.loss_of(CODES[name], first, label, EPSILON)
    line = at + losses.slope_of(CODES[name], first, label, EPSILON) * (second - first)
    assert losses.loss_of(CODES[name], second, label, EPSILON) >= line - 1e-9 * (1 + abs(line))


def test_corners_take_the_side_of_the_theorems():
    assert losses.slope_of(losses.HINGE, 1.0, 1.0, 0.0) == 0
    assert losses.slope_of(losses.PERCEPTRON, 0.0, 1.0, 0.0) == -1
    assert losses.slope_of(losses.EPSILON_INSENSITIVE, 1.5, 1.0, 0.5) == 0


@pytest.mark.parametrize("score", [-1e6, 1e6])
def test_far_scores_stay_finite(score):
    for code in (losses.LOGISTIC, losses.HINGE, losses.PERCEPTRON, losses.SQUARED):
        assert math.isfinite(losses.loss_of(code, score, 1.0, 0.1))
    assert losses.loss_of(losses.LOGISTIC, score, 1.0, 0.1) == max(0.0, -score)
    for code in (losses.LOGISTIC, losses.HINGE, losses.PERCEPTRON):
        assert abs(losses.slope_of(code, score, 1.0, 0.1)) <= 1


def test_a_mistake_costs_at_least_one():
    """Hinge, exponential and twice the squared loss lie above the error."""
    for score in np.linspace(-3, 3, 61):
        wrong = float(score <= 0)
        assert losses.loss_of(losses.HINGE, score, 1.0, 0.0) >= wrong
        assert losses.loss_of(losses.EXPONENTIAL, score, 1.0, 0.0) >= wrong
        assert 2 * losses.loss_of(losses.SQUARED, score, 1.0, 0.0) >= wrong
