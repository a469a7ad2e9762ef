"""The bandit game: what is fixed, drawn or chosen in the light of the play."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import EXP3, EXP3IX, KLUCB, UCB1, ThompsonSampling, load, save, theorem
from assay.errors import BadData, BadParameter
from assay.play.bandit_game import Bernoulli, play_bandit
from assay.play.expert_adversaries import against_the_favourite

LOSSES = np.random.default_rng(2).random((60, 3))


@pytest.mark.parametrize("make", [EXP3, UCB1, KLUCB, ThompsonSampling])
def test_a_function_that_reads_a_table_is_that_table(make):
    one, whole = make(arms=3, random_state=5), make(arms=3, random_state=5)
    found = play_bandit(one, lambda past: LOSSES[past.rounds], rounds=60)
    wanted = play_bandit(whole, LOSSES)
    assert found.plays.tolist() == wanted.plays.tolist()
    assert found.loss == wanted.loss
    assert found.regret == pytest.approx(wanted.regret, abs=1e-12)
    np.testing.assert_allclose(found.arm_losses, LOSSES.sum(axis=0))


def test_the_opponent_sees_the_odds_and_not_the_draw():
    policy = EXP3(arms=3, random_state=0)
    odds = []

    def opponent(past):
        odds.append(past.weights)
        return LOSSES[past.rounds]

    record = play_bandit(policy, opponent, rounds=60)
    expected = sum(float(w @ row) for w, row in zip(odds, LOSSES, strict=True))
    assert record.expected_loss == pytest.approx(expected)
    assert all(w.min() > 0 and w.max() < 1 for w in odds)


@pytest.mark.parametrize("make", [UCB1, KLUCB])
def test_who_draws_nothing_loses_every_round(make):
    record = play_bandit(make(arms=4), against_the_favourite, rounds=400)
    assert record.loss == 400
    assert record.regret >= 300


def test_who_draws_does_not():
    bound = float(theorem("exp3-regret")(rounds=2000, arms=4))
    for seed in range(5):
        policy = EXP3(arms=4, rounds=2000, random_state=seed)
        record = play_bandit(policy, against_the_favourite, rounds=2000)
        assert record.expected_regret < bound / 2


@pytest.mark.parametrize(
    ("make", "theorem_id", "declared"),
    [
        (EXP3, "exp3-regret", {}),
        (UCB1, "ucb1-gap-free-regret", {}),
        (KLUCB, "kl-ucb-regret", {"means": [0.1, 0.2, 0.3]}),
        (ThompsonSampling, "thompson-bayesian-regret", {}),
    ],
)
def test_an_opponent_that_looks_breaks_the_assumption(make, theorem_id, declared, tmp_path):
    def promise(policy):
        [found] = [g for g in policy.guarantees(**declared) if g.theorem == theorem_id]
        return found

    blind, watched = make(arms=3, random_state=0), make(arms=3, random_state=0)
    play_bandit(blind, lambda past: LOSSES[past.rounds], rounds=60)
    assert promise(blind).applies
    assert promise(blind).promised is not None
    play_bandit(watched, against_the_favourite, rounds=60)
    assert not promise(watched).applies
    assert promise(watched).promised is None
    assert f"no promise by {theorem_id}, because it is not true that" in str(promise(watched))
    # A file does not forget it.
    save(watched, tmp_path / "p.assay")
    assert not promise(load(tmp_path / "p.assay")).applies


def test_implicit_exploration_keeps_its_promise_against_both():
    policy = EXP3IX(arms=3, random_state=0)
    play_bandit(policy, against_the_favourite, rounds=60)
    assert policy.guarantees()[0].holds


def test_the_opponent_is_told_the_whole_past():
    policy, seen = EXP3(arms=3, random_state=0), []
    play_bandit(policy, LOSSES[:20])

    def opponent(past):
        seen.append((past.rounds, past.totals))
        return LOSSES[past.rounds]

    play_bandit(policy, opponent, rounds=40)
    assert [rounds for rounds, _ in seen] == list(range(20, 60))
    for rounds, totals in seen:
        np.testing.assert_allclose(totals, LOSSES[:rounds].sum(axis=0))


def test_a_past_that_nobody_knows_is_refused():
    policy = EXP3(arms=3, random_state=0)
    policy.update(policy.choose()[0], 0.5)
    sentence = (
        "policy must be new, or have met only losses that are known of every arm: of the rounds played so "
        "far, 1 in all, the opponent cannot be told."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        play_bandit(policy, against_the_favourite, rounds=2)


def test_drawn_losses_have_their_means():
    opponent = Bernoulli([0.0, 0.25, 1.0], random_state=0)
    record = play_bandit(EXP3(arms=3, random_state=0), opponent, rounds=4000)
    assert record.arm_losses[0] == 0
    assert record.arm_losses[2] == 4000
    assert abs(record.arm_losses[1] / 4000 - 0.25) < 0.05
    assert record.best == 0


def test_the_mean_regret_against_fixed_losses_stays_below_its_bound():
    losses = np.random.default_rng(0).random((200, 3)) * [1.0, 0.1, 1.0]
    bound = float(theorem("exp3-regret")(rounds=200, arms=3))
    regrets = [
        play_bandit(EXP3(arms=3, rounds=200, random_state=s), losses).expected_regret
        for s in range(100)
    ]
    mean, error = np.mean(regrets), np.std(regrets, ddof=1) / 10
    assert mean + 4 * error < bound
    # The check can fail: one that hardly learns breaks the bound.
    idle = play_bandit(EXP3(arms=3, learning_rate=1e-9), losses)
    assert idle.expected_regret > bound


def test_a_game_goes_on_where_it_stopped():
    policy, whole = EXP3(arms=3, random_state=1), EXP3(arms=3, random_state=1)
    play_bandit(policy, LOSSES[:25])
    play_bandit(policy, LOSSES[25:])
    assert play_bandit(whole, LOSSES).plays.tolist() == policy.record_.plays.tolist()


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (
            lambda: play_bandit(EXP3(arms=3), LOSSES, rounds=5),
            BadParameter,
            "rounds is for opponents that are functions; a table has its own.",
        ),
        (
            lambda: play_bandit(EXP3(arms=3), against_the_favourite, rounds=None),
            BadParameter,
            "rounds must be a whole number of at least 1, but is None.",
        ),
        (
            lambda: play_bandit(EXP3(arms=3), lambda past: [0.0, 1.0], rounds=2),
            BadData,
            "losses must have one row per round and one column for each of the 3 arms, but have the "
            "shape (1, 2).",
        ),
        (
            lambda: Bernoulli([0.5, 1.5]),
            BadParameter,
            "means[1] must be a number between 0 and 1, but is 1.5.",
        ),
    ],
)
def test_refusals(call, kind, sentence):
    with pytest.raises(kind, match=f"^{re.escape(sentence)}$"):
        call()
