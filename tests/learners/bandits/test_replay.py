import math
import re

import numpy as np
import pytest
from sklearn.base import clone

from assay import (
    EXP3,
    KLUCB,
    UCB1,
    DecisionLog,
    EpsilonGreedy,
    LinUCB,
    SquareCB,
    ThompsonSampling,
    replay,
)
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


def context_log(rng, rounds):
    contexts = rng.random((rounds, 2))
    means = np.clip(contexts @ np.array([[0.1, 0.8], [0.7, 0.1]]) + 0.05, 0, 1)
    arms = (rng.random(rounds) < 0.4).astype(int)
    losses = (rng.random(rounds) < means[np.arange(rounds), arms]).astype(float)
    propensities = np.where(arms == 1, 0.4, 0.6)
    return DecisionLog(losses, propensities, arms, contexts, arms=2)


@pytest.mark.parametrize("policy", [LinUCB(arms=2), SquareCB(arms=2, random_state=1)])
def test_a_policy_with_context_is_replayed_as_if_it_had_played(policy):
    log = context_log(np.random.default_rng(0), 3000)
    replayed, played = clone(policy), clone(policy)
    run = replay(replayed, log, least_propensity=0.4, random_state=0)
    assert 1000 < run.kept < 1400
    # What it kept is its own game: asked as often as told, and told in turn.
    record = replayed.record_
    assert (record.asked, record.rounds, record.late, record.untold) == (run.kept, run.kept, 0, 0)
    assert record.loss == run.loss
    assert run.mean_loss < log.losses.mean() - 0.05
    columns = replay(
        played,
        log.actions,
        log.losses,
        log.propensities,
        contexts=log.contexts,
        least_propensity=0.4,
        random_state=0,
    )
    assert columns == run


def test_the_kept_rounds_are_what_the_policy_would_have_met():
    # A rule that ignores what it learns: its mean loss over kept rounds is its true one.
    rng, found = np.random.default_rng(1), []
    for seed in range(200):
        log = context_log(rng, 100)
        policy = EpsilonGreedy(arms=2, exploration=1.0, random_state=seed)
        run = replay(policy, log, least_propensity=0.4, random_state=seed)
        found.append(run.mean_loss)
    truth = float(np.mean(np.clip(rng.random((10**6, 2)) @ [[0.1, 0.8], [0.7, 0.1]] + 0.05, 0, 1)))
    assert abs(np.mean(found) - truth) < 5 * np.std(found) / np.sqrt(200)


def test_arms_with_features_that_change_from_round_to_round():
    rng = np.random.default_rng(2)
    features = [rng.random((2 + t % 3, 2)) for t in range(600)]
    arms = np.array([rng.integers(len(table)) for table in features])
    propensities = np.array([1 / len(table) for table in features])
    losses = np.array([table[arm, 0] for table, arm in zip(features, arms, strict=True)])
    log = DecisionLog(losses, propensities, arms, features=features, arms=4)
    run = replay(LinUCB(products=False), log, random_state=0)
    assert run.kept > 50
    assert run.mean_loss < 0.4
    with pytest.raises(
        BadData, match=r"^arms must be among those that have features, but round 0 holds 2 of 2\.$"
    ):
        replay(LinUCB(), [2, 0, 0], [0, 0, 0], [0.5, 0.5, 0.5], features=features[:3])
    with pytest.raises(
        BadData, match=r"^contexts must tell of the 3 rounds of the log, but tell of 2\.$"
    ):
        replay(LinUCB(), [1, 0, 0], [0, 0, 0], [0.5, 0.5, 0.5], contexts=[[1], [1]])
    with pytest.raises(
        BadParameter, match=r"^contexts must be left out for a policy without context"
    ):
        replay(UCB1(arms=2), [1], [0], [0.5], contexts=[[1]])
