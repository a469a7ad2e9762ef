"""Policies that learn from the logs of others."""

import math

import numpy as np
import pytest

from assay import (
    EXP4,
    UCB1,
    DecisionLog,
    EpsilonGreedy,
    LinearThompson,
    LinUCB,
    SquareCB,
    improve,
    learn_logged,
    load,
    save,
)
from assay.errors import BadData
from tests.naive.contextual import Ridge, features, forward
from tests.refusals import refuses

METHODS = ("doubly-robust", "inverse-propensity")


def logged(rng, rounds, *, shared=False):
    """Two actions with unequal propensities; the right one is told by the context, or by the action's feature."""
    contexts = rng.integers(2, size=(rounds, 1)).astype(float)
    drawn = np.where(contexts[:, 0] == 1, 0.2, 0.7)
    actions = (rng.random(rounds) < drawn).astype(int)
    propensities = np.where(actions == 1, drawn, 1 - drawn)
    means = np.where(np.arange(2) == contexts, 0.2, 0.7)
    losses = (rng.random(rounds) < means[np.arange(rounds), actions]).astype(float)
    tables = None
    if shared:
        tables = [np.array([[1.0 - c], [c]]) for c in contexts[:, 0]]
        contexts = None
    return DecisionLog(losses, propensities, actions, contexts, tables, arms=2)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_naive_twin(method, shared):
    log = logged(np.random.default_rng(0), 40, shared=shared)
    policy = learn_logged(EpsilonGreedy(arms=2, penalty=0.7), log, method=method)
    many = 1 if shared else 2
    ridges, oracles = [Ridge(0.7) for _ in range(many)], [Ridge(0.7) for _ in range(many)]
    for t in range(40):
        rows = (
            [features([], one) for one in log.features[t]]
            if shared
            else [features(log.contexts[t])] * 2
        )
        place = [0, 0] if shared else [0, 1]
        said = [forward(*oracles[place[a]].look(rows[a])) for a in range(2)]
        for a in range(2):
            q = said[a] if method == "doubly-robust" else 0.0
            target = q + (a == log.actions[t]) * (log.losses[t] - q) / log.propensities[t]
            ridges[place[a]].learn(rows[a], target)
        a = int(log.actions[t])
        oracles[place[a]].learn(rows[a], log.losses[t])
    d = len(rows[0])
    for b in range(many):
        V, weights = ridges[b].matrix(d), policy.models_[d + 1, :, b]
        moments = sum(x * y for x, y in zip(ridges[b].rows, ridges[b].targets, strict=True))
        np.testing.assert_allclose(weights, np.linalg.solve(V, moments), rtol=1e-8, atol=1e-10)
        R = policy.models_[:d, :, b]
        np.testing.assert_allclose(R.T @ R, V, rtol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_estimates_are_right_on_average_whatever_chose_the_actions(method):
    """With one weight per action, least squares come to the mean of the estimates: the action's true mean."""
    found = {True: [], False: []}
    for seed in range(150):
        rng = np.random.default_rng(seed)
        level = rng.integers(2, size=200)
        # The action is chosen where it is bad: taken for themselves, its losses mislead.
        drawn = np.where(level == 1, 0.8, 0.2)
        actions = (rng.random(200) < drawn).astype(int)
        losses = (rng.random(200) < np.where(level == 1, 0.9, 0.1)).astype(float)
        chance = np.where(actions == 1, drawn, 1 - drawn)
        log = DecisionLog(losses, chance, actions, None, None, arms=2)
        right = learn_logged(EpsilonGreedy(arms=2, penalty=1e-6), log, method=method)
        plain = EpsilonGreedy(arms=2, penalty=1e-6)
        for action, loss in zip(actions.tolist(), losses.tolist(), strict=True):
            plain.learn(None, action, loss)
        for weighed, policy in ((True, right), (False, plain)):
            found[weighed].append(0.5 + policy.models_[2, 0, 1])
    error = np.std(found[True]) / math.sqrt(150)
    assert abs(np.mean(found[True]) - 0.5) < 5 * error
    # A broken twin: learned as they come, the losses of the action are those of bad rounds.
    assert np.mean(found[False]) > 0.7


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "policy",
    [
        EpsilonGreedy(arms=2, exploration=0.01, random_state=0),
        SquareCB(arms=2, gamma=100.0, random_state=0),
        LinearThompson(arms=2, random_state=0),
        LinUCB(arms=2),
        EpsilonGreedy(arms=2, exploration=0.01, regressor="sgd-regressor", random_state=0),
    ],
)
def test_what_is_learned_is_better_on_rounds_that_were_kept_apart(policy, method, tmp_path):
    log = logged(np.random.default_rng(1), 6000)
    learned = learn_logged(policy, log.part(0, 3000), method=method)
    assert learned is policy
    rest = log.part(3000, 6000)
    assert improve(learned, None, rest).better
    save(learned, tmp_path / "policy.assay")
    again = load(tmp_path / "policy.assay")
    assert improve(again, None, rest) == improve(learned, None, rest)
    # What theorems say of losses that a policy sees itself is void.
    learned.choose(log.contexts[0])
    assert all(g.promised is None for g in learned.guarantees())


def test_less_spread_than_inverse_propensities():
    spread = {}
    for method in METHODS:
        weights = []
        for seed in range(60):
            log = logged(np.random.default_rng(seed), 200)
            weights.append(learn_logged(EpsilonGreedy(arms=2), log, method=method).models_[3, 1, 1])
        spread[method] = np.std(weights)
    assert spread["doubly-robust"] < spread["inverse-propensity"]


def test_refusals():
    log = logged(np.random.default_rng(0), 10)
    with refuses("method must be one of doubly-robust, inverse-propensity, but is 'direct'."):
        learn_logged(EpsilonGreedy(), log, method="direct")
    for policy in (UCB1(arms=2), EXP4(arms=2)):
        with refuses(
            "policy must be one that forecasts losses (LinUCB, LinearThompson, EpsilonGreedy, SquareCB), but is a "
            f"{type(policy).__name__}."
        ):
            learn_logged(policy, log)
    with refuses("log must be a DecisionLog, but is a list."):
        learn_logged(EpsilonGreedy(), [1])
    with refuses("actions must be among the actions 0 to 1, but is 2."):
        learn_logged(EpsilonGreedy(), DecisionLog(np.ones(1), np.ones(1), np.array([2]), arms=3))
    with pytest.raises(
        BadData,
        match=r"^losses, propensities, actions, contexts and features must be of one length\.$",
    ):
        learn_logged(EpsilonGreedy(), DecisionLog(np.ones(2), np.ones(2), np.array([1]), arms=2))
    fresh = EpsilonGreedy()
    bad = DecisionLog(np.ones(2), np.ones(2), np.zeros(2, int), np.array([[1.0], [np.nan]]), arms=2)
    with pytest.raises(BadData, match="must be a finite number"):
        learn_logged(fresh, bad)
