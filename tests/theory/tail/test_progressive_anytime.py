"""The anytime bound for a learner that changes: sixty digits, and learners that try to break it."""

from __future__ import annotations

import decimal
import functools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.integers import MOST_ROWS
from assay.theory.tail.progressive_anytime import progressive_anytime
from tests.naive import tails
from tests.refusals import (
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NONNEGATIVE,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    NOT_NONNEGATIVE,
    assert_refuses_all,
    refuses,
)
from tests.soundness import assert_sound, assert_unsound

deltas = st.floats(1e-9, 0.9)


@st.composite
def streams(draw, most=300):
    rows = draw(st.integers(1, most))
    return draw(st.integers(0, rows)), rows


def log_mixture(total, rows, rate):
    """The sum of the theorem, written from its statement."""
    terms = []
    for j in range(20):
        step = mpf(2) ** (3 - j)
        shrunk = 1 - rate * (1 - mpmath.exp(-step))
        terms.append(mpf("4.8") / ((j + 4) * (j + 5)) * mpmath.exp(-step * total) / shrunk**rows)
    return mpmath.log(mpmath.fsum(terms))


def assert_crosses(total, rows, delta, found):
    with mpmath.workdps(60):
        need = -mpmath.log(tails.real(delta))
        total = tails.real(total)
        if found < 1:
            assert log_mixture(total, rows, mpf(found)) >= need
        less = mpf(found) * (1 - mpf("1e-9")) - mpf("1e-15")
        assert less < 0 or log_mixture(total, rows, less) < need


def test_registered():
    entry = find_theorem("progressive-anytime")
    assert entry(errors=50, rows=1000, delta=0.05) == progressive_anytime(50, 1000, 0.05)
    assert (entry.kind, entry.holds) == ("error", "probability")


def test_the_weights_sum_to_one():
    # 1 / ((j + 4)(j + 5)) telescopes to 1 / 4 - 1 / 24.
    assert sum(Fraction(24, 5 * (j + 4) * (j + 5)) for j in range(20)) == 1


@settings(max_examples=40, deadline=None)
@given(streams(), deltas)
def test_never_below_sixty_digits_and_hardly_above(case, delta):
    errors, rows = case
    found = progressive_anytime(errors, rows, delta)
    if errors == rows:
        assert found == 1.0
    else:
        assert_crosses(errors, rows, repr(delta), found)


@pytest.mark.parametrize(
    ("total", "rows"), [(0, 1), (50, 1000), (1900, 2000), (3, 5000), ("12.345", 60)]
)
@pytest.mark.parametrize("delta", ["0.05", "1e-100", "0.999"])
def test_never_below_on_longer_streams(total, rows, delta):
    assert_crosses(total, rows, delta, progressive_anytime(total, rows, delta))


@pytest.mark.parametrize(("errors", "rows"), [(0, 10**9), (10**8, 10**9)])
def test_huge_streams(errors, rows):
    exact, found = holdout_exact(errors, rows, 0.05), progressive_anytime(errors, rows, 0.05)
    assert exact < found < 1.4 * exact


def test_the_longest_stream():
    found = progressive_anytime(10**11, MOST_ROWS, 0.05)
    assert 0.1 < found < 0.1 + 2e-6  # five standard deviations are 1.5e-6


def test_price_of_a_learner_that_changes():
    # Azuma's inequality, the textbook's tool here, gives 0.1274 for 50 of 1000 at a single look.
    assert progressive_anytime(50, 1000, 0.05) < 0.0766
    assert progressive_anytime(50, 1000, 0.05) < 1.22 * holdout_exact(50, 1000, 0.05)
    assert progressive_anytime(5000, 10**5, 0.05) < 1.03 * holdout_exact(5000, 10**5, 0.05)


def test_the_callers_decimal_context_changes_nothing():
    expected = progressive_anytime(50, 1000, 0.05)
    with decimal.localcontext() as context:
        context.prec, context.rounding = 5, decimal.ROUND_DOWN
        assert progressive_anytime(50, 1000, 0.05) == expected


@settings(max_examples=25, deadline=None)
@given(streams(), deltas, deltas)
def test_monotone(case, one, other):
    errors, rows = case
    small, large = sorted((one, other))
    found = progressive_anytime(errors, rows, large)
    assert errors / rows <= found <= 1
    assert found <= progressive_anytime(errors, rows, small)
    assert progressive_anytime(errors, rows + 1, large) <= found
    if errors < rows:
        assert found <= progressive_anytime(errors + 1, rows, large)


@settings(max_examples=25, deadline=None)
@given(streams(), st.floats(1e-9, 0.5))
def test_never_below_the_exact_bound_of_a_fixed_model(case, delta):
    assert progressive_anytime(*case, delta) >= holdout_exact(*case, delta)


# A learner that tries to break the promise: it errs one time in ten until the exact bound is broken by
# luck, and then puts in a hypothesis that never errs, so that the luck stays in the count.

DELTA, ROWS, TRIALS, RATE = 0.1, 300, 2000, 0.1
LOOKS = range(30, ROWS + 1, 15)


@functools.cache
def lucky_runs():
    """Errors so far and the mean risk so far, at every look of every run."""
    rng = np.random.default_rng(3)
    errors, risk = np.zeros(TRIALS, dtype=int), np.zeros(TRIALS)
    frozen = np.zeros(TRIALS, dtype=bool)
    seen = []
    for t in range(1, ROWS + 1):
        p = np.where(frozen, 0.0, RATE)
        errors += rng.random(TRIALS) < p
        risk += p
        if t in LOOKS:
            lucky = [k for k in range(t // 10) if holdout_exact(k, t, DELTA) < RATE]
            frozen |= np.isin(errors, lucky)
            seen.append((t, errors.copy(), risk / t))
    return seen


def failures(bound):
    failed = np.zeros(TRIALS, dtype=bool)
    for rows, errors, mean in lucky_runs():
        known = {}
        # A bound lies above the share of errors: only runs below their mean can break it.
        for run in np.flatnonzero(errors < rows * mean):
            k = int(errors[run])
            known[k] = known.get(k) or bound(k, rows)
            failed[run] |= known[k] < mean[run]
    return int(failed.sum())


def test_a_lucky_learner_does_not_break_it_at_any_moment():
    assert_sound(failures(lambda k, n: progressive_anytime(k, n, DELTA)), TRIALS, DELTA)


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("the exact bound of a fixed model", lambda k, n: holdout_exact(k, n, DELTA)),
        ("half the slack", lambda k, n: (progressive_anytime(k, n, DELTA) + k / n) / 2),
    ],
)
def test_broken_bounds_are_caught(name, bound):
    assert_unsound(failures(bound), TRIALS, DELTA)


def test_refuses_what_is_not_covered():
    inputs = {"errors": 5, "rows": 100, "delta": 0.05}
    assert_refuses_all(progressive_anytime, inputs, "errors", NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(progressive_anytime, inputs, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(progressive_anytime, inputs, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("errors must be at most the number of rows 100, but is 101."):
        progressive_anytime(101, 100, 0.05)
    with refuses("rows must be at most 1000000000000, but is 1000000000001."):
        progressive_anytime(1, MOST_ROWS + 1, 0.05)


def test_all_wrong_promises_nothing():
    assert progressive_anytime(7, 7, 0.05) == 1.0
