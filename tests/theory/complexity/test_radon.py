"""Radon partitions: exact witnesses, and a linear program as a second opinion."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from assay.errors import BadParameter
from assay.theory.complexity.radon import RadonPartition, radon_partition
from assay.theory.complexity.shattering import halfspaces


@st.composite
def clouds(draw, coordinate):
    d = draw(st.integers(1, 4))
    n = draw(st.integers(d + 2, d + 4))
    point = st.lists(coordinate, min_size=d, max_size=d)
    return draw(st.lists(point, min_size=n, max_size=n))


def proves_itself(points, found: RadonPartition) -> bool:
    """Whether the weights show the common point in both hulls, in exact arithmetic."""
    parts = (found.first, found.second)
    once_each = sorted(found.first + found.second) == list(range(len(points)))
    averages = all(
        sum(found.weights[i] for i in part) == 1
        and all(
            sum(found.weights[i] * Fraction(str(points[i][j])) for i in part) == coordinate
            for j, coordinate in enumerate(found.point)
        )
        for part in parts
    )
    return once_each and averages and min(found.weights) >= 0


def in_hull(point, corners) -> bool:
    corners = np.asarray(corners, dtype=float)
    system = np.vstack([corners.T, np.ones(len(corners))])
    target = np.append(np.asarray(point, dtype=float), 1.0)
    return linprog(np.zeros(len(corners)), A_eq=system, b_eq=target, method="highs").status == 0


def test_corners_of_the_square():
    found = radon_partition([(0, 0), (1, 0), (0, 1), (1, 1)])
    assert {found.first, found.second} == {(0, 3), (1, 2)}
    assert found.point == (Fraction(1, 2), Fraction(1, 2))


def test_a_point_inside_a_triangle():
    found = radon_partition([(0, 0), (3, 0), (0, 3), (1, 1)])
    assert {found.first, found.second} == {(0, 1, 2), (3,)}
    assert found.point == (1, 1)


def test_three_numbers_on_a_line():
    found = radon_partition([(1,), (5,), (2,)])
    assert {found.first, found.second} == {(0, 1), (2,)}
    assert found.point == (2,)


def test_a_repeated_point_is_its_own_partner():
    found = radon_partition([(4, 4), (7, 1), (7, 1), (0, 3)])
    assert found.point == (7, 1)
    assert found.weights == (0, 1, 1, 0)


@given(clouds(st.integers(-20, 20)))
@settings(max_examples=60, deadline=None)
def test_whole_points_have_an_exact_witness(points):
    assert proves_itself(points, radon_partition(points))


@given(clouds(st.floats(-1e3, 1e3).map(lambda x: round(x, 3))))
@settings(max_examples=40, deadline=None)
def test_floats_stand_for_their_decimals(points):
    assert proves_itself(points, radon_partition(points))


@given(clouds(st.integers(-6, 6)))
@settings(max_examples=30, deadline=None)
def test_a_linear_program_finds_the_point_in_both_hulls(points):
    found = radon_partition(points)
    assert in_hull(found.point, [points[i] for i in found.first])
    assert in_hull(found.point, [points[i] for i in found.second])


def test_the_check_rejects_a_wrong_partition():
    points = [(0, 0), (3, 0), (0, 3), (1, 1)]
    found = radon_partition(points)
    swapped = RadonPartition((0, 1), (2, 3), found.point, found.weights)
    assert not proves_itself(points, swapped)
    assert not in_hull(found.point, [points[0], points[1]])


@pytest.mark.parametrize("d", [1, 2, 3])
def test_no_halfspace_separates_the_parts(d):
    points = np.random.default_rng(d).integers(-9, 10, size=(d + 2, d))
    found = radon_partition(points)
    labels = np.where(np.isin(np.arange(d + 2), found.first), 1, -1)
    realised = {tuple(row) for row in halfspaces(points).tolist()}
    assert tuple(labels) not in realised
    assert tuple(-labels) not in realised


def test_reads_arrays_and_fractions():
    array = np.array([[0.5, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    fractions = [[Fraction(1, 2), 0], [1, 0], [0, 1], [1, 1]]
    assert radon_partition(array) == radon_partition(fractions)


def test_refuses_too_few_points():
    sentence = "the number of points must be at least 4 in dimension 2, but is 3."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        radon_partition([(0, 0), (1, 0), (0, 1)])


@pytest.mark.parametrize(("points", "sizes"), [([], []), ([(), ()], [0]), ([(1,), (1, 2)], [1, 2])])
def test_refuses_points_of_no_or_different_dimensions(points, sizes):
    sentence = (
        f"the number of coordinates must be at least 1 and the same for all points, but is {sizes}."
    )
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        radon_partition(points)


@pytest.mark.parametrize("bad", [math.nan, math.inf, True, "north", None])
def test_refuses_coordinates_that_are_not_numbers(bad):
    sentence = f"points must be a finite number, but is {bad!r}."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        radon_partition([(0, 0), (1, 0), (0, 1), (1, bad)])


def test_refuses_plain_numbers():
    sentence = "points must be a sequence of points, each with its coordinates, but is [1, 2, 3]."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        radon_partition([1, 2, 3])
