"""What all policies with context have in common, through their public classes."""

import re

import numpy as np
import pytest

from assay import EXP4, EpsilonGreedy, LinearThompson, LinUCB, SquareCB, load, save
from assay.errors import BadData, BadParameter
from tests.learners.contextual.worlds import linear_world
from tests.naive.contextual import (
    Ridge,
    features,
    forward,
    inverse_gaps,
    nearly_greedy,
    optimistic,
    radius,
)
from tests.refusals import refuses

LINEAR = [LinUCB, LinearThompson, EpsilonGreedy, SquareCB]


def refuses_data(sentence):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


def rounds_of(given, t):
    context = given["contexts"][t] if "contexts" in given else None
    actions = given["actions"][t] if "actions" in given else None
    return context, actions


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("policy", [LinUCB, EpsilonGreedy, SquareCB])
def test_naive_twin(policy, apart):
    rng = np.random.default_rng(3)
    given, _, losses, _ = linear_world(rng, 60, 4, 3, apart=apart)
    model = policy(arms=4, random_state=0, penalty=0.7)
    ridges = [Ridge(0.7) for _ in range(4 if apart else 1)]
    for t in range(60):
        context, actions = rounds_of(given, t)
        rows = [features(context)] * 4 if apart else [features([], one) for one in actions]
        looks = [ridges[i if apart else 0].look(row) for i, row in enumerate(rows)]
        if policy is LinUCB:
            grown = sum(ridge.grown(len(rows[0])) for ridge in ridges)
            expected = optimistic(looks, radius(grown, 0.7, 1.0, 0.05))
        elif policy is EpsilonGreedy:
            expected = nearly_greedy([forward(*one) for one in looks], 0.1)
        else:
            expected = inverse_gaps([forward(*one) for one in looks], 10 * np.sqrt(t + 1))
        action, chance = model.choose(context, actions)
        assert model.probabilities_ == pytest.approx(expected, abs=1e-9)
        assert chance == model.probabilities_[action] > 0
        model.update(action, float(losses[t, action]))
        ridges[action if apart else 0].learn(rows[action], losses[t, action])


def test_posterior_draws_vote_as_normal_numbers_do():
    rng = np.random.default_rng(1)
    given, _, losses, _ = linear_world(rng, 40, 3, 2, apart=False)
    model = LinearThompson(draws=1, random_state=0).play(losses, **given)
    many = LinearThompson(draws=40_000, random_state=1)
    for t, action in enumerate(
        LinearThompson(draws=1, random_state=0, trace=True)
        .play(losses, **given)
        .record_.trace["action"]
    ):
        many.learn(None, int(action), losses[t, action], actions=given["actions"][t])
    table = given["actions"][0]
    many.choose(None, table)
    ridge = Ridge(1.0)
    for t, action in enumerate(
        LinearThompson(draws=1, random_state=0, trace=True)
        .play(losses, **given)
        .record_.trace["action"]
    ):
        ridge.learn(features([], given["actions"][t][action]), losses[t, action])
    V = ridge.matrix(3)
    b = sum(x * y for x, y in zip(ridge.rows, ridge.targets, strict=True))
    drawn = rng.multivariate_normal(np.linalg.solve(V, b), 0.25 * np.linalg.inv(V), 40_000)
    rows = np.array([features([], one) for one in table])
    shares = np.bincount((drawn @ rows.T).argmin(axis=1), minlength=3) / 40_000
    assert many.probabilities_ == pytest.approx(shares, abs=0.015)
    assert model.record_.rounds == 40


def test_draws_of_models_of_their_own_vote_as_normal_numbers_do():
    policy = LinearThompson(arms=2, draws=40_000, random_state=0)
    for loss in (1.0, 0.0, 0.0):
        policy.learn([1.0], 0, loss)
    policy.choose([1.0])
    ridge = Ridge(1.0)
    for loss in (1.0, 0.0, 0.0):
        ridge.learn(features([1.0]), loss)
    (first, w), (second, v) = ridge.look(features([1.0])), Ridge(1.0).look(features([1.0]))
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(2, 40_000))
    wins = first + 0.5 * np.sqrt(w) * normal[0] < second + 0.5 * np.sqrt(v) * normal[1]
    assert policy.probabilities_[0] == pytest.approx(wins.mean(), abs=0.015)


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("policy", LINEAR)
def test_round_by_round_is_play_and_a_file_goes_on(policy, apart, tmp_path):
    given, means, losses, _ = linear_world(np.random.default_rng(5), 50, 3, 2, apart=apart)
    whole = policy(arms=3, random_state=4).play(losses, **given, means=means)
    single = policy(arms=3, random_state=4)
    for t in range(50):
        action, _ = single.choose(*rounds_of(given, t))
        if t == 20:
            save(single, tmp_path / "half.assay")
            single = load(tmp_path / "half.assay")
        single.update(action, losses[t, action])
    assert single.models_.tobytes() == whole.models_.tobytes()
    assert single.generator_.tobytes() == whole.generator_.tobytes()
    assert single.record_.loss == whole.record_.loss
    assert whole.record_.regret >= 0
    assert single.record_.regret is None


@pytest.mark.parametrize("policy", [LinUCB, LinearThompson, SquareCB])
def test_a_floor_and_exclusions(policy):
    given, _, losses, _ = linear_world(np.random.default_rng(6), 40, 5, 2)
    model = policy(arms=5, least_propensity=0.04, random_state=0)
    for t in range(40):
        excluded = [t % 5, (t + 1) % 5]
        action, chance = model.choose(given["contexts"][t], excluded=excluded)
        assert action not in excluded
        chances = model.probabilities_
        assert (chances[excluded] == 0).all()
        assert np.delete(chances, excluded).min() >= 0.04
        assert chances.sum() == pytest.approx(1)
        assert chance == chances[action]
        model.update(action, losses[t, action])
    assert model.record_.most_actions == 3
    with refuses(
        "least_propensity must be at most 1/5 where there are 5 actions to choose from, but is 0.3."
    ):
        policy(arms=5, least_propensity=0.3).choose([1.0])


@pytest.mark.parametrize("policy", [EpsilonGreedy, SquareCB])
def test_another_regression(policy, tmp_path):
    given, _, losses, _ = linear_world(np.random.default_rng(7), 300, 3, 2)
    model = policy(arms=3, regressor="sgd-regressor", random_state=0).play(losses, **given)
    assert model.guarantees() == []
    [promise] = model.guarantees(oracle_regret=5)
    assert promise.theorem in ("squarecb-regret", "epsilon-greedy-regret")
    save(model, tmp_path / "policy.assay")
    again = load(tmp_path / "policy.assay")
    for t in range(20):
        chosen = [one.choose(given["contexts"][t]) for one in (model, again)]
        assert chosen[0] == chosen[1]
        for one in (model, again):
            one.update(chosen[0][0], 0.5)
    with refuses(
        "regressor must be a learner of quantities that learns row by row, such as 'sgd-regressor', but is 'svr'."
    ):
        policy(arms=3, regressor="svr").choose([1.0, 2.0])


def test_less_optimism_explores_less_and_keeps_the_intervals():
    given, means, losses, theta = linear_world(np.random.default_rng(9), 600, 6, 3)
    terms = {"arms": 6, "parameter_norm": float(np.linalg.norm(theta)), "random_state": 0}
    whole = LinUCB(**terms).play(losses, **given, means=means)
    less = LinUCB(optimism=0.2, **terms).play(losses, **given, means=means)
    assert less.record_.regret < whole.record_.regret
    [by_run] = less.guarantees()
    assert (by_run.theorem, by_run.holds) == ("interval-regret", True)
    assert [g.theorem for g in whole.guarantees()] == ["interval-regret", "linucb-regret"]
    ridges = [Ridge(1.0) for _ in range(6)]
    model = LinUCB(optimism=0.2, **terms)
    for t in range(40):
        row = features(given["contexts"][t])
        looks = [ridge.look(row) for ridge in ridges]
        grown = sum(ridge.grown(len(row)) for ridge in ridges)
        beta = 0.2 * radius(grown, 1.0, terms["parameter_norm"], 0.05)
        action, _ = model.choose(given["contexts"][t])
        assert model.probabilities_ == pytest.approx(optimistic(looks, beta), abs=1e-9)
        model.update(action, float(losses[t, action]))
        ridges[action].learn(row, losses[t, action])
    for bad in (0, -1, float("nan")):
        with pytest.raises(BadParameter, match=r"^optimism must be"):
            LinUCB(optimism=bad).choose([1.0])


def test_feedback_that_comes_late_is_said():
    policy = LinUCB(arms=2, random_state=0)
    action, chance = policy.choose([1.0])
    policy.choose([0.5])
    policy.learn([1.0], action, 0.0, probability=chance)
    by_run, by_theorem = policy.guarantees()
    assert by_run.promised is not None
    assert by_theorem.promised is None
    [told] = [a for a in by_theorem.assumptions if a.name.id == "losses-told-in-turn"]
    assert (told.status, told.evidence) == ("violated", "1 learned late, 1 never told")


def test_a_weighted_example_is_that_many_examples_and_voids_the_intervals():
    one, other = LinUCB(arms=2), LinUCB(arms=2)
    one.learn([1.0], 0, 0.25, weight=3.0)
    for _ in range(3):
        other.learn([1.0], 0, 0.25)
    np.testing.assert_allclose(one.models_, other.models_, rtol=1e-12)
    one.choose([1.0])
    other.choose([1.0])
    assert all(g.promised is None for g in one.guarantees())
    assert other.guarantees()[0].promised is not None


def test_exp4_finds_the_best_expert_and_learns_late():
    rng = np.random.default_rng(8)
    losses = rng.random((400, 3))
    advice = np.c_[losses.argmin(1), rng.integers(0, 3, 400), np.zeros(400, dtype=int)]
    policy = EXP4(arms=3, rounds=400, random_state=0).play(losses, advice)
    record = policy.record_
    assert record.best_loss == pytest.approx(losses.min(1).sum())
    [promise] = policy.guarantees()
    assert 0 < promise.observed < promise.promised < 400
    policy.learn(advice[0], 1, 0.5, probability=0.5)
    assert policy.guarantees()[0].promised is None
    whole = np.eye(3)[advice[:50]]
    same = EXP4(arms=3, random_state=0).play(losses[:50], whole)
    assert (
        same.losses_.tolist()
        == EXP4(arms=3, random_state=0).play(losses[:50], advice[:50]).losses_.tolist()
    )


@pytest.mark.parametrize("policy", LINEAR)
def test_refusals(policy):
    model = policy(arms=3, random_state=0)
    with refuses(
        "No action waits for its loss, so action 0 has none. Call choose() first, or learn() for a round of before."
    ):
        model.update(0, 0.5)
    action, _ = model.choose([1.0, 2.0])
    other = (action + 1) % 3
    with refuses(
        f"action must be {action}, the one that was chosen, but is {other}: "
        "the loss of an action that was not taken cannot be known."
    ):
        model.update(other, 0.5)
    for bad in (1.5, float("nan"), -0.1, "0", None, True):
        with refuses(f"loss must be a number between 0 and 1, but is {bad!r}."):
            model.update(action, bad)
    before = model.models_.tobytes(), model.tally_.tobytes(), model.generator_.tobytes()
    with refuses_data("context must hold 2 numbers, as in the first round, but holds 1."):
        model.choose([1.0])
    with refuses_data("context[1] must be a finite number, but is nan."):
        model.choose([1.0, float("nan")])
    with refuses_data("actions must have no features, as in the first round."):
        model.choose([1.0, 2.0], [[1.0], [2.0]])
    with refuses("excluded must leave one action at least, but names all of them."):
        model.choose([1.0, 2.0], excluded=[0, 1, 2])
    with refuses("excluded must be among the actions 0 to 2, but is 3."):
        model.choose([1.0, 2.0], excluded=[3])
    assert before == (model.models_.tobytes(), model.tally_.tobytes(), model.generator_.tobytes())
    model.update(action, 0.5)
    with pytest.raises(BadParameter):
        model.update(action, 0.5)
    for name, value in [("penalty", 0), ("parameter_norm", -1), ("products", "no"), ("arms", 0)]:
        with pytest.raises(BadParameter, match=f"^{name} must be"):
            policy(**{name: value}).choose([1.0])
    with pytest.raises(BadData, match=r"^actions\[1\]\[0\] must be a finite number"):
        policy().choose(None, [[1.0], [float("inf")]])
    with pytest.raises(BadParameter, match="take more than"):
        policy(arms=100).choose(np.zeros(2000))
