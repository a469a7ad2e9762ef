"""The next rows: golden counts, the definition in whole numbers, the promise by enumeration and simulation."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.finite_population import most_errors
from assay.theory.tail.integers import MOST_ROWS, hypergeometric_at_most
from assay.theory.tail.next_rows import next_rows_exact
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
from tests.soundness import assert_sound, assert_unsound

deltas = st.floats(1e-9, 0.99)


@st.composite
def cases(draw, most=80):
    rows = draw(st.integers(1, most))
    return draw(st.integers(0, rows)), rows, draw(st.integers(1, most))


@pytest.mark.parametrize(
    ("errors", "rows", "more", "delta", "most"),
    [
        (50, 1000, 100, 0.05, 9),
        (50, 1000, 1000, 0.05, 68),
        (0, 300, 100, 0.05, 2),
        (5, 50, 20, 0.1, 5),
    ],
)
def test_golden_values(errors, rows, more, delta, most):
    assert next_rows_exact(errors, rows, more, delta) == most


def test_registered():
    inputs = {"errors": 50, "rows": 1000, "next_rows": 100, "delta": 0.05}
    assert find_theorem("next-rows-exact")(**inputs) == 9


# The definition, by whole numbers.


@settings(max_examples=150)
@given(cases(), deltas)
def test_one_error_more_is_excluded_and_no_fewer(case, delta):
    errors, rows, more = case
    level = Fraction(repr(delta))
    most = next_rows_exact(errors, rows, more, delta)
    assert 0 <= most <= more
    assert not hypergeometric_at_most(errors, rows, errors + most, rows + more, level)
    if most < more:
        assert hypergeometric_at_most(errors, rows, errors + most + 1, rows + more, level)


@settings(max_examples=60)
@given(cases(2000), deltas)
def test_is_the_finite_population_of_all_rows(case, delta):
    errors, rows, more = case
    assert next_rows_exact(errors, rows, more, delta) == (
        most_errors(errors, rows, rows + more, delta) - errors
    )


@settings(max_examples=60)
@given(cases(), deltas, deltas)
def test_monotone(case, one, other):
    errors, rows, more = case
    small, large = sorted((one, other))
    here = next_rows_exact(errors, rows, more, small)
    assert next_rows_exact(errors, rows, more, large) <= here
    assert here <= next_rows_exact(errors, rows, more + 1, small)
    if errors < rows:
        assert here <= next_rows_exact(errors + 1, rows, more, small)
    assert next_rows_exact(errors, rows + 1, more, small) <= here


def test_many_next_rows_come_near_the_rate():
    share = next_rows_exact(50, 1000, 10**9, 0.05) / 10**9
    assert share == pytest.approx(holdout_exact(50, 1000, 0.05), rel=1e-4)


@pytest.mark.parametrize("delta", ["0.05", "1e-9", "1e-1500"])
@pytest.mark.parametrize(
    ("errors", "rows", "more"),
    [(500_000, 10**7, 10**7), (5 * 10**6, 10**7, 10**7), (3, 10, 10**7), (0, 10**7, 10)],
)
def test_millions_of_rows_take_no_time(errors, rows, more, delta):
    start = time.perf_counter()
    assert 0 <= next_rows_exact(errors, rows, more, delta) <= more
    assert time.perf_counter() - start < 2.0


# The promise is kept: for every number of wrong rows among all, over every order, in whole numbers.


def failure(bound: list[int], rows: int, more: int, bad: int) -> Fraction:
    """The chance that more of the next rows are wrong than promised, if `bad` of all are."""
    broken = sum(
        math.comb(bad, k) * math.comb(rows + more - bad, rows - k)
        for k in range(min(bad, rows) + 1)
        if bad - k > bound[k]
    )
    return Fraction(broken, math.comb(rows + more, rows))


@pytest.mark.parametrize(("rows", "more"), [(1, 4), (10, 10), (20, 7), (15, 40)])
@pytest.mark.parametrize("delta", ["0.05", "0.3"])
def test_fails_at_most_delta_of_the_time_in_every_order(rows, more, delta):
    bound = [next_rows_exact(k, rows, more, delta) for k in range(rows + 1)]
    all_bad = range(rows + more + 1)
    assert max(failure(bound, rows, more, bad) for bad in all_bad) <= Fraction(delta)
    short = [max(most - 1, 0) for most in bound]
    assert max(failure(short, rows, more, bad) for bad in all_bad) > Fraction(delta)


def broken(trials: int, bound, seed: int) -> int:
    """How often a promise about the next 100 rows broke, for rows wrong by chance one in twenty."""
    rng = np.random.default_rng(seed)
    seen, after = rng.binomial(1000, 0.05, trials), rng.binomial(100, 0.05, trials)
    promise = {k: bound(int(k)) for k in np.unique(seen)}
    return sum(int(u) > promise[k] for k, u in zip(seen, after, strict=True))


def test_simulated_rows_keep_the_promise_and_break_the_rate_read_as_a_share():
    assert_sound(broken(4000, lambda k: next_rows_exact(k, 1000, 100, 0.05), 1), 4000, 0.05)
    # "Of new rows at most 6.3 % will be wrong", read literally.
    literal = broken(4000, lambda k: math.floor(100 * holdout_exact(k, 1000, 0.05)), 1)
    assert_unsound(literal, 4000, 0.05)
    assert literal > 0.2 * 4000


@pytest.mark.guarantees
def test_exchangeable_rows_that_are_not_independent_keep_the_promise():
    # A rate drawn anew for every run: rows are exchangeable, and far from independent.
    rng, trials = np.random.default_rng(2), 200_000
    rate = rng.beta(0.5, 4.0, trials)
    seen, after = rng.binomial(200, rate), rng.binomial(50, rate)
    promise = np.array([next_rows_exact(k, 200, 50, 0.1) for k in range(201)])
    assert_sound(int((after > promise[seen]).sum()), trials, 0.1)
    assert_unsound(int((after > np.maximum(promise[seen] - 2, 0)).sum()), trials, 0.1)


def test_refuses_what_is_not_covered():
    inputs = {"errors": 5, "rows": 100, "next_rows": 10, "delta": 0.05}
    assert_refuses_all(next_rows_exact, inputs, "errors", COUNT, NOT_COUNTS)
    assert_refuses_all(next_rows_exact, inputs, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(next_rows_exact, inputs, "next_rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(next_rows_exact, inputs, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("errors must be at most the number of rows 100, but is 101."):
        next_rows_exact(101, 100, 10, 0.05)
    with refuses("next_rows must be at most 999999999900 after 100 rows, but is 1000000000000."):
        next_rows_exact(5, 100, MOST_ROWS, 0.05)
