"""How steps go on, and what they remember."""

from __future__ import annotations

import numpy as np
import pytest

from assay import MLPClassifier
from assay.learners.neural.steps import Steps


def steps(**parameters):
    return Steps(MLPClassifier(**parameters), 3, np.dtype(float))


def test_an_adaptive_step_is_divided_until_it_is_tiny():
    adaptive = steps(solver="sgd", learning_rate="adaptive", learning_rate_init=1e-5)
    assert adaptive.slower()
    assert adaptive.rate == pytest.approx(2e-6)
    assert adaptive.slower()
    assert not adaptive.slower()
    assert not steps(solver="adam", learning_rate="adaptive").slower()
    assert not steps(solver="sgd").slower()


def test_schedules():
    falling = steps(solver="sgd", learning_rate="invscaling", learning_rate_init=1.0)
    falling.end_pass(99)
    assert falling.rate == pytest.approx(0.1)
    for other in (steps(solver="sgd"), steps(learning_rate="invscaling")):
        before = other.rate
        other.end_pass(99)
        assert other.rate == before


def test_plain_steps_go_against_the_gradient():
    plain = steps(solver="sgd", momentum=0.0, learning_rate_init=0.5)
    weights = np.zeros(3)
    plain.step(weights, np.array([1.0, -2.0, 0.0]))
    assert weights.tolist() == [-0.5, 1.0, 0.0]
    assert plain.moments.shape == (1, 3)


def test_the_first_step_of_adam_is_as_long_as_the_rate():
    adam = steps(learning_rate_init=0.1)
    weights = np.zeros(3)
    adam.step(weights, np.array([5.0, -0.01, 0.0]))
    np.testing.assert_allclose(weights, [-0.1, 0.1, 0.0], rtol=1e-4)
    assert (adam.taken, adam.moments.shape) == (1, (2, 3))
