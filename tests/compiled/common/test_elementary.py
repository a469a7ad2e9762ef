import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.compiled.common import elementary

RNG = np.random.default_rng(0)
NEAR_ONE = 1 + RNG.uniform(-0.1, 0.1, 500)
WIDE = 10.0 ** RNG.uniform(-320, 308, 500)

# Points, and how many units in the last place the value may be off.
CASES = {
    "exp": (
        np.r_[RNG.uniform(-745, 709, 500), RNG.uniform(-1, 1, 500), 699.99, 700.0, -708.5],
        1.0,
    ),
    "exponential": (np.r_[RNG.uniform(-708, 700, 500), RNG.uniform(-1, 1, 500)], 1.2),
    "expm1": (np.r_[RNG.uniform(-60, 60, 500), RNG.uniform(-1, 1, 500), WIDE[WIDE < 1]], 2.5),
    "log": (np.r_[WIDE, NEAR_ONE, RNG.uniform(0, 3, 500), 0.94, 1.07, math.sqrt(2)], 0.9),
    "log1p": (np.r_[WIDE, RNG.uniform(-1, 3, 500), RNG.uniform(-0.5, 0.5, 500)], 1.2),
}
TRUE = {"exponential": mpmath.exp, "log": mpmath.log}


def off_by(found, true):
    """By how many units in the last place."""
    return float(abs(mpmath.mpf(found) - true) / mpmath.mpf(float(np.spacing(abs(float(true))))))


@pytest.mark.parametrize("name", CASES)
def test_values_are_right_to_about_a_unit_in_the_last_place(name):
    points, units = CASES[name]
    true = TRUE.get(name, getattr(mpmath, name, None))
    with mpmath.workprec(200):
        for x in points.tolist():
            value = getattr(elementary, name)(x)
            assert off_by(value, true(mpmath.mpf(x))) < units, x


def test_a_polynomial_with_one_term_less_would_be_noticed():
    r = math.log(2) / 256
    short = 1 + r + r * r * (0.5 + r / 6)
    assert off_by(short, mpmath.exp(mpmath.mpf(r))) > 100


@pytest.mark.parametrize(("low", "high", "most"), [(1, 1e8, 2), (1e-300, 1e300, 1), (0.01, 1, 30)])
def test_powers(low, high, most):
    with mpmath.workprec(200):
        for _ in range(500):
            base = math.exp(RNG.uniform(math.log(low), math.log(high)))
            exponent = RNG.uniform(-most, most)
            true = mpmath.mpf(base) ** mpmath.mpf(exponent)
            assert off_by(elementary.power(base, exponent), true) < 2.5, (base, exponent)


def test_powers_of_two_are_exact():
    for base in (0.25, 0.5, 2.0, 4.0):
        for k in range(-500, 500):
            assert elementary.power(base, float(k)) == base**k


def test_the_logarithm_of_the_gamma_function():
    for x in [*range(1, 40), 100.5, 1e4, 1e9]:
        true = float(mpmath.loggamma(x))
        assert elementary.log_gamma(float(x)) == pytest.approx(true, rel=1e-13, abs=3e-14)


def same(found, expected):
    return (math.isnan(found) and math.isnan(expected)) or (
        found == expected and math.copysign(1, found) == math.copysign(1, expected)
    )


@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p"])
def test_the_ends_are_those_of_the_library(name):
    with np.errstate(all="ignore"):
        for x in (0.0, -0.0, math.inf, -math.inf, math.nan, -1.0, 5e-324, 800.0, -800.0, 710.0):
            if math.isnan(x) or not math.isfinite(getattr(np, name)(x)) or x in (0.0, -800.0):
                found = getattr(elementary, name)(x)
                assert same(found, float(getattr(np, name)(x))), x
    assert elementary.exp(-745.13) == 5e-324
    assert elementary.exp(709.78) < math.inf
    assert elementary.exponential(-709.0) == elementary.exponential(-math.inf) == 0.0


@pytest.mark.parametrize(
    ("base", "exponent", "value"),
    [
        (0.0, 0.0, 1.0),
        (0.0, 2.0, 0.0),
        (0.0, -2.0, math.inf),
        (math.inf, 2.0, math.inf),
        (math.inf, -2.0, 0.0),
        (2.0, 2000.0, math.inf),
        (2.0, -2000.0, 0.0),
        (-1.0, 0.5, math.nan),
        (math.nan, 1.0, math.nan),
    ],
)
def test_powers_at_the_ends(base, exponent, value):
    assert same(elementary.power(base, exponent), value)


@given(st.floats(-700, 700), st.integers(1, 2**20))
def test_exp_does_not_fall(x, steps):
    further = x
    for _ in range(min(steps, 3)):
        further = math.nextafter(further, math.inf)
    further += steps * 1e-12
    assert elementary.exp(further) >= elementary.exp(x) * (1 - 2.0**-52)
    assert elementary.exp(x + 1e-9 * (1 + abs(x))) > elementary.exp(x)


@pytest.mark.parametrize("centre", [0.94, 1.0, 1.07, 1.5, 2.0, 2.0**-1022, 1 + 17 / 128])
def test_logarithms_rise_across_the_borders_of_their_cases(centre):
    x, before = centre * (1 - 1e-13), -math.inf
    for _ in range(400):
        value = elementary.log(x)
        assert value >= before - 2 * np.spacing(abs(value))
        before, x = value, math.nextafter(x, math.inf) * (1 + 5e-16)


def test_many_at_once():
    numbers = RNG.uniform(0.1, 30, 20)
    assert elementary.logs(numbers).tolist() == [elementary.log(x) for x in numbers]
    assert elementary.exps(numbers).tolist() == [elementary.exp(x) for x in numbers]
    assert elementary.powers(0.3, numbers).tolist() == [elementary.power(0.3, x) for x in numbers]
