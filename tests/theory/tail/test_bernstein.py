"""The empirical Bernstein bound: golden values, outward rounding, the promise on two-valued losses."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from assay.theory.registry import find_theorem
from assay.theory.tail.bernstein import empirical_bernstein
from tests.refusals import (
    INSIDE_UNIT,
    NONNEGATIVE,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    NOT_NONNEGATIVE,
    NOT_NUMBERS,
    assert_refuses_all,
    refuses,
)

units = st.fractions(0, 1, max_denominator=1000)
variances = st.fractions(0, Fraction(1, 4), max_denominator=1000)
rows = st.integers(2, 10**6)
deltas = st.floats(1e-12, 0.99)
inputs = {"mean": 0.1, "variance": 0.05, "rows": 100, "delta": 0.05}


# Golden values.


def test_fifty_errors_in_a_thousand():
    found = empirical_bernstein(0.05, 0.05 * 0.95 * 1000 / 999, 1000, 0.05)
    assert found == pytest.approx(0.0773455059922415, abs=1e-12)


def test_bounded_losses():
    losses = 0.3 * (np.arange(1, 201) * (5**0.5 - 1) / 2 % 1)
    found = empirical_bernstein(float(losses.mean()), float(losses.var(ddof=1)), 200, 0.05)
    assert found == pytest.approx(0.210613826001462, abs=1e-9)


def test_registered():
    assert find_theorem("empirical-bernstein")(**inputs) == empirical_bernstein(**inputs)


# Rounded up, monotone.


def formula(m: mpf, v: mpf, n: int, delta: mpf) -> mpf:
    need = mpmath.log(2 / delta)
    return m + mpmath.sqrt(2 * v * need / n) + 7 * need / (3 * (n - 1))


@settings(max_examples=100)
@given(units, variances, rows, deltas)
def test_never_below_fifty_digits(m, v, n, delta):
    found = empirical_bernstein(m, v, n, delta)
    with mpmath.workdps(50):
        a, b = mpf(m.numerator) / m.denominator, mpf(v.numerator) / v.denominator
        truth = formula(a, b, n, mpf(repr(delta)))
        assert truth <= found <= truth * (1 + mpf("1e-13"))


@given(units, units, variances, variances, rows, rows, deltas, deltas)
def test_monotone_in_everything(m1, m2, v1, v2, n1, n2, d1, d2):
    (m1, m2), (v1, v2), (n1, n2), (d1, d2) = map(sorted, ((m1, m2), (v1, v2), (n1, n2), (d1, d2)))
    assert empirical_bernstein(m1, v1, n2, d2) <= empirical_bernstein(m2, v2, n1, d1)
    assert empirical_bernstein(m1, v1, n1, d1) <= empirical_bernstein(m2, v1, n1, d1)
    assert empirical_bernstein(m1, v1, n1, d1) <= empirical_bernstein(m1, v2, n1, d1)
    assert empirical_bernstein(m1, v1, n2, d1) <= empirical_bernstein(m1, v1, n1, d1)
    assert empirical_bernstein(m1, v1, n1, d2) <= empirical_bernstein(m1, v1, n1, d1)


def test_tiny_delta_and_many_rows():
    assert empirical_bernstein(0, 0, 10**9, "1e-1500") == pytest.approx(
        7 * (math.log(2) + 1500 * math.log(10)) / (3 * (10**9 - 1)), rel=1e-12
    )


# The promise is kept: losses of two values, every count summed exactly.


def failure(n: int, delta: float, p: float, low: float, high: float, dropped: float = 0) -> float:
    """How often the bound, less what was dropped from it, lies below the true mean."""
    total = 0.0
    for k in range(n + 1):
        mean = (k * high + (n - k) * low) / n
        variance = (high - low) ** 2 * k * (n - k) / (n * (n - 1))
        if empirical_bernstein(mean, variance, n, delta) - dropped < p * high + (1 - p) * low:
            total += math.comb(n, k) * p**k * (1 - p) ** (n - k)
    return total


@pytest.mark.parametrize("values", [(0.0, 1.0), (0.0, 0.5), (0.9, 1.0)])
@pytest.mark.parametrize("p", [0.01, 0.02, 0.3, 0.5, 0.97])
def test_fails_at_most_delta_of_the_time(values, p):
    assert failure(60, 0.3, p, *values) <= 0.3


def test_without_its_last_term_it_breaks():
    # No error seen means no variance seen: the square root alone promises zero.
    last = 7 * math.log(2 / 0.3) / (3 * 59)
    assert failure(60, 0.3, 0.01, 0.0, 1.0, dropped=last) > 0.5


# Refusals.


def test_refuses_what_is_not_covered():
    must = "a number between 0 and 1"
    assert_refuses_all(empirical_bernstein, inputs, "mean", must, [*NOT_NUMBERS, -0.1, 1.1])
    assert_refuses_all(empirical_bernstein, inputs, "variance", NONNEGATIVE, NOT_NONNEGATIVE)
    must = "a whole number of at least 2"
    assert_refuses_all(empirical_bernstein, inputs, "rows", must, [*NOT_COUNTS_FROM_ONE, 1])
    assert_refuses_all(empirical_bernstein, inputs, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("variance must be at most 0.252525, as for losses in [0, 1], but is 0.26."):
        empirical_bernstein(0.5, 0.26, 100, 0.05)
    # Half zeros and half ones reach the limit, float error included.
    half = np.repeat([0.0, 1.0], 50)
    assert empirical_bernstein(0.5, float(half.var(ddof=1)), 100, 0.05) > 0.5
