"""Units by rows and by differences: golden values, the wealth in whole numbers, the promise on drawn units."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.difference import paired_difference
from assay.theory.tail.unit_mean import unit_mean_betting
from assay.theory.tail.unit_ratio import unit_difference, unit_ratio_betting
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound

GOLDEN = [(0, 2, 60), (0, 10, 60), (1, 5, 40), (2, 8, 25), (4, 10, 15)]
deltas = st.floats(1e-9, 0.9)


@st.composite
def histograms(draw, most=12, signed=False):
    units = []
    for _ in range(draw(st.integers(1, 6))):
        rows = draw(st.integers(1, most))
        units.append(
            (draw(st.integers(-rows if signed else 0, rows)), rows, draw(st.integers(1, 20)))
        )
    return units


def wealth(units, most: int, theta: Fraction) -> Fraction:
    """What the sixty-four gamblers own together, in whole numbers."""
    total = Fraction(0)
    for j in range(1, 65):
        own = Fraction(1)
        for errors, rows, many in units:
            own *= (1 - Fraction(j, 64) * (errors - theta * rows) / most) ** many
        total += own
    return total / 64


def test_golden_values():
    assert unit_ratio_betting(GOLDEN, 10, 0.05) == pytest.approx(0.16195925120929092, rel=1e-15)
    # 10 of 200 units wholly wrong are a plain count.
    assert holdout_exact(10, 200, 0.05) == pytest.approx(0.08333515106637197, rel=1e-15)


@settings(max_examples=40)
@given(histograms(), st.integers(12, 30), deltas)
def test_the_wealth_is_reached_there_and_not_one_double_below(units, most, delta):
    high, need = unit_ratio_betting(units, most, delta), 1 / Fraction(repr(delta))
    below = math.nextafter(high, 0)
    if high < 1:
        assert wealth(units, most, Fraction(high)) >= need
    assert wealth(units, most, Fraction(below)) < need


@settings(max_examples=40)
@given(histograms(), deltas)
def test_units_of_one_size_have_one_rate(units, delta):
    same = [(min(e, 4), 4, many) for e, _, many in units]
    assert unit_ratio_betting(same, 4, delta) == unit_mean_betting(same, delta)


@settings(max_examples=40)
@given(histograms(), deltas, deltas, st.randoms())
def test_monotone_and_without_order(units, one, other, random):
    small, large = sorted((one, other))
    here = unit_ratio_betting(units, 12, small)
    assert unit_ratio_betting(units, 12, large) <= here
    worse = [(min(e + 1, r), r, m) for e, r, m in units]
    assert here <= unit_ratio_betting(worse, 12, small)
    apart = [(e, r, 1) for e, r, m in units for _ in range(m)]
    random.shuffle(apart)
    assert unit_ratio_betting(apart, 12, small) == here


def test_many_kinds_are_decided_in_floating_point_and_never_below():
    rng = np.random.default_rng(3)
    rows = rng.integers(1, 400, 300)
    units = [(int(e), int(r), 1) for e, r in zip(rng.binomial(rows, 0.1), rows, strict=True)]
    kinds = len({(e, r) for e, r, _ in units})
    high = unit_ratio_betting(units, 400, 0.05)
    assert kinds > 256
    assert wealth(units, 400, Fraction(high)) >= 20
    assert wealth(units, 400, Fraction(high * (1 - 1e-9))) < 20


@settings(max_examples=40)
@given(histograms(signed=True), deltas)
def test_the_difference_is_the_mean_of_half_of_what_is_left(units, delta):
    # d of r rows is r - d wrong ones of 2 r.
    high = Fraction(unit_mean_betting([(r - d, 2 * r, m) for d, r, m in units], delta))
    low = Fraction(unit_difference(units, delta))
    assert low <= 1 - 2 * high < low + Fraction(1, 2**52)
    mean = sum(Fraction(d * m, r) for d, r, m in units) / sum(m for *_, m in units)
    assert low <= mean


def test_sums_of_graded_differences_may_be_fractions():
    sums = unit_difference([(1, 4, 30), (0, 4, 10)], 0.05)
    assert unit_difference([("0.25", 1, 30), (0.0, 1, 10)], 0.05) == sums


# The promise is kept, where treating rows as independent breaks it.


def drawn(rng, units: int) -> list[tuple[int, int]]:
    """Units of two or of ten rows, the long ones wrong more often and together."""
    rows = rng.choice([2, 10], units, p=[0.7, 0.3])
    rate = np.where(rows == 10, 0.4, 0.1)
    errors = np.where(rng.random(units) < 0.8, rows * (rng.random(units) < rate), 0)
    errors = np.maximum(errors, rng.binomial(rows, 0.02))
    return list(zip(errors.tolist(), rows.tolist(), strict=True))


def truth() -> float:
    """E e / E r of these units: with chance 0.8 rate all rows, otherwise a few."""
    means = {r: 0.8 * p * r + (1 - 0.8 * p) * r * 0.02 for r, p in ((2, 0.1), (10, 0.4))}
    return (0.7 * means[2] + 0.3 * means[10]) / (0.7 * 2 + 0.3 * 10)


def ratio_broken(trials: int, bound, seed: int) -> int:
    rng, true = np.random.default_rng(seed), truth()
    return sum(bound(drawn(rng, 40)) < true for _ in range(trials))


def by_units(units) -> float:
    return unit_ratio_betting([(e, r, m) for (e, r), m in Counter(units).items()], 10, 0.05)


def by_rows(units) -> float:
    return holdout_exact(sum(e for e, _ in units), sum(r for _, r in units), 0.05)


def by_mean_over_units(units) -> float:
    """An answer to another question: short units, which are better, count as much as long ones."""
    return unit_mean_betting([(e, r, m) for (e, r), m in Counter(units).items()], 0.05)


def test_a_few_drawn_units_keep_the_rate_per_row():
    assert_sound(ratio_broken(120, by_units, 4), 120, 0.05)
    assert_unsound(ratio_broken(300, by_rows, 4), 300, 0.05)


@pytest.mark.guarantees
def test_drawn_units_keep_the_rate_per_row():
    assert_sound(ratio_broken(10_000, by_units, 5), 10_000, 0.05)
    assert_unsound(ratio_broken(10_000, by_rows, 5), 10_000, 0.05)
    assert_unsound(ratio_broken(10_000, by_mean_over_units, 5), 10_000, 0.05)


def difference_broken(trials: int, units: int, correlation: float, bound, seed: int) -> int:
    """Equal models that take turns being wrong on whole units of eight rows."""
    rng = np.random.default_rng(seed)
    wrong = 0
    for _ in range(trials):
        together = rng.random(units) < correlation
        sides = rng.choice([-1, 0, 1], (units, 8), p=[0.3, 0.4, 0.3])
        sides[together] = sides[together, :1]
        wrong += bound(sides) > 0
    return wrong


def difference_by_units(sides: np.ndarray) -> float:
    return unit_difference([(d, 8, m) for d, m in Counter(sides.sum(1).tolist()).items()], 0.05)


def difference_by_rows(sides: np.ndarray) -> float:
    return paired_difference(int((sides == 1).sum()), int((sides == -1).sum()), sides.size, 0.05)


def test_a_few_drawn_units_keep_the_difference_and_break_the_row_wise_one():
    assert_sound(difference_broken(120, 20, 0.9, difference_by_units, 6), 120, 0.05)
    assert_unsound(difference_broken(300, 20, 0.9, difference_by_rows, 6), 300, 0.05)


@pytest.mark.guarantees
@pytest.mark.parametrize("units", [10, 20, 50])
@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_drawn_units_keep_the_difference(units, correlation):
    kept = difference_broken(10_000, units, correlation, difference_by_units, 7)
    assert_sound(kept, 10_000, 0.05)


def test_refuses_what_is_not_covered():
    with refuses("units must be at least one unit, but is 'empty'."):
        unit_ratio_betting([], 5, 0.05)
    with refuses("units must be a sequence of (errors, rows, number of such units), but is 3."):
        unit_ratio_betting(3, 5, 0.05)
    with refuses("units[0][1] must be at most most_rows 5, but is 6."):
        unit_ratio_betting([(1, 6, 1)], 5, 0.05)
    with refuses("units[0][0] must be at most the number of rows 2, but is 3."):
        unit_ratio_betting([(3, 2, 1)], 5, 0.05)
    with refuses(
        "units[0] must be (sum of differences, rows, number of such units), but is (1, 2)."
    ):
        unit_difference([(1, 2)], 0.05)
    with refuses("units[0][0] must be between -2 and 2, but is -3."):
        unit_difference([(-3, 2, 1)], 0.05)
    with refuses("units must be at most 1000000000 units, but is 1000000001."):
        unit_difference([(0, 1, 10**9 + 1)], 0.05)
