"""Hoeffding's inequality against exact binomials, enumerated sums and 50-digit arithmetic."""

import itertools
import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.registry import find_theorem
from assay.theory.tail.hoeffding import (
    hoeffding_general,
    hoeffding_tail,
    validation_hoeffding,
    validation_hoeffding_rows,
    validation_hoeffding_two_sided,
    validation_hoeffding_two_sided_rows,
)
from tests.soundness import assert_sound, assert_unsound

rows = st.integers(1, 10**6)
deltas = st.floats(1e-12, 0.999)
TINY = 5e-324


def binomial(n: int, p: Fraction) -> list[Fraction]:
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


GRID = [(n, Fraction(p, 20)) for n in (1, 2, 5, 10, 23, 60) for p in range(1, 20)]


# Golden numbers.


def test_tail_at_a_tenth_from_a_hundred():
    assert hoeffding_tail(rows=100, deviation=0.1) == pytest.approx(0.135335, rel=3e-6)
    assert hoeffding_tail(rows=100, deviation=0.1, sides=2) == pytest.approx(0.270671, rel=3e-6)


def test_slack_of_a_thousand_rows():
    one = validation_hoeffding(errors=0, rows=1000, delta=0.05)
    assert one == pytest.approx(0.0387023, rel=1e-6)
    two = validation_hoeffding_two_sided(rows=1000, delta=0.05)
    assert two == pytest.approx(0.0429469, rel=1e-6)


def test_fifty_errors_in_a_thousand():
    assert validation_hoeffding(50, 1000, 0.05) == pytest.approx(0.0887022756020495, rel=1e-14)


@pytest.mark.parametrize(
    ("error", "observed", "enough"), [(0.05, 0.02, 1665), (0.06, 0.05, 14979), (0.07, 0.05, 3745)]
)
def test_rows_to_buy(error, observed, enough):
    assert validation_hoeffding_rows(error, delta=0.05, observed=observed) == enough


def test_a_huge_sample_is_not_worked_out_digit_by_digit():
    assert hoeffding_tail(rows=10**15, deviation=0.5) == TINY
    assert hoeffding_general(deviation=10**9, widths=[1, 0]) == TINY


def test_registered():
    entry = find_theorem("validation-hoeffding")
    assert entry(errors=50, rows=1000, delta=0.05) == validation_hoeffding(50, 1000, 0.05)
    assert entry.rows(error=0.05, delta=0.05, observed=0.02) == 1665
    assert find_theorem("T50").rows(slack=0.05, delta=0.05) == 738


# Rounded outward, monotone.


@settings(max_examples=50)
@given(rows, st.floats(0, 1), st.sampled_from([1, 2]))
def test_tail_is_never_below_the_formula(n, a, sides):
    with mpmath.workdps(50):
        exact = sides * mpmath.exp(-2 * n * mpmath.mpf(repr(a)) ** 2)
        ours = hoeffding_tail(n, a, sides)
        assert ours >= exact
        assert ours <= exact * (1 + mpmath.mpf("1e-12")) + TINY


@settings(max_examples=50)
@given(rows, deltas, st.floats(0, 1))
def test_validation_is_never_below_the_formula(m, delta, rate):
    with mpmath.workdps(50):
        d, part = mpmath.mpf(repr(delta)), Fraction(repr(rate))
        slack = mpmath.sqrt(mpmath.log(1 / d) / (2 * m))
        exact = mpmath.mpf(part.numerator) / part.denominator + slack
        ours = validation_hoeffding(part * m, m, delta)
        assert exact <= ours <= exact * (1 + mpmath.mpf("1e-12"))
        two = mpmath.sqrt(mpmath.log(2 / d) / (2 * m))
        assert two <= validation_hoeffding_two_sided(m, delta) <= two * (1 + mpmath.mpf("1e-12"))


@settings(max_examples=50)
@given(st.integers(1, 10**4), st.integers(1, 100), st.floats(0.01, 0.9), st.floats(0, 0.09))
def test_monotone(n, more, low, step):
    assert hoeffding_tail(n + more, low) <= hoeffding_tail(n, low)
    assert hoeffding_tail(n, low + step) <= hoeffding_tail(n, low)
    assert hoeffding_general(low, [1] * 3) <= hoeffding_general(low, [1, 1, 1 + step])
    assert hoeffding_general(low + step, [1] * 3) <= hoeffding_general(low, [1] * 3)
    assert validation_hoeffding(0, n, low + step) <= validation_hoeffding(0, n, low)
    assert validation_hoeffding(0, n + more, low) <= validation_hoeffding(0, n, low)
    assert validation_hoeffding(n / 2, n, low) <= validation_hoeffding(n, n, low)
    assert validation_hoeffding_two_sided(n + more, low) <= validation_hoeffding_two_sided(n, low)


@settings(max_examples=50)
@given(st.floats(0.02, 0.5), deltas, st.floats(0, 0.01))
def test_rows_are_enough_and_one_less_is_not(error, delta, observed):
    n = validation_hoeffding_rows(error, delta, observed)
    part = Fraction(repr(observed))
    assert validation_hoeffding(part * n, n, delta) <= math.nextafter(error, 1)
    assert n == 1 or validation_hoeffding(part * (n - 1), n - 1, delta) > error * (1 - 1e-12)
    n = validation_hoeffding_two_sided_rows(error, delta)
    assert validation_hoeffding_two_sided(n, delta) <= math.nextafter(error, 1)
    assert n == 1 or validation_hoeffding_two_sided(n - 1, delta) > error * (1 - 1e-12)


def test_the_general_form_agrees_with_the_simple_one():
    assert hoeffding_general(3, [1] * 30) == hoeffding_tail(30, 0.1)


# Refusals.

BAD_DELTA = [0, 1, -0.1, math.nan, math.inf, True, "half", None]


@pytest.mark.parametrize("delta", BAD_DELTA)
def test_delta_is_inside_the_unit_interval(delta):
    sentence = f"delta must be a number strictly between 0 and 1, but is {delta!r}."
    for call in (
        lambda: validation_hoeffding(1, 10, delta),
        lambda: validation_hoeffding_two_sided(10, delta),
        lambda: validation_hoeffding_rows(0.1, delta),
        lambda: validation_hoeffding_two_sided_rows(0.1, delta),
    ):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            call()


@pytest.mark.parametrize("n", [0, -1, 1.5, math.nan, math.inf, True, None])
def test_rows_are_a_count(n):
    sentence = f"rows must be a whole number of at least 1, but is {n!r}."
    for call in (
        lambda: hoeffding_tail(n, 0.1),
        lambda: validation_hoeffding(0, n, 0.05),
        lambda: validation_hoeffding_two_sided(n, 0.05),
    ):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            call()


MORE = "a finite number, zero or more"


@pytest.mark.parametrize(
    ("function", "inputs", "sentence"),
    [
        (hoeffding_tail, (9, -0.1), f"deviation must be {MORE}, but is -0.1."),
        (hoeffding_tail, (9, 0.1, 3), "sides must be 1 or 2, but is 3."),
        (hoeffding_tail, (9, 0.1, True), "sides must be 1 or 2, but is True."),
        (
            validation_hoeffding,
            (11, 10, 0.05),
            "errors must be at most the number of rows 10, but is 11.",
        ),
        (validation_hoeffding, (-1, 10, 0.05), f"errors must be {MORE}, but is -1."),
        (
            validation_hoeffding_rows,
            (0.1, 0.05, 0.1),
            "error must be above the observed rate 0.1, but is 0.1.",
        ),
        (hoeffding_general, (1, [1, -1]), f"widths[1] must be {MORE}, but is -1."),
        (
            hoeffding_general,
            (1, [0, 0]),
            "widths must be widths of which at least one is above zero, but is [0, 0].",
        ),
        (hoeffding_general, (1, 5), "widths must be a sequence of numbers, but is 5."),
        (hoeffding_general, (math.nan, [1]), f"deviation must be {MORE}, but is nan."),
    ],
)
def test_refusals(function, inputs, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        function(*inputs)


# The promise is never broken.


def tail_breaks(bound) -> int:
    """Binomials whose exact tail, beyond some deviation, exceeds a claimed one."""
    broken = 0
    for n, p in GRID:
        chances = binomial(n, p)
        for k in range(n + 1):
            a = Fraction(k, n) - p
            if a >= 0:
                broken += sum(chances[k:]) > Fraction(bound(n, a))
            else:
                broken += sum(chances[: k + 1]) > Fraction(bound(n, -a))
    return broken


def test_tail_bounds_every_binomial():
    assert tail_breaks(hoeffding_tail) == 0


def test_twice_the_exponent_would_not():
    assert tail_breaks(lambda n, a: math.exp(-4 * n * float(a) ** 2)) > 0


def two_sided_breaks(bound) -> int:
    broken = 0
    for n, p in GRID:
        if n > 23:
            continue
        chances = binomial(n, p)
        for k in range(n + 1):
            a = abs(Fraction(k, n) - p)
            outside = (c for j, c in enumerate(chances) if abs(Fraction(j, n) - p) >= a)
            broken += sum(outside) > Fraction(bound(n, a))
    return broken


def test_two_sided_tail_bounds_every_binomial_and_the_one_sided_does_not():
    assert two_sided_breaks(lambda n, a: hoeffding_tail(n, a, sides=2)) == 0
    assert two_sided_breaks(hoeffding_tail) > 0


def general_breaks(bound) -> int:
    """Sums of two-point variables of different widths, enumerated."""
    broken = 0
    rng = np.random.default_rng(7)
    for _ in range(25):
        widths = [Fraction(int(w)) for w in rng.integers(0, 5, size=7)] + [Fraction(1)]
        up = [Fraction(int(p), 10) for p in rng.integers(1, 10, size=8)]
        law: dict[Fraction, Fraction] = {}
        for coins in itertools.product((0, 1), repeat=8):
            value = sum(w * c for w, c in zip(widths, coins, strict=True))
            chance = math.prod(p if c else 1 - p for p, c in zip(up, coins, strict=True))
            law[value] = law.get(value, Fraction(0)) + chance
        mean = sum(v * c for v, c in law.items())
        for value in law:
            t = abs(value - mean)
            above = sum(c for v, c in law.items() if v - mean >= t)
            below = sum(c for v, c in law.items() if mean - v >= t)
            broken += max(above, below) > Fraction(bound(t, widths))
    return broken


def test_general_form_bounds_enumerated_sums():
    assert general_breaks(hoeffding_general) == 0


def test_squared_sum_of_widths_cannot_be_the_largest_square():
    assert general_breaks(lambda t, ws: hoeffding_general(t, [max(ws)])) > 0


def validation_failure(bound, n: int, p: Fraction, delta: str) -> Fraction:
    """The exact probability that the promised error lies below the true one."""
    chances = binomial(n, p)
    return sum((c for k, c in enumerate(chances) if Fraction(bound(k, n, delta)) < p), Fraction(0))


@pytest.mark.parametrize("delta", ["0.01", "0.05", "0.3"])
def test_validation_fails_with_probability_at_most_delta(delta):
    worst = max(validation_failure(validation_hoeffding, n, p, delta) for n, p in GRID)
    assert worst <= Fraction(delta)


def test_half_the_slack_fails_more_often():
    def halved(k, n, delta):
        return (k / n + validation_hoeffding(k, n, delta)) / 2

    worst = max(validation_failure(halved, n, p, "0.05") for n, p in GRID)
    assert worst > Fraction("0.05")


def test_two_sided_fails_with_probability_at_most_delta():
    def failure(slack, n, p):
        far = (c for k, c in enumerate(binomial(n, p)) if abs(Fraction(k, n) - p) > slack)
        return sum(far, Fraction(0))

    for n, p in GRID:
        assert failure(Fraction(validation_hoeffding_two_sided(n, 0.2)), n, p) <= Fraction("0.2")
    halved = [failure(Fraction(validation_hoeffding_two_sided(n, 0.2)) / 2, n, p) for n, p in GRID]
    assert max(halved) > Fraction("0.2")


def test_validation_holds_for_losses_between_zero_and_one():
    # Monte Carlo, false alarm 1e-6: arcsine losses, the most spread of the smooth ones.
    rng, m, trials, delta = np.random.default_rng(38), 50, 4000, 0.2
    sums = rng.beta(0.5, 0.5, size=(trials, m)).sum(axis=1)
    promised = np.array([validation_hoeffding(s, m, delta) for s in sums])
    assert_sound(int((promised < 0.5).sum()), trials, delta)
    broken = sums / m + (promised - sums / m) / 5
    assert_unsound(int((broken < 0.5).sum()), trials, delta)
