"""The nearest point of a convex hull, by each of the ways to find it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.learners.search import by_interior_points, by_least_squares, polished
from tests.naive.widest_margin import widest_margin


def hull(seed, n, d):
    rng = np.random.default_rng(seed)
    X, v = rng.normal(size=(n, d)), rng.normal(size=d)
    return X * np.sign(X @ v)[:, None]


def assert_nearest(points, weights, share):
    """No point lies before the plane through the answer, by more than a share of its distance."""
    assert (weights >= 0).all()
    mean = weights @ points / weights.sum()
    square = mean @ mean
    assert (points @ mean).min() >= square * (1 - share)


def test_two_points_and_a_segment():
    points = np.array([[2.0, 0.0], [0.0, 2.0]])
    np.testing.assert_allclose(by_least_squares(points.T, 1.0, 1e-12), [0.5, 0.5])
    np.testing.assert_allclose(by_interior_points(points, np.ones(2)), [0.25, 0.25], rtol=1e-9)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 12))
def test_least_squares_find_it_to_the_last_digits(seed, n, d):
    points = hull(seed, n, d)
    shares = by_least_squares(points.T, 1.0, 1e-12)
    assert shares.sum() == pytest.approx(1)
    if np.linalg.norm(shares @ points) > 1e-6:
        assert_nearest(points, shares, 1e-9)


@pytest.mark.parametrize(("n", "d"), [(40, 3), (40, 40), (200, 30), (30, 80)])
@pytest.mark.parametrize("start", ["ones", "few"])
def test_interior_points_find_it_nearly_so(n, d, start):
    points = hull(1, n, d)
    begin = np.ones(n) if start == "ones" else (np.arange(n) < 2).astype(float)
    weights = by_interior_points(points, begin)
    mean = weights @ points / weights.sum()
    assert np.linalg.norm(mean) == pytest.approx(widest_margin(points), rel=1e-9)
    assert_nearest(points, weights, 1e-5)


def test_more_points_than_dimensions_hold_it_up():
    # The corners of a square at height one: any mean of opposite corners is nearest.
    corners = np.array([[1.0, 1, 1], [1, -1, 1], [-1, 1, 1], [-1, -1, 1]])
    for weights in (
        by_least_squares(corners.T, 1.0, 1e-12),
        by_interior_points(corners, np.ones(4)),
    ):
        np.testing.assert_allclose(weights @ corners / weights.sum(), [0, 0, 1], atol=1e-9)


def test_polishing_makes_scores_one():
    points = hull(3, 50, 5)
    shares = by_least_squares(points.T, 1.0, 1e-12)
    mean = shares @ points
    square = mean @ mean
    w, alpha = polished(points, shares, mean / square * (1 + 1e-8), shares / square)
    held = shares > 0
    np.testing.assert_allclose(points[held] @ w, 1.0, rtol=1e-13)
    np.testing.assert_allclose(alpha @ points, w, rtol=1e-9)


def test_polishing_keeps_what_it_cannot_better():
    points = hull(3, 50, 5)
    far, alpha = np.ones(5), np.ones(50)
    w, same = polished(points, np.ones(50), far, alpha)
    assert w is far
    assert same is alpha


def test_a_hull_around_the_origin_ends_at_it():
    points = np.array([[1.0, 0], [-1, 0], [0, 1]])
    shares = by_least_squares(points.T, 1.0, 1e-12)
    assert np.linalg.norm(shares @ points) < 1e-12
    assert np.isfinite(by_interior_points(points, np.ones(3))).all()
