"""Labelings counted on point sets, against formulas and against trying everything."""

from __future__ import annotations

import math
import re
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.complexity.growth import growth_halfspaces, sauer_growth
from assay.theory.complexity.shattering import (
    closed_homogeneous_halfspaces,
    finite_class,
    growth_of,
    growth_on,
    halfspaces,
    homogeneous_halfspaces,
    intervals,
    majorities,
    rectangles,
    shatters,
    vc_dimension_of,
)


def curve(m: int, d: int) -> np.ndarray:
    """Points of the moment curve (t, t^2, ..., t^d): always in general position."""
    return np.vander(np.arange(1.0, m + 1), d + 1, increasing=True)[:, 1:]


def rows(labels: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(row) for row in labels.tolist()}


def halfplanes_through_pairs(points: np.ndarray) -> set[tuple[int, ...]]:
    """Affine labelings in the plane: any line moves onto two points; move or turn it off them."""
    found = {(1,) * len(points), (-1,) * len(points)}
    moves = [(0.0, -1e-9), (0.0, 1e-9), (-1e-9, 0.0), (1e-9, 0.0)]
    for i, j in combinations(range(len(points)), 2):
        middle, along = (points[i] + points[j]) / 2, points[j] - points[i]
        for (turn, shift), side in product(moves, (-1, 1)):
            normal = np.array([-along[1] + turn * along[0], along[0] + turn * along[1]])
            found.add(tuple(np.where(side * ((points - middle) @ normal + shift) > 0, 1, -1)))
    return found


class TestHalfspaces:
    @pytest.mark.parametrize("m", range(1, 7))
    def test_plane(self, m):
        assert growth_on(curve(m, 2), halfspaces) == [2, 4, 8, 14, 22, 32][m - 1]

    @pytest.mark.parametrize(("d", "m"), [(1, 1), (1, 4), (1, 6), (2, 5), (3, 4), (3, 5), (3, 6)])
    def test_general_position_reaches_the_formula(self, d, m):
        points = curve(m, d)
        assert growth_on(points, halfspaces) == growth_halfspaces(m, d)
        count = growth_on(points, homogeneous_halfspaces)
        assert count == growth_halfspaces(m, d, "homogeneous")

    def test_points_on_a_line(self):
        assert growth_on([[0, 0], [1, 1], [2, 2]], halfspaces) == 6
        assert growth_on([[0, 0], [1, 1], [2, 2], [5, 5]], halfspaces) == 8

    def test_three_corners_are_shattered_and_four_are_not(self):
        square = [[0, 0], [1, 0], [0, 1], [1, 1]]
        assert shatters(square[:3], halfspaces)
        missing = set(product((-1, 1), repeat=4)) - rows(halfspaces(square))
        assert missing == {(1, -1, -1, 1), (-1, 1, 1, -1)}

    @given(st.integers(0, 2**32 - 1))
    @settings(max_examples=10, deadline=None)
    def test_lines_near_pairs_of_points_give_the_same_labelings(self, seed):
        points = np.random.default_rng(seed).uniform(-1, 1, size=(5, 2))
        assert rows(halfspaces(points)) == halfplanes_through_pairs(points)

    @given(st.integers(0, 2**32 - 1), st.integers(1, 3))
    @settings(max_examples=10, deadline=None)
    def test_never_more_than_the_formula_even_with_ties(self, seed, d):
        points = np.random.default_rng(seed).integers(-2, 3, size=(5, d))
        assert growth_on(points, halfspaces) <= growth_halfspaces(5, d)
        count = growth_on(points, homogeneous_halfspaces)
        assert count <= growth_halfspaces(5, d, "homogeneous")
        closed = growth_on(points, closed_homogeneous_halfspaces)
        assert closed <= growth_halfspaces(5, d, "homogeneous-closed")

    def test_moving_and_scaling_change_nothing(self):
        points = curve(5, 2)
        far = points * [1e-6, 1e6] + [1e3, -1e7]
        assert rows(halfspaces(far)) == rows(halfspaces(points))
        scaled = points * np.array([[1e-6], [1.0], [1e6], [3.0], [0.2]])
        assert rows(homogeneous_halfspaces(scaled)) == rows(homogeneous_halfspaces(points))

    @pytest.mark.parametrize("m", range(1, 6))
    def test_plane_through_the_origin(self, m):
        angles = 2 * math.pi * np.arange(m) / m + 0.1 * np.arange(m) ** 2
        points = np.column_stack([np.cos(angles), np.sin(angles)])
        assert growth_on(points, homogeneous_halfspaces) == 2 * m
        # All positive without a common open halfplane takes w = 0, which sgn(0) = +1 allows.
        surrounded = m >= 3
        assert growth_on(points, closed_homogeneous_halfspaces) == 2 * m + surrounded

    def test_opposite_points_can_both_be_positive(self):
        assert rows(closed_homogeneous_halfspaces([1, -1])) == {(1, 1), (1, -1), (-1, 1)}
        assert growth_on([1, -1], homogeneous_halfspaces) == 2

    def test_origin_is_on_every_homogeneous_boundary(self):
        assert growth_on([[0.0, 0.0]], homogeneous_halfspaces) == 0
        assert growth_on([[0.0, 0.0]], closed_homogeneous_halfspaces) == 1
        assert growth_on([[0.0, 0.0]], halfspaces) == 2


class TestIntervalsAndRectangles:
    def test_intervals_reach_sauer(self):
        counts = [growth_on(range(m), intervals) for m in range(1, 8)]
        assert counts == [2, 4, 7, 11, 16, 22, 29] == [sauer_growth(m, 2) for m in range(1, 8)]

    def test_outer_points_take_the_middle_along(self):
        missing = set(product((-1, 1), repeat=3)) - rows(intervals([3, 1, 2]))
        assert missing == {(1, 1, -1)}

    def test_rectangles_in_the_best_position(self):
        best = [
            max(
                growth_on(list(zip(range(m), order, strict=True)), rectangles)
                for order in permutations(range(m))
            )
            for m in range(1, 6)
        ]
        assert best == [2, 4, 8, 16, 28]

    def test_six_points_and_rectangles(self):
        # A few hundred orders contain a best one; all 720 take a second and agree.
        orders = list(permutations(range(6)))[::3]
        counts = [
            growth_on(list(zip(range(6), order, strict=True)), rectangles) for order in orders
        ]
        assert max(counts) == 49

    @given(st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=1, max_size=5))
    @settings(max_examples=30, deadline=None)
    def test_rectangles_by_trying_all_of_them(self, points):
        edges = [-0.5, 0.5, 1.5, 2.5, 3.5]
        tried = {
            tuple(1 if a < x < b and c < y < e else -1 for x, y in points)
            for a, b, c, e in product(edges, repeat=4)
        }
        assert rows(rectangles(points)) == tried

    def test_intervals_of_the_plane_are_refused(self):
        sentence = "the dimension of the points must be 1 for intervals of the line, but is 2."
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            intervals([[0, 0], [1, 1]])


class TestFiniteClasses:
    def test_points_are_places_of_columns(self):
        parity = finite_class([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
        assert rows(parity([0, 2])) == set(product((-1, 1), repeat=2))
        assert not shatters([0, 1, 2], parity)

    @given(st.sets(st.integers(0, 31), min_size=1))
    @settings(max_examples=50, deadline=None)
    def test_dimension_and_growth_by_definition(self, members):
        table = np.array([[member >> bit & 1 for bit in range(5)] for member in sorted(members)])
        counts = {
            size: max(
                len({tuple(row) for row in table[:, list(columns)].tolist()})
                for columns in combinations(range(5), size)
            )
            for size in range(6)
        }
        assert {size: growth_of(table, size) for size in range(6)} == counts
        dimension = max(size for size in range(6) if counts[size] == 2**size)
        assert vc_dimension_of(table) == vc_dimension_of(2 * table - 1) == dimension
        for size in range(6):
            assert counts[size] <= sauer_growth(size, dimension)

    def test_a_sauer_bound_one_dimension_lower_is_broken(self):
        table = list(product((0, 1), repeat=3))
        assert growth_of(table, 3) > sauer_growth(3, vc_dimension_of(table) - 1)

    def test_majorities_by_trying_all_triples(self):
        table = np.array([[0, 0, 1, 1], [1, 0, 0, 1], [1, 1, 1, 0]])
        tried = {
            tuple(np.where(table[list(chosen)].sum(axis=0) >= 2, 1, -1).tolist())
            for chosen in product(range(3), repeat=3)
        }
        assert rows(majorities(table, 3)) == tried
        assert rows(majorities(table, 1)) == rows(2 * table - 1)

    def test_refuses(self):
        for bad in ([1, 0], [[0, 2]], [[-1, 0, 1]], [], [[0, 1], [1]], [["yes", "no"]]):
            sentence = (
                "table must be a table of -1 and +1, or of 0 and 1, with a row for each function, "
                f"but is {bad!r}."
            )
            with pytest.raises(BadParameter, match=re.escape(sentence)):
                vc_dimension_of(bad)
        with pytest.raises(
            BadParameter,
            match=re.escape("points must be places of columns below 2, but is [0, 2]."),
        ):
            growth_on([0, 2], finite_class([[0, 1]]))
        with pytest.raises(
            BadParameter,
            match=re.escape("points must be at most the number of columns 2, but is 3."),
        ):
            growth_of([[0, 1]], 3)
        with pytest.raises(
            BadParameter, match=re.escape("voters must be odd, so that no vote is tied, but is 2.")
        ):
            majorities([[0, 1]], 2)
        for bad in ([], [[math.inf]], [[1], [1, 2]], ["left"], 3):
            must = "a table of finite numbers with a row for each point"
            sentence = f"points must be {must}, but is {bad!r}."
            with pytest.raises(BadParameter, match=re.escape(sentence)):
                halfspaces(bad)
