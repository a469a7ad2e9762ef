"""Certifying a finite batch: golden counts, enumeration, monotonicity, refusals."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.finite_population import holdout_finite_population, most_errors, tail_at_most
from assay.theory.tail.integers import MOST_ROWS, hypergeometric_at_most
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

deltas = st.floats(1e-9, 0.99)


@st.composite
def batches(draw, most=120):
    population = draw(st.integers(1, most))
    rows = draw(st.integers(1, population))
    return draw(st.integers(0, rows)), rows, population


# Golden values.


@pytest.mark.parametrize(
    ("errors", "rows", "population", "most"),
    [(50, 1000, 2000, 118), (50, 1000, 10000, 622), (0, 100, 200, 4), (5, 100, 1000, 99)],
)
def test_golden_values(errors, rows, population, most):
    assert most_errors(errors, rows, population, 0.05) == most
    found = holdout_finite_population(errors, rows, population, 0.05)
    assert Fraction(math.nextafter(found, 0)) < Fraction(most, population) <= Fraction(found)


def test_registered():
    inputs = {"errors": 5, "rows": 100, "population": 1000, "delta": 0.05}
    assert find_theorem("holdout-finite-population")(**inputs) == 0.099


# The definition, by whole numbers.


@settings(max_examples=100)
@given(batches(), deltas)
def test_one_bad_row_more_is_excluded_and_no_fewer(case, delta):
    errors, rows, population = case
    level = Fraction(repr(delta))
    most = most_errors(errors, rows, population, delta)
    assert errors <= most <= population - (rows - errors)
    assert not hypergeometric_at_most(errors, rows, most, population, level)
    if most < population - (rows - errors):
        assert hypergeometric_at_most(errors, rows, most + 1, population, level)


def test_equality_counts_as_excluded():
    # One of two rows drawn: a single bad row hides with probability one half exactly.
    assert most_errors(0, 1, 2, 0.5) == 0
    assert most_errors(0, 1, 2, 0.49) == 1


@settings(max_examples=60)
@given(batches(most=3000), deltas, st.integers(0, 3000))
def test_enclosure_and_whole_numbers_agree(case, delta, more):
    errors, rows, population = case
    bad = min(errors + more, population - (rows - errors))
    level = Fraction(repr(delta))
    assert tail_at_most(errors, rows, bad, population, level) is hypergeometric_at_most(
        errors, rows, bad, population, level
    )


def test_tail_at_the_edges():
    level = Fraction(1, 2)
    assert not tail_at_most(3, 5, 3, 10, level)  # three errors cannot be exceeded by three bad rows
    assert tail_at_most(3, 5, 3, 10, Fraction(1))
    assert tail_at_most(0, 5, 6, 10, level)  # five draws from four good rows must show a bad one


# Closed forms and neighbours.


@given(batches(), deltas)
def test_a_batch_checked_whole_is_known(case, delta):
    errors, rows, _ = case
    assert most_errors(errors, rows, rows, delta) == errors
    assert holdout_finite_population(rows, rows, rows, delta) == 1.0


@settings(max_examples=40)
@given(batches(), st.floats(1e-9, 0.5))
def test_never_above_the_bound_for_an_endless_population(case, delta):
    errors, rows, population = case
    found = most_errors(errors, rows, population, delta)
    assert found <= math.ceil(holdout_exact(errors, rows, delta) * population)


def test_a_large_batch_is_like_an_endless_one():
    found = most_errors(50, 1000, 10**9, 0.05) / 10**9
    exact = holdout_exact(50, 1000, 0.05)
    assert exact * (1 - 1e-6) < found < exact


@pytest.mark.parametrize("delta", ["1e-400", "1e-1500"])
def test_delta_beyond_doubles(delta):
    found = most_errors(50, 10_000, 20_000, delta)
    assert hypergeometric_at_most(50, 10_000, found + 1, 20_000, Fraction(delta))
    assert not hypergeometric_at_most(50, 10_000, found, 20_000, Fraction(delta))


def test_delta_near_one():
    assert most_errors(5, 100, 1000, "0.9999999999999999999") >= 5
    assert most_errors(0, 100, 1000, 1 - 2**-53) == 0


# Monotone.


@settings(max_examples=60)
@given(batches(), deltas, deltas)
def test_monotone(case, one, other):
    errors, rows, population = case
    small, large = sorted((one, other))
    here = most_errors(errors, rows, population, small)
    assert most_errors(errors, rows, population, large) <= here
    assert here <= most_errors(errors, rows, population + 1, small)
    if errors < rows:
        assert here <= most_errors(errors + 1, rows, population, small)
    if rows < population:
        assert most_errors(errors, rows + 1, population, small) <= here


# The promise is kept: every batch, every sample, in whole numbers.


def failure(bound: list[int], rows: int, bad: int, population: int) -> Fraction:
    """The chance that the promised number of bad rows lies below the true one."""
    ways = sum(
        math.comb(bad, k) * math.comb(population - bad, rows - k)
        for k in range(min(bad, rows) + 1)
        if bound[k] < bad
    )
    return Fraction(ways, math.comb(population, rows))


@pytest.mark.parametrize(("rows", "population"), [(1, 5), (5, 12), (10, 40), (30, 40)])
@pytest.mark.parametrize("delta", ["0.05", "0.3"])
def test_fails_at_most_delta_of_the_time_in_every_batch(rows, population, delta):
    bound = [most_errors(k, rows, population, delta) for k in range(rows + 1)]
    batches = range(population + 1)
    assert max(failure(bound, rows, bad, population) for bad in batches) <= Fraction(delta)
    # One bad row fewer, where the promise can be lowered at all, and it breaks.
    short = [max(most - 1, k) for k, most in enumerate(bound)]
    assert max(failure(short, rows, bad, population) for bad in batches) > Fraction(delta)


# Refusals.


def test_refuses_what_is_not_covered():
    bound = holdout_finite_population
    inputs = {"errors": 5, "rows": 100, "population": 1000, "delta": 0.05}
    assert_refuses_all(bound, inputs, "errors", COUNT, NOT_COUNTS)
    assert_refuses_all(bound, inputs, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(bound, inputs, "population", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(bound, inputs, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("errors must be at most the number of rows 100, but is 101."):
        bound(101, 100, 1000, 0.05)
    with refuses("rows must be at most the population 99, but is 100."):
        bound(5, 100, 99, 0.05)
    with refuses("population must be at most 1000000000000, but is 1000000000001."):
        bound(5, 100, MOST_ROWS + 1, 0.05)
