"""Covers of the sphere, and of finite sets."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.complexity.cover import covering_number, covering_number_sphere, greedy_net


def cover_of_the_circle(distance: float) -> int:
    """Exact: a point of the circle covers the arc within 2 arcsin(e / 2) on either side."""
    return 1 if distance >= 2 else math.ceil(math.pi / (2 * math.asin(distance / 2)) - 1e-12)


def sphere(n: int, d: int, seed: int) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(n, d))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def smallest_net(points: np.ndarray, distance: float) -> int:
    n = len(points)
    near = np.linalg.norm(points[:, None] - points[None], axis=2) <= distance
    return next(
        size
        for size in range(1, n + 1)
        if any(near[list(chosen)].any(axis=0).all() for chosen in combinations(range(n), size))
    )


def test_values_by_hand():
    assert covering_number_sphere(features=2, distance=0.5) == 25
    assert covering_number_sphere(features=2, distance=0.5, form="textbook") == 81
    assert covering_number_sphere(features=3, distance=0.1) == 21**3
    assert covering_number_sphere(features=3, distance=0.1, form="textbook") == 41**3


@given(st.floats(0.01, 2))
@settings(max_examples=50, deadline=None)
def test_circle_needs_no_more(distance):
    exact = cover_of_the_circle(distance)
    assert exact <= covering_number_sphere(2, distance)
    assert covering_number_sphere(2, distance) <= covering_number_sphere(2, distance, "textbook")


def test_half_the_exponent_is_broken():
    # On the sphere of R^3, 1 + 2/e points are too few: each covers an area of pi e^2 out of 4 pi.
    for distance in (0.05, 0.1, 0.2):
        needed = 4 / distance**2
        assert needed <= covering_number_sphere(3, distance)
        assert needed > covering_number_sphere(1, distance)


@pytest.mark.parametrize("d", [2, 3, 4])
@pytest.mark.parametrize("distance", [0.3, 0.6, 1.2])
def test_greedy_nets_on_the_sphere_stay_within_the_bound(d, distance):
    points = sphere(600, d, seed=d)
    net = greedy_net(points, distance)
    assert len(net) <= covering_number_sphere(d, distance)
    gaps = np.linalg.norm(points[:, None] - points[net][None], axis=2).min(axis=1)
    assert gaps.max() <= distance


@given(st.integers(1, 30), st.fractions(Fraction(1, 100), 3), st.fractions(1, 2))
@settings(max_examples=50, deadline=None)
def test_moves_with_dimension_and_distance_and_is_exact(d, distance, more):
    size = covering_number_sphere(d, distance)
    exact = (1 + 2 / distance) ** d
    assert math.floor(exact) <= size <= exact + Fraction(1, 1000)
    assert size <= covering_number_sphere(d + 1, distance)
    assert covering_number_sphere(d, distance * more) <= size


@given(st.integers(1, 8), st.integers(0, 2**32 - 1), st.floats(0.1, 2))
@settings(max_examples=30, deadline=None)
def test_smallest_net_is_the_one_found_by_trying_all(n, seed, distance):
    points = np.random.default_rng(seed).uniform(-1, 1, size=(n, 2))
    exact = smallest_net(points, distance)
    assert covering_number(points, distance) == exact
    assert exact <= len(greedy_net(points, distance))


def test_greedy_can_be_larger_than_the_smallest():
    line = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    assert covering_number(line, 1) == 2
    assert greedy_net(line, 1).tolist() == [0, 2, 4]


@pytest.mark.parametrize("bad", [0, -0.5, math.nan, math.inf, True, None])
def test_refuses_distances(bad):
    sentence = f"distance must be a finite number above zero, but is {bad!r}."
    for call in (covering_number_sphere, lambda _, e: greedy_net([[0.0]], e)):
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            call(2, bad)


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, None])
def test_refuses_features(bad):
    sentence = f"features must be a whole number of at least 1, but is {bad!r}."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        covering_number_sphere(bad, 0.5)


def test_refuses_unknown_forms_and_points_that_are_no_table():
    with pytest.raises(
        BadParameter, match=re.escape("form must be 'sharp' or 'textbook', but is 'loose'.")
    ):
        covering_number_sphere(2, 0.5, "loose")
    for bad in ([], [[math.nan]], [[1], [1, 2]]):
        sentence = (
            f"points must be a table of finite numbers with a row for each point, but is {bad}."
        )
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            greedy_net(bad, 1)
