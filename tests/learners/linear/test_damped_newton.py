"""Newton's method on functions whose minimum is known."""

from __future__ import annotations

import numpy as np
import pytest

from assay.learners.linear.damped_newton import damped_newton


class Quadratic:
    def __init__(self, A, b):
        self.A, self.b = A, b

    def at(self, w):
        return float(w @ self.A @ w / 2 - self.b @ w), self.A @ w - self.b, w

    def curvature(self, w):
        return self.A


class Steep:
    """sqrt(1 + w^2): a full Newton step from beyond one goes further away."""

    def at(self, w):
        root = np.sqrt(1 + w @ w)
        return float(root), w / root, w

    def curvature(self, w):
        return np.eye(1) / (1 + w @ w) ** 1.5


def test_a_quadratic_takes_one_step():
    A, b = np.array([[2.0, 1], [1, 3]]), np.array([1.0, 4])
    found, steps, left = damped_newton(Quadratic(A, b), np.zeros(2), 1e-12, 10)
    np.testing.assert_allclose(found, np.linalg.solve(A, b))
    assert steps == 1
    assert left <= 1e-12


def test_steps_are_halved_until_the_function_falls():
    found, steps, left = damped_newton(Steep(), np.array([3.0]), 1e-10, 100)
    assert abs(found[0]) <= 1e-9
    assert left <= 1e-10
    assert steps > 1


def test_it_stops_where_it_is_told_or_where_nothing_bends():
    _, steps, left = damped_newton(Steep(), np.array([3.0]), 1e-10, 1)
    assert steps == 1
    assert left > 1e-10
    flat = Quadratic(np.zeros((1, 1)), np.ones(1))
    found, steps, left = damped_newton(flat, np.zeros(1), 1e-10, 5)
    assert found.tolist() == [0.0]
    assert (steps, left) == (1, 1.0)


def test_a_direction_in_which_it_cannot_fall_ends_the_search():
    class Wrong(Quadratic):
        def at(self, w):
            value, slope, state = super().at(w)
            return value, -slope, state  # uphill

    found, _, left = damped_newton(Wrong(np.eye(1), np.ones(1)), np.zeros(1), 1e-10, 5)
    assert found.tolist() == [0.0]
    assert left == pytest.approx(1.0)
