import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.regret.adahedge import (
    adahedge_gap_regret,
    adahedge_mixture_regret,
    adahedge_regret,
    adahedge_second_order,
)
from tests.expert_games import leader_loses, losses
from tests.naive.adahedge import adahedge
from tests.refusals import (
    COUNT_FROM_ONE,
    NONNEGATIVE,
    NOT_COUNTS_FROM_ONE,
    NOT_NONNEGATIVE,
    assert_refuses_all,
)

ROUNDING = 1e-9


def test_numbers_of_the_formulas():
    log = math.log(10)
    assert adahedge_gap_regret(6) == adahedge_mixture_regret(6) == 12.0
    assert adahedge_regret(10_000, 10) == pytest.approx(100 * math.sqrt(log) + 4 / 3 * log + 2)
    assert adahedge_second_order(10, 9, 2) == pytest.approx(6 * math.sqrt(log) + 8 / 3 * log + 4)
    # A single expert leaves nothing to regret but the additive constant.
    assert adahedge_regret(100, 1) == 2.0


@pytest.mark.parametrize("seed", range(64))
def test_promises_hold(seed):
    table = losses(seed)
    run, (t, k) = adahedge(table.tolist()), table.shape
    assert run.regret <= adahedge_gap_regret(run.gap) + ROUNDING
    assert 2 * run.gap <= adahedge_second_order(k, run.variance, run.spread) + ROUNDING
    second = adahedge_second_order(k, run.variance, run.spread)
    assert second <= adahedge_regret(t, k, run.spread) + ROUNDING


@settings(max_examples=40)
@given(st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=1, max_size=15))
def test_promises_hold_for_any_losses(table):
    run = adahedge(table)
    assert run.regret <= adahedge_gap_regret(run.gap) + ROUNDING
    assert 2 * run.gap <= adahedge_second_order(3, run.variance, run.spread) + ROUNDING
    assert run.regret <= adahedge_regret(len(table), 3, run.spread) + ROUNDING


def test_twice_the_gap_is_met_and_once_is_not_enough():
    """Everybody loses in turn, and then one expert never again: the regret comes to twice the gap."""
    table = np.concatenate([leader_loses(200, 4), np.tile([0.0, 1, 1, 1], (300, 1))])
    run = adahedge(table.tolist())
    assert 1.9 * run.gap < run.regret <= adahedge_gap_regret(run.gap)


def test_without_the_additive_term_the_bound_breaks():
    run = adahedge([[1.0, 0.0]])
    assert run.gap == 0.5
    assert 2 * run.gap <= adahedge_second_order(2, run.variance, run.spread)
    assert 2 * run.gap > adahedge_second_order(2, run.variance, 0)


def test_half_the_variance_is_rejected():
    """The gap grows like the root of V ln K; with a sixteenth of V the bound falls below it."""
    table = leader_loses(3000, 2)
    run = adahedge(table.tolist())
    assert 2 * run.gap <= adahedge_second_order(2, run.variance, run.spread)
    assert 2 * run.gap > adahedge_second_order(2, run.variance / 16, run.spread)


@given(st.integers(1, 10**9), st.integers(1, 10**6), st.floats(0, 1e6), st.floats(0, 1e3))
def test_never_below_the_exact_value(t, k, variance, spread):
    with mpmath.workdps(50):
        log, s = mpmath.log(k), mpmath.mpf(repr(spread))
        tail = (log * 4 / 3 + 2) * s
        second = 2 * mpmath.sqrt(mpmath.mpf(repr(variance)) * log) + tail
        worst = s * mpmath.sqrt(t * log) + tail
    slack = mpmath.mpf("1e-300")  # where doubles have few digits left
    assert second <= adahedge_second_order(k, variance, spread) <= second * (1 + 1e-13) + slack
    assert worst <= adahedge_regret(t, k, spread) <= worst * (1 + 1e-13) + slack


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0, 1e3))
def test_monotone(t, k, number):
    assert adahedge_regret(t, k, number) <= adahedge_regret(t + 1, k, number)
    assert adahedge_regret(t, k, number) <= adahedge_regret(t, k + 1, number)
    assert adahedge_regret(t, k, number) <= adahedge_regret(t, k, number + 1)
    assert adahedge_second_order(k, number) <= adahedge_second_order(k, number + 1)
    assert adahedge_second_order(k, 1, number) <= adahedge_second_order(k, 1, number + 1)
    assert adahedge_gap_regret(number) <= adahedge_gap_regret(number + 1)


def test_refusals():
    for receipt in (adahedge_gap_regret, adahedge_mixture_regret):
        assert_refuses_all(receipt, {"gap": 1}, "gap", NONNEGATIVE, NOT_NONNEGATIVE)
    good = {"rounds": 1, "experts": 2}
    for name in good:
        assert_refuses_all(adahedge_regret, good, name, COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    good |= {"spread": 1}
    assert_refuses_all(adahedge_regret, good, "spread", NONNEGATIVE, NOT_NONNEGATIVE)
    good = {"experts": 2, "variance": 1}
    assert_refuses_all(adahedge_second_order, good, "variance", NONNEGATIVE, NOT_NONNEGATIVE)
