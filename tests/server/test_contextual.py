"""Decisions with context: one action of many, its reward later, and nothing of it lost or learned twice."""

from __future__ import annotations

import json
import math
import sqlite3

import numpy as np
import pytest

from assay.learners.registry import make_learner
from assay.server.auth import Guard
from assay.server.engine.check import check_store
from assay.server.engine.context_features import Features
from assay.server.engine.loading import load_hosted
from assay.server.engine.requests import Activate, rank_decoder
from assay.server.keys import Keys, new_key
from assay.server.limits import Limits, how
from assay.server.store.event import link_of
from assay.server.store.store import Store
from tests.server.engines import ask, engine_at, make, opened, rank, refusal, state, tell
from tests.server.test_app import talk

SHOP = {"algorithm": "square-cb", "features": ["age", "new"], "action_features": 2}
BANNER = {"algorithm": "linucb", "features": 1, "actions": ["red", "blue", "green"]}
HASHED = {"algorithm": "epsilon-greedy", "features": 8, "action_features": 8, "hashed": True}
ACTIONS = [{"id": f"item{n}", "features": [n / 4, 1.0]} for n in range(4)]
ASKED = {"context": {"age": 0.5, "new": 1}, "actions": ACTIONS}


@pytest.fixture
def engine(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SHOP)
        yield engine


def activate(engine, trial, name="it"):
    return engine.activate(name, Activate(trial))[0]


# What is answered


def test_the_action_comes_first_and_all_have_their_probabilities(engine):
    answer = rank(engine, trial="a", excluded=["item2"], **ASKED)
    ranking = answer["ranking"]
    assert [answer["action"], answer["probability"]] == list(ranking[0].values())
    assert sorted(one["id"] for one in ranking) == [one["id"] for one in ACTIONS]
    assert ranking[-1] == {"id": "item2", "probability": 0.0}
    assert math.isclose(sum(one["probability"] for one in ranking), 1.0)
    assert rank(engine, trial="a", excluded=["item2"], **ASKED) == answer


def test_features_by_name_and_in_a_list_are_the_same_round(engine):
    answer = rank(engine, trial="a", **ASKED)
    assert rank(engine, trial="a", context=[0.5, 1], actions=ACTIONS) == answer
    with refusal("conflict", "Trial 'a' was asked about something else before."):
        rank(engine, trial="a", context=[0.5, 2], actions=ACTIONS)
    with refusal("conflict", "Trial 'a' was asked about something else before."):
        rank(engine, trial="a", context=[0.5, 1], actions=ACTIONS[::-1])


@pytest.mark.parametrize("told", ["at once", "late"])
def test_the_policy_is_the_librarys_own_to_the_bit(tmp_path, told):
    """Told at once by `choose` and `update`, told late by `learn`."""
    params = {"random_state": 3, "least_propensity": 0.02}
    policy = make_learner("square-cb", {"gamma": 5.0} | params)
    chance = np.random.default_rng(1)
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SHOP, params={"gamma": 5.0} | params)
        waiting = []
        for t in range(60):
            context, table = chance.normal(size=2), chance.uniform(size=(4, 2))
            actions = [{"id": str(n), "features": row.tolist()} for n, row in enumerate(table)]
            asked = {"context": context.tolist(), "actions": actions, "excluded": [str(t % 4)]}
            answer = rank(engine, trial=str(t), **asked)
            action, probability = policy.choose(context, table, [t % 4])
            assert (int(answer["action"]), answer["probability"]) == (action, probability)
            waiting.append((str(t), context, table, action, chance.uniform()))
            if told == "late" and t % 3:
                continue
            for trial, seen, rows, taken, reward in waiting[::-1]:
                tell(engine, "it", trial, reward=reward)
                if trial == str(t):
                    policy.update(taken, 1.0 - reward)
                else:
                    policy.learn(seen, taken, 1.0 - reward, actions=rows)
            waiting.clear()
        mine, its = policy.record_, engine.hosted("it").game.model.record_
        assert repr(mine) == repr(its)
        assert mine.in_turn == (told == "at once")
        assert np.array_equal(policy.models_, engine.hosted("it").game.model.models_)


def test_named_actions_may_be_some_of_all_in_any_order(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **BANNER)
        whole = rank(engine, context=[1.0])
        assert {one["id"] for one in whole["ranking"]} == set(BANNER["actions"])
        for _ in range(20):
            some = rank(engine, context=[1.0], actions=["green", "red"], excluded=["green"])
            assert some["action"] == "red"
            assert [one["id"] for one in some["ranking"]] == ["red", "green"]


def test_slots_get_an_action_each(engine):
    slots = [{"id": "top", "excluded": ["item0", "item1", "item2"]}, {"id": "side"}, {"id": "end"}]
    answer = rank(engine, trial="a", slots=slots, **ASKED)
    chosen = {one["slot"]: one["action"] for one in answer["slots"]}
    assert chosen["top"] == "item3"
    assert len(set(chosen.values())) == 3
    assert tell(engine, "it", "a", rewards={"top": 1, "end": 0.5})["told"] == 3
    assert engine.describe("it")["reward"] == 1.5
    assert engine.describe("it")["rows"] == 2
    assert not tell(engine, "it", "a", rewards={"end": 0.5, "top": 1})["applied"]
    with refusal("conflict", "Trial 'a' has been told something else before."):
        tell(engine, "it", "a", rewards={"side": 1})


def test_it_learns_which_action_is_good(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **BANNER)
        for t in range(150):
            answer = rank(engine, trial=str(t), context=[float(t % 2)])
            good = answer["action"] == ("red" if t % 2 else "blue")
            tell(engine, "it", str(t), reward=0.9 if good else 0.1)
        assert rank(engine, context=[1])["action"] == "red"
        assert rank(engine, context=[0])["action"] == "blue"
        assert [one["theorem"] for one in engine.guarantees("it")] == [
            "interval-regret", "linucb-regret"
        ]  # fmt: skip


# Rewards


def test_a_reward_is_learned_once(engine):
    rank(engine, trial="a", **ASKED)
    assert tell(engine, "it", "a", reward=0.25)["applied"]
    before = state(engine)
    assert not tell(engine, "it", "a", reward=0.25)["applied"]
    assert not tell(engine, "it", "a", loss=0.75)["applied"]
    assert state(engine) == before
    with refusal("conflict", "Trial 'a' has been told something else before."):
        tell(engine, "it", "a", reward=0.5)
    with refusal("unknown_trial", "No trial 'b' has been predicted."):
        tell(engine, "it", "b", reward=0.5)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"reward": 5}, "reward must be between -1 and 4, but is 5.0."),
        ({"reward": -1.5}, "reward must be between -1 and 4, but is -1.5."),
        ({"loss": 2}, "loss must be between 0 and 1, but is 2.0."),
        ({"label": 1}, "The feedback must hold reward or loss, but holds label."),
        ({}, "The feedback must hold reward or loss, but holds nothing."),
        ({"rewards": {"a": 1}}, "The feedback must hold reward or loss, but holds rewards."),
    ],
)
def test_rewards_that_cannot_be(tmp_path, told, sentence):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SHOP, rewards=[-1, 4])
        rank(engine, trial="a", **ASKED)
        with refusal("refused", sentence):
            tell(engine, "it", "a", **told)
        assert tell(engine, "it", "a", reward=4)["applied"]
        assert engine.hosted("it").game.model.record_.loss == 0.0


@pytest.mark.parametrize("rewards", [{}, {"elsewhere": 1}])
def test_rewards_of_slots_that_are_not_there(engine, rewards):
    rank(engine, trial="a", slots=[{"id": "top"}], **ASKED)
    named = "an unknown slot 'elsewhere'" if rewards else "no slot"
    with refusal("refused", f"rewards names {named}."):
        tell(engine, "it", "a", rewards=rewards)


def test_who_waits_too_long_is_told_the_default(tmp_path):
    now = 1000.0
    with engine_at(tmp_path / "a.db", clock=lambda: now) as engine:
        terms = {"wait": 10, "default_reward": -1}
        make(engine, **SHOP, rewards=[-1, 1], settings=terms)
        rank(engine, trial="a", **ASKED)
        rank(engine, trial="b", slots=[{"id": "x"}, {"id": "y"}], **ASKED)
        now = 1011.0
        with refusal("too_late", "Trial 'a' has been told the default already."):
            tell(engine, "it", "a", reward=1)
        engine.sweep()
        assert engine.describe("it")["reward"] == -3
        with refusal("too_late", "Trial 'b' has been told the default already."):
            tell(engine, "it", "b", rewards={"x": 1})
        with refusal("refused", "default_reward must be between -1 and 1, but is 2.0."):
            engine.change_settings("it", {"wait": 1, "default_reward": 2})


# Activation


def test_a_deferred_trial_takes_part_once_it_is_activated(tmp_path):
    now = 1000.0
    with engine_at(tmp_path / "a.db", clock=lambda: now) as engine:
        make(engine, **SHOP, settings={"wait": 10, "default_reward": 0})
        for trial in "abc":
            rank(engine, trial=trial, deferred=True, **ASKED)
        with refusal("conflict", "Trial 'a' was deferred and is not activated. Activate it first."):
            tell(engine, "it", "a", reward=1)
        now = 1008.0
        rank(engine, trial="d", **ASKED)
        assert activate(engine, "a") == {"trial": "a", "activated": True}
        assert activate(engine, "a") == {"trial": "a", "activated": False}
        assert activate(engine, "d") == {"trial": "d", "activated": False}
        with refusal("unknown_trial", "No trial 'x' has been predicted."):
            activate(engine, "x")
        now = 1012.0  # its time began when it was activated
        engine.sweep()
        assert tell(engine, "it", "a", reward=1)["applied"]
        with refusal("too_late", "Trial 'b' could be activated for 10 seconds, which are over."):
            activate(engine, "b")
        assert engine.describe("it")["told"] == 1


def test_activation_is_remembered_over_starts(tmp_path):
    now = 1000.0
    engine = opened(tmp_path / "a.db", clock=lambda: now)
    make(engine, **SHOP, settings={"wait": 10, "default_reward": 0})
    for trial in "abcd":
        rank(engine, trial=trial, deferred=trial != "d", **ASKED)
    now = 1007.0
    activate(engine, "a")
    before = state(engine)
    engine.close()
    for way in ("snapshot", "replay"):
        engine = opened(tmp_path / "a.db", clock=lambda: now)
        assert state(engine) == before
        number = engine.hosted("it").number
        again = load_hosted(engine.store, number, "it", engine.limits, from_start=way == "replay")
        assert again.counts() == before[1]
        assert (set(again.open), set(again.dormant)) == ({"d", "a"}, {"b", "c"})
        assert again.open["a"].at == 1_007_000
        with refusal("conflict", "Trial 'b' was deferred and is not activated. Activate it first."):
            tell(engine, "it", "b", reward=1)
        engine.close()
    now = 1012.0
    engine = opened(tmp_path / "a.db", clock=lambda: now)
    engine.sweep()
    assert list(engine.hosted("it").open) == ["a"]
    engine.close()


def test_trials_whose_time_is_over_make_room(tmp_path):
    now = 1000.0
    with engine_at(tmp_path / "a.db", clock=lambda: now, open_trials=3) as engine:
        make(engine, **SHOP, settings={"feedback_within": 10})
        for trial in "abc":
            rank(engine, trial=trial, deferred=True, **ASKED)
        now = 1011.0
        for trial in "def":
            rank(engine, trial=trial, deferred=True, **ASKED)
        engine.flushed().wait()
        engine.change_settings("it", {"feedback_within": 100})
        sentence = "3 trials of 'it' wait for feedback. Tell some of them first. " + how(
            "open_trials"
        )
        with refusal("too_many", sentence):
            activate(engine, "a")
        activate(engine, "d")
        tell(engine, "it", "d", reward=1)
        assert activate(engine, "a")["activated"]  # the store still knows it
        assert tell(engine, "it", "a", reward=0)["applied"]
        number = engine.hosted("it").number
        engine.flushed() and engine.flushed().wait()
        again = load_hosted(engine.store, number, "it", engine.limits, from_start=True)
        assert again.game.saved() == engine.hosted("it").game.saved()


# An apprentice


def test_an_apprentice_shows_the_baseline_and_learns(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **(BANNER | {"algorithm": "epsilon-greedy"}), settings={"apprentice": True})
        for t in range(40):
            answer = rank(engine, trial=str(t), context=[1.0], excluded=["red"])
            assert (answer["action"], answer["probability"]) == ("blue", 1.0)
            assert [one["probability"] for one in answer["ranking"]] == [1.0, 0.0, 0.0]
            tell(engine, "it", str(t), reward=0.9)
        apprentice = engine.describe("it")["apprentice"]
        assert apprentice["followed"] == 40
        assert 20 < apprentice["agreed"] <= 40
        engine.change_settings("it", {"apprentice": False})
        answer = rank(engine, context=[1.0])
        assert answer["action"] == "blue" or answer["probability"] < 1
        assert "agreed" not in answer
        assert not engine.hosted("it").game.model.record_.in_turn


def test_baselines_of_slots(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SHOP, settings={"apprentice": True})
        slots = [{"id": "a", "baseline": "item2"}, {"id": "b", "baseline": "item2"}, {"id": "c"}]
        answer = rank(engine, slots=slots, **ASKED)
        assert [one["action"] for one in answer["slots"]] == ["item2", "item0", "item1"]
        with refusal("refused", "baseline names an unknown action 'x'."):
            rank(engine, slots=[{"id": "a", "baseline": "x"}], **ASKED)


def test_others_have_no_baseline(tmp_path):
    with (
        engine_at(tmp_path / "a.db") as engine,
        refusal("refused", "apprentice is for policies with context."),
    ):
        make(engine, algorithm="ucb1", params={"arms": 2}, settings={"apprentice": True})


# Hashed features


def test_json_is_hashed_to_the_same_bits_whatever_its_order(tmp_path):
    features = [{"a": 1.5, "b": ["x", "y"], "c": {"d": True, "e": None}}]
    other = [{"c": {"e": None, "d": True}, "b": ["x", "y"], "a": 1.5}]
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **HASHED)
        actions = [{"id": "a", "features": [{"k": "v"}]}, {"id": "b"}]
        answer = rank(engine, trial="a", context=features, actions=actions)
        assert rank(engine, trial="a", context=other, actions=actions) == answer


def test_places_and_signs_are_the_same_on_every_machine():
    vector, _ = Features("features", 16, True, Limits()).read(
        json.dumps({"user": {"city": "Bonn", "age": 3, "new": True}, "n": [1, 2]}).encode(), "x"
    )
    assert {at: v for at, v in enumerate(vector.tolist()) if v} == GOLDEN


#: By `printf %s PATH | b2sum -l 64`, read with the first byte as the least: the last bit is the sign, the others the
#: place, of "|user|city=Bonn", "|user|age", "|user|new", "|n|[0]" and "|n|[1]".
GOLDEN = {0: 1.0, 4: 3.0, 1: -1.0, 12: 1.0, 13: -2.0}


# What is refused


@pytest.mark.parametrize(
    ("definition", "sentence"),
    [
        (
            {"algorithm": "linucb"},
            "Either actions must be given, their names, or action_features, how each round describes its own.",
        ),
        (BANNER | {"action_features": 2}, "Either actions must be given, their names, or "
         "action_features, how each round describes its own."),
        (BANNER | {"params": {"arms": 2}}, "params.arms must be left out: actions say how many there are."),
        (BANNER | {"classes": [0, 1]}, "classes does not belong to linucb."),
        (BANNER | {"rewards": [1, 1]}, "rewards must be the least and the largest possible one, but is [1.0, 1.0]."),
        (BANNER | {"rewards": [0, 1e300]},
         "rewards must be the least and the largest possible one, but is [0.0, 1e+300]."),
        (BANNER | {"params": {"penalty": 0}}, "penalty must be a finite number above zero, but is 0."),
        (SHOP | {"hashed": True}, "features must be a number where features are hashed."),
        (SHOP | {"features": 100, "action_features": 100},
         "The model would hold 104,080,803 numbers, and may hold 10,000,000. Give fewer features or actions, or "
         "params.products=False. " + how("parameters")),
        (SHOP | {"params": {"regressor": "sgd-regressor"}},
         "params.regressor must be left out: the service plays least squares."),
        ({"algorithm": "exp4", "actions": ["a", "b"]},
         "exp4 cannot be served: it does not learn one example at a time."),
        ({"algorithm": "ucb1", "actions": ["a", "b"], "hashed": True}, "hashed does not belong to ucb1."),
    ],
)  # fmt: skip
def test_definitions_that_nothing_can_be_made_of(tmp_path, definition, sentence):
    with engine_at(tmp_path / "a.db") as engine:
        with refusal("refused", sentence):
            make(engine, **definition)
        assert engine.names() == []


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"actions": []}, "actions must be given: at least one, each with its features."),
        ({"actions": None}, "actions must be given: at least one, each with its features."),
        ({"actions": ["a"]}, "Action 'a' must have features."),
        ({"actions": [{"id": "a"}]}, "Action 'a' must have 2 features, but has none."),
        ({"actions": [{"id": "a", "features": [1]}]}, "Action 'a' must have 2 features, but has 1."),
        ({"actions": [ACTIONS[0], ACTIONS[0]]}, "actions must be different from each other, but 'item0' comes twice."),
        ({"actions": [{"id": "", "features": [1, 2]}]}, "actions must have names of 1 to 256 characters."),
        ({"actions": [{"id": "a", "features": [1, 1e300]}]}, "Action 'a' must hold numbers between -1e+15 and 1e+15."),
        ({"actions": [{"id": "a", "features": {"x": 1}}]}, "Action 'a' must be a list: its features have no names."),
        ({"context": None}, "context cannot be read: Expected `array`, got `null`."),
        ({"context": [1, 2, 3]}, "context must have 2 features, but has 3."),
        ({"context": {"age": 1}}, "context leaves out the feature 'new'."),
        ({"context": {"age": 1, "new": 1, "x": 1}}, "context names an unknown feature 'x'."),
        ({"excluded": ["item9"]}, "excluded names an unknown action 'item9'."),
        ({"excluded": [a["id"] for a in ACTIONS]}, "excluded must leave one action at least."),
        ({"slots": []}, "slots must be 1 to 4, since each action is chosen once, but are 0."),
        ({"slots": [{"id": str(n)} for n in range(5)]},
         "slots must be 1 to 4, since each action is chosen once, but are 5."),
        ({"slots": [{"id": "a"}, {"id": "a"}]}, "slots must be different from each other, but 'a' comes twice."),
        ({"slots": [{"id": "a"}, {"id": "b"}], "excluded": ["item0", "item1", "item2"]},
         "excluded must leave one action at least behind the 1 slots before it."),
        ({"slots": [{"id": "a", "features": [1]}]}, "Slot 'a' has features, but the context is not hashed."),
        ({"trial": "a b"}, "A trial's name must be 1 to 64 letters, digits, dots, colons, dashes or underscores."),
    ],
)  # fmt: skip
def test_rounds_that_cannot_be_played_change_nothing(engine, asked, sentence):
    before = state(engine)
    with refusal("refused", sentence):
        rank(engine, **(ASKED | asked))
    assert state(engine) == before


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        ([[[[[[[[[1]]]]]]]]], "context must be nested at most 8 deep."),
        ({"a": 1e16}, "context must hold numbers between -1e+15 and 1e+15."),
        ({"a": 10**400}, "context must hold numbers between -1e+15 and 1e+15."),
        ([1] * 10_001, "context must have at most 10,000 features. " + how("width")),
    ],
)
def test_json_that_is_too_much(tmp_path, context, sentence):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **HASHED)
        with refusal("refused", sentence):
            rank(engine, context=context, actions=[{"id": "a"}])
        assert rank(engine, context=None, actions=[{"id": "a"}])["action"] == "a"


def test_a_floor_that_the_actions_cannot_all_have(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SHOP, params={"least_propensity": 0.3})
        before = state(engine)
        sentence = "There may be at most 3 actions, since each has a probability of 0.3 at least, but there are 4."
        with refusal("refused", sentence):
            rank(engine, **ASKED)
        slots = [{"id": "a", "excluded": ["item0"]}, {"id": "b"}]
        with refusal("refused", sentence):
            rank(engine, slots=slots, **ASKED)
        assert state(engine) == before
        assert rank(engine, excluded=["item0"], **ASKED)["probability"] >= 0.3


def test_too_many_actions_for_so_many_features(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **(SHOP | {"features": 40, "action_features": 40}))
        actions = [{"id": str(n), "features": [0] * 40} for n in range(100)]
        with refusal("refused", "100 actions are too many for 1,681 features."):
            rank(engine, context=[0] * 40, actions=actions)


def test_each_learner_is_asked_by_its_own_route(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SHOP)
        make(engine, "other", algorithm="ucb1", params={"arms": 2})
        with refusal("refused", "ucb1 is asked by predict, not by rank."):
            rank(engine, "other", **ASKED)
        with refusal("refused", "square-cb is asked by rank, not by predict."):
            ask(engine, "it")


# Starts and checks


def test_a_replay_comes_to_the_same_bits(tmp_path):
    chance = np.random.default_rng(0)
    engine = opened(tmp_path / "a.db", snapshot_every=20)
    make(engine, "shop", **SHOP, rewards=[0, 10])
    make(engine, "hashed", **HASHED)
    for t in range(60):
        actions = [{"id": str(n), "features": chance.normal(size=2).tolist()} for n in range(3)]
        slots = {"slots": [{"id": "a"}, {"id": "b"}]} if t % 3 == 0 else {}
        rank(engine, "shop", trial=str(t), context=[t / 60, 1], actions=actions, **slots)
        two = [{"id": "a"}, {"id": "b", "features": "x"}]
        rank(engine, "hashed", trial=str(t), context={"t": t}, actions=two)
        if t == 30:
            engine.change_settings("shop", {"apprentice": True})
        if t > 4 and t % 5:
            told = {"rewards": {"b": 1.5}} if (t - 4) % 3 == 0 else {"reward": 10 * chance.random()}
            tell(engine, "shop", str(t - 4), **told)
            tell(engine, "hashed", str(t), reward=chance.random())
    before = {name: state(engine, name) for name in ("shop", "hashed")}
    engine.close()
    engine = opened(tmp_path / "a.db")
    for name, was in before.items():
        assert state(engine, name) == was
        number = engine.hosted(name).number
        again = load_hosted(engine.store, number, name, engine.limits, from_start=True)
        assert (again.game.saved(), again.counts(), again.link) == was
    engine.close()
    store = Store(tmp_path / "a.db", exclusive=False)
    assert check_store(store).problems == ()
    store.close()


def test_one_that_was_never_asked_can_be_put_down(engine):
    hosted = engine.hosted("it")
    assert hosted.game.copied().put_back(hosted.game.saved()) is None
    assert engine.guarantees("it") == []


def test_an_answer_that_was_changed_is_found(tmp_path):
    engine = opened(tmp_path / "a.db")
    make(engine, **SHOP)
    rank(engine, trial="a", **ASKED)
    engine.close()
    with sqlite3.connect(tmp_path / "a.db") as held:
        found = held.execute("SELECT seq, body, at FROM events WHERE kind = 'trial'").fetchone()
        seq, body, at = found
        before = held.execute("SELECT link FROM events WHERE kind = 'created'").fetchone()[0]
        forged = json.loads(body)
        forged["chosen"] = [(forged["chosen"][0] + 1) % 4]
        text = json.dumps(forged, separators=(",", ":"))
        link = link_of(before, seq, 1, "trial", at, "a", text)
        held.execute("UPDATE events SET body = ?, link = ? WHERE seq = ?", (text, link, seq))
        held.execute("DELETE FROM snapshots")
    held.close()
    store = Store(tmp_path / "a.db", exclusive=False)
    [problem] = check_store(store).problems
    store.close()
    assert "but a replay gives" in problem


# Over HTTP


def test_the_routes(tmp_path):
    async def conversation(client):
        home = "/v1/learners/shop"
        assert (await client.put(home, json=SHOP)).status_code == 201
        one = (await client.post(f"{home}/rank", json=ASKED | {"deferred": True})).json()
        told = {"trial": one["trial"], "reward": 1}
        assert (await client.post(f"{home}/reward", json=told)).status_code == 409
        answer = await client.post(f"{home}/activate", json={"trial": one["trial"]})
        assert answer.json() == {"trial": one["trial"], "activated": True}
        for applied in (True, False):
            answer = await client.post(f"{home}/reward", json=told)
            assert (answer.status_code, answer.json()["applied"]) == (200, applied)
        many = [ASKED | {"trial": f"m{n}"} for n in range(3)] + [{"actions": []}]
        answers = (await client.post(f"{home}/rank", json=many)).json()
        assert [one.get("trial") for one in answers] == ["m0", "m1", "m2", None]
        assert answers[3]["status"] == 422
        for raw in (b'{"actions": [NaN]}', b'{"context": [1e999, 0]}', b'{"actions": {"a": 1}}'):
            assert (await client.post(f"{home}/rank", content=raw)).status_code in (400, 422)
        text = (await client.get("/metrics")).text
        assert 'assay_requests_total{route="rank",status="200"} 2' in text
        assert 'assay_requests_total{route="activate",status="200"} 1' in text

    talk(tmp_path, conversation)


def test_what_keys_must_have(tmp_path):
    texts, keys = {}, []
    for scope in ("admin", "predict", "feedback"):
        texts[scope], key = new_key(scope, [scope])
        keys.append(key)

    async def conversation(client):
        def headers(scope):
            return {"Authorization": f"Bearer {texts[scope]}"}

        home = "/v1/learners/shop"
        assert (await client.put(home, json=SHOP, headers=headers("admin"))).status_code == 201
        for route, scope, body in (
            ("rank", "predict", ASKED | {"trial": "a", "deferred": True}),
            ("activate", "feedback", {"trial": "a"}),
            ("reward", "feedback", {"trial": "a", "reward": 1}),
        ):
            for given in ("predict", "feedback"):
                answer = await client.post(f"{home}/{route}", json=body, headers=headers(given))
                assert answer.status_code == (200 if given == scope else 403), (route, given)
            assert (await client.post(f"{home}/{route}", json=body)).status_code == 401

    talk(tmp_path, conversation, authorise=Guard(Keys(keys)))


def test_the_decoder_refuses_what_it_does_not_know():
    with pytest.raises(Exception, match="unknown field"):
        rank_decoder.decode('{"contexts": [1]}')
