"""`check_bound` passes what is sound, flags what is not, and says both in words."""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.checks import BoundCheck, check_bound, experiments
from assay.errors import BadData
from assay.theory.tail.binomial_many import holdout_exact_many
from tests.refusals import (
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    refuses,
)

Z = 1.6448536269514722


def exact(errors: int, rows: int) -> float:
    return float(holdout_exact_many(errors, rows, 0.05))


def wilson(errors: int, rows: int) -> float:
    spread = Z * math.sqrt(errors * (rows - errors) / rows + Z * Z / 4)
    return (errors + Z * Z / 2 + spread) / (rows + Z * Z)


def broken(times: int):
    """An experiment in which exactly so many promises are broken."""
    return lambda rng, trials: (np.where(np.arange(trials) < times, 0.0, 1.0), 0.5)


# Sound bounds pass.


@pytest.mark.parametrize("rate", [0.001, 0.0263, 0.1, 0.5, 0.99])
def test_the_exact_bound_passes(rate):
    found = check_bound(experiments.holdout(exact, rows=100, rate=rate), delta=0.05)
    assert found.sound
    assert found.trials == 20_000
    assert found.rate <= 0.06


def test_the_exact_bound_passes_where_it_uses_all_of_delta():
    rate = exact(5, 100) * (1 + 1e-9)
    found = check_bound(experiments.holdout(exact, rows=100, rate=rate), delta=0.05)
    assert found.sound
    assert found.rate == pytest.approx(0.05, abs=0.006)


def test_a_declared_choice_of_fifty_passes():
    def declared(errors: int, rows: int) -> float:
        return float(holdout_exact_many(errors, rows, 0.05 / 50))

    found = check_bound(experiments.best_of(declared, 50, rows=1000, rate=0.05), delta=0.05)
    assert found.sound
    assert 0.02 < found.rate < 0.055


# Unsound ones do not.


def test_wilson_is_flagged():
    # Its worst rate at a hundred rows lies just above its promise at no error.
    rate = wilson(0, 100) * (1 + 1e-9)
    assert rate == pytest.approx(0.0263, abs=1e-4)
    found = check_bound(experiments.holdout(wilson, rows=100, rate=rate), delta=0.05)
    assert not found.sound
    assert found.rate == pytest.approx(0.0693, abs=0.006)
    # A thousand trials cannot tell seven percent from five.
    assert check_bound(experiments.holdout(wilson, 100, rate), delta=0.05, trials=1000).sound


def test_the_best_of_fifty_is_flagged():
    found = check_bound(experiments.best_of(exact, 50, rows=1000, rate=0.05), delta=0.05)
    assert not found.sound
    assert found.rate == pytest.approx(0.87, abs=0.02)


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.2])
def test_sixty_peeks_are_flagged(rate):
    experiment = experiments.peeking(exact, looks=60, rows=3000, rate=rate)
    found = check_bound(experiment, delta=0.05, trials=5000)
    assert not found.sound
    assert found.rate >= 0.15


# The arithmetic.


@given(st.integers(0, 200), st.integers(1, 200), st.floats(0.001, 0.999))
def test_the_tail_is_the_binomial_one(violations, trials, delta):
    violations = min(violations, trials)
    found = check_bound(broken(violations), delta=delta, trials=trials)
    assert (found.violations, found.rate) == (violations, violations / trials)
    expected = stats.binom.sf(violations - 1, trials, delta)
    assert found.tail == pytest.approx(expected, rel=1e-9, abs=1e-300)
    assert found.sound is (found.tail > 1e-6)


def test_the_alarm_is_the_chance_of_a_false_one():
    assert check_bound(broken(8), delta=0.05, trials=20, alarm=1e-6).sound
    assert not check_bound(broken(8), delta=0.05, trials=20, alarm=1e-4).sound
    # Sound bounds that use all of delta: no more of them are rejected than the alarm allows.
    rng = np.random.default_rng(0)
    rejected = sum(
        not check_bound(broken(int(v)), delta=0.3, trials=100, alarm=0.05).sound
        for v in rng.binomial(100, 0.3, 2000)
    )
    assert rejected / 2000 <= 0.05


def test_a_promise_that_is_met_exactly_is_kept():
    assert check_bound(lambda rng, trials: (0.5, 0.5), delta=0.05).violations == 0
    assert check_bound(lambda rng, trials: (math.inf, 0.5), delta=0.05).violations == 0
    found = check_bound(lambda rng, trials: (0.0, np.ones(trials)), delta=0.05, trials=7)
    assert found.violations == 7
    assert found.tail == pytest.approx(0.05**7)


def test_the_seed_decides():
    experiment = experiments.holdout(exact, rows=100, rate=0.03)
    first, again, other = (
        check_bound(experiment, delta=0.05, trials=2000, random_state=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_nothing_about_it_can_be_changed():
    found = BoundCheck(violations=1, trials=2, delta=0.05, alarm=1e-6, tail=0.1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.violations = 0


@pytest.mark.parametrize("delta", [0.001, 0.05, 0.4, 0.9])
@pytest.mark.parametrize("trials", [1, 50, 1000, 20_000])
def test_the_power_is_that_of_the_binomial_test(delta, trials):
    found = check_bound(broken(0), delta=delta, trials=trials)
    rejected = next(v for v in range(trials + 2) if stats.binom.sf(v - 1, trials, delta) <= 1e-6)
    often = min(2 * delta, (1 + delta) / 2)
    assert found.power == pytest.approx(stats.binom.sf(rejected - 1, trials, often), abs=1e-12)
    assert found.verdict == ("not broken" if found.power >= 0.9 else "not tested enough")


def test_three_verdicts():
    assert check_bound(broken(0), delta=0.05, trials=20).verdict == "not tested enough"
    assert check_bound(broken(0), delta=0.05, trials=2000).verdict == "not broken"
    assert check_bound(broken(300), delta=0.05, trials=2000).verdict == "broken"
    assert check_bound(broken(20), delta=0.05, trials=20).verdict == "broken"


# In words.


def test_what_it_says():
    assert str(check_bound(broken(0), delta=0.05, trials=1000)) == (
        "The promise was broken in 0 of 1,000 trials (0%), where 5% is allowed. A sound"
        " bound would be broken at least so often with probability 1. Not broken in 1,000 tries;"
        " one that is broken twice as often as it claims would have been caught with probability"
        " 0.92."
    )
    assert str(check_bound(broken(0), delta=0.05, trials=100)) == (
        "The promise was broken in 0 of 100 trials (0%), where 5% is allowed. A sound"
        " bound would be broken at least so often with probability 1. Not tested enough:"
        " one that is broken twice as often as it claims would have been caught with probability"
        " 0.0046. About 1,000 trials would be enough."
    )
    assert f"{stats.binom.sf(1385, 20_000, 0.05):.2g}" == "1e-32"
    assert str(check_bound(broken(1386), delta=0.05)) == (
        "The promise was broken in 1,386 of 20,000 trials (6.93%), where 5% is allowed. A"
        " sound bound would be broken at least so often with probability 1e-32: this one is"
        " broken."
    )


# Refusals.


def refuses_data(sentence: str):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}")


def test_refuses_what_it_cannot_use():
    for delta in NOT_INSIDE_UNIT:
        with refuses(f"delta must be {INSIDE_UNIT}, but is {delta!r}."):
            check_bound(broken(0), delta=delta)
        with refuses(f"alarm must be {INSIDE_UNIT}, but is {delta!r}."):
            check_bound(broken(0), delta=0.05, alarm=delta)
    for trials in NOT_COUNTS_FROM_ONE:
        with refuses(f"trials must be {COUNT_FROM_ONE}, but is {trials!r}."):
            check_bound(broken(0), delta=0.05, trials=trials)


@pytest.mark.parametrize(
    "outcome", [None, 0.5, (np.zeros(3), 0.5), (0.5,), ("high", 0.5), (1.0, 2.0, 3.0)]
)
def test_refuses_an_experiment_without_a_pair_for_each_trial(outcome):
    start = "An experiment must return a promise and a truth for each of 10 trials: "
    with refuses_data(start):
        check_bound(lambda rng, trials: outcome, delta=0.05, trials=10)


@pytest.mark.parametrize("which", ["promise", "truth"])
def test_refuses_a_missing_number(which):
    numbers = np.where(np.arange(10) == 4, math.nan, 0.5)
    outcome = (numbers, 0.5) if which == "promise" else (0.5, numbers)
    with refuses_data(f"An experiment must return numbers, but the {which} of trial 4 is nan."):
        check_bound(lambda rng, trials: outcome, delta=0.05, trials=10)


def test_the_words_stay_true_at_the_ends():
    """No chance is 0 that is merely smaller than numbers go, and nothing is broken in 180 % of trials."""
    assert "at least so often with probability below 1e-300: this one is broken." in str(
        check_bound(broken(2000), delta=0.05, trials=2000)
    )
    assert "one that is broken in 95% of trials would have been caught" in str(
        check_bound(broken(0), delta=0.9, trials=2000)
    )
