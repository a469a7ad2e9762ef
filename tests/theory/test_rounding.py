from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory import rounding
from assay.theory.rounding import (
    Enclosure,
    as_fraction,
    double_above,
    double_below,
    exact,
    exp,
    ln,
    log2,
    power,
    sqrt,
)

DIGITS = 60

# Ordinary numbers, and numbers far beyond the range of doubles on either side.
ordinary = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**6)
scales = st.integers(-2000, 2000).map(lambda e: Fraction(2) ** e)
anything = (
    st.builds(lambda a, b: a * b, ordinary, scales)
    | ordinary
    | st.floats(allow_nan=False, allow_infinity=False).map(as_fraction)
)
above_zero = anything.map(abs).filter(lambda x: x > 0)
near_one = st.builds(lambda a, b: 1 + a * b, st.fractions(-1, 1), scales.filter(lambda s: s < 1))


def true(x):
    """A fraction as an mpmath number of the working precision."""
    return mpmath.mpf(x.numerator) / x.denominator


def contains(enclosure, value):
    # mpmath rounds too, in its sixtieth digit; that matters where the enclosure is a single point.
    slack = abs(value) * mpmath.mpf("1e-55")
    return true(enclosure.low) - slack <= value <= true(enclosure.high) + slack


def is_narrow(enclosure, value, relative):
    return true(enclosure.high - enclosure.low) <= abs(value) * relative + mpmath.mpf("1e-320")


@st.composite
def enclosures(draw, numbers=anything):
    """An enclosure and a number inside it."""
    a, b = draw(numbers), draw(numbers)
    low, high = min(a, b), max(a, b)
    share = draw(st.fractions(0, 1, max_denominator=10))
    return Enclosure(low, high), low + share * (high - low)


def holds(enclosure, value):
    return enclosure.low <= value <= enclosure.high


# Reading numbers


def test_floats_stand_for_the_decimals_they_print_as():
    assert as_fraction(0.1) == Fraction(1, 10)
    assert as_fraction(1e-3) == Fraction(1, 1000)
    assert as_fraction(np.float64(0.1)) == as_fraction("0.1") == as_fraction("1/10")
    assert (exact(10) / 0.1).ceil() == 100
    assert (exact(3) * 0.1).low == Fraction(3, 10) != 3 * Fraction(0.1)


def test_integers_and_fractions_of_any_size_are_exact():
    assert exact(10**400).low == 10**400
    assert exact(Fraction(1, 3)).high == Fraction(1, 3)
    assert exact(exact(2)) == exact(2)


def test_numpy_integers_become_python_integers():
    low = exact(np.int64(2**62)).low
    assert type(low.numerator) is int
    assert low * low == 2**124


def test_absurd_powers_of_ten_are_refused():
    with pytest.raises(ValueError, match="power of ten"):
        as_fraction("1e1000000000")
    with pytest.raises(ValueError, match="invalid literal"):
        as_fraction("one")


# Sums, products, quotients, powers: exact ends


@given(enclosures(), enclosures())
def test_sums_differences_and_products_contain_the_true_value(a, b):
    (x, u), (y, v) = a, b
    assert holds(x + y, u + v)
    assert holds(x - y, u - v)
    assert holds(x * y, u * v)
    assert holds(-x, -u)


@given(enclosures(), enclosures(above_zero), st.sampled_from((-1, 1)))
def test_quotients_contain_the_true_value(a, b, sign):
    (x, u), (y, v) = a, b
    assert holds(x / (sign * y), u / (sign * v))


@given(enclosures(ordinary), st.integers(0, 7))
def test_powers_contain_the_true_value_whatever_the_sign(a, n):
    x, u = a
    assert holds(x**n, u**n)


@given(enclosures(above_zero), st.integers(1, 5), st.sampled_from((-1, 1)))
def test_negative_powers_contain_the_true_value(a, n, sign):
    x, u = a
    assert holds((sign * x) ** -n, (sign * u) ** -n)


@given(ordinary, ordinary)
def test_arithmetic_on_exact_numbers_stays_exact(a, b):
    assert exact(a) + b == a + exact(b) == exact(a + b)
    assert exact(a) - b == a - exact(b) == exact(a - b)
    assert exact(a) * b == a * exact(b) == exact(a * b)
    if b:
        assert exact(a) / b == a / exact(b) == exact(a / b)


def test_dividing_by_what_may_be_zero_is_refused():
    for low, high in ((-1, 1), (0, 1), (-1, 0)):
        with pytest.raises(ZeroDivisionError):
            1 / Enclosure(Fraction(low), Fraction(high))
        with pytest.raises(ZeroDivisionError):
            Enclosure(Fraction(low), Fraction(high)) ** -1


@given(enclosures(), enclosures())
def test_the_smaller_and_the_larger_contain_the_true_value(a, b):
    (x, u), (y, v) = a, b
    assert holds(x.enclose(y, min), min(u, v))
    assert holds(x.enclose(y, max), max(u, v))


# Roots, logarithms, exponentials against 60 digits


@given(anything.map(abs))
def test_roots_contain_the_true_value(x):
    root = sqrt(x)
    assert root.low**2 <= x <= root.high**2
    assert root.high - root.low <= root.high / 2**60


@given(st.fractions(0, 10**6, max_denominator=10**6))
def test_roots_of_squares_are_exact(x):
    assert sqrt(x * x) == exact(x)


@given(above_zero | near_one.filter(lambda x: x > 0))
def test_logarithms_contain_the_true_value(x):
    with mpmath.workdps(DIGITS + 700):  # enough digits to see x - 1 for x next to one
        value = mpmath.log(true(x))
        assert contains(ln(x), value)
        assert contains(log2(x), value / mpmath.log(2))


@given(st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6) | near_one)
def test_logarithms_of_ordinary_numbers_are_narrow(x):
    if x <= 0:
        return
    with mpmath.workdps(DIGITS + 700):
        assert is_narrow(ln(x), mpmath.log(true(x)), mpmath.mpf("1e-13"))


@given(st.integers(-5000, 5000))
def test_logarithms_of_powers_of_two_are_exact_to_base_two(n):
    assert log2(Fraction(2) ** n) == exact(n)


@given(st.fractions(-2000, 2000) | st.fractions(-90_000, 90_000) | near_one.map(lambda x: x - 1))
def test_exponentials_contain_the_true_value(x):
    with mpmath.workdps(DIGITS + 700):
        value = mpmath.exp(true(x))
        assert contains(exp(x), value)
        assert is_narrow(exp(x), value, mpmath.mpf("1e-9"))


@given(
    st.fractions(Fraction(1, 1000), 1000, max_denominator=10**6),
    st.fractions(-100, 100, max_denominator=10**6),
)
def test_real_powers_contain_the_true_value(base, exponent):
    with mpmath.workdps(DIGITS):
        value = mpmath.power(true(base), true(exponent))
        assert contains(power(base, exponent), value)
        assert is_narrow(power(base, exponent), value, mpmath.mpf("1e-11"))


@given(enclosures(above_zero))
def test_functions_of_wide_enclosures_contain_the_true_value(a):
    x, u = a
    assert sqrt(x).low ** 2 <= u <= sqrt(x).high ** 2
    with mpmath.workdps(DIGITS + 700):
        assert contains(ln(x), mpmath.log(true(u)))
        assert contains(log2(x), mpmath.log(true(u)) / mpmath.log(2))


@given(enclosures(st.fractions(-500, 500)))
def test_exponentials_of_wide_enclosures_contain_the_true_value(a):
    x, u = a
    with mpmath.workdps(DIGITS):
        assert contains(exp(x), mpmath.exp(true(u)))


def test_exact_values_are_kept():
    assert ln(1) == exact(0)
    assert exp(0) == exact(1)
    assert power(7, 0) == exact(1)
    assert log2(1024) == exact(10)
    assert sqrt(Fraction(9, 4)) == exact(Fraction(3, 2))


def test_exponentials_too_small_for_anything_are_just_above_zero():
    tiny = exp(-(10**15))
    assert tiny.low == 0 < tiny.high
    assert (tiny.down(), tiny.up()) == (0.0, 5e-324)


def test_exponentials_too_large_to_write_out_are_refused():
    with pytest.raises(OverflowError):
        exp(10**15)


def test_numbers_outside_the_domain_are_refused():
    with pytest.raises(ValueError, match="negative"):
        sqrt(-1)
    for x in (0, -1, Enclosure(Fraction(-1), Fraction(1))):
        with pytest.raises(ValueError, match="not above zero"):
            ln(x)


def test_points_in_place_of_enclosures_are_rejected(monkeypatch):
    # What the widening is for: the nearest doubles themselves do not enclose anything.
    monkeypatch.setattr(rounding, "_LIBRARY_ULPS", 0)
    with mpmath.workdps(DIGITS):
        assert not all(contains(ln(n), mpmath.log(n)) for n in range(2, 50))
        assert not all(contains(exp(n), mpmath.exp(n)) for n in range(2, 50))


# Leaving by a double or a whole number


@given(anything)
def test_doubles_above_and_below_are_the_nearest_ones(x):
    above, below = double_above(x), double_below(x)
    if above != math.inf:
        assert Fraction(above) >= x
    before = math.nextafter(above, -math.inf)
    assert before == -math.inf or Fraction(before) < x
    if below != -math.inf:
        assert Fraction(below) <= x
    after = math.nextafter(below, math.inf)
    assert after == math.inf or Fraction(after) > x
    assert (exact(x).up(), exact(x).down()) == (above, below)


def test_doubles_beyond_the_range():
    largest = math.nextafter(math.inf, 0)
    assert (double_below(Fraction(10) ** 400), double_above(Fraction(10) ** 400)) == (
        largest,
        math.inf,
    )
    assert double_above(-(Fraction(10) ** 400)) == -largest
    assert double_above(Fraction(1, 10**400)) == 5e-324
    assert double_below(Fraction(1, 10**400)) == 0.0


def test_zero_leaves_without_a_sign():
    assert math.copysign(1, exact(0).down()) == math.copysign(1, exact(0).up()) == 1


@given(enclosures())
def test_whole_numbers_take_the_upper_end(a):
    x, u = a
    assert x.floor() >= math.floor(u)
    assert x.ceil() >= u
    assert x.ceil() == math.ceil(x.high)
    assert x.down() <= u or x.down() == -math.inf
    assert x.up() >= u


def test_a_count_forgives_the_last_place_of_a_measured_margin():
    # (1 / (1 / sqrt 3))^2 is 3; the margin as a double puts it a hair below.
    assert ((1 / exact(1 / 3**0.5)) ** 2).floor() == 3
    assert exact("2.9999").floor() == 2
    assert exact(10**15).floor() == 10**15


def test_next_to_one_and_zero_the_sign_is_kept():
    # A probability must not come out above one because a logarithm came out above zero.
    tiny = Fraction(1, 10**300)
    assert ln(1 - tiny).high <= 0 <= ln(1 + tiny).low
    assert exp(-tiny).high <= 1 <= exp(tiny).low
