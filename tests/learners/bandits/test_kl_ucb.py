import math

import numpy as np
import pytest

from assay import KLUCB, UCB1
from assay.theory.regret.kl_ucb import kl_ucb_regret
from tests.learners.bandits.tables import table
from tests.naive.bandits import index_policy, kl_index

LEVELS = {"plain": math.log, "optimal": lambda t: math.log(1 + t * math.log(t) ** 2)}


@pytest.mark.parametrize("form", LEVELS)
def test_naive_twin(form):
    rng = np.random.default_rng(0)
    for _ in range(20):
        arms, rounds = int(rng.integers(1, 7)), int(rng.integers(1, 60))
        # Continuous losses: an index that is a tie to the last bit would be decided by rounding.
        losses = np.clip(table(rng, rounds, arms) * 0.9 + 0.1 * rng.random((rounds, arms)), 0, 1)
        policy = KLUCB(arms=arms, form=form, trace=True).play(losses)
        expected = index_policy(losses.tolist(), kl_index(LEVELS[form]))
        assert policy.record_.trace["arm"].tolist() == expected


def test_arms_that_never_or_always_lose():
    losses = np.tile([1.0, 0.0, 1.0], (500, 1))
    record = KLUCB(arms=3).play(losses).record_
    assert record.plays.tolist() == [1, 498, 1] or record.plays[1] > 480
    assert KLUCB(arms=3).play(np.zeros((50, 3))).record_.plays[0] == 48
    assert KLUCB(arms=3).play(np.ones((60, 3))).record_.plays.tolist() == [20, 20, 20]


def broken_instances(bound, form, instances):
    rng, broken = np.random.default_rng(1), 0
    for i in range(instances):
        arms, rounds = int(rng.integers(1, 5)), int(rng.integers(1, 150))
        means = rng.random(arms).round(2) if i % 2 else rng.choice([0.0, 0.5, 1.0], arms)
        policy = KLUCB(arms=arms, form=form, random_state=i)
        runs = policy.simulate(means=means, rounds=rounds, runs=12, threads=1)
        low = runs.interval(6.0)[0]
        # The theorem is slow to evaluate; nothing is broken by a regret of nothing.
        broken += low > 0 and low > bound(rounds, means.tolist()) + 1e-9
    return broken


@pytest.mark.parametrize("form", LEVELS)
@pytest.mark.parametrize("instances", [150, pytest.param(1000, marks=pytest.mark.guarantees)])
def test_expected_regret_stays_below(form, instances):
    bound = lambda t, means: kl_ucb_regret(t, means, form)  # noqa: E731
    assert broken_instances(bound, form, instances) == 0


def test_a_bound_of_the_sum_of_the_gaps_is_caught():
    few = lambda t, means: sum(m - min(means) for m in means)  # noqa: E731
    assert broken_instances(few, "plain", 150) > 0


def test_it_beats_ucb1_where_losses_are_rare():
    setting = {"means": [0.12] * 9 + [0.02], "rounds": 5000, "runs": 30}
    ours, theirs = (p(arms=10, random_state=0).simulate(**setting) for p in (KLUCB, UCB1))
    assert 5 * ours.mean_regret < theirs.mean_regret


def test_guarantees():
    policy = KLUCB(arms=2, form="optimal").play(np.tile([0.5, 0.1], (3000, 1)))
    assert policy.guarantees() == []
    [promise] = policy.guarantees(means=[0.5, 0.1])
    assert promise.value == kl_ucb_regret(3000, [0.5, 0.1], "optimal")
    assert float(promise.observed) == pytest.approx(0.4 * policy.record_.plays[0])
    assert promise.holds is None
