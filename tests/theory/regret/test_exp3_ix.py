import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory import tuning
from assay.theory.regret.exp3_ix import exp3_ix_regret
from tests.refusals import (
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    assert_refuses_all,
    refuses,
)

GOOD = {"rounds": 100, "arms": 3, "delta": 0.05}


def test_ten_thousand_rounds_and_ten_arms():
    assert exp3_ix_regret(10_000, 10, 0.05, form="textbook") == pytest.approx(2448.097, rel=1e-6)
    assert exp3_ix_regret(10_000, 10, 0.05) == pytest.approx(1904.507, rel=1e-6)


@given(st.integers(1, 10**9), st.integers(2, 10**6), st.floats(1e-9, 0.999), st.floats(1e-6, 1e3))
def test_never_below_the_exact_value(t, k, delta, rate):
    with mpmath.workdps(50):
        log, need = mpmath.log(k), mpmath.log(2 / mpmath.mpf(repr(delta)))
        n, size = mpmath.mpf(repr(rate)), mpmath.mpf(t * k)
        values = {
            "sharp": 2 * mpmath.sqrt(2 * size * log) + (mpmath.sqrt(size / (2 * log)) + 1) * need,
            "textbook": 2 * mpmath.sqrt(2 * size * log) + (mpmath.sqrt(2 * size / log) + 1) * need,
            "anytime": 4 * mpmath.sqrt(size * log) + (mpmath.sqrt(size / log) + 1) * need,
        }
        at_rate = 2 * log / n + n * size + (1 / n + 1) * need
    for form, value in values.items():
        assert value <= exp3_ix_regret(t, k, delta, form=form) <= value * (1 + 1e-13)
    assert at_rate <= exp3_ix_regret(t, k, delta, rate) <= at_rate * (1 + 1e-13)


@given(st.integers(1, 10**6), st.integers(2, 10**4), st.floats(1e-6, 0.9))
def test_monotone_and_sharper_than_the_textbook(t, k, delta):
    for form in ("sharp", "textbook", "anytime"):
        value = exp3_ix_regret(t, k, delta, form=form)
        assert value <= exp3_ix_regret(t + 1, k, delta, form=form)
        assert value <= exp3_ix_regret(t, k, delta / 2, form=form)
    assert exp3_ix_regret(t, k, delta) <= exp3_ix_regret(t, k, delta, form="textbook")
    tuned = exp3_ix_regret(t, k, delta, tuning.exp3_rate(t, k))
    assert tuned == pytest.approx(exp3_ix_regret(t, k, delta), rel=1e-9)


def test_one_arm_has_no_regret():
    for form in ("sharp", "textbook", "anytime"):
        assert exp3_ix_regret(10, 1, 0.05, form=form) == 0.0


def test_the_sum_of_the_falling_rates():
    """What the anytime form rests on: the rates add up to at most twice sqrt(T ln K / K)."""
    for k in (2, 10):
        total = 0.0
        for t in range(1, 2000):
            total += tuning.exp3_anytime_rate(t, k)
            assert total <= 2 * math.sqrt(t * math.log(k) / k)


def test_refusals():
    assert_refuses_all(exp3_ix_regret, GOOD, "rounds", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(exp3_ix_regret, GOOD, "arms", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(exp3_ix_regret, GOOD, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("form must be 'sharp', 'textbook' or 'anytime', but is 'best'."):
        exp3_ix_regret(**GOOD, form="best")
    with refuses(
        "learning_rate must be left out of the anytime form, which has its own rate, but is 1."
    ):
        exp3_ix_regret(**GOOD, learning_rate=1, form="anytime")
    with refuses("learning_rate must be a finite number above zero, but is 0."):
        exp3_ix_regret(**GOOD, learning_rate=0)
