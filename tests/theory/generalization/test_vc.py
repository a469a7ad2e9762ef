"""Bounds through the growth function, against samples from known distributions."""

from __future__ import annotations

import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter, NoNumber
from assay.theory.complexity.growth import growth_halfspaces, sauer_growth
from assay.theory.generalization.vc import (
    vc_occam_growth,
    vc_occam_growth_rows,
    vc_occam_sauer,
    vc_occam_sauer_rows,
    vc_uniform_growth,
    vc_uniform_growth_rows,
)
from assay.theory.registry import find_theorem
from tests.soundness import assert_sound, assert_unsound

DELTA = st.floats(0.001, 0.5)
TRIPLES = [(2, 0.1, 0.05), (3, 0.1, 0.05), (11, 0.05, 0.01)]


class TestNumbers:
    def test_rows_for_consistent_hypotheses(self):
        rows = [vc_occam_sauer_rows(eps, delta, d) for d, eps, delta in TRIPLES]
        assert rows == [484, 680, 5163]

    def test_rows_for_uniform_convergence(self):
        rows = [vc_uniform_growth_rows(eps, delta, vc_dimension=d) for d, eps, delta in TRIPLES]
        assert rows == [19898, 28341, 445401]

    def test_halfplanes_with_their_exact_growth(self):
        assert vc_occam_growth_rows(0.1, 0.05, halfspaces=2) == 506
        assert vc_uniform_growth_rows(0.1, 0.05, halfspaces=2) == 20500

    def test_errors_at_a_thousand_rows(self):
        assert vc_occam_sauer(1000, 0.05, 3) == pytest.approx(0.0712686, rel=1e-6)
        assert vc_uniform_growth(1000, 0.05, vc_dimension=3) == pytest.approx(0.450715, rel=1e-6)

    def test_the_misprinted_two_would_promise_more(self):
        printed = math.sqrt(8 / 1000 * math.log(2 * sauer_growth(2000, 3) / 0.05))
        assert printed == pytest.approx(0.444521, rel=2e-6)
        assert vc_uniform_growth(1000, 0.05, vc_dimension=3) > printed

    def test_descriptions_of_the_same_growth_agree(self):
        m, d = 250, 3
        for function in (vc_occam_growth, vc_uniform_growth):
            by_sauer = function(m, 0.1, vc_dimension=d)
            assert by_sauer == function(m, 0.1, growth=sauer_growth(2 * m, d))
            assert by_sauer == function(m, 0.1, growth=lambda n: sauer_growth(n, d))
            exact = function(m, 0.1, halfspaces=d)
            assert exact == function(m, 0.1, lambda n: growth_halfspaces(n, d))
            assert exact < function(m, 0.1, vc_dimension=d + 1)
        assert vc_occam_sauer(m, 0.1, d) == vc_occam_growth(m, 0.1, vc_dimension=d)

    def test_rows_of_a_finite_class(self):
        # A constant growth makes the inequality explicit.
        assert vc_occam_growth_rows(0.125, 0.25, growth=1024) == 16 * (11 + 2)

    def test_a_dimension_of_a_thousand(self):
        rows = vc_occam_sauer_rows(0.1, 0.05, 1000)
        assert vc_occam_sauer(rows, 0.05, 1000) <= 0.1 < vc_occam_sauer(rows - 1, 0.05, 1000)


class TestProperties:
    @given(st.integers(1, 10**6), DELTA, st.integers(0, 12))
    @settings(max_examples=40, deadline=None)
    def test_never_below_the_exact_value(self, m, delta, d):
        with mpmath.workdps(50):
            growth, failure = mpmath.mpf(sauer_growth(2 * m, d)), mpmath.mpf(repr(delta))
            assert vc_occam_sauer(m, delta, d) >= 2 * mpmath.log(2 * growth / failure, 2) / m
            slack = mpmath.sqrt(8 * mpmath.log(4 * growth / failure) / m)
            assert vc_uniform_growth(m, delta, vc_dimension=d) >= slack
            assert vc_uniform_growth(m, delta, vc_dimension=d) <= slack * (1 + 1e-12)

    @given(st.integers(1, 2000), DELTA, st.integers(0, 12))
    @settings(max_examples=40, deadline=None)
    def test_monotone_in_every_input(self, m, delta, d):
        for bound in (vc_occam_growth, vc_uniform_growth):
            here = bound(m, delta, vc_dimension=d)
            assert here <= bound(m, delta, vc_dimension=d + 1)
            assert here <= bound(m, delta / 2, vc_dimension=d)
            if m > d:
                assert here >= bound(m + 1, delta, vc_dimension=d)
            assert bound(m, delta, growth=d + 1) <= bound(m, delta, growth=d + 2)

    @given(st.floats(0.01, 0.5), DELTA, st.integers(0, 6))
    @settings(max_examples=25, deadline=None)
    def test_rows_are_the_smallest_that_reach_the_error(self, error, delta, d):
        for rows, bound in (
            (vc_occam_growth_rows, vc_occam_growth),
            (vc_uniform_growth_rows, vc_uniform_growth),
        ):
            m = rows(error, delta, vc_dimension=d)
            assert bound(m, delta, vc_dimension=d) <= error
            assert bound(m - 1, delta, vc_dimension=d) > error * (1 - 1e-12)


class TestPromises:
    """Intervals of the line on uniform points, where every true error is a length."""

    TRIALS, ROWS, DELTA = 400, 100, 0.05

    def samples(self, seed):
        rng = np.random.default_rng(seed)
        return np.sort(rng.uniform(size=(self.TRIALS, self.ROWS)), axis=1)

    def test_consistent_hypotheses(self):
        # No point is positive, so an interval is consistent when it lies between two points;
        # its true error is its length, at worst the largest gap.
        edges = np.pad(self.samples(1), ((0, 0), (1, 1)), constant_values=(0.0, 1.0))
        worst = np.diff(edges, axis=1).max(axis=1)
        promised = vc_occam_sauer(self.ROWS, self.DELTA, 2)
        assert_sound(int((worst > promised).sum()), self.TRIALS, self.DELTA)
        forgets_the_class = math.log(1 / self.DELTA) / self.ROWS
        assert_unsound(int((worst > forgets_the_class).sum()), self.TRIALS, self.DELTA)

    def test_all_hypotheses_at_once(self):
        # Labels are all negative; the largest |length - share of points| over intervals is
        # the sum of the largest deviations of the empirical distribution, up and down.
        points = self.samples(2)
        above = (np.arange(1, self.ROWS + 1) / self.ROWS - points).max(axis=1)
        below = (points - np.arange(self.ROWS) / self.ROWS).max(axis=1)
        deviation = above + below
        promised = vc_uniform_growth(self.ROWS, self.DELTA, vc_dimension=2)
        assert_sound(int((deviation > promised).sum()), self.TRIALS, self.DELTA)
        one_hypothesis = math.sqrt(math.log(2 / self.DELTA) / (2 * self.ROWS))
        assert_unsound(int((deviation > one_hypothesis).sum()), self.TRIALS, self.DELTA)

    def test_eight_below_the_line_is_broken(self):
        points = self.samples(3)
        above = (np.arange(1, self.ROWS + 1) / self.ROWS - points).max(axis=1)
        below = (points - np.arange(self.ROWS) / self.ROWS).max(axis=1)
        # sqrt(ln(...) / (8 m)) in place of sqrt(8 ln(...) / m).
        broken = vc_uniform_growth(self.ROWS, self.DELTA, vc_dimension=2) / 8
        assert_unsound(int((above + below > broken).sum()), self.TRIALS, self.DELTA)


class TestRefusals:
    @pytest.mark.parametrize("bad", [0, 1, -0.1, 2, math.nan, math.inf, True, None])
    def test_delta_and_error(self, bad):
        sentence = f"must be a number strictly between 0 and 1, but is {bad!r}."
        for bound in (vc_occam_growth, vc_uniform_growth):
            with pytest.raises(BadParameter, match=re.escape(f"delta {sentence}")):
                bound(100, bad, vc_dimension=2)
        for rows in (vc_occam_growth_rows, vc_uniform_growth_rows):
            with pytest.raises(BadParameter, match=re.escape(f"error {sentence}")):
                rows(bad, 0.05, vc_dimension=2)

    @pytest.mark.parametrize("bad", [0, -5, 1.5, math.nan, math.inf, True, None])
    def test_rows(self, bad):
        sentence = f"rows must be a whole number of at least 1, but is {bad!r}."
        for bound in (vc_occam_growth, vc_uniform_growth):
            with pytest.raises(BadParameter, match=re.escape(sentence)):
                bound(bad, 0.05, vc_dimension=2)

    @pytest.mark.parametrize("bad", [0, -1, 0.5, math.inf])
    def test_growth(self, bad):
        sentence = f"growth must be a whole number of at least 1, but is {bad!r}."
        for growth in (bad, lambda n: bad):
            with pytest.raises(BadParameter, match=re.escape(sentence)):
                vc_occam_growth(100, 0.05, growth)

    def test_dimensions(self):
        with pytest.raises(
            BadParameter,
            match=re.escape("vc_dimension must be a whole number of at least 0, but is -1."),
        ):
            vc_occam_sauer(100, 0.05, -1)
        with pytest.raises(
            BadParameter,
            match=re.escape("halfspaces must be a whole number of at least 1, but is 0."),
        ):
            vc_uniform_growth(100, 0.05, halfspaces=0)

    @pytest.mark.parametrize(
        ("given", "names"),
        [({}, "[]"), ({"growth": 5, "halfspaces": 2}, "['growth', 'halfspaces']")],
    )
    def test_a_class_described_never_or_twice(self, given, names):
        sentence = (
            "the class must be described by exactly one of growth, vc_dimension and halfspaces, "
            f"but is {names}."
        )
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            vc_occam_growth(100, 0.05, **given)

    def test_order_of_growth_has_no_number(self):
        sentence = (
            "fundamental-theorem-order is an order of growth without constants: "
            "it has no number to promise."
        )
        with pytest.raises(NoNumber, match=re.escape(sentence)):
            find_theorem("fundamental-theorem-order")(vc_dimension=3)


def test_the_catalogue_gives_errors_and_rows():
    occam = find_theorem("T57")
    assert occam.rows(error=0.1, delta=0.05, vc_dimension=2) == 484
    assert occam(rows=484, delta=0.05, vc_dimension=2) <= 0.1
    assert find_theorem("vc-uniform-growth").rows(error=0.1, delta=0.05, halfspaces=2) == 20500
