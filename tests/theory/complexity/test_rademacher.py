"""Empirical Rademacher complexity: enumeration, simulation and closed forms."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.complexity.rademacher import (
    rademacher_empirical,
    rademacher_linear,
    rademacher_massart,
    rademacher_monte_carlo,
)
from assay.theory.complexity.shattering import intervals
from tests.soundness import assert_sound, assert_unsound

NOT_A_TABLE = (
    "values must be a table of finite numbers, a row for each function and a column for each point"
)


def enumerated(values) -> Fraction:
    """The definition, one sign vector after the other."""
    exact = [[Fraction(str(value)) for value in row] for row in values]
    m = len(exact[0])
    best = [
        max(sum(s * g for s, g in zip(signs, row, strict=True)) for row in exact)
        for signs in product((-1, 1), repeat=m)
    ]
    return sum(best) / (m * 2**m)


@st.composite
def tables(draw, numbers):
    m = draw(st.integers(1, 6))
    row = st.lists(numbers, min_size=m, max_size=m)
    return draw(st.lists(row, min_size=1, max_size=6))


class TestExact:
    @pytest.mark.parametrize(("m", "value"), [(1, 1.0), (2, 0.5), (3, 0.5), (4, 0.375)])
    def test_two_constant_labels(self, m, value):
        assert rademacher_empirical([[1] * m, [-1] * m]) == value

    @pytest.mark.parametrize(("m", "value"), [(2, 1.0), (3, 11 / 12), (4, 0.84375)])
    def test_intervals_and_half_as_much_for_zero_one_losses(self, m, value):
        labels = intervals(range(m))
        assert rademacher_empirical(labels) == pytest.approx(value, rel=1e-15)
        assert rademacher_empirical(labels > 0) == pytest.approx(value / 2, rel=1e-15)

    def test_shattering_gives_one_and_a_single_function_nothing(self):
        assert rademacher_empirical(list(product((-1, 1), repeat=5))) == 1.0
        assert rademacher_empirical([[0.3, -7, 11, 2.5]]) == 0.0

    @pytest.mark.parametrize("numbers", [st.integers(-5, 5), st.floats(-10, 10), st.integers()])
    def test_is_the_first_double_not_below_the_enumeration(self, numbers):
        @given(tables(numbers))
        @settings(max_examples=40, deadline=None, database=None)
        def check(values):
            exact, computed = enumerated(values), rademacher_empirical(values)
            assert math.nextafter(computed, -math.inf) < exact <= computed

        check()

    @given(tables(st.integers(-5, 5)), st.integers(0, 5))
    @settings(max_examples=30, deadline=None)
    def test_grows_with_the_class_scales_and_forgets_a_common_shift(self, values, factor):
        whole = rademacher_empirical(values)
        assert rademacher_empirical(values[:1]) <= rademacher_empirical(
            values[: len(values) // 2 + 1]
        )
        assert rademacher_empirical(values[: len(values) // 2 + 1]) <= whole
        scaled = [[factor * value for value in row] for row in values]
        assert rademacher_empirical(scaled) == pytest.approx(factor * whole, rel=1e-12)
        shifted = [[value + i for i, value in enumerate(row)] for row in values]
        assert rademacher_empirical(shifted) == whole

    def test_huge_numbers_stay_exact(self):
        values = [[10**30, 1], [0, 0]]
        assert rademacher_empirical(values) == float(enumerated(values))
        # One of these fits int64 and the other uint64, so NumPy would round both to doubles.
        values = [[0], [11_400_714_819_323_197_441]]
        assert rademacher_empirical(values) >= enumerated(values)
        assert rademacher_empirical(np.array([[2**64 - 1], [0]], dtype=np.uint64)) == 2.0**63

    def test_twenty_points(self):
        # Two opposite functions: the mean distance of a fair walk of 20 steps from its start.
        walk = Fraction(20 * math.comb(20, 10), 2**20)
        assert rademacher_empirical([[1] * 20, [-1] * 20]) == float(walk / 20)

    def test_refuses_more_points(self):
        sentence = (
            "the number of points must be at most 20 for the exact value, but is 21. "
            "Use rademacher_monte_carlo for more."
        )
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            rademacher_empirical([[1] * 21])

    @pytest.mark.parametrize("bad", [[], [1, 2], [[]], [[1, 2], [1]], [["a", "b"]], 3])
    def test_refuses_what_is_no_table(self, bad):
        with pytest.raises(BadParameter, match=re.escape(f"{NOT_A_TABLE}, but is {bad!r}.")):
            rademacher_empirical(bad)

    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_refuses_values_that_are_not_finite(self, bad):
        with pytest.raises(
            BadParameter, match=re.escape(f"values must be a finite number, but is {bad!r}.")
        ):
            rademacher_empirical([[0.5, bad]])


class TestMonteCarlo:
    def test_the_interval_misses_no_more_often_than_promised(self):
        values = np.random.default_rng(5).integers(-3, 4, size=(6, 8))
        truth, delta, trials = float(enumerated(values)), 0.2, 400
        found = [rademacher_monte_carlo(values, 50, delta, seed) for seed in range(trials)]
        assert_sound(sum(not f.low <= truth <= f.high for f in found), trials, delta)
        tenth = [
            (f.estimate - (f.high - f.low) / 20, f.estimate + (f.high - f.low) / 20) for f in found
        ]
        assert_unsound(sum(not low <= truth <= high for low, high in tenth), trials, delta)

    def test_width_is_the_smaller_of_two(self):
        # s_i = 1 at m points: squares of 1 (Hoeffding) or 4 / m (McDiarmid).
        for m, square in [(2, 1.0), (100, 0.04)]:
            found = rademacher_monte_carlo([[1] * m, [-1] * m], draws=500, delta=0.05, seed=1)
            width = math.sqrt(square * math.log(2 / 0.05) / (2 * 500))
            assert found.high - found.estimate == pytest.approx(width, rel=1e-12)

    def test_the_same_seed_gives_the_same_interval(self):
        values = np.random.default_rng(0).normal(size=(5, 30))
        first = rademacher_monte_carlo(values, 100, 0.1, seed=7)
        assert first == rademacher_monte_carlo(values, 100, 0.1, seed=7)
        assert first != rademacher_monte_carlo(values, 100, 0.1, seed=8)

    @given(st.integers(1, 500), st.floats(0.001, 0.99))
    @settings(max_examples=20, deadline=None)
    def test_never_below_zero_and_narrower_with_more_draws(self, draws, delta):
        values = [[1, -1, 1], [1, 1, -1]]
        found = rademacher_monte_carlo(values, draws, delta, seed=3)
        longer = rademacher_monte_carlo(values, 4 * draws, delta, seed=3)
        assert 0 <= found.low <= found.estimate <= found.high
        assert longer.high - longer.estimate < found.high - found.estimate

    def test_more_draws_than_fit_in_one_chunk(self):
        found = rademacher_monte_carlo([[1, 1, 1], [-1, -1, -1]], 20_000, 0.001, seed=2)
        assert found.low < 0.5 < found.high < found.low + 0.03

    def test_refuses(self):
        values = [[1, 1], [-1, 1]]
        cases = [
            ({"draws": 0}, "draws must be a whole number of at least 1, but is 0."),
            ({"delta": 0}, "delta must be a number strictly between 0 and 1, but is 0."),
            ({"delta": 1.0}, "delta must be a number strictly between 0 and 1, but is 1.0."),
            ({"seed": -1}, "seed must be a whole number of at least 0, but is -1."),
        ]
        for change, sentence in cases:
            with pytest.raises(BadParameter, match=re.escape(sentence)):
                rademacher_monte_carlo(values, **({"draws": 10, "delta": 0.1, "seed": 0} | change))


class TestLinear:
    def test_value_by_hand(self):
        assert rademacher_linear(norm=2, square_sum=100, rows=100) == 0.2

    @pytest.mark.parametrize("seed", range(5))
    def test_covers_the_exact_complexity_of_the_ball(self, seed):
        # sup over ||w|| <= B of <w, sum s_i x_i> is B ||sum s_i x_i||.
        rng = np.random.default_rng(seed)
        x, b = rng.normal(size=(8, 3)), 1.5
        signs = np.array(list(product((-1, 1), repeat=8)))
        exact = b * np.linalg.norm(signs @ x, axis=1).mean() / 8
        bound = rademacher_linear(b, (x**2).sum(), 8)
        assert exact <= bound
        assert exact > bound / 2  # the same bound at half the norm is broken

    def test_orthogonal_examples_reach_it(self):
        assert rademacher_linear(norm=1, square_sum=16, rows=16) == 0.25

    @given(st.floats(0, 1e3), st.floats(0, 1e3), st.integers(1, 1000), st.floats(1, 3))
    @settings(max_examples=50, deadline=None)
    def test_never_below_and_monotone(self, norm, square_sum, rows, more):
        bound = rademacher_linear(norm, square_sum, rows)
        with mpmath.workdps(50):
            exact = mpmath.mpf(repr(norm)) * mpmath.sqrt(mpmath.mpf(repr(square_sum))) / rows
            assert bound >= exact
        assert bound <= rademacher_linear(norm * more, square_sum, rows)
        assert bound <= rademacher_linear(norm, square_sum * more, rows)
        assert bound >= rademacher_linear(norm, square_sum, rows + 1)

    @pytest.mark.parametrize("bad", [-1, math.nan, math.inf, True, None])
    def test_refuses(self, bad):
        sentence = f"must be a finite number, zero or more, but is {bad!r}."
        with pytest.raises(BadParameter, match=re.escape(f"norm {sentence}")):
            rademacher_linear(bad, 1, 1)
        with pytest.raises(BadParameter, match=re.escape(f"square_sum {sentence}")):
            rademacher_linear(1, bad, 1)


class TestMassart:
    @given(tables(st.sampled_from([-1, 1])))
    @settings(max_examples=50, deadline=None)
    def test_covers_the_exact_complexity(self, values):
        distinct, m = len({tuple(row) for row in values}), len(values[0])
        assert rademacher_empirical(values) <= rademacher_massart(distinct, m)
        losses = [[(value + 1) // 2 for value in row] for row in values]
        assert rademacher_empirical(losses) <= rademacher_massart(distinct, m, half_range=0.5)

    def test_without_the_two_it_is_broken(self):
        # One point with both labels: complexity 1 > sqrt(ln 2).
        assert rademacher_empirical([[1], [-1]]) > rademacher_massart(2, 1) / math.sqrt(2)

    def test_one_labeling_has_no_complexity(self):
        assert rademacher_massart(labelings=1, rows=10) == 0.0

    @given(st.integers(1, 10**9), st.integers(1, 10**6))
    @settings(max_examples=50, deadline=None)
    def test_never_below_and_monotone(self, labelings, rows):
        bound = rademacher_massart(labelings, rows)
        with mpmath.workdps(50):
            assert bound >= mpmath.sqrt(2 * mpmath.log(labelings) / rows)
        assert bound <= rademacher_massart(labelings + 1, rows)
        assert bound >= rademacher_massart(labelings, rows + 1)
        assert bound <= rademacher_massart(labelings, rows, half_range=2)

    @pytest.mark.parametrize("bad", [0, -1, 1.5, math.nan, True])
    def test_refuses(self, bad):
        sentence = f"must be a whole number of at least 1, but is {bad!r}."
        with pytest.raises(BadParameter, match=re.escape(f"labelings {sentence}")):
            rademacher_massart(bad, 1)
        with pytest.raises(BadParameter, match=re.escape(f"rows {sentence}")):
            rademacher_massart(1, bad)
