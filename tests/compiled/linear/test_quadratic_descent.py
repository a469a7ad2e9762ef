"""Coordinate descent on a quadratic with penalties, against its naive twin and against the conditions of a minimum."""

import numpy as np
import pytest

from assay.compiled.linear.quadratic_descent import quadratic_descent
from assay.learners.linear import steepness
from tests.naive.quadratic_descent import quadratic_descent as naive


def quadratic(seed, d=7):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(d, d))
    H, g, w = root @ root.T + 0.1 * np.eye(d), rng.normal(size=d), rng.normal(size=d)
    w[rng.random(d) < 0.3] = 0.0
    penalty = rng.exponential(size=d)
    penalty[-1] = 0.0
    return H, g, w, penalty


@pytest.mark.parametrize("seed", range(20))
def test_as_the_naive_twin_and_at_the_minimum(seed):
    H, g, w, penalty = quadratic(seed)
    s = np.empty_like(w)
    assert quadratic_descent(H, g, w, penalty, 1e-12, 100_000, s) < 100_000
    assert np.allclose(s, naive(H, g, w, penalty, passes=2000), atol=1e-9)
    assert steepness(g + H @ s, w + s, penalty) < 1e-10


def test_weights_that_the_penalty_holds_are_zero_exactly():
    H, g, w, _ = quadratic(3)
    s = np.empty_like(w)
    quadratic_descent(H, g, w, np.full(7, 1e6), 1e-12, 100, s)
    assert (w + s == 0).all()
