import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory.regret.regression_oracle import epsilon_greedy_regret, squarecb_regret
from tests.naive.contextual import inverse_gaps, nearly_greedy
from tests.refusals import COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE, assert_refuses_all, refuses

SQUARE = {"rounds": 100_000, "actions": 5, "gamma": 2, "oracle_regret": 10.5}
GREEDY = {"rounds": 100_000, "actions": 5, "exploration": 0.1, "oracle_regret": 10.5}


def test_by_hand():
    # (4 * 4 / 2 + 2 * 10.5 / 4) sqrt(1e5), and 0.1 * 0.8 * 1e5 + 0.9 sqrt((50 + 1 / 0.92) 10.5e5).
    assert squarecb_regret(**SQUARE) == pytest.approx(13.25 * math.sqrt(1e5), rel=1e-14)
    assert epsilon_greedy_regret(**GREEDY) == pytest.approx(14591.620174262102, rel=1e-12)
    with_floor = squarecb_regret(**SQUARE, least_propensity=0.01)
    assert with_floor == pytest.approx(13.25 * math.sqrt(1e5) + 4000, rel=1e-14)


losses = st.lists(st.floats(0, 1), min_size=2, max_size=6)


@given(st.data(), st.integers(2, 6), st.floats(0.1, 1000))
def test_one_round_of_inverse_gaps(data, k, rate):
    """What the proof rests on, for any forecasts and any means: 2 (K - 1) / rate, and the squares."""
    forecasts = data.draw(st.lists(st.floats(0, 1), min_size=k, max_size=k))
    means = data.draw(st.lists(st.floats(0, 1), min_size=k, max_size=k))
    p, f, y = np.array(inverse_gaps(forecasts, rate)), np.array(means), np.array(forecasts)
    regret, squares = p @ f - f.min(), p @ (y - f) ** 2
    assert regret <= 2 * (k - 1) / rate + rate / 4 * squares + 1e-9


def test_half_of_its_constant_is_too_small():
    worst = 0.0
    for gap in np.linspace(0, 1, 400):
        p = np.array(inverse_gaps([0.0, gap], 4.0))
        means = np.array([gap + 0.3, gap])
        squares = p @ (means - np.array([0.0, gap])) ** 2
        worst = max(worst, p @ means - means.min() - 1.0 * squares)
    assert 1 / 4.0 < worst * 4 <= 2.0  # more than nothing, at most 2 (K - 1)
    assert worst > 0.4 / 4.0


@given(st.data(), st.integers(2, 6), st.floats(0.01, 1))
def test_one_round_of_greed(data, k, epsilon):
    forecasts = data.draw(st.lists(st.floats(0, 1), min_size=k, max_size=k))
    means = data.draw(st.lists(st.floats(0, 1), min_size=k, max_size=k))
    p, f, y = np.array(nearly_greedy(forecasts, epsilon)), np.array(means), np.array(forecasts)
    squares = p @ (y - f) ** 2
    weights = k / epsilon + 1 / (1 - epsilon + epsilon / k)
    most = epsilon * (k - 1) / k + (1 - epsilon) * math.sqrt(weights * squares)
    assert p @ f - f.min() <= most + 1e-9


@given(st.integers(1, 10**9), st.integers(1, 50), st.floats(0.01, 100), st.floats(0, 1e4))
def test_never_below_the_exact_value(t, k, gamma, lost):
    with mpmath.workdps(50):
        g, r = mpmath.mpf(repr(gamma)), mpmath.mpf(repr(lost))
        square = min((4 * (k - 1) / g + g * r / 4) * mpmath.sqrt(t), t)
        e = min(g, mpmath.mpf(1))
        greedy = e * (k - 1) * t / k
        greedy += (1 - e) * mpmath.sqrt((k / e + 1 / (1 - e + e / k)) * r * t)
        greedy = min(greedy, t)
    assert square <= squarecb_regret(t, k, gamma, lost) <= square * (1 + 1e-12)
    assert greedy <= epsilon_greedy_regret(t, k, min(gamma, 1), lost) <= greedy * (1 + 1e-12)


def test_refusals():
    for name in ("rounds", "actions"):
        assert_refuses_all(squarecb_regret, SQUARE, name, COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
        assert_refuses_all(epsilon_greedy_regret, GREEDY, name, COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    with refuses("exploration must be above 0 and at most 1, but is 1.5."):
        epsilon_greedy_regret(**GREEDY | {"exploration": 1.5})
    with refuses(
        "least_propensity must be at least 0 and at most 1/5, one over the number of actions, but is 0.3."
    ):
        squarecb_regret(**SQUARE, least_propensity=0.3)
    assert squarecb_regret(**SQUARE | {"actions": 3}, least_propensity=1 / 3) > 0
