import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory.regret.self_normalised import interval_regret, linucb_regret
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    assert_refuses_all,
    refuses,
)

GOOD = {
    "rounds": 100_000,
    "dimension": 5,
    "feature_norm": 1,
    "parameter_norm": 0.5,
    "penalty": 1,
    "delta": 0.05,
}


def test_a_hundred_thousand_rounds_by_hand():
    # G = 5 ln 20001 = 49.518..., b = 1/2 + sqrt(2 ln 20 + G) / 2, 2 b sqrt(1e5 G / ln 2), in 30 digits.
    assert linucb_regret(**GOOD) == pytest.approx(22586.404515708386, rel=1e-12)
    assert linucb_regret(**GOOD, form="textbook") == pytest.approx(37608.83045805212, rel=1e-12)
    assert linucb_regret(**GOOD, explored=7) == pytest.approx(22593.404515708386, rel=1e-12)


@given(
    st.integers(1, 10**9),
    st.integers(1, 10**4),
    *[st.floats(1e-3, 1e3)] * 3,
    st.floats(1e-9, 0.999),
)
def test_never_below_the_exact_value(t, d, norm, short, penalty, delta):
    with mpmath.workdps(50):
        n, s, q, p = (mpmath.mpf(repr(x)) for x in (norm, short, penalty, delta))
        grown = d * mpmath.log(1 + t * n * n / (q * d))
        radius = mpmath.sqrt(q) * s + mpmath.sqrt(2 * mpmath.log(1 / p) + grown) / 2
        radius = max(radius, mpmath.mpf("0.5"))
        sharp = min(2 * radius * mpmath.sqrt(t * grown / mpmath.log(2)), t)
        textbook = min(4 * radius * mpmath.sqrt(t * grown), t)
    given_ = (t, d, norm, short, penalty, delta)
    assert sharp <= linucb_regret(*given_) <= sharp * (1 + 1e-12)
    assert textbook <= linucb_regret(*given_, form="textbook") <= textbook * (1 + 1e-12)


def test_monotone():
    base = linucb_regret(**GOOD)
    for name, larger in [("rounds", 200_000), ("dimension", 6), ("feature_norm", 2)]:
        assert linucb_regret(**GOOD | {name: larger}) > base
    for name, larger in [("parameter_norm", 1), ("delta", 0.01)]:
        assert linucb_regret(**GOOD | {name: larger}) > base


def test_the_printed_length_is_too_small_where_features_are_long():
    # One feature of length 10, one round at a time: the growth is ln(1 + 100), which L in place of L^2 misses.
    grown = mpmath.log(1 + 10**2)
    assert grown > mpmath.log(1 + 10)


def test_the_sum_of_gaps():
    assert interval_regret(12.5, 0.05) == 12.5
    assert interval_regret("0.1", 0.05) >= 0.1
    with refuses("gaps must be a finite number, zero or more, but is -1."):
        interval_regret(-1, 0.05)
    with refuses("delta must be a number strictly between 0 and 1, but is 1."):
        interval_regret(1, 1)


def test_refusals():
    for name in ("rounds", "dimension"):
        assert_refuses_all(linucb_regret, GOOD, name, COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(linucb_regret, GOOD | {"explored": 0}, "explored", COUNT, NOT_COUNTS)
    with refuses("form must be 'sharp' or 'textbook', but is 'best'."):
        linucb_regret(**GOOD, form="best")
    with refuses("penalty must be a finite number above zero, but is 0."):
        linucb_regret(**GOOD | {"penalty": 0})
