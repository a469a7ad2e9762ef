import math
import re

import numpy as np
import pytest
from sklearn.base import clone

from assay import EXP3, KLUCB, UCB1, ThompsonSampling, replay
from assay.errors import BadData, BadParameter

MEANS = np.array([0.7, 0.3, 0.5])


def log(seed, rounds, chances):
    rng = np.random.default_rng(seed)
    arms = rng.choice(3, rounds, p=chances)
    return arms, (rng.random(rounds) < MEANS[arms]).astype(float), np.asarray(chances)[arms]


@pytest.mark.parametrize(
    "policy",
    [EXP3(arms=3, learning_rate=0.1), UCB1(arms=3), KLUCB(arms=3), ThompsonSampling(arms=3)],
)
@pytest.mark.parametrize("chances", [[1 / 3, 1 / 3, 1 / 3], [0.6, 0.2, 0.2]])
@pytest.mark.parametrize("logs", [40, pytest.param(300, marks=pytest.mark.guarantees)])
def test_kept_rounds_are_like_a_real_run(policy, chances, logs):
    """The mean loss after 60 kept rounds is that of 60 rounds that were really played."""
    real = policy.set_params(random_state=0).simulate(means=MEANS, rounds=60, runs=4000)
    found = []
    for seed in range(logs):
        one = clone(policy).set_params(random_state=seed)
        arms, losses, propensities = log(seed, 900, chances)
        run = replay(
            one, arms, losses, propensities, least_propensity=min(chances), random_state=seed
        )
        assert run.kept == one.record_.rounds
        assert run.loss == one.record_.loss
        assert run.kept >= 60
        again = clone(policy).set_params(random_state=seed, trace=True)
        replay(again, arms, losses, propensities, least_propensity=min(chances), random_state=seed)
        found.append(again.record_.trace["loss"][:60].sum())
    error = math.hypot(np.std(found) / math.sqrt(logs), real.loss.std() / math.sqrt(4000))
    assert abs(np.mean(found) - real.loss.mean()) < 5 * error


def test_without_the_correction_for_propensities_the_replay_is_not_uniform():
    """A broken twin: rounds logged more often are kept more often, here those of the worst arm."""
    arms, losses, propensities = log(0, 30_000, [0.8, 0.1, 0.1])
    right = replay(UCB1(arms=3), arms, losses, propensities, random_state=0)
    wrong = replay(UCB1(arms=3), arms, losses, np.full(30_000, 1 / 3), random_state=0)
    assert right.logged == wrong.logged == 30_000
    # Kept rounds per arm, over the rounds in which the policy waited for that arm, is the same for each arm.
    assert right.kept < wrong.kept


def test_nothing_kept():
    run = replay(UCB1(arms=2), [1, 1], [1, 1], [0.5, 0.5])
    assert run.kept == 0
    assert math.isnan(run.mean_loss)


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (([0.5], [1], [1]), "arms must be whole numbers, one for each round."),
        (
            ([0, 2], [1, 1], [1, 1]),
            "arms must be among the arms 0 to 1 of the policy, but round 1 holds 2.",
        ),
        (
            ([0, -1], [1, 1], [1, 1]),
            "arms must be among the arms 0 to 1 of the policy, but round 1 holds -1.",
        ),
        (([0], [2], [1]), "losses must lie between 0 and 1, but round 0 holds 2.0."),
        (([0], [1], [0]), "propensities must lie above 0 and at most 1, but round 0 holds 0.0."),
        (
            ([0, 1], [1], [1]),
            "arms, losses and propensities must be of one length, but have 2, 1 and 1 rounds.",
        ),
    ],
)
def test_refusals(inputs, sentence):
    policy = UCB1(arms=2)
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        replay(policy, *inputs)
    assert policy.record_.rounds == 0


def test_a_least_propensity_above_the_log_is_refused():
    sentence = "least_propensity must be above 0 and at most the least propensity of the log, 0.4, but is 0.5."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        replay(UCB1(arms=2), [0, 1], [1, 1], [0.6, 0.4], least_propensity=0.5)
