"""The anytime bounds: golden values, 60-digit mixtures, and every moment of a stream at once."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from assay.theory.registry import find_theorem
from assay.theory.tail.anytime import holdout_anytime, holdout_anytime_two_sided
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.integers import MOST_ROWS
from tests.naive import tails
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    assert_refuses_all,
    refuses,
)

deltas = st.floats(1e-9, 0.9)


@st.composite
def holdouts(draw, most=300):
    rows = draw(st.integers(1, most))
    return draw(st.integers(0, rows)), rows


# Golden values.


@pytest.mark.parametrize(
    ("errors", "rows", "value"),
    [(0, 100, 0.03715387395982599), (5, 100, 0.1374289898468466), (50, 1000, 0.07466407018297025)],
)
def test_golden_values(errors, rows, value):
    assert holdout_anytime(errors, rows, 0.05) == pytest.approx(value, abs=1e-12)


def test_upper_end_of_the_two_sided_interval():
    low, high = holdout_anytime_two_sided(50, 1000, 0.05)
    assert high == pytest.approx(0.0792395818108569, abs=1e-12)
    assert low == pytest.approx(0.02872, abs=1e-5)


def test_price_of_looking_at_every_moment():
    assert holdout_anytime(50, 1000, 0.05) <= 1.19 * holdout_exact(50, 1000, 0.05)
    assert holdout_anytime(5000, 10**5, 0.05) <= 1.03 * holdout_exact(5000, 10**5, 0.05)
    ratio = holdout_anytime(10, 1000, 0.001) / holdout_exact(10, 1000, 0.001)
    assert round(ratio, 2) == 1.20


def test_registered():
    inputs = {"errors": 50, "rows": 1000, "delta": 0.05}
    for name, function in [
        ("holdout-anytime", holdout_anytime),
        ("holdout-anytime-two-sided", holdout_anytime_two_sided),
    ]:
        assert find_theorem(name)(**inputs) == function(**inputs)


# Never below, hardly above.


def assert_crosses(errors: int, rows: int, delta: object, found: float) -> None:
    """The mixture has reached 1 / delta at the bound, and had not a hair before it."""
    with mpmath.workdps(60):
        need = -mpmath.log(tails.real(delta))
        if found < 1:
            assert tails.mixture_ratio(errors, rows, mpf(found)) >= need
        less = mpf(found) * (1 - mpf("1e-10")) - mpf("1e-15")
        assert less < 0 or tails.mixture_ratio(errors, rows, less) < need


@settings(max_examples=60)
@given(holdouts(), deltas)
def test_never_below_sixty_digits(case, delta):
    errors, rows = case
    found = holdout_anytime(errors, rows, delta)
    if errors == rows:
        assert found == 1.0
    else:
        assert_crosses(errors, rows, repr(delta), found)


@pytest.mark.parametrize(
    ("errors", "rows"), [(0, 1), (1, 2), (50, 1000), (600, 2000), (1900, 2000), (3, 5000)]
)
@pytest.mark.parametrize("delta", ["0.05", "1e-100", "0.999"])
def test_never_below_on_larger_holdouts(errors, rows, delta):
    assert_crosses(errors, rows, delta, holdout_anytime(errors, rows, delta))


@settings(max_examples=60)
@given(holdouts(), deltas)
def test_both_ends_never_inside_sixty_digits(case, delta):
    errors, rows = case
    low, high = holdout_anytime_two_sided(errors, rows, delta)
    assert low <= errors / rows <= high
    with mpmath.workdps(60):
        log_beta = mpmath.log(mpmath.beta(errors + mpf("0.5"), rows - errors + mpf("0.5")))
        need = -mpmath.log(mpf(repr(delta)))

        def ratio(p: mpf) -> mpf:
            likelihood = errors * mpmath.log(p) + (rows - errors) * mpmath.log(1 - p)
            return log_beta - likelihood - mpmath.log(mpmath.pi)

        if low > 0:
            assert ratio(mpf(low)) >= need
        if high < 1:
            assert ratio(mpf(high)) >= need
        inner = mpf(high) - mpf("1e-11")
        assert inner <= mpf(errors) / rows or ratio(inner) < need
        inner = mpf(low) + mpf("1e-11")
        assert errors == 0 or inner >= mpf(errors) / rows or ratio(inner) < need


@pytest.mark.parametrize("delta", ["1e-400", "1e-1500", Fraction(1, 3**3000)])
def test_delta_beyond_doubles(delta):
    for errors, rows in [(7, 50_000), (4000, 50_000), (0, 400)]:
        found = holdout_anytime(errors, rows, delta)
        assert holdout_exact(errors, rows, delta) < found < 1
        assert found <= holdout_anytime_two_sided(errors, rows, delta)[1] < 1


@pytest.mark.parametrize("delta", ["0." + "9" * 40, 0.999999, 1 - 2**-53])
def test_delta_near_one(delta):
    # A mixture never exceeds the largest likelihood, so even this says more than the average.
    for errors, rows in [(0, 1), (5, 100), (99, 100)]:
        assert errors / rows < holdout_anytime(errors, rows, delta) < 1
        low, high = holdout_anytime_two_sided(errors, rows, delta)
        assert low <= errors / rows < high


@pytest.mark.parametrize(("errors", "rows"), [(0, 10**9), (5, 10**9), (10**6, 10**9)])
def test_huge_streams(errors, rows):
    exact, anytime = holdout_exact(errors, rows, 0.05), holdout_anytime(errors, rows, 0.05)
    assert exact < anytime < 1.4 * exact
    low, high = holdout_anytime_two_sided(errors, rows, 0.05)
    assert low <= errors / rows < anytime < high


def test_the_callers_decimal_context_changes_nothing():
    expected = holdout_anytime(50, 1000, 0.05), holdout_anytime_two_sided(50, 1000, 0.05)
    with decimal.localcontext() as context:
        context.prec, context.rounding = 5, decimal.ROUND_DOWN
        assert expected == (
            holdout_anytime(50, 1000, 0.05),
            holdout_anytime_two_sided(50, 1000, 0.05),
        )


# Monotone, and where it stands among the others.


@settings(max_examples=40)
@given(holdouts(), deltas)
def test_more_errors_cost_more(case, delta):
    errors, rows = case
    if errors < rows:
        assert holdout_anytime(errors, rows, delta) <= holdout_anytime(errors + 1, rows, delta)
        few = holdout_anytime_two_sided(errors, rows, delta)
        many = holdout_anytime_two_sided(errors + 1, rows, delta)
        assert few[0] <= many[0]
        assert few[1] <= many[1]


@settings(max_examples=40)
@given(holdouts(), deltas)
def test_a_right_answer_more_costs_less(case, delta):
    errors, rows = case
    assert holdout_anytime(errors, rows + 1, delta) <= holdout_anytime(errors, rows, delta)


@settings(max_examples=40)
@given(holdouts(), deltas, deltas)
def test_less_confidence_costs_less(case, one, other):
    small, large = sorted((one, other))
    assert holdout_anytime(*case, large) <= holdout_anytime(*case, small)
    outer, inner = (holdout_anytime_two_sided(*case, delta) for delta in (small, large))
    assert outer[0] <= inner[0] <= inner[1] <= outer[1]


@settings(max_examples=40)
@given(holdouts(), st.floats(1e-9, 0.5))
def test_never_below_the_exact_bound_of_a_single_look(case, delta):
    assert holdout_anytime(*case, delta) >= holdout_exact(*case, delta)


@pytest.mark.parametrize(("errors", "rows"), [(0, 3), (1, 10), (5, 20), (19, 20), (30, 1000)])
def test_the_mixture_never_falls_back_below_a_level_it_reached(errors, rows):
    # The proof in the documentation: once above one, the ratio climbs as the rate does.
    with mpmath.workdps(30):
        rates = [mpf(errors) / rows + (1 - mpf(errors) / rows) * i / 200 for i in range(1, 200)]
        values = [tails.mixture_ratio(errors, rows, p) for p in rates]
    above = [value for value in values if value > 0]
    assert above == sorted(above)


# The promise at every moment: the chance of ever failing, summed over all paths of a stream.


def ever_fails(bounds: dict[int, np.ndarray], rate: float) -> float:
    """The chance that at some look the bound for the errors so far lies below the rate.

    `bounds` maps each look, after so many rows, to the bounds for 0, 1, 2, ... errors; counts
    beyond those listed cannot fail.
    """
    alive, failed = np.array([1.0]), 0.0
    for rows in range(1, max(bounds) + 1):
        alive = np.append(alive * (1 - rate), 0.0) + np.append(0.0, alive * rate)
        if rows in bounds:
            broken = np.flatnonzero(bounds[rows] < rate)
            failed += float(alive[broken].sum())
            alive[broken] = 0.0
    return failed


def test_fails_at_most_delta_of_the_time_over_all_looks():
    delta, rates = 0.2, [0.02, 0.05, 0.1, 0.15, 0.2, 0.25]
    looks = range(3, 61, 3)
    # A bound lies above the share of errors, so counts above a quarter cannot fail at these rates.
    counts = {n: range(n // 4 + 1) for n in looks}
    anytime = {n: np.array([holdout_anytime(k, n, delta) for k in counts[n]]) for n in looks}
    exact = {n: np.array([holdout_exact(k, n, delta) for k in counts[n]]) for n in looks}
    assert max(ever_fails(anytime, p) for p in rates) <= delta
    assert max(ever_fails(anytime, p) for p in rates) > delta / 4
    # The bound for a single look, looked at twenty times, must break.
    assert max(ever_fails(exact, p) for p in rates) > 2 * delta


def test_two_sided_fails_at_most_delta_of_the_time_over_all_looks():
    delta, looks = 0.3, range(4, 41, 4)
    ends = {n: [holdout_anytime_two_sided(k, n, delta) for k in range(n + 1)] for n in looks}

    def failing(rate: float, share: float) -> float:
        """The chance of ever leaving so large a share of the interval."""
        bounds = {}
        for n, row in ends.items():
            outside = [abs(2 * rate - a - b) > share * (b - a) for a, b in row]
            bounds[n] = np.where(outside, -1.0, 2.0)
        return ever_fails(bounds, rate)

    assert max(failing(rate, 1.0) for rate in (0.05, 0.2, 0.5)) <= delta
    # The middle half of the interval must break.
    assert max(failing(rate, 0.5) for rate in (0.05, 0.2, 0.5)) > delta


# Refusals.


@pytest.mark.parametrize("bound", [holdout_anytime, holdout_anytime_two_sided])
def test_refuses_what_is_not_covered(bound):
    inputs = {"errors": 5, "rows": 100, "delta": 0.05}
    assert_refuses_all(bound, inputs, "errors", COUNT, NOT_COUNTS)
    assert_refuses_all(bound, inputs, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(bound, inputs, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("errors must be at most the number of rows 100, but is 101."):
        bound(101, 100, 0.05)
    with refuses("rows must be at most 1000000000000, but is 1000000000001."):
        bound(1, MOST_ROWS + 1, 0.05)


def test_all_wrong_promises_nothing():
    assert holdout_anytime(7, 7, 0.05) == 1.0
    low, high = holdout_anytime_two_sided(7, 7, 0.05)
    assert high == 1.0
    assert low > 0
    assert math.isclose(holdout_anytime_two_sided(0, 7, 0.05)[1], 1 - low, rel_tol=1e-12)
