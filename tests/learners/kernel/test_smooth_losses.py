"""Losses: values by their formulas, slopes and curvatures as derivatives, convexity, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.learners.kernel import (
    FOR_CLASSES,
    SQUARED,
    SmoothLoss,
    huber,
    smooth_loss,
    squared_epsilon_insensitive,
)
from tests.refusals import refuses

LOSSES = FOR_CLASSES | {
    "huber": huber(0.5),
    "squared_epsilon_insensitive": squared_epsilon_insensitive(0.5),
}
# By the formulas in their papers, one number at a time.
NAIVE = {
    "log_loss": lambda y, f: np.log(1 + np.exp(-y * f)),
    "squared_hinge": lambda y, f: max(0, 1 - y * f) ** 2,
    "modified_huber": lambda y, f: max(0, 1 - y * f) ** 2 if y * f >= -1 else -4 * y * f,
    "exponential": lambda y, f: np.exp(-y * f),
    "squared_error": lambda y, f: (y - f) ** 2,
    "huber": lambda y, f: (y - f) ** 2 / 2 if abs(y - f) <= 0.5 else 0.5 * abs(y - f) - 0.125,
    "squared_epsilon_insensitive": lambda y, f: max(0, abs(y - f) - 0.5) ** 2,
}


@pytest.mark.parametrize("name", LOSSES)
def test_values_are_those_of_the_formula(name):
    f = np.linspace(-4, 4, 81)
    for y in (-1.0, 1.0):
        want = [NAIVE[name](y, value) for value in f.tolist()]
        np.testing.assert_allclose(LOSSES[name].value(np.full_like(f, y), f), want, atol=1e-14)


@pytest.mark.parametrize("name", LOSSES)
def test_slopes_and_curvatures_are_derivatives(name):
    loss, f, h = LOSSES[name], np.linspace(-3, 3, 40) + 0.01, 1e-5
    for target in (-1.0, 1.0):
        goal = np.full_like(f, target)
        slope = (loss.value(goal, f + h) - loss.value(goal, f - h)) / (2 * h)
        np.testing.assert_allclose(loss.slope(goal, f), slope, atol=1e-5, rtol=1e-5)
        bend = (loss.slope(goal, f + h) - loss.slope(goal, f - h)) / (2 * h)
        np.testing.assert_allclose(loss.curvature(goal, f), bend, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", LOSSES)
@given(st.floats(-20, 20), st.floats(-20, 20), st.sampled_from([-1.0, 1.0]))
def test_slopes_never_fall(name, one, other, y):
    """Which is what the search, and the bound on its rounding, rely on."""
    low, high = sorted((one, other))
    at = np.array([low, high])
    first, second = LOSSES[name].slope(np.full(2, y), at).tolist()
    assert first <= second


@pytest.mark.parametrize("name", LOSSES)
def test_losses_join_where_their_pieces_meet(name):
    loss = LOSSES[name]
    for place in (-1.5, -1.0, -0.5, 0.5, 1.0, 1.5):
        near = np.array([place - 1e-9, place + 1e-9])
        for y in (-1.0, 1.0):
            goal = np.full(2, y)
            assert np.ptp(loss.value(goal, near)) < 1e-7
            assert np.ptp(loss.slope(goal, near)) < 1e-7


def test_a_loss_that_bends_the_other_way_is_caught_by_the_same_check():
    wrong = SmoothLoss(lambda y, f: -((y - f) ** 2), lambda y, f: -2 * (f - y))
    first, second = wrong.slope(np.ones(2), np.array([0.0, 1.0]))
    assert first > second


def test_large_scores_do_not_overflow():
    for name in ("log_loss", "squared_hinge", "modified_huber", "squared_error"):
        loss = FOR_CLASSES[name]
        values = loss.value(np.array([-1.0, 1.0]), np.array([1e100, -1e100]))
        assert np.isfinite(values).all()
        assert np.isfinite(loss.slope(np.array([-1.0, 1.0]), np.array([1e5, -1e5]))).all()


def test_a_name_a_loss_or_a_refusal():
    assert smooth_loss("squared_error", FOR_CLASSES) is SQUARED
    own = SmoothLoss(SQUARED.value, SQUARED.slope)
    assert smooth_loss(own, {}) is own
    listed = ", ".join(FOR_CLASSES)
    for other in ("hinge", None, 3):
        with refuses(f"loss must be one of {listed}, or a SmoothLoss, but is {other!r}."):
            smooth_loss(other, FOR_CLASSES)
