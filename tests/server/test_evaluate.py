"""What another policy would have earned on what a learner logged."""

from __future__ import annotations

import numpy as np
import pytest

from assay import logged_value
from assay.server.app import create_app
from assay.server.auth import Guard
from assay.server.engine.evaluate import Logged
from assay.server.keys import Keys, new_key
from tests.server.engines import ask, engine_at, make, opened, rank, refusal, tell
from tests.server.test_app import error, talk
from tests.server.test_contextual import ACTIONS, BANNER, SHOP
from tests.server.test_personalizer import talk_with
from tests.soundness import assert_sound, assert_unsound

#: Draws all three actions alike, whatever it has learned.
ALIKE = BANNER | {"algorithm": "epsilon-greedy", "params": {"exploration": 1.0, "random_state": 1}}
#: What each action earns in a context of 0, and of 1.
MEANS = {"red": (0.2, 0.9), "blue": (0.5, 0.5), "green": (0.7, 0.1)}


def evaluated(engine, policy, name="it", delta="0.05"):
    other = policy.partition(":")[2] if policy.startswith("learner:") else name
    sights = {one: engine.seen(one) for one in (name, other) if one in engine.names()}
    return engine.evaluation(name, policy, delta, sights)


def play(engine, rounds, seed=0, name="it", means=MEANS, **asked):
    """Rounds whose contexts are 0 and 1 by turns; returns what was done, with its reward."""
    chance, done = np.random.default_rng(seed), []
    for t in range(rounds):
        answer = rank(engine, name, trial=f"{seed}-{t}", context=[float(t % 2)], **asked)
        reward = float(chance.random() < means[answer["action"]][t % 2])
        tell(engine, name, f"{seed}-{t}", reward=reward)
        done.append((answer["action"], answer["probability"], reward, t % 2))
    return done


def test_an_action_is_judged_by_the_rounds_that_took_it(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **ALIKE)
        done = play(engine, 400)
        found = evaluated(engine, "action:green")
        weights = np.array([action == "green" for action, *_ in done], dtype=float)
        rewards, chances = (np.array([one[at] for one in done]) for at in (2, 1))
        assert chances == pytest.approx(1 / 3)
        direct = logged_value(1 - rewards, chances, weights)
        assert found["inverse_propensity"] == pytest.approx(1 - direct.inverse_propensity)
        assert found["self_normalised"] == pytest.approx(rewards[weights == 1].mean())
        assert (found["lower"], found["upper"]) == (1 - direct.upper, 1 - direct.lower)
        assert found["lower"] < 0.4 < found["upper"]
        assert (found["rounds"], found["untold"], found["covered"]) == (400, 0, 1.0)
        assert found["logged_mean"] == pytest.approx(rewards.mean())


def test_the_policy_that_logged_is_its_own_mean(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **BANNER | {"algorithm": "square-cb"})
        rewards = [reward for _, _, reward, _ in play(engine, 200)]
        found = evaluated(engine, "logged")
        assert found["inverse_propensity"] == pytest.approx(np.mean(rewards))
        assert found["largest_weight"] == 1.0
        assert found["improvement"]["at_least"] <= 0.0
        assert not found["improvement"]["better"]


def test_another_learner_is_judged_as_it_stands(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **ALIKE)
        make(engine, "taught", **ALIKE | {"params": {"exploration": 0.1, "random_state": 2}})
        play(engine, 800)
        play(engine, 300, seed=1, name="taught")
        before = engine.hosted("taught").game.saved()
        found = evaluated(engine, "learner:taught")
        assert engine.hosted("taught").game.saved() == before
        assert found["covered"] == pytest.approx(1.0)
        # The best action in either context earns 0.9 and 0.7, and all alike earn 29/60 on average.
        alike = 29 / 60
        assert found["lower"] < 0.9 * 0.8 + 0.1 * alike < found["upper"]
        assert found["improvement"]["better"]
        assert 0 < found["improvement"]["at_least"] < 0.9 * (0.8 - alike)
        assert evaluated(engine, "uniform")["upper"] < found["upper"]


def test_rewards_are_in_their_own_range(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **ALIKE, rewards=[-10, 30])
        for t in range(100):
            answer = rank(engine, trial=str(t), context=[0.0])
            tell(engine, "it", str(t), reward=30 if answer["action"] == "red" else -10)
        found = evaluated(engine, "action:red")
        assert found["self_normalised"] == pytest.approx(30)
        assert -10 <= found["lower"] < found["upper"] == pytest.approx(30)
        assert evaluated(engine, "action:blue")["self_normalised"] == pytest.approx(-10)


def test_what_is_excluded_falls_to_the_baseline(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **ALIKE)
        play(engine, 60, excluded=["red"])
        red, base = evaluated(engine, "action:red"), evaluated(engine, "baseline")
        assert red | {"policy": ""} == base | {"policy": ""}
        assert base | {"policy": ""} == evaluated(engine, "action:blue") | {"policy": ""}
        assert evaluated(engine, "uniform")["largest_weight"] == pytest.approx(1.0)


def test_every_slot_is_a_round(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SHOP)
        slots = [{"id": "top", "baseline": "item3"}, {"id": "side"}, {"id": "end"}]
        for t in range(40):
            answer = rank(engine, trial=str(t), context=[0.5, 1], actions=ACTIONS, slots=slots)
            chosen = {one["slot"]: one["action"] for one in answer["slots"]}
            told = {
                slot: float(action == "item3") for slot, action in chosen.items() if slot != "end"
            }
            tell(engine, "it", str(t), rewards=told)
        found = evaluated(engine, "baseline")
        assert (found["rounds"], found["untold"]) == (80, 40)
        # item3 at the top, and then the first of those that are left: never item3 at the side.
        top = evaluated(engine, "action:item3")
        assert top["rounds"] == 80
        assert top["inverse_propensity"] > found["inverse_propensity"] - 1e-9


def test_bandits_are_judged_too(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="exp3", actions=["red", "blue"])
        make(engine, "other", algorithm="exp3", actions=["blue", "red"])
        make(engine, "third", algorithm="exp3", params={"arms": 3})
        make(engine, "sure", algorithm="ucb1", actions=["red", "blue"], least_propensity=0.1)
        chance = np.random.default_rng(3)
        for name in ("it", "sure"):
            for t in range(300):
                action = ask(engine, name, trial=str(t))["action"]
                tell(
                    engine,
                    name,
                    str(t),
                    reward=float(chance.random() < {"red": 0.3, "blue": 0.6}[action]),
                )
        found = evaluated(engine, "action:red")
        assert found["lower"] < 0.3 < found["upper"]
        assert evaluated(engine, "learner:other")["rounds"] == 300
        assert evaluated(engine, "learner:sure")["rounds"] == 300
        assert evaluated(engine, "action:red", "sure")["lower"] < 0.3
        with refusal("refused", "The learner must choose among the same actions."):
            evaluated(engine, "learner:third")


# What is refused


def test_learners_that_log_no_propensities(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="perceptron", classes=[0, 1], features=2)
        make(engine, "hedge", algorithm="hedge", experts=2)
        for name, algorithm in (("it", "perceptron"), ("hedge", "hedge")):
            sentence = (
                f"{algorithm} draws no actions, so its log holds no propensities by which another policy could be "
                "judged."
            )
            with refusal("refused", sentence):
                evaluated(engine, "uniform", name)


def test_learners_that_never_drew(tmp_path):
    sentence = (
        "Whatever was done in the log was done with probability 1, so it says nothing of other actions. Give the "
        "learner a least_propensity, or judge the policy that was followed."
    )
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **BANNER, settings={"apprentice": True})
        play(engine, 20)
        assert evaluated(engine, "baseline")["lower"] > 0
        assert evaluated(engine, "logged")["rounds"] == 20
        with refusal("refused", sentence):
            evaluated(engine, "action:green")
        # Once it has drawn, what the log does not cover is said, and the interval still holds.
        engine.change_settings("it", {})
        make(engine, "alike", **ALIKE)
        rank(engine, trial="open", context=[0.0])
        found = evaluated(engine, "baseline")
        assert (found["untold"], found["covered"]) == (1, 1.0)


def test_an_interval_holds_where_the_log_covers_only_a_part(tmp_path):
    """Half of the rounds follow the baseline; what a policy would have earned there is not known."""
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **ALIKE, settings={"apprentice": True})
        play(engine, 200)
        engine.change_settings("it", {})
        play(engine, 200, seed=1)
        found = evaluated(engine, "action:green")
        assert found["covered"] == pytest.approx(0.5)
        assert found["inverse_propensity"] is None
        assert found["lower"] <= 0.4 <= found["upper"]


@pytest.mark.parametrize(
    ("policy", "delta", "sentence"),
    [
        ("best", "0.05", "policy must be logged, baseline, uniform, action:ID or learner:NAME, but is 'best'."),
        ("action:", "0.05", "policy must be logged, baseline, uniform, action:ID or learner:NAME, but is 'action:'."),
        ("", "0.05", "policy must be logged, baseline, uniform, action:ID or learner:NAME, but is ''."),
        ("baseline", "0", "delta must be strictly between 0 and 1, but is '0'."),
        ("baseline", "nan", "delta must be strictly between 0 and 1, but is 'nan'."),
        ("baseline", "x", "delta must be strictly between 0 and 1, but is 'x'."),
        ("learner:spam", "0.05", "perceptron chooses no actions."),
        ("learner:shop", "0.05", "context must have 2 features, but has 1."),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(tmp_path, policy, delta, sentence):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **ALIKE)
        make(engine, "spam", algorithm="perceptron", classes=[0, 1], features=2)
        make(engine, "shop", **SHOP)
        play(engine, 3)
        with refusal("refused", sentence):
            evaluated(engine, policy, delta=delta)


def test_without_a_reward_there_is_nothing_to_judge(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **ALIKE)
        rank(engine, context=[0.0])
        with refusal("conflict", "There is no reward yet by which a policy could be judged."):
            evaluated(engine, "uniform")


# Over HTTP


def test_the_route(tmp_path):
    async def conversation(client):
        home = "/v1/learners/it"
        await client.put(home, json=ALIKE)
        await client.put("/v1/learners/other", json=BANNER)
        for t in range(20):
            answer = (await client.post(f"{home}/rank", json={"context": [t % 2]})).json()
            told = {"trial": answer["trial"], "reward": float(answer["action"] == "red")}
            await client.post(f"{home}/reward", json=told)
        for policy in ("baseline", "action:blue", "learner:other"):
            answer = await client.get(f"{home}/evaluate", params={"policy": policy, "delta": 0.1})
            assert answer.status_code == 200, answer.text
            assert (answer.json()["policy"], answer.json()["rounds"]) == (policy, 20)
        assert (await client.get(f"{home}/evaluate")).json()["policy"] == "baseline"
        for policy, code in (
            ("best", "refused"),
            ("learner:it", "refused"),
            ("learner:x", "unknown_learner"),
        ):
            assert error(await client.get(f"{home}/evaluate", params={"policy": policy})) == code
        assert error(await client.get("/v1/learners/x/evaluate")) == "unknown_learner"

    talk(tmp_path, conversation)


def test_a_key_must_be_for_both_learners(tmp_path):
    text, key = new_key("one", ["read"], ["it"])
    engine = opened(tmp_path / "a.db")
    for name in ("it", "other"):
        make(engine, name, **ALIKE)
    app = create_app(engine, authorise=Guard(Keys([key])))

    async def conversation(client):
        headers = {"Authorization": f"Bearer {text}"}
        for policy, code in (("learner:other", "forbidden"), ("uniform", "conflict")):
            answer = await client.get(f"/v1/learners/it/evaluate?policy={policy}", headers=headers)
            assert error(answer) == code

    talk_with(app, conversation)
    engine.close()


# The promise


def misses(tmp_path, runs, monkeypatch, as_if_alike=False):
    """How often an interval at 0.2 misses what the best action earns, on logs of a policy that prefers it."""
    if as_if_alike:  # a twin that takes every action for one of three alike

        def alike(logged):
            for one in right(logged):
                yield one._replace(chances=dict.fromkeys(one.chances, 1 / 3))

        right = Logged.__iter__
        monkeypatch.setattr(Logged, "__iter__", alike)
    missed = 0
    means = {"red": (0.1, 0.1), "blue": (0.2, 0.2), "green": (0.4, 0.4)}
    with engine_at(tmp_path / f"{as_if_alike}.db", learners=runs) as engine:
        for run in range(runs):
            name, params = f"r{run}", {"exploration": 0.4, "random_state": run}
            make(engine, name, **ALIKE | {"params": params})
            play(engine, 300, seed=run, name=name, means=means)
            found = evaluated(engine, "action:green", name, delta="0.2")
            missed += not found["lower"] <= 0.4 <= found["upper"]
    return missed


@pytest.mark.guarantees
def test_the_interval_misses_seldom_enough(tmp_path, monkeypatch):
    assert_sound(misses(tmp_path, 200, monkeypatch), 200, 0.2)
    assert_unsound(misses(tmp_path, 200, monkeypatch, as_if_alike=True), 200, 0.2)
