"""Trials that wait: each has a draw of its own, what was chosen counts as played, every arm has its least chance."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from functools import partial

import numpy as np
import pytest

from assay import KLUCB, UCB1, Hedge
from assay.server.engine.arithmetic import RULES
from assay.server.engine.bandit import BanditGame
from assay.server.engine.check import check_store
from assay.server.engine.definition import Definition
from assay.server.engine.loading import load_hosted
from assay.server.engine.requests import Tell
from assay.server.limits import Limits
from assay.server.store.event import NO_LINK, link_of
from assay.server.store.store import Store
from tests.server.engines import ask, engine_at, make, refusal, state, tell

UNDECIDED = ("ucb1", "kl-ucb")


def game_of(algorithm, rules=RULES, **terms):
    game = BanditGame(Definition(algorithm, **terms), 7, Limits())
    game.rules = rules
    return game


def played(game, means, rounds, delay, seed=0):
    """Expected loss beyond the best arm, where feedback comes so many trials late."""
    chance, waiting, arms = np.random.default_rng(seed), [], []
    for _ in range(rounds):
        answer = game.ask(None)
        arms.append(answer["arm"])
        waiting.append((answer, float(chance.random() < means[answer["arm"]])))
        if len(waiting) > delay:
            late, loss = waiting.pop(0)
            game.learn(None, late, {"loss": loss})
    return float(sum(means[arm] - min(means) for arm in arms))


@pytest.mark.parametrize("algorithm", UNDECIDED)
def test_what_waits_counts_as_played(algorithm):
    fresh = game_of(algorithm, params={"arms": 5})
    assert Counter(fresh.ask(None)["arm"] for _ in range(50)) == dict.fromkeys(range(5), 10)
    old = game_of(algorithm, rules=0, params={"arms": 5})
    assert {old.ask(None)["arm"] for _ in range(50)} == {0}
    means = [0.5, 0.5, 0.5, 0.3, 0.5]
    now, then = (
        played(game_of(algorithm, rules, params={"arms": 5}), means, 3000, 150)
        for rules in (RULES, 0)
    )
    assert now < 0.8 * then


@pytest.mark.parametrize(("algorithm", "policy"), [("ucb1", UCB1), ("kl-ucb", KLUCB)])
def test_told_at_once_they_are_those_of_the_library(algorithm, policy):
    game, twin, chance = (
        game_of(algorithm, params={"arms": 3}),
        policy(arms=3, random_state=7),
        np.random.default_rng(1),
    )
    for _ in range(200):
        answer = game.ask(None)
        assert (answer["arm"], answer["probability"]) == twin.choose()
        loss = float(chance.random())
        game.learn(None, answer, {"loss": loss})
        twin.update(answer["arm"], loss)
    assert game.model.state_.tobytes() == twin.state_.tobytes()


def test_an_expert_is_drawn_for_each_trial(tmp_path):
    with engine_at(tmp_path / "a.db", snapshot_every=50) as engine:
        make(engine, algorithm="hedge", experts=4, params={"learning_rate": 0.5, "random_state": 3})
        first = [ask(engine, "it") for _ in range(400)]
        tell(engine, "it", first[0]["trial"], losses=[0.0, 5e-1, 1.0, 1.0])
        later = [ask(engine, "it") for _ in range(800)]
        before = state(engine)
        twin = Hedge(learning_rate=0.5, random_state=3)
        assert first[0]["expert"] == twin.choose(experts=4)
        twin.update([0.0, 0.5, 1.0, 1.0])
        assert later[0]["expert"] == twin.choose()
    for answers in (first, later):
        counts = np.bincount([one["expert"] for one in answers], minlength=4)
        expected = len(answers) * np.array(answers[0]["distribution"])
        assert (
            (counts - expected) ** 2 / expected
        ).sum() < 20.0  # beyond it once in 6,000, for 3 degrees
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == before
        assert check_store(engine.store).problems == ()


@pytest.mark.parametrize("algorithm", ["exp3", "thompson-sampling", *UNDECIDED])
def test_every_arm_is_played_with_its_least_propensity(tmp_path, algorithm):
    floor, arms = 0.05, 4
    with engine_at(tmp_path / "a.db", snapshot_every=40) as engine:
        make(engine, algorithm=algorithm, params={"arms": arms}, least_propensity=floor)
        for t in range(150):  # arm 2 is the best by far
            answer = ask(engine, "it")
            assert floor <= answer["probability"] <= 1 - (arms - 1) * floor + 1e-12
            if t % 3:
                tell(engine, "it", answer["trial"], loss=float(answer["arm"] != 2))
        before = state(engine)
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == before
        assert check_store(engine.store).problems == ()
        again = load_hosted(engine.store, 1, "it", Limits(), from_start=True)
        assert (again.game.saved(), again.counts()) == before[:2]
        documents = engine.guarantees("it")
        assert not any(one["applies"] or one["promised"] for one in documents)


@pytest.mark.parametrize("algorithm", ["exp3", "thompson-sampling", "ucb1"])
def test_arms_come_as_often_as_their_probabilities_say(algorithm):
    """Were they not what is answered, the estimates of EXP3 and every later evaluation would be biased."""
    game = game_of(algorithm, params={"arms": 4}, least_propensity=0.1)
    for _ in range(12):
        answer = game.ask(None)
        game.learn(None, answer, {"loss": float(answer["arm"] != 2)})
    answers = [game.ask(None) for _ in range(3000)]
    weight = np.zeros(4)
    for one in answers:
        weight[one["arm"]] += 1 / one["probability"]
    if algorithm != "ucb1":
        assert np.abs(weight / 3000 - 1).max() < 0.2  # four standard errors of the rarest
    else:  # which arm it holds for the best moves while trials wait; never how seldom the others come
        assert min(Counter(one["arm"] for one in answers).values()) > 240


@pytest.mark.parametrize("floor", [-0.1, 0.26, float("nan")])
def test_a_propensity_that_not_all_arms_can_have_is_refused(tmp_path, floor):
    with engine_at(tmp_path / "a.db") as engine:
        with pytest.raises(Exception, match="least_propensity must be between 0 and 1/4"):
            make(engine, algorithm="exp3", params={"arms": 4}, least_propensity=floor)
        with refusal("refused", "least_propensity does not belong to perceptron."):
            make(engine, algorithm="perceptron", classes=[0, 1], least_propensity=0.1)


def test_a_learner_chooses_as_when_it_was_made(tmp_path):
    """One that an earlier version made is replayed as it chose then, and goes on like that."""
    path = tmp_path / "a.db"
    for name, definition in {
        "arms": {"algorithm": "ucb1", "params": {"arms": 3}},
        "panel": {"algorithm": "hedge", "experts": 3, "params": {"learning_rate": 1}},
    }.items():
        with engine_at(path) as engine:
            make(engine, name, **definition)
    with closing(sqlite3.connect(path)) as file, file:
        rows = file.execute("SELECT * FROM events").fetchall()
        for seq, learner, kind, at, trial, text, _ in rows:
            body = json.loads(text)
            del body["rules"]
            held = json.dumps(body)
            link = link_of(NO_LINK, seq, learner, kind, at, trial, held)
            file.execute("UPDATE events SET body = ?, link = ? WHERE seq = ?", (held, link, seq))
    with engine_at(path) as engine:
        assert {ask(engine, "arms")["arm"] for _ in range(9)} == {0}
        assert len({ask(engine, "panel")["expert"] for _ in range(9)}) == 1
        before = [state(engine, name) for name in ("arms", "panel")]
    with engine_at(path) as engine:
        assert [state(engine, name) for name in ("arms", "panel")] == before
        assert check_store(engine.store).problems == ()


# What late feedback does to guarantees


def statuses(documents, text):
    return {
        condition["status"]
        for one in documents
        for condition in one["assumptions"]
        if text in condition["name"]
    }


IN_TURN = "every trial was told before the next one was asked"


def test_a_bandit_told_in_turn_is_promised_something_and_one_told_late_is_not(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="exp3", params={"arms": 2, "rounds": 100})
        for t in range(5):
            tell(engine, "it", ask(engine, "it")["trial"], loss=t % 2)
        first = ask(engine, "it")["trial"]  # it stands, and may yet be told in turn
        documents = engine.guarantees("it")
        assert len(documents) == 3
        assert all(one["applies"] and one["promised"] for one in documents)
        assert statuses(documents, IN_TURN) == {"checked"}
        second = ask(engine, "it")["trial"]
        untold = engine.guarantees("it")
        tell(engine, "it", second, loss=1)
        tell(engine, "it", first, loss=1)
        late = engine.guarantees("it")
    for documents, evidence in (
        (untold, "0 were told late, 1 were not told"),
        (late, "1 were told late, 0"),
    ):
        assert statuses(documents, IN_TURN) == {"violated"}
        assert not any(one["applies"] for one in documents)
        assert {one["promised"] for one in documents} == {None}
        assert evidence in json.dumps(documents)


def test_one_that_waits_since_before_the_last_feedback_is_late_already(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="ucb1", params={"arms": 2})
        ask(engine, "it", trial="a")
        tell(engine, "it", ask(engine, "it", trial="b")["trial"], loss=0)
        assert statuses(engine.guarantees("it"), IN_TURN) == {"violated"}
        assert engine.hosted("it").late == 0
    with engine_at(tmp_path / "a.db") as engine:  # nor does a start forget it
        assert statuses(engine.guarantees("it"), IN_TURN) == {"violated"}


def test_counts_of_rounds_say_that_they_are_of_rounds_as_learned(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="perceptron", classes=[0, 1], features=2)
        trials = [ask(engine, "it", x=[n, 1])["trial"] for n in range(3)]
        tell(engine, "it", trials[0], label=1)
        in_turn = engine.guarantees("it")
        for trial in trials[1:]:
            tell(engine, "it", trial, label=0)
        late = engine.guarantees("it")
        assert engine.certificate("it").claims  # about the rows in the order of learning, as before
    assert statuses(in_turn, "counted as the learner stood") == set()
    assert statuses(late, "counted as the learner stood") == {"by construction"}
    assert {one["applies"] for one in late} == {True}
    assert {one["of"] for one in late} == {"mistakes, at the time of learning"}
    assert "2 were told late" in json.dumps(late)


@pytest.mark.guarantees
def test_the_bound_that_is_withdrawn_is_broken_by_late_feedback():
    """EXP3 whose feedback all comes at the end regrets more than the bound that it would be promised in turn."""
    from assay import theorem

    rounds, regrets = 400, []
    for seed in range(40):
        game = BanditGame(Definition("exp3", params={"arms": 2, "rounds": rounds}), seed, Limits())
        regrets.append(played(game, [1.0, 0.0], rounds, delay=rounds, seed=seed))
    bound = theorem("exp3-regret")(rounds=rounds, arms=2)
    assert np.mean(regrets) > 1.5 * bound
    in_turn = partial(played, means=[1.0, 0.0], rounds=rounds, delay=0)
    assert (
        np.mean(
            [
                in_turn(game_of("exp3", params={"arms": 2, "rounds": rounds}), seed=s)
                for s in range(20)
            ]
        )
        < bound
    )


def test_the_store_is_open_for_reading_what_no_engine_has_brought_up(tmp_path):
    """Tell is not needed here: a store of before has no table of clocks, and is checked all the same."""
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="ucb1", params={"arms": 2})
        engine.feedback("it", Tell(trial=ask(engine, "it")["trial"], loss=1.0))
    with closing(sqlite3.connect(tmp_path / "a.db")) as file, file:
        file.execute("DROP TABLE clock")
        file.execute("DELETE FROM steps WHERE name = 's006_clock'")
    store = Store(tmp_path / "a.db", exclusive=False)
    assert check_store(store).problems == ()
    store.close()
    with engine_at(tmp_path / "a.db") as engine:
        assert engine.describe("it")["told"] == 1
