"""VC dimensions, against the definition."""

from __future__ import annotations

import math
import re
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from assay.errors import BadParameter
from assay.theory.complexity.growth import sauer_growth
from assay.theory.complexity.shattering import (
    closed_homogeneous_halfspaces,
    halfspaces,
    homogeneous_halfspaces,
    intervals,
    majorities,
    rectangles,
    shatters,
    vc_dimension_of,
)
from assay.theory.complexity.vc_dimension import (
    vc_finite_class,
    vc_halfspaces_affine,
    vc_halfspaces_homogeneous,
    vc_intervals,
    vc_large_margin,
    vc_majority,
    vc_rectangles,
)

NOT_A_COUNT = [0, -1, 2.5, math.nan, math.inf, True, None]


class TestFiniteClass:
    def test_whole_powers_of_two_and_their_neighbours(self):
        sizes = (1, 2, 3, 4, 7, 8, 1000, 1024)
        assert [vc_finite_class(n) for n in sizes] == [0, 1, 1, 2, 2, 3, 9, 10]
        assert (vc_finite_class(2**300), vc_finite_class(2**300 - 1)) == (300, 299)

    @given(st.sets(st.integers(0, 63), min_size=1))
    @settings(max_examples=50, deadline=None)
    def test_no_class_exceeds_it(self, members):
        table = [[member >> bit & 1 for bit in range(6)] for member in sorted(members)]
        assert vc_dimension_of(table) <= vc_finite_class(len(members))

    @pytest.mark.parametrize("d", range(1, 6))
    def test_monotone_disjunctions_reach_it(self, d):
        inputs = list(product((0, 1), repeat=d))
        table = [
            [any(x[i] for i in chosen) for x in inputs]
            for size in range(d + 1)
            for chosen in combinations(range(d), size)
        ]
        assert len(table) == 2**d
        assert vc_dimension_of(table) == vc_finite_class(2**d) == d

    def test_a_bound_one_lower_is_broken(self):
        assert vc_dimension_of(list(product((0, 1), repeat=3))) > vc_finite_class(2**3) - 1

    def test_the_gap_can_be_as_large_as_one_likes(self):
        thresholds = np.tri(64, 63, -1, dtype=int)
        assert vc_dimension_of(thresholds) == 1
        assert vc_finite_class(64) == 6

    @pytest.mark.parametrize("bad", NOT_A_COUNT)
    def test_refuses(self, bad):
        sentence = f"class_size must be a whole number of at least 1, but is {bad!r}."
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            vc_finite_class(bad)


class TestIntervalsAndBoxes:
    def test_intervals(self):
        assert vc_intervals() == vc_dimension_of(intervals(range(7))) == 2

    def test_rectangles(self):
        assert vc_rectangles() == vc_rectangles(features=2) == 4
        assert vc_rectangles(features=1) == vc_intervals()

    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_the_unit_vectors_and_their_opposites_are_shattered(self, d):
        witness = np.vstack([np.eye(d), -np.eye(d)])
        assert shatters(witness, rectangles)
        assert len(witness) == vc_rectangles(d)

    def test_five_points_of_the_plane_are_never_shattered(self):
        # Only the order of the coordinates matters: 120 orders are all cases without ties.
        counts = [
            len(rectangles(list(zip(range(5), order, strict=True))))
            for order in permutations(range(5))
        ]
        assert max(counts) == 28 < 2**5

    @pytest.mark.parametrize("bad", NOT_A_COUNT)
    def test_refuses(self, bad):
        sentence = f"features must be a whole number of at least 1, but is {bad!r}."
        for function in (vc_rectangles, vc_halfspaces_affine, vc_halfspaces_homogeneous):
            with pytest.raises(BadParameter, match=re.escape(sentence)):
                function(bad)


class TestHalfspaces:
    @pytest.mark.parametrize("d", [1, 2, 3, 4])
    def test_witnesses_are_shattered(self, d):
        with_origin = np.vstack([np.zeros(d), np.eye(d)])
        assert shatters(with_origin, halfspaces)
        assert len(with_origin) == vc_halfspaces_affine(d)
        assert shatters(np.eye(d), homogeneous_halfspaces)
        assert len(np.eye(d)) == vc_halfspaces_homogeneous(d)

    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_one_point_more_is_never_shattered(self, d):
        rng = np.random.default_rng(d)
        for _ in range(5):
            points = rng.integers(-9, 10, size=(d + 2, d))
            assert not shatters(points, halfspaces)
            # The misprint d + 1 for halfspaces through the origin fails here.
            assert not shatters(points[: d + 1], homogeneous_halfspaces)
            assert not shatters(points[: d + 1], closed_homogeneous_halfspaces)


class TestLargeMargin:
    def test_norm_five_in_the_unit_ball(self):
        assert vc_large_margin(norm=5, radius=1) == 25
        assert vc_large_margin(norm=10, radius=0.1) == 1
        assert vc_large_margin(norm=math.sqrt(3) * (1 + 1e-15), radius=1) == 3

    @pytest.mark.parametrize("d", [1, 2, 5])
    def test_orthonormal_points_reach_it(self, d):
        # w = sum of y_i e_i has norm sqrt(d) and <w, e_i> = y_i for every labeling.
        assert vc_large_margin(norm=norm_to_shatter(np.eye(d)) * (1 + 1e-9), radius=1) == d

    @given(st.integers(1, 4), st.integers(0, 2**32 - 1))
    @settings(max_examples=30, deadline=None)
    def test_points_that_small_norms_shatter_are_few(self, points, seed):
        rng = np.random.default_rng(seed)
        cloud = rng.normal(size=(points, points + 1))
        radius = np.linalg.norm(cloud, axis=1).max()
        assert points <= vc_large_margin(norm_to_shatter(cloud) * (1 + 1e-9), radius * (1 + 1e-9))

    def test_half_the_radius_is_broken(self):
        assert vc_large_margin(norm=2 * (1 + 1e-9), radius=0.5) < 4  # four orthonormal points

    @given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(1, 3))
    @settings(max_examples=50, deadline=None)
    def test_grows_with_norm_and_radius(self, norm, radius, more):
        least = vc_large_margin(norm, radius)
        assert least <= vc_large_margin(norm * more, radius)
        assert least <= vc_large_margin(norm, radius * more)

    @pytest.mark.parametrize("bad", [0, -1.0, math.nan, math.inf, True, None])
    def test_refuses(self, bad):
        sentence = f"must be a finite number above zero, but is {bad!r}."
        with pytest.raises(BadParameter, match=re.escape(f"norm {sentence}")):
            vc_large_margin(norm=bad, radius=1)
        with pytest.raises(BadParameter, match=re.escape(f"radius {sentence}")):
            vc_large_margin(norm=1, radius=bad)


class TestMajority:
    def test_exact_search(self):
        pairs = [(1, 3), (1, 5), (2, 3), (3, 3)]
        assert [vc_majority(d, k) for d, k in pairs] == [10, 22, 25, 40]

    @pytest.mark.parametrize("d", range(5))
    def test_one_voter_is_the_class_itself(self, d):
        assert vc_majority(d, 1) == d

    @pytest.mark.parametrize(("d", "k"), list(product(range(4), (1, 3, 5, 9))))
    def test_search_is_the_largest_size_of_a_scan(self, d, k):
        limit = max(15, 4 * k * max(d, 1) * math.ceil(math.log2(k * max(d, 1) + 1)))
        allowed = [m for m in range(limit + 1) if 2**m <= sauer_growth(m, d) ** k]
        assert vc_majority(d, k) == allowed[-1] < limit

    def test_textbook_form_is_never_smaller(self):
        for d, k in product(range(1, 5), range(1, 121, 2)):
            assert vc_majority(d, k) <= vc_majority(d, k, form="textbook")

    def test_the_printed_form_is_too_small_without_its_floor(self):
        assert vc_majority(1, 3) > 2 * 3 * math.log2(3)
        assert vc_majority(1, 3, form="textbook") == 15

    @given(st.sets(st.integers(0, 255), min_size=1, max_size=7), st.sampled_from([1, 3, 5]))
    @settings(max_examples=40, deadline=None)
    def test_no_majority_class_exceeds_it(self, members, voters):
        table = [[member >> bit & 1 for bit in range(8)] for member in sorted(members)]
        votes = majorities(table, voters)
        assert vc_dimension_of(votes) <= vc_majority(vc_dimension_of(table), voters)

    def test_the_dimension_of_a_single_member_is_broken(self):
        singletons = np.vstack([np.eye(4, dtype=int), 1 - np.eye(4, dtype=int)])
        assert vc_dimension_of(majorities(singletons, 3)) > vc_dimension_of(singletons)

    @given(st.integers(0, 20), st.integers(0, 20))
    @settings(max_examples=30, deadline=None)
    def test_grows_with_dimension_and_voters(self, d, half):
        k = 2 * half + 1
        assert vc_majority(d, k) <= vc_majority(d + 1, k)
        assert vc_majority(d, k) <= vc_majority(d, k + 2)

    def test_refuses(self):
        odd = "voters must be odd, so that no vote is tied, but is 2."
        with pytest.raises(BadParameter, match=re.escape(odd)):
            vc_majority(1, 2)
        one = "vc_dimension must be at least 1 for the textbook form, but is 0."
        with pytest.raises(BadParameter, match=re.escape(one)):
            vc_majority(0, 3, form="textbook")
        form = "form must be 'sharp' or 'textbook', but is 'exact'."
        with pytest.raises(BadParameter, match=re.escape(form)):
            vc_majority(1, 3, form="exact")
        for bad in NOT_A_COUNT:
            sentence = f"voters must be a whole number of at least 1, but is {bad!r}."
            with pytest.raises(BadParameter, match=re.escape(sentence)):
                vc_majority(1, bad)


def norm_to_shatter(points: np.ndarray) -> float:
    """The smallest norm with which every labeling y has some w with y_i <w, x_i> >= 1."""
    return max(
        shortest(np.array(labels)[:, None] * points)
        for labels in product((-1.0, 1.0), repeat=len(points))
    )


def shortest(rows: np.ndarray) -> float:
    """The norm of the shortest w with rows @ w >= 1: Lawson and Hanson's least distance problem."""
    target = np.append(np.zeros(rows.shape[1]), 1.0)
    system = np.vstack([rows.T, np.ones(len(rows))])
    solution, _ = nnls(system, target)
    residual = system @ solution - target
    return float(np.linalg.norm(residual[:-1] / residual[-1]))
