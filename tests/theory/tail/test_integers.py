"""The deciders: whole numbers against enclosures, enclosures against 60-digit arithmetic."""

from __future__ import annotations

import decimal
import itertools
import math
import random
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from assay.theory.tail import integers
from assay.theory.tail.integers import (
    MOST_ROWS,
    Tail,
    binomial_at_most,
    binomial_tail,
    hypergeometric_at_most,
    hypergeometric_tail,
    log_beta_below,
    log_beta_half,
    log_level,
    log_odds_of_mixture,
)
from tests.naive import tails

# An enclosure is promised to be right within its own width and this much.
SLACK = mpf("1e-40")


def as_mpf(value: Decimal | Fraction) -> mpf:
    return tails.real(value if isinstance(value, Fraction) else str(value))


def assert_encloses(tail: Tail, truth: mpf) -> None:
    """The true logarithm lies between the two ends, which are close together."""
    with mpmath.workdps(80):
        log = mpmath.log(truth)
        low = as_mpf(tail.log_term) + mpmath.log(as_mpf(tail.ratio_low))
        high = as_mpf(tail.log_term) + mpmath.log(as_mpf(tail.ratio_high))
        assert low - SLACK <= log <= high + SLACK
        assert high - low < mpf("1e-25")


@st.composite
def binomials(draw, most=400):
    rows = draw(st.integers(2, most))
    errors = draw(st.integers(0, rows - 1))
    top = draw(st.integers(1, 999))
    return errors, rows, Fraction(top, 1000)


@st.composite
def hypergeometrics(draw, most=300):
    population = draw(st.integers(2, most))
    rows = draw(st.integers(1, population))
    bad = draw(st.integers(1, population))
    low, high = max(0, rows - (population - bad)), min(rows, bad) - 1
    if high < low:
        low, high, rows, bad = 0, 0, 1, 1
    return draw(st.integers(low, high)), rows, bad, population


# Whole numbers, against enumeration.


@given(binomials(most=40))
def test_binomial_sum_is_the_textbook_sum(case):
    errors, rows, p = case
    tail = sum(math.comb(rows, i) * p**i * (1 - p) ** (rows - i) for i in range(errors + 1))
    assert binomial_at_most(errors, rows, p, tail)
    assert not binomial_at_most(errors, rows, p, tail * (1 - Fraction(1, 10**50)))


def test_hypergeometric_sum_counts_the_draws():
    batch = [1, 1, 1, 0, 0, 0, 0, 0]
    for rows, errors in [(n, k) for n in range(1, 9) for k in range(min(n, 3) + 1)]:
        draws = list(itertools.combinations(batch, rows))
        tail = Fraction(sum(sum(draw) <= errors for draw in draws), len(draws))
        assert hypergeometric_at_most(errors, rows, 3, 8, tail)
        assert not tail or not hypergeometric_at_most(errors, rows, 3, 8, tail * Fraction(99, 100))


# The enclosures give the same verdict as the whole numbers, on both sides of the truth.


@settings(max_examples=100)
@given(binomials(), st.integers(-40, 40))
def test_same_verdict_on_the_binomial(case, exponent):
    errors, rows, p = case
    c = 1 - p
    tail = sum(math.comb(rows, i) * p**i * c ** (rows - i) for i in range(errors + 1))
    nudge = 1 + Fraction(1 if exponent % 2 else -1, 10 ** abs(exponent or 1))
    level = tail * nudge
    decided = binomial_tail(errors, rows, p).at_most(log_level(level))
    assert decided in (None, binomial_at_most(errors, rows, p, level))
    assert decided is not None or abs(exponent) >= 38
    # A wider enclosure is undecided earlier, and never of another mind.
    for wider, digits in (({"quick": True}, 15), ({"rough": True}, 9)):
        decided = binomial_tail(errors, rows, p, **wider).at_most(log_level(level))
        assert decided in (None, binomial_at_most(errors, rows, p, level))
        assert decided is not None or abs(exponent) >= digits


@settings(max_examples=100)
@given(hypergeometrics(), st.integers(1, 37), st.sampled_from([1, -1]))
def test_same_verdict_on_the_hypergeometric(case, exponent, side):
    errors, rows, bad, population = case
    good = population - bad
    tail = Fraction(
        sum(
            math.comb(bad, i) * math.comb(good, rows - i)
            for i in range(max(0, rows - good), errors + 1)
        ),
        math.comb(population, rows),
    )
    level = tail * (1 + Fraction(side, 10**exponent))
    decided = hypergeometric_tail(errors, rows, bad, population).at_most(log_level(level))
    assert decided is hypergeometric_at_most(errors, rows, bad, population, level)


def test_equality_is_left_undecided():
    level = Fraction(1, 2**20)
    assert binomial_tail(0, 20, Fraction(1, 2)).at_most(log_level(level)) is None
    assert binomial_at_most(0, 20, Fraction(1, 2), level)


@settings(max_examples=30)
@given(binomials())
def test_ratio_ends_enclose_and_the_floors_alone_would_not(case):
    errors, rows, p = case
    tail = binomial_tail(errors, rows, p)
    exact = sum(math.comb(rows, i) * p**i * (1 - p) ** (rows - i) for i in range(errors + 1))
    term = math.comb(rows, errors) * p**errors * (1 - p) ** (rows - errors)
    assert tail.ratio_low <= exact / term <= tail.ratio_high
    # As an upper end the sum of floors would fail as soon as a ratio is no binary fraction.
    assert tail.ratio_low < exact / term or errors == 0 or exact / term * 2**160 % 1 == 0


# Enclosures against 60 digits, where whole numbers would have millions of digits.


def test_binomial_enclosure_at_scale():
    random.seed(5)
    cases = [
        (5, 10**6, 1.2e-5),
        (50_000, 10**6, 0.0509),
        (499_000, 10**6, 0.5),
        (10**6 - 1, 10**6, 1 - 1e-7),
        (30, 10**9, 5e-8),
        (10**6, 10**9, 0.0010045),
        (7, MOST_ROWS, 2e-11),
    ]
    for _ in range(20):
        rows = random.randrange(200, 10**6)
        errors = int(random.random() ** 3 * rows)
        cases.append((errors, rows, min((errors + 4 * math.sqrt(errors + 4)) / rows, 0.999)))
    for errors, rows, rate in cases:
        with mpmath.workdps(80):
            assert_encloses(
                binomial_tail(errors, rows, Fraction(rate)),
                tails.binomial_tail(errors, rows, mpf(rate)),
            )


def test_binomial_enclosure_below_the_mean():
    # Terms grow before they fall: the sum is thousands of times its first term.
    for errors, rows, rate in [(300, 1000, 0.2), (50, 60, 0.5), (5, 10, 1e-30)]:
        with mpmath.workdps(80):
            assert_encloses(
                binomial_tail(errors, rows, Fraction(rate)),
                tails.binomial_tail(errors, rows, mpf(rate)),
            )


def test_hypergeometric_enclosure_at_scale():
    for errors, rows, bad, population in [(3, 500, 90, 10**4), (40, 900, 600, 10**4)]:
        with mpmath.workdps(80):
            assert_encloses(
                hypergeometric_tail(errors, rows, bad, population),
                tails.hypergeometric_tail(errors, rows, bad, population),
            )


@pytest.mark.parametrize("n", [0, 1, 199, 200, 201, 1000, 10**6, MOST_ROWS])
def test_log_factorial_to_forty_digits(n):
    log = integers.sixty_digits(integers._log_factorial)(n)
    with mpmath.workdps(80):
        assert abs(as_mpf(log) - mpmath.loggamma(n + 1)) < mpf("1e-42")


def test_stirling_with_one_term_less_would_be_caught(monkeypatch):
    monkeypatch.setattr(integers, "_STIRLING", integers._STIRLING[:8])
    log = integers.sixty_digits(integers._log_factorial.__wrapped__)(200)
    with mpmath.workdps(80):
        assert abs(as_mpf(log) - mpmath.loggamma(201)) > mpf("1e-42")


@pytest.mark.parametrize(
    "level",
    [
        Fraction(1, 20),
        Fraction("1e-1500"),
        Fraction(1, 3**4000),
        1 - Fraction(1, 10**30),
        Fraction(7, 8),
        Fraction(2**3000 + 1, 2**3000 + 2**2990),
    ],
)
def test_log_of_any_level(level):
    with mpmath.workdps(1000):
        truth = mpmath.log(as_mpf(level))
        assert abs(as_mpf(log_level(level)) - truth) < mpf("1e-50")


def test_log_of_a_level_of_ten_million_bits_is_quick():
    log = log_level(Fraction(1, 2**10_000_000))
    with mpmath.workdps(80):
        assert abs(as_mpf(log) + 10**7 * mpmath.log(2)) < mpf("1e-45")


# The caller's decimal context plays no part.


@pytest.mark.parametrize("digits", [3, 28, 200])
def test_the_callers_decimal_context_changes_nothing(digits):
    args = 50, 1000, Fraction(0.0628634)
    expected = (
        binomial_tail(*args),
        binomial_tail(*args).log,
        hypergeometric_tail(50, 1000, 118, 2000),
        log_beta_below(*args),
        log_beta_half(50, 1000),
        log_odds_of_mixture(log_beta_half(50, 1000), *args),
    )
    with decimal.localcontext() as context:
        context.prec = digits
        context.rounding = decimal.ROUND_UP
        context.traps[decimal.Inexact] = digits == 3
        found = (
            binomial_tail(*args),
            binomial_tail(*args).log,
            hypergeometric_tail(50, 1000, 118, 2000),
            log_beta_below(*args),
            log_beta_half(50, 1000),
            log_odds_of_mixture(log_beta_half(50, 1000), *args),
        )
    assert found == expected


def test_verdicts_use_all_sixty_digits():
    # 1e-33 away: 28-digit arithmetic, Python's default, could not tell.
    tail = binomial_tail(0, 20, Fraction(1, 2))
    for sign in (1, -1):
        level = Fraction(1, 2**20) * (1 + Fraction(sign, 10**33))
        assert tail.at_most(log_level(level)) is (sign > 0)


# The incomplete beta integral of the anytime bound.


def beta_log(errors: int, rows: int, rate: float) -> mpf:
    half = mpf(1) / 2
    return mpmath.log(mpmath.betainc(errors + half, rows - errors + half, 0, mpf(rate)))


@settings(max_examples=60)
@given(st.integers(1, 300), st.data())
def test_beta_integral_from_below(rows, data):
    errors = data.draw(st.integers(0, rows - 1))
    rate = data.draw(st.floats(errors / rows + 1e-9, 1 - 1e-9))
    with mpmath.workdps(60):
        found = as_mpf(log_beta_below(errors, rows, Fraction(rate)))
        truth = beta_log(errors, rows, rate)
        assert truth - mpf("1e-15") <= found <= truth + mpf("1e-40")


@pytest.mark.parametrize(
    ("errors", "rows", "rate"),
    [
        (0, 3000, 0.002),  # the power series below
        (20, 3000, 0.012),
        (40, 3000, 0.2),  # by parts above
        (0, 3000, 0.4),
        (700, 3000, 0.26),
        (2000, 3000, 0.69),  # the power series above
        (0, 5, 0.6),
        (2999, 3000, 0.99999),
    ],
)
def test_beta_integral_by_each_expansion(errors, rows, rate):
    with mpmath.workdps(60):
        found = as_mpf(log_beta_below(errors, rows, Fraction(rate)))
        truth = beta_log(errors, rows, rate)
        assert truth - mpf("1e-15") <= found <= truth + mpf("1e-40")


@pytest.mark.parametrize(("errors", "rows"), [(0, 1), (1, 1), (3, 10), (50, 1000), (10**5, 10**6)])
def test_complete_beta_integral(errors, rows):
    with mpmath.workdps(80):
        truth = mpmath.log(mpmath.beta(errors + mpf(1) / 2, rows - errors + mpf(1) / 2))
        assert abs(as_mpf(log_beta_half(errors, rows)) - truth) < mpf("1e-45")


# The ratio sum, on its own.


@settings(max_examples=100)
@given(st.lists(st.fractions(0, 3, max_denominator=50), min_size=1, max_size=60), st.booleans())
def test_ratio_sum_encloses(ratios, halved):
    # Falling, or in any order but all at most a half.
    ratios = [r / 6 for r in ratios] if halved else sorted(ratios, reverse=True)
    for point, rest in [(160, 1), (96, 1), (96, 1 << 30), (64, 1 << 8)]:
        steps = ((r.numerator, r.denominator) for r in ratios)
        low, high = integers._ratio_sum(steps, point, rest)
        truth = sum(math.prod(ratios[:j], start=Fraction(1)) for j in range(len(ratios) + 1))
        assert low <= truth <= high


@pytest.mark.parametrize("ratio", [Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000)])
def test_ratio_sum_of_an_endless_series(ratio):
    steps = itertools.repeat((ratio.numerator, ratio.denominator))
    low, high = integers._ratio_sum(steps, point=40)
    assert low <= 1 / (1 - ratio) <= high
