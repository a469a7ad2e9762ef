"""The exact holdout bound: golden values, the last digit, the whole range of inputs."""

from __future__ import annotations

import decimal
import math
import random
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import (
    holdout_exact,
    holdout_exact_two_sided,
    lower_rate,
    tail_at_most,
    upper_rate,
)
from assay.theory.tail.hoeffding import validation_hoeffding
from assay.theory.tail.integers import MOST_ROWS, binomial_at_most, binomial_tail, log_level
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

GOLDEN = [
    (0, 50, "0.05", 0.05815507911697227),
    (0, 100, "0.05", 0.02951304960703993),
    (1, 100, "0.05", 0.04655981145353895),
    (5, 100, "0.05", 0.1022533776432745),
    (10, 50, "0.05", 0.3155960614200139),
    (3, 10, "0.05", 0.6066242161054134),
    (9, 10, "0.05", 0.9948838031081763),
    (10, 10, "0.05", 1.0),
    (5, 500, "0.05", 0.02091032294226707),
    (50, 1000, "0.05", 0.06286340351237974),
    (50, 1000, "0.005", 0.07050437520145813),
    (50, 1000, "0.001", 0.07495321993905597),
    (50, 1000, Fraction(1, 20000), 0.08219610486161029),
    (0, 1000, "0.001", 0.006883951579066228),
    (500, 10000, "0.05", 0.05373317819066032),
    (2000, 10000, "0.05", 0.2066937069342602),
    (1000, 100000, "0.05", 0.01053320090063633),
    (0, 100000, "0.05", 2.995687401942796e-5),
]

# The column of the exact bound in the table of multiples, to the digits printed there.
TABLE = [
    (2, 50, "0.05", 0.120614),
    (20, 100, "0.05", 0.277200),
    (25, 500, "0.05", 0.069136),
    (100, 500, "0.05", 0.231716),
    (10, 1000, "0.05", 0.016903),
    (200, 1000, "0.05", 0.221951),
    (100, 10000, "0.05", 0.011797),
    (5000, 100000, "0.05", 0.051148),
    (20000, 100000, "0.05", 0.202092),
    (2, 50, "0.001", 0.204896),
    (100, 500, "0.001", 0.260149),
    (2000, 10000, "0.001", 0.212611),
    (20000, 100000, "0.001", 0.203934),
    (50, 1000, "0.00000005", 0.096167),
]

inputs = {"errors": 5, "rows": 100, "delta": 0.05}


@st.composite
def holdouts(draw, most=2000):
    rows = draw(st.integers(1, most))
    return draw(st.integers(0, rows)), rows


deltas = st.one_of(st.floats(1e-12, 0.999), st.floats(-600, -12).map(lambda e: 10.0 ** (e / 2)))


# Golden values.


@pytest.mark.parametrize(("errors", "rows", "delta", "value"), GOLDEN)
def test_golden_values(errors, rows, delta, value):
    assert holdout_exact(errors, rows, delta) == pytest.approx(value, rel=0, abs=1e-15)


@pytest.mark.parametrize(("errors", "rows", "delta", "value"), TABLE)
def test_table_of_exact_bounds(errors, rows, delta, value):
    assert round(holdout_exact(errors, rows, delta), 6) == value


def test_fifty_errors_in_a_thousand_within_two_ulp():
    with mpmath.workdps(60):
        truth = tails.upper_rate(50, 1000, "0.05")
        found = holdout_exact(50, 1000, 0.05)
        assert mpmath.nstr(truth, 15) == "0.0628634035123797"
        assert truth <= found <= truth + 2 * math.ulp(found)


@pytest.mark.parametrize(
    ("errors", "rows", "value"),
    [
        (0, 100, 0.029513049607039935),
        (5, 100, 0.10225337764327451),
        (50, 1000, 0.06286340351237975),
        (500, 10000, 0.05373317819066033),
    ],
)
def test_smallest_doubles_that_pass_the_integer_check(errors, rows, value):
    assert holdout_exact(errors, rows, "0.05") == value


def test_registered_with_its_textbook_twin():
    entry = find_theorem("holdout-exact")
    assert entry(errors=50, rows=1000, delta=0.05) == 0.06286340351237975
    assert entry.textbook(errors=50, rows=1000, delta=0.05) == validation_hoeffding(50, 1000, 0.05)
    both = find_theorem("holdout-exact-two-sided")(errors=50, rows=1000, delta=0.1)
    assert both == holdout_exact_two_sided(50, 1000, 0.1)


# The smallest double: it passes the whole-number sum and its neighbour below does not.


def assert_smallest(errors: int, rows: int, level: Fraction) -> None:
    found = upper_rate(errors, rows, level)
    below = math.nextafter(found, 0.0)
    assert found == 1.0 or binomial_at_most(errors, rows, Fraction(found), level)
    assert below <= 0.0 or not binomial_at_most(errors, rows, Fraction(below), level)


@settings(max_examples=80)
@given(holdouts(most=400), deltas)
def test_smallest_double_of_small_holdouts(case, delta):
    errors, rows = case
    assume(errors < rows)
    assert_smallest(errors, rows, Fraction(repr(delta)))


def random_counts(rng: random.Random, most: int) -> tuple[int, int, Fraction]:
    rows = int(10 ** rng.uniform(0.3, math.log10(most)))
    errors = int(rng.choice([rng.random(), rng.random() ** 4]) * rows)
    return (
        min(errors, rows - 1),
        rows,
        Fraction(repr(10 ** -rng.choice([1.3, rng.uniform(0.01, 99)]))),
    )


def test_smallest_double_up_to_ten_thousand_rows():
    rng = random.Random(3)
    for _ in range(12):
        assert_smallest(*random_counts(rng, 10**4))
    assert_smallest(5000, 10**4, Fraction(1, 20))


@pytest.mark.guarantees
def test_smallest_double_up_to_ten_thousand_rows_many_times():
    rng = random.Random(4)
    for _ in range(200):
        assert_smallest(*random_counts(rng, 10**4))


def test_equality_counts_as_passing():
    # Where the tail equals delta at a double, that double is the answer: no step beyond it.
    assert holdout_exact(0, 10, 2.0**-10) == 0.5
    assert holdout_exact(0, 1, Fraction(1, 4)) == 0.75
    assert holdout_exact(1, 2, Fraction(7, 16)) == 0.75
    assert holdout_exact(2, 3, Fraction(7, 8)) == 0.5
    assert holdout_exact(0, 3000, Fraction(1, 2**3000)) == 0.5


# Never below the truth.


@settings(max_examples=60)
@given(holdouts(most=3000), deltas)
def test_never_below_sixty_digits(case, delta):
    errors, rows = case
    assume(errors < rows)
    found = holdout_exact(errors, rows, delta)
    with mpmath.workdps(60):
        level = mpmath.mpf(repr(delta))
        assert found == 1 or tails.binomial_tail(errors, rows, mpmath.mpf(found)) <= level
        below = mpmath.mpf(math.nextafter(found, 0.0))
        assert tails.binomial_tail(errors, rows, below) > level


@settings(max_examples=60)
@given(st.integers(1, 10**9), deltas)
def test_closed_forms_at_no_error_and_at_nothing_but_errors(rows, delta):
    with mpmath.workdps(60):
        truth = -mpmath.expm1(mpmath.log(mpmath.mpf(repr(delta))) / rows)
        found = holdout_exact(0, rows, delta)
        assert truth <= found <= truth + math.ulp(found)
    assert holdout_exact(rows, rows, delta) == 1.0
    low, high = holdout_exact_two_sided(rows, rows, delta)
    assert high == 1.0
    with mpmath.workdps(60):
        truth = mpmath.exp(mpmath.log(mpmath.mpf(repr(delta)) / 2) / rows)
        assert truth - math.ulp(low) <= low <= truth
    assert holdout_exact_two_sided(0, rows, delta)[0] == 0.0


@pytest.mark.parametrize("delta", ["1e-300", "1e-400", "1e-1500", Fraction(1, 3**3000)])
@pytest.mark.parametrize(("errors", "rows"), [(0, 10**5), (7, 5000), (400, 5000), (50, 60)])
def test_delta_beyond_doubles(errors, rows, delta):
    found = holdout_exact(errors, rows, delta)
    with mpmath.workdps(2000):
        level = tails.real(Fraction(delta))
    with mpmath.workdps(60):
        want = mpmath.log(level)
        assert mpmath.log(tails.binomial_tail(errors, rows, mpmath.mpf(found))) <= want
        below = mpmath.mpf(math.nextafter(found, 0.0))
        assert mpmath.log(tails.binomial_tail(errors, rows, below)) > want


def test_delta_as_text_fraction_float_and_numpy_scalar_agree():
    for same in (0.05, "0.05", "5e-2", Fraction(1, 20), Decimal("0.05"), np.float64(0.05)):
        assert holdout_exact(np.int64(50), np.int32(1000), same) == 0.06286340351237975


@pytest.mark.parametrize(
    "delta", [0.5, 0.9, 0.999999, 1 - 2**-53, "0.9999999999999999999", 1 - Fraction(1, 10**40)]
)
@pytest.mark.parametrize(("errors", "rows"), [(0, 100), (5, 100), (99, 100), (1, 2), (900, 2000)])
def test_delta_near_one(errors, rows, delta):
    # Such a promise is nearly empty, but it must not be wrong.
    level = delta if isinstance(delta, Fraction) else Fraction(str(delta))
    assert_smallest(errors, rows, level)
    low, high = holdout_exact_two_sided(errors, rows, delta)
    assert low <= errors / rows <= high


@pytest.mark.parametrize("delta", [1e-15, 1e-18, "1e-100", "1e-1500"])
def test_nearly_all_wrong(delta):
    for rows in (2, 10, 1000):
        assert_smallest(rows - 1, rows, Fraction(str(delta)))


@pytest.mark.parametrize(
    ("errors", "rows"), [(0, 10**9), (5, 10**9), (10**6, 10**9), (10**9 - 1, 10**9), (9, MOST_ROWS)]
)
def test_huge_holdouts(errors, rows):
    found = holdout_exact(errors, rows, 0.05)
    log = log_level(Fraction(1, 20))
    assert binomial_tail(errors, rows, Fraction(found)).at_most(log) is True
    below = Fraction(math.nextafter(found, 0.0))
    assert binomial_tail(errors, rows, below).at_most(log) is False


def test_halves_of_a_million_from_both_sides():
    low, high = holdout_exact_two_sided(500_000, 10**6, 0.05)
    assert low == pytest.approx(0.4990195191953118, rel=1e-14)
    assert high == pytest.approx(0.5009804808046883, rel=1e-14)


def test_the_callers_decimal_context_changes_nothing():
    with decimal.localcontext() as context:
        context.prec, context.rounding = 5, decimal.ROUND_DOWN
        assert holdout_exact(500, 10000, 0.05) == 0.05373317819066033
        assert holdout_exact_two_sided(50, 1000, 0.1)[1] == 0.06286340351237975


# Monotone.


@settings(max_examples=40)
@given(holdouts(most=500), deltas)
def test_more_errors_cost_more(case, delta):
    errors, rows = case
    assume(errors < rows)
    assert holdout_exact(errors, rows, delta) < holdout_exact(errors + 1, rows, delta) or (
        holdout_exact(errors, rows, delta) == 1.0
    )
    fewer, more = (holdout_exact_two_sided(k, rows, delta) for k in (errors, errors + 1))
    assert fewer[0] <= more[0]
    assert fewer[1] <= more[1]


@settings(max_examples=60)
@given(holdouts(), deltas)
def test_more_rows_with_the_same_errors_cost_less(case, delta):
    errors, rows = case
    few, many = holdout_exact(errors, rows, delta), holdout_exact(errors, rows + 1, delta)
    assert many < few or many == few == 1.0


@settings(max_examples=40)
@given(holdouts(most=500), deltas, deltas)
def test_less_confidence_costs_less(case, one, other):
    small, large = sorted((one, other))
    assert holdout_exact(*case, large) <= holdout_exact(*case, small)
    outer, inner = holdout_exact_two_sided(*case, small), holdout_exact_two_sided(*case, large)
    assert outer[0] <= inner[0]
    assert inner[1] <= outer[1]


@given(holdouts(), st.floats(1e-12, 0.5))
def test_never_above_hoeffding(case, delta):
    errors, rows = case
    exact, textbook = holdout_exact(errors, rows, delta), validation_hoeffding(errors, rows, delta)
    assert exact <= min(textbook, 1.0) * (1 + 1e-15)


# Two ends.


@settings(max_examples=60)
@given(holdouts(most=1000), deltas)
def test_both_ends_are_the_outermost_doubles(case, delta):
    errors, rows = case
    level = Fraction(repr(delta)) / 2
    low, high = holdout_exact_two_sided(errors, rows, delta)
    assert high == upper_rate(errors, rows, level)
    if errors == 0:
        assert low == 0.0
        return
    # P[Bin(n, p) >= k] is the lower tail of the successes.
    above = math.nextafter(low, 1.0)
    assert low == 0.0 or binomial_at_most(rows - errors, rows, 1 - Fraction(low), level)
    assert not binomial_at_most(rows - errors, rows, 1 - Fraction(above), level)
    assert lower_rate(errors, rows, level) == low


def test_a_lower_end_among_subnormal_doubles():
    low, _ = holdout_exact_two_sided(1, 10**9, "1e-300")
    assert low == pytest.approx(5e-310, rel=1e-6)


# The promise is kept, by exact summation over every count.


def failure(bound: list[float], rows: int, rate: float) -> float:
    """The chance that the bound lies below the true rate."""
    chances = (
        math.comb(rows, k) * rate**k * (1 - rate) ** (rows - k)
        for k in range(rows + 1)
        if bound[k] < rate
    )
    return math.fsum(chances)


@pytest.mark.parametrize("rows", [1, 7, 60])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_fails_at_most_delta_of_the_time_at_every_rate(rows, delta):
    exact = [holdout_exact(k, rows, delta) for k in range(rows + 1)]
    both = [holdout_exact_two_sided(k, rows, delta) for k in range(rows + 1)]
    # The worst rates lie just above the bounds themselves.
    rates = [math.nextafter(p, 2) for p in exact if p < 1] + [i / 200 for i in range(1, 200)]
    assert max(failure(exact, rows, p) for p in rates) <= delta * (1 + 1e-12)
    worst = 0.0
    for p in [q + s * 1e-12 for ends in both for q in ends for s in (-1, 1) if 0 < q < 1] + rates:
        worst = max(worst, failure([h if low <= p else -1.0 for low, h in both], rows, p))
    assert worst <= delta * (1 + 1e-9)
    # A tenth less, and the promise breaks: the bound is tight.
    short = [0.9 * p for p in exact]
    assert max(failure(short, rows, p) for p in rates) > delta


def test_the_estimates_that_are_no_bounds_break():
    z = 1.6448536269514722
    wilson = [
        (k + z * z / 2 + z * math.sqrt(k * (100 - k) / 100 + z * z / 4)) / (100 + z * z)
        for k in range(101)
    ]
    # Worst just above its value at no error, 0.0263.
    assert failure(wilson, 100, math.nextafter(wilson[0], 1)) == pytest.approx(0.0693, abs=5e-5)
    wald = [k / 100 + z * math.sqrt(k * (100 - k) / 1e6) for k in range(101)]
    assert failure(wald, 100, 1e-3) > 0.9


def test_tail_at_most_at_the_edges():
    half = Fraction(1, 2)
    assert not tail_at_most(5, 5, half, Fraction(99, 100))
    assert tail_at_most(5, 5, half, Fraction(1))
    assert tail_at_most(0, 5, Fraction(1), Fraction(1, 10))
    assert not tail_at_most(0, 5, Fraction(0), Fraction(1, 10))
    assert tail_at_most(0, 5, half, Fraction(1, 32))
    assert not tail_at_most(1, 5, half, Fraction(5, 32))
    # Far below the mean the sum would be astronomically long; the median decides.
    assert not tail_at_most(500_000, 10**6, Fraction(1, 1000), Fraction(49, 100))


@pytest.mark.parametrize("bound", [holdout_exact, holdout_exact_two_sided])
def test_refuses_what_is_not_covered(bound):
    assert_refuses_all(bound, inputs, "errors", COUNT, NOT_COUNTS)
    assert_refuses_all(bound, inputs, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(bound, inputs, "delta", INSIDE_UNIT, [*NOT_INSIDE_UNIT, math.nan, -1e-9])
    with refuses("errors must be at most the number of rows 100, but is 101."):
        bound(101, 100, 0.05)
    with refuses("rows must be at most 1000000000000, but is 1000000000001."):
        bound(1, MOST_ROWS + 1, 0.05)
