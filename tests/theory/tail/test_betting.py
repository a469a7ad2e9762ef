"""Betting on a mean loss: golden values, the gambler's wealth, the promise on enumerated sequences."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadData
from assay.theory.registry import find_theorem
from assay.theory.tail.bernstein import empirical_bernstein
from assay.theory.tail.betting import bounded_betting, losses_in_unit, sum_of_losses
from assay.theory.tail.hoeffding import validation_hoeffding
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT, refuses

GOLDEN = [0.3 * (i * (5**0.5 - 1) / 2 % 1) for i in range(1, 201)]
losses = st.lists(st.floats(0, 1), min_size=1, max_size=60)
deltas = st.floats(1e-9, 0.9)


def wealth(x: list[float], m: float, delta: float, anytime: bool = False) -> float:
    """The largest wealth ever reached, one bet at a time, as the paper writes it."""
    n, money, most = len(x), 1.0, 0.0
    total, squares, spread = 0.5, 0.25, 0.25
    for t, loss in enumerate(x, start=1):
        horizon = t * math.log(t + 1) if anytime else n
        bet = math.sqrt(2 * math.log(1 / delta) / (horizon * spread))
        money *= 1 - min(bet, 0.75 / (1 - m)) * (loss - m)
        most = max(most, money)
        total += loss
        squares += (loss - total / (t + 1)) ** 2
        spread = squares / (t + 1)
    return most


# Golden values.


def test_golden_value():
    assert bounded_betting(GOLDEN, 0.05) == pytest.approx(0.1701463387, abs=2e-10)


def test_uniform_losses_up_to_a_tenth():
    # The median over data sets must not exceed 0.0545, where Hoeffding's is 0.0886.
    rng = np.random.default_rng(1)
    bounds = [bounded_betting(rng.uniform(0, 0.1, 1000), 0.05) for _ in range(21)]
    assert np.median(bounds) <= 0.0545
    assert all(bound >= 0.05 for bound in bounds)
    assert validation_hoeffding(50, 1000, 0.05) == pytest.approx(0.0887, abs=1e-4)


def test_registered():
    entry = find_theorem("bounded-betting")
    assert entry(losses=GOLDEN, delta=0.05) == bounded_betting(GOLDEN, 0.05)


def test_smaller_than_bernstein_and_hoeffding_on_losses_of_small_variance():
    x = np.array(GOLDEN)
    betting = bounded_betting(x, 0.05)
    assert betting < empirical_bernstein(float(x.mean()), float(x.var(ddof=1)), 200, 0.05)
    assert betting < validation_hoeffding(float(x.sum()), 200, 0.05)
    assert betting < bounded_betting(x, 0.05, anytime=True) < 0.2


# The number is where the gambler gets rich, from above.


@settings(max_examples=100)
@given(losses, deltas, st.booleans())
def test_wealth_is_reached_at_the_bound_and_not_below_it(x, delta, anytime):
    found = bounded_betting(x, delta, anytime)
    assert found >= np.mean(x)
    if found < 1:
        assert wealth(x, found, delta, anytime) >= (1 / delta) * (1 - 1e-12)
    less = found - 1e-8 * found
    if less > np.mean(x):
        assert wealth(x, less, delta, anytime) < 1 / delta


@settings(max_examples=60)
@given(losses, deltas, st.floats(0, 0.999), st.floats(0, 0.999))
def test_wealth_grows_with_the_mean_it_bets_against(x, delta, one, other):
    low, high = sorted((one, other))
    assert wealth(x, low, delta) <= wealth(x, high, delta) * (1 + 1e-12)


def test_order_matters_and_is_taken_as_given():
    bad_first, good_first = [1.0] * 10 + [0.0] * 90, [0.0] * 90 + [1.0] * 10
    assert bounded_betting(bad_first, 0.05) != bounded_betting(good_first, 0.05)
    assert bounded_betting(bad_first, 0.05) == bounded_betting(np.array(bad_first), 0.05)


@pytest.mark.parametrize("x", [[1.0], [1.0] * 50, [0.0]])
def test_nothing_below_one_is_excluded(x):
    assert bounded_betting(x, 0.05) == 1.0


def test_no_loss_at_all():
    found = bounded_betting(np.zeros(1000), 0.05)
    assert 0.002991 < found < 1.4 * 0.002991
    assert bounded_betting(np.zeros(1000), "1e-1500") > found


def test_many_rows():
    x = np.random.default_rng(2).beta(2, 8, 10**5)
    assert 0.2 < bounded_betting(x, 0.05) < 0.2025


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_sum_is_correctly_rounded(x):
    assert sum_of_losses(np.array(x)) == float(sum(map(Fraction, x)))


# The promise is kept: every sequence of seven losses from three values, with its probability.

VALUES = (0.0, 0.5, 1.0)
LAWS = [(0.1, 0.2, 0.7), (0.3, 0.4, 0.3), (0.05, 0.9, 0.05), (0.5, 0.0, 0.5), (0.2, 0.0, 0.8)]


def failure(law: tuple[float, ...], bounds: dict[tuple[float, ...], float]) -> float:
    chance = dict(zip(VALUES, law, strict=True))
    mean = math.fsum(value * chance[value] for value in VALUES)
    return math.fsum(
        math.prod(chance[v] for v in x) for x, bound in bounds.items() if bound < mean - 1e-12
    )


@pytest.mark.parametrize("anytime", [False, True])
def test_fails_at_most_delta_of_the_time(anytime):
    sequences = list(itertools.product(VALUES, repeat=6))
    bounds = {x: bounded_betting(x, 0.3, anytime) for x in sequences}
    assert 0.1 < max(failure(law, bounds) for law in LAWS) <= 0.3
    # A quarter of the way from the average to the bound, the promise breaks.
    short = {x: (bound + 3 * math.fsum(x) / 6) / 4 for x, bound in bounds.items()}
    assert max(failure(law, short) for law in LAWS) > 0.3


# Refusals.


def refuses_data(sentence: str):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


def test_refuses_losses_outside_the_unit_interval_and_names_the_row():
    advice = "Divide the loss by its largest possible value."
    for bad, shown in [(1.5, "1.5"), (-1e-9, "-1e-09"), (math.nan, "nan"), (math.inf, "inf")]:
        with refuses_data(
            f"losses must lie between 0 and 1, but row 2 holds {shown} (1 such row). {advice}"
        ):
            bounded_betting([0.0, 1.0, bad, 0.5], 0.05)
    with refuses_data(
        f"losses must lie between 0 and 1, but row 0 holds 2.0 (2 such rows). {advice}"
    ):
        losses_in_unit([2, 0, -1])


def test_refuses_what_are_no_losses():
    with refuses_data("losses must be numbers: could not convert string to float: 'many'."):
        bounded_betting(["many"], 0.05)
    with refuses("losses must be one-dimensional, but is (1, 2)."):
        bounded_betting([[0.1, 0.2]], 0.05)
    with refuses("losses must be one-dimensional, but is ()."):
        bounded_betting(0.5, 0.05)
    with refuses("losses must be at least one number, but is 'empty'."):
        bounded_betting([], 0.05)
    for delta in NOT_INSIDE_UNIT:
        with refuses(f"delta must be {INSIDE_UNIT}, but is {delta!r}."):
            bounded_betting([0.5], delta)
