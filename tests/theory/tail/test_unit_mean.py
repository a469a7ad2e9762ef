"""The mean over units: golden values, the wealth in whole numbers and in mpmath, the promise on drawn units."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.unit_mean import unit_mean_betting, unit_mean_hoeffding
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT, refuses
from tests.soundness import assert_sound, assert_unsound

GOLDEN = [(0, 5, 150), (1, 5, 30), (2, 5, 20)]
deltas = st.floats(1e-9, 0.9)


@st.composite
def histograms(draw, most=12):
    found = []
    for _ in range(draw(st.integers(1, 6))):
        rows = draw(st.integers(1, most))
        found.append((draw(st.integers(0, rows)), rows, draw(st.integers(1, 20))))
    return found


def wealth(units, theta: Fraction) -> Fraction:
    """What the sixty-four gamblers own together, in whole numbers."""
    total = Fraction(0)
    for j in range(1, 65):
        own = Fraction(1)
        for errors, rows, many in units:
            own *= (1 - Fraction(j, 64) * (Fraction(errors, rows) - theta)) ** many
        total += own
    return total / 64


def root(units, delta: str) -> mpmath.mpf:
    """The bound to fifty digits."""
    with mpmath.workdps(60):
        need = 1 / mpmath.mpf(delta)

        def gap(t):
            own = [
                mpmath.fprod(
                    (1 - mpmath.mpf(j) / 64 * (mpmath.mpf(e) / r - t)) ** m for e, r, m in units
                )
                for j in range(1, 65)
            ]
            return mpmath.log(mpmath.fsum(own) / 64 / need)

        low, high = mpmath.mpf(0), mpmath.mpf(1)
        for _ in range(170):
            middle = (low + high) / 2
            low, high = (low, middle) if gap(middle) >= 0 else (middle, high)
        return high


def test_golden_value():
    found = unit_mean_betting(GOLDEN, 0.05)
    assert found == pytest.approx(0.10047695701635057, rel=1e-15)
    # Row by row the same counts would promise less than they may.
    assert holdout_exact(70, 1000, 0.05) == pytest.approx(0.0847389, abs=1e-7)


@pytest.mark.parametrize(
    ("units", "delta"),
    [(GOLDEN, "0.05"), ([(0, 2, 60), (0, 10, 60), (1, 5, 40), (2, 8, 25), (4, 10, 15)], "0.01")],
)
def test_the_smallest_double_above_the_root(units, delta):
    found, true = unit_mean_betting(units, delta), root(units, delta)
    assert mpmath.mpf(math.nextafter(found, 0)) < true <= mpmath.mpf(found)


@settings(max_examples=40)
@given(histograms(), deltas)
def test_the_wealth_is_reached_there_and_not_one_double_below(units, delta):
    found, need = unit_mean_betting(units, delta), 1 / Fraction(repr(delta))
    below = math.nextafter(found, 0)
    if found < 1:
        assert wealth(units, Fraction(found)) >= need
    if below > 0:
        assert wealth(units, Fraction(below)) < need


def test_registered_with_hoeffding_beside_it():
    entry = find_theorem("unit-mean-betting")
    assert entry(units=GOLDEN, delta=0.05) == unit_mean_betting(GOLDEN, 0.05)
    assert entry.textbook(units=GOLDEN, delta=0.05) == unit_mean_hoeffding(GOLDEN, 0.05)
    assert unit_mean_hoeffding(GOLDEN, 0.05) == pytest.approx(0.07 + math.sqrt(math.log(20) / 400))


@settings(max_examples=40)
@given(histograms(), deltas, deltas)
def test_monotone_in_delta_and_errors(units, one, other):
    small, large = sorted((one, other))
    here = unit_mean_betting(units, small)
    assert unit_mean_betting(units, large) <= here
    worse = [(min(e + 1, r), r, m) for e, r, m in units]
    assert here <= unit_mean_betting(worse, small)
    assert here >= min(
        1.0, float(sum(Fraction(e * m, r) for e, r, m in units) / sum(m for *_, m in units))
    )


@given(histograms(), st.randoms())
@settings(max_examples=30)
def test_neither_order_nor_the_way_of_writing_matters(units, random):
    split = [(e, r, 1) for e, r, m in units for _ in range(m)]
    random.shuffle(split)
    doubled = [(2 * e, 2 * r, m) for e, r, m in units]
    here = unit_mean_betting(units, 0.05)
    assert unit_mean_betting(split, 0.05) == here == unit_mean_betting(doubled, 0.05)


def test_nothing_is_promised_where_nothing_is_excluded():
    assert unit_mean_betting([(1, 1, 50)], 0.05) == 1.0
    assert unit_mean_betting([(0, 9, 1)], 0.05) == 1.0  # one unit alone can never make anyone rich


def test_many_different_means_are_rounded_up_to_a_grid():
    rng = np.random.default_rng(3)
    rows = rng.integers(1000, 4000, 3000)
    units = [(int(e), int(r), 1) for e, r in zip(rng.binomial(rows, 0.1), rows, strict=True)]
    found = unit_mean_betting(units, 0.05)
    coarse = Counter(math.ceil(2048 * Fraction(e, r)) for e, r, _ in units)
    assert found == unit_mean_betting([(e, 2048, m) for e, m in coarse.items()], 0.05)
    assert found > float(root([(100, 1000, 3000)], "0.05"))


@pytest.mark.parametrize("delta", ["1e-400", "1e-1500"])
def test_delta_beyond_doubles(delta):
    assert unit_mean_betting([(0, 5, 10**5)], delta) == pytest.approx(
        float(root([(0, 5, 10**5)], delta)), rel=1e-14
    )


# The promise is kept, where treating rows as independent breaks it.


def drawn_units(rng, units: int, rows: int, rate: float) -> np.ndarray:
    """Errors of units whose rows go wrong together: a beta rate for each, correlation 0.7."""
    a = rate * (1 / 0.7 - 1)
    b = (1 - rate) * (1 / 0.7 - 1)
    return rng.binomial(rows, rng.beta(a, b, units))


def broken(trials: int, bound, seed: int) -> int:
    rng = np.random.default_rng(seed)
    return sum(bound(drawn_units(rng, 20, 8, 0.2)) < 0.2 for _ in range(trials))


def by_units(errors: np.ndarray) -> float:
    return unit_mean_betting([(e, 8, m) for e, m in Counter(errors.tolist()).items()], 0.05)


def by_rows(errors: np.ndarray) -> float:
    return holdout_exact(int(errors.sum()), 8 * errors.size, 0.05)


def test_a_few_drawn_units_keep_the_promise_and_break_the_row_wise_one():
    assert_sound(broken(150, by_units, 4), 150, 0.05)
    assert_unsound(broken(150, by_rows, 4), 150, 0.05)


@pytest.mark.guarantees
def test_drawn_units_keep_the_promise_and_break_the_row_wise_one():
    assert_sound(broken(10_000, by_units, 5), 10_000, 0.05)
    assert_unsound(broken(10_000, by_rows, 5), 10_000, 0.05)


def test_refuses_what_is_not_covered():
    for delta in NOT_INSIDE_UNIT:
        with refuses(f"delta must be {INSIDE_UNIT}, but is {delta!r}."):
            unit_mean_betting(GOLDEN, delta)
    with refuses("units must be at least one unit, but is 'empty'."):
        unit_mean_betting([], 0.05)
    with refuses("units must be a sequence of (errors, rows, number of such units), but is 3."):
        unit_mean_betting(3, 0.05)
    with refuses("units[1] must be (errors, rows, number of such units), but is (1, 2)."):
        unit_mean_betting([(0, 1, 1), (1, 2)], 0.05)
    with refuses("units[0][0] must be at most the number of rows 2, but is 3."):
        unit_mean_betting([(3, 2, 1)], 0.05)
    with refuses("units[0][2] must be a whole number of at least 1, but is 0."):
        unit_mean_betting([(1, 2, 0)], 0.05)
    with refuses("units[0][1] must be a whole number of at least 1, but is 2.5."):
        unit_mean_betting([(1, 2.5, 3)], 0.05)
    with refuses("units must be at most 1000000000 units, but is 1000000001."):
        unit_mean_betting([(0, 1, 10**9 + 1)], 0.05)
