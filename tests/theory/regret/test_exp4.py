import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory.regret.exp4 import exp4_regret
from tests.naive.contextual import exp4
from tests.refusals import COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE, assert_refuses_all, refuses

GOOD = {"rounds": 1000, "actions": 10, "experts": 8}


def test_by_hand():
    assert exp4_regret(**GOOD) == pytest.approx(math.sqrt(20_000 * math.log(8)), rel=1e-14)
    anytime = exp4_regret(**GOOD, form="anytime")
    assert anytime == pytest.approx(2 * math.sqrt(10_000 * math.log(8)), rel=1e-14)
    with_floor = exp4_regret(**GOOD, learning_rate=0.02, least_propensity=0.01)
    assert with_floor == pytest.approx(math.log(8) / 0.02 + 100 + 90, rel=1e-14)


def expected_regret(advice, losses, rate, floor=0.0):
    """The expectation itself, over every sequence of draws, less the best expert's loss."""
    rounds, actions = losses.shape
    total = 0.0
    for draws in itertools.product(range(actions), repeat=rounds):
        chance, paid, estimates = 1.0, 0.0, np.zeros(len(advice[0]))
        for t, a in enumerate(draws):
            p = np.array(exp4(advice[t], estimates, rate))
            p = (1 - actions * floor) * p + floor
            chance *= p[a]
            paid += losses[t, a]
            estimates = estimates + advice[t][:, a] * losses[t, a] / p[a]
        total += chance * paid
    own = np.einsum("tia,ta->i", np.array(advice), losses)
    return total - own.min()


@pytest.mark.parametrize("floor", [0.0, 0.2])
def test_the_promise_over_every_sequence_of_draws(floor):
    rng = np.random.default_rng(0)
    for _ in range(12):
        actions, experts, rounds = int(rng.integers(2, 4)), int(rng.integers(2, 4)), 5
        advice = [rng.dirichlet(np.full(actions, 0.3), experts) for _ in range(rounds)]
        losses, rate = rng.random((rounds, actions)).round(1), float(rng.uniform(0.1, 1))
        seen = expected_regret(advice, losses, rate, floor)
        kept = {"learning_rate": rate, "least_propensity": floor}
        assert seen <= exp4_regret(rounds, actions, experts, **kept)


def test_a_bound_without_the_experts_is_caught():
    advice = [np.eye(2)] * 6
    losses = np.tile([0.0, 1.0], (6, 1))
    slow = 0.05
    seen = expected_regret(advice, losses, slow)
    assert seen <= exp4_regret(6, 2, 2, learning_rate=slow)
    assert seen > slow / 2 * 6 * 2


@given(st.integers(1, 10**9), st.integers(1, 1000), st.integers(1, 10**6))
def test_never_below_the_exact_value(t, k, n):
    with mpmath.workdps(50):
        value = min(mpmath.sqrt(2 * t * k * mpmath.log(n)), t)
    assert value <= exp4_regret(t, k, n) <= value * (1 + 1e-13)


def test_refusals():
    for name in GOOD:
        assert_refuses_all(exp4_regret, GOOD, name, COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    with refuses("form must be 'textbook' or 'anytime', but is 'best'."):
        exp4_regret(**GOOD, form="best")
    with refuses(
        "learning_rate must be left out of the anytime form, whose rate changes with the round, but is 1."
    ):
        exp4_regret(**GOOD, learning_rate=1, form="anytime")
