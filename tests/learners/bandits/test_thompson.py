import math

import numpy as np
import pytest

from assay import ThompsonSampling
from assay.compiled.bandits.thompson import thompson_begin
from assay.theory.regret.thompson import thompson_bayesian_regret


def test_arms_are_drawn_with_the_probability_of_being_best():
    policy = ThompsonSampling(arms=3, random_state=0)
    policy.play(np.tile([[1.0, 0, 1], [0, 1, 1], [0, 0, 1]], (4, 1)))
    expected = policy.probabilities_
    assert expected.sum() == pytest.approx(1)
    saved, counts = policy.state_.copy(), np.zeros(3)
    rng = np.random.default_rng(0)
    for _ in range(20_000):
        state = saved.copy()
        state[:4] = rng.integers(0, 2**64, 4, dtype=np.uint64)
        counts[thompson_begin(state)[0]] += 1
    assert np.abs(counts / counts.sum() - expected).max() < 0.015
    # Two arms of which the second lost once: P[Beta(1, 1) < Beta(2, 1)] = 2 / 3.
    two = ThompsonSampling(arms=2, random_state=1)
    arm, probability = two.choose()
    two.update(arm, 1.0)
    assert probability == pytest.approx(1 / 2, abs=1e-12)
    assert two.probabilities_[arm] == pytest.approx(1 / 3, abs=1e-12)


def test_propensities_from_choose_weigh_a_log_rightly():
    # Weighting by the propensities estimates what each arm loses; by others it does not.
    losses = np.array([0.6, 0.3, 0.5])
    rng = np.random.default_rng(3)
    sums, wrong, rounds = np.zeros(3), np.zeros(3), 0
    for seed in range(400):
        policy = ThompsonSampling(arms=3, random_state=seed)
        for _ in range(20):
            arm, probability = policy.choose()
            assert 0 < probability <= 1
            loss = float(rng.random() < losses[arm])
            sums[arm] += loss / probability
            wrong[arm] += loss * 3
            rounds += 1
            policy.update(arm, loss)
    np.testing.assert_allclose(sums / rounds, losses, atol=0.06)
    assert np.abs(wrong / rounds - losses).max() > 0.1


def test_losses_between_count_by_chance():
    policy = ThompsonSampling(arms=1, random_state=0)
    policy.play(np.full((10_000, 1), 0.3))
    assert policy._tally[-1] / 10_000 == pytest.approx(0.3, abs=0.03)


def prior_regret(bound, instances=2000):
    """The mean over arms drawn from the prior, and how much the bound leaves, with an interval."""
    rng = np.random.default_rng(2)
    left = []
    for i in range(instances):
        arms, rounds = int(rng.integers(2, 7)), int(rng.integers(1, 150))
        policy = ThompsonSampling(arms=arms, random_state=i)
        runs = policy.simulate(means=rng.random(arms), rounds=rounds, runs=1, threads=1)
        left.append(bound(rounds, arms) - runs.mean_regret)
    return np.mean(left), 6 * np.std(left) / math.sqrt(instances)


def test_bayesian_regret_stays_below_over_2000_draws_of_the_prior():
    mean, error = prior_regret(thompson_bayesian_regret)
    assert mean > error
    mean, error = prior_regret(lambda t, k: thompson_bayesian_regret(t, k) / 8)
    assert mean < -error  # a bound of an eighth is caught


def test_guarantee():
    policy = ThompsonSampling(arms=2, random_state=0).play(np.tile([1.0, 0.0], (100, 1)))
    [promise] = policy.guarantees()
    assert promise.observed is None
    [promise] = policy.guarantees(means=[1, 0])
    assert float(promise.observed) == policy.record_.plays[0]
    assert promise.value == thompson_bayesian_regret(100, 2)
