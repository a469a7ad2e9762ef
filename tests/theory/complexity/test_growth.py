"""Sauer's sum, its true corollaries, and the exact growth of halfspaces."""

from __future__ import annotations

import math
import re
from itertools import combinations, product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.complexity.growth import growth_halfspaces, sauer_growth, sauer_sum

FORMS = ("sum", "(em/d)^d", "m^d+1", "(m+1)^d", "m^d")


def where_true(form: str, m: int, d: int) -> bool:
    return {
        "sum": True,
        "(m+1)^d": True,
        "m^d+1": m >= 1,
        "(em/d)^d": m >= d >= 1,
        "m^d": d == 0 or (d >= 2 and m >= 2),
    }[form]


def phi(m: int, d: int) -> int:
    """The recursion of the proof: labelings without a point, and those it could label both ways."""
    if m == 0 or d == 0:
        return 1
    return phi(m - 1, d) + phi(m - 1, d - 1)


def largest_class(points: int, dimension: int) -> int:
    """The most members of any class of that VC dimension on so many points, over all classes."""
    labelings = list(product((0, 1), repeat=points))
    best = 0
    for chosen in range(1 << len(labelings)):
        members = [x for i, x in enumerate(labelings) if chosen >> i & 1]
        if len(members) > best and not shatters_some(members, points, dimension + 1):
            best = len(members)
    return best


def shatters_some(members: list[tuple[int, ...]], points: int, size: int) -> bool:
    return any(
        len({tuple(x[i] for i in columns) for x in members}) == 2**size
        for columns in combinations(range(points), size)
    )


class TestSauer:
    def test_sums_of_binomials(self):
        assert [sauer_growth(m, 2) for m in range(1, 8)] == [2, 4, 7, 11, 16, 22, 29]
        assert sauer_growth(5, 1) == 6
        assert (sauer_growth(1, 2), sauer_growth(2, 2)) == (2, 4)
        assert sauer_growth(0, 5) == 1

    @pytest.mark.parametrize("d", range(7))
    def test_is_the_recursion_of_the_proof(self, d):
        assert [sauer_growth(m, d) for m in range(15)] == [phi(m, d) for m in range(15)]

    @pytest.mark.parametrize(("points", "dimension"), [(2, 0), (2, 1), (3, 1), (3, 2), (4, 1)])
    def test_no_class_is_larger_and_some_class_is_as_large(self, points, dimension):
        assert largest_class(points, dimension) == sauer_growth(points, dimension)

    def test_one_term_less_is_broken(self):
        assert largest_class(3, 1) > sauer_sum(3, 1) - math.comb(3, 1)

    @pytest.mark.parametrize("form", FORMS)
    def test_every_form_is_at_least_the_sum_where_it_is_true(self, form):
        for m, d in product(range(60), range(8)):
            if where_true(form, m, d):
                assert sauer_growth(m, d, form) >= sauer_growth(m, d)

    def test_the_printed_power_is_false_for_dimension_one_and_for_one_point(self):
        assert all(m**1 < sauer_growth(m, 1) for m in range(1, 60))
        assert all(1**d < sauer_growth(1, d) for d in range(1, 8))

    @given(st.integers(1, 400), st.integers(1, 40))
    @settings(max_examples=50, deadline=None)
    def test_euler_form_is_never_below_the_exact_power(self, m, d):
        if m < d:
            m, d = d, m
        with mpmath.workdps(200):
            assert sauer_growth(m, d, "(em/d)^d") >= mpmath.floor((mpmath.e * m / d) ** d)

    @given(st.integers(0, 300), st.integers(0, 30))
    @settings(max_examples=50, deadline=None)
    def test_grows_with_points_and_dimension(self, m, d):
        assert sauer_growth(m, d) <= sauer_growth(m + 1, d)
        assert sauer_growth(m, d) <= sauer_growth(m, d + 1) <= 2**m

    @pytest.mark.parametrize("d", range(1, 9))
    def test_logarithm_is_concave_in_the_points(self, d):
        values = [sauer_growth(m, d) for m in range(80)]
        triples = zip(values, values[1:], values[2:], strict=False)
        assert all(b * b >= a * c for a, b, c in triples)

    def test_size_of_a_large_sum(self):
        assert sauer_growth(2000, 11) == sum(math.comb(2000, i) for i in range(12))

    @pytest.mark.parametrize("bad", [-1, 1.5, math.nan, math.inf, True, "three", None])
    def test_refuses_points_and_dimension(self, bad):
        sentence = f"must be a whole number of at least 0, but is {bad!r}."
        with pytest.raises(BadParameter, match=re.escape(f"points {sentence}")):
            sauer_growth(bad, 2)
        with pytest.raises(BadParameter, match=re.escape(f"vc_dimension {sentence}")):
            sauer_growth(2, bad)

    def test_refuses_forms_where_they_are_false(self):
        power = (
            "form must be a form that is true here ('m^d' needs d = 0, or d >= 2 and m >= 2), "
            "but is 'm^d'. Use 'sum', which is never larger."
        )
        for m, d in [(5, 1), (1, 3), (0, 2)]:
            with pytest.raises(BadParameter, match=re.escape(power)):
                sauer_growth(m, d, "m^d")
        euler = (
            "form must be a form that is true here ('(em/d)^d' needs m >= d >= 1), "
            "but is '(em/d)^d'. Use 'sum', which is never larger."
        )
        for m, d in [(2, 3), (4, 0)]:
            with pytest.raises(BadParameter, match=re.escape(euler)):
                sauer_growth(m, d, "(em/d)^d")
        one = "points must be a whole number of at least 1 for the form 'm^d+1', but is 0."
        with pytest.raises(BadParameter, match=re.escape(one)):
            sauer_growth(0, 2, "m^d+1")

    def test_refuses_unknown_forms(self):
        sentence = (
            "form must be one of 'sum', '(em/d)^d', 'm^d+1', '(m+1)^d', 'm^d', but is 'sharp'."
        )
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            sauer_growth(2, 2, "sharp")


class TestHalfspaces:
    def test_plane(self):
        assert [growth_halfspaces(m, 2) for m in range(1, 7)] == [2, 4, 8, 14, 22, 32]
        assert all(growth_halfspaces(m, 2) == m * m - m + 2 for m in range(1, 50))

    def test_plane_through_the_origin(self):
        assert [growth_halfspaces(m, 2, "homogeneous") for m in range(1, 6)] == [2, 4, 6, 8, 10]

    def test_space(self):
        assert [growth_halfspaces(m, 3) for m in (4, 5)] == [16, 30]
        assert [growth_halfspaces(m, 3, "homogeneous") for m in (3, 4)] == [8, 14]

    def test_closed_homogeneous_growth_covers_the_labelings_of_ties(self):
        assert growth_halfspaces(2, 1, "homogeneous-closed") == 3
        assert all(growth_halfspaces(m, 2, "homogeneous-closed") >= 2 * m + 1 for m in range(3, 30))

    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_counts_the_labelings_of_points_in_general_position(self, d):
        # Regions of m planes through the origin of R^(d+1), seen by very many random normals.
        rng = np.random.default_rng(d)
        m = d + 3
        examples = np.column_stack([rng.normal(size=(m, d)), np.ones(m)])
        seen = np.unique(rng.normal(size=(200_000, d + 1)) @ examples.T > 0, axis=0)
        assert len(seen) <= growth_halfspaces(m, d)
        assert len(seen) > growth_halfspaces(m, d, "homogeneous")

    @given(st.integers(1, 200), st.integers(1, 20))
    @settings(max_examples=50, deadline=None)
    def test_is_at_most_sauer_and_grows(self, m, d):
        assert growth_halfspaces(m, d) <= sauer_growth(m, d + 1)
        assert growth_halfspaces(m, d, "homogeneous") <= sauer_growth(m, d)
        assert growth_halfspaces(m, d) <= growth_halfspaces(m + 1, d)
        assert growth_halfspaces(m, d) <= growth_halfspaces(m, d + 1)
        assert growth_halfspaces(m, d, "homogeneous") <= growth_halfspaces(m, d)

    @pytest.mark.parametrize("bad", [0, -1, 2.5, math.nan, math.inf, False, None])
    def test_refuses_points_and_features(self, bad):
        sentence = f"must be a whole number of at least 1, but is {bad!r}."
        with pytest.raises(BadParameter, match=re.escape(f"points {sentence}")):
            growth_halfspaces(bad, 2)
        with pytest.raises(BadParameter, match=re.escape(f"features {sentence}")):
            growth_halfspaces(2, bad)

    def test_refuses_unknown_kinds(self):
        sentence = "kind must be 'affine', 'homogeneous' or 'homogeneous-closed', but is 'open'."
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            growth_halfspaces(2, 2, "open")
