"""The protocol: whatever is asked, told, repeated, contradicted and restarted, each truth is learned once."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from assay import EXP3, KernelPerceptron, Perceptron
from assay.learners.registry import learner_names
from assay.play.delayed import delayed
from assay.server.engine.check import check_store
from assay.server.engine.definition import algorithms, kind_of
from assay.server.engine.loading import load_hosted
from assay.server.limits import Limits, how
from assay.server.store.store import Store
from tests.server.engines import ask, engine_at, make, opened, refusal, state, tell

SPAM = {"algorithm": "perceptron", "classes": ["ham", "spam"], "features": 3}
CELLS = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=3, max_size=3)
LABELS = st.sampled_from(["ham", "spam"])


class Protocol(RuleBasedStateMachine):
    """An engine beside `assay.delayed`, which knows nothing of stores."""

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp())
        self.engine = opened(self.folder / "a.db", snapshot_every=7)
        make(self.engine, **SPAM)
        self.twin = delayed(Perceptron(), classes=np.array(SPAM["classes"], dtype=object))
        self.open, self.told, self.asked, self.count = [], {}, {}, 0

    @rule(x=CELLS, named=st.booleans())
    def predict(self, x, named):
        self.count += 1
        terms = {"trial": f"mine-{self.count}"} if named else {}
        found = ask(self.engine, "it", x=x, **terms)
        trial = found["trial"]
        assert found["prediction"] == self.twin.predict(x, trial).prediction
        self.open.append(trial)
        self.asked[trial] = x, found

    @precondition(lambda self: self.asked)
    @rule(data=st.data())
    def ask_again(self, data):
        trial = data.draw(st.sampled_from(sorted(self.asked)))
        x, found = self.asked[trial]
        before = state(self.engine)
        assert ask(self.engine, "it", x=x, trial=trial) == found
        with refusal("conflict", f"Trial {trial!r} was asked about something else before."):
            ask(self.engine, "it", x=[7.0, 7, 7], trial=trial)
        assert state(self.engine) == before

    @precondition(lambda self: self.open)
    @rule(data=st.data(), label=LABELS)
    def feedback(self, data, label):
        trial = self.open.pop(data.draw(st.integers(0, len(self.open) - 1)))
        found = tell(self.engine, "it", trial, label=label)
        same = self.twin.feedback(trial, label)
        assert (found["applied"], found["mistake"]) == (True, same.mistake)
        self.told[trial] = label, same.mistake

    @precondition(lambda self: self.told)
    @rule(data=st.data())
    def tell_again(self, data):
        trial = data.draw(st.sampled_from(sorted(self.told)))
        label, mistake = self.told[trial]
        before = state(self.engine)
        found = tell(self.engine, "it", trial, label=label)
        assert (found["applied"], found["mistake"]) == (False, mistake)
        other = "ham" if label == "spam" else "spam"
        with refusal("conflict", f"Trial {trial!r} has been told something else before."):
            tell(self.engine, "it", trial, label=other)
        assert state(self.engine) == before

    @rule()
    def tell_of_nothing(self):
        with refusal("unknown_trial", "No trial 'nobody' has been predicted."):
            tell(self.engine, "it", "nobody", label="ham")

    @rule()
    def restart(self):
        before = state(self.engine)
        self.engine.close()
        self.engine = opened(self.folder / "a.db", snapshot_every=7)
        assert state(self.engine) == before

    @rule()
    def crash(self):
        """What is committed is what another process finds, though nothing was closed."""
        group = self.engine.flushed()
        if group is not None:
            group.wait()
        before = state(self.engine)
        copy = Path(tempfile.mkdtemp(dir=self.folder))
        for part in self.folder.glob("a.db*"):
            if part.suffix != ".lock":
                shutil.copy(part, copy / part.name)
        with engine_at(copy / "a.db") as again:
            assert state(again) == before

    @invariant()
    def counts(self):
        if not hasattr(self, "engine"):
            return
        found = self.engine.hosted("it").standing()
        assert found["trials"] == self.twin.trials
        assert found["told"] == self.twin.told
        assert found["mistakes"] == self.twin.mistakes
        if self.twin.told:
            players = (
                self.engine.hosted("it").game.model.players_[0],
                self.twin.learner.players_[0],
            )
            assert players[0].weights.tobytes() == players[1].weights.tobytes()
            assert players[0].mistakes == players[1].mistakes

    def teardown(self):
        if hasattr(self, "engine"):
            self.engine.close()
            store = Store(self.folder / "a.db", exclusive=False)
            assert check_store(store).problems == ()
            store.close()
            shutil.rmtree(self.folder)


TestProtocol = Protocol.TestCase
TestProtocol.settings = settings(max_examples=10, stateful_step_count=20, deadline=None)


def test_creating_is_idempotent(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        assert make(engine, **SPAM)["created"]
        assert not make(engine, **SPAM)["created"]
        with refusal("conflict", "There is a learner 'it' already, with another definition."):
            make(engine, **SPAM | {"delta": 0.01})
        assert engine.names() == ["it"]


@pytest.mark.parametrize(
    ("definition", "sentence"),
    [
        (
            {"algorithm": "perceptrom"},
            "No learner is called 'perceptrom'. Did you mean 'perceptron'?",
        ),
        ({"algorithm": "svc"}, "svc cannot be served: it does not learn one example at a time."),
        ({"algorithm": "perceptron"}, "classes must be given: all labels there are, at least two."),
        (SPAM | {"classes": ["a", 1]}, "classes must be of one kind, but are int and text."),
        (
            SPAM | {"params": {"speed": 1}},
            "perceptron has no parameter 'speed'. It has alpha, class_weight, early_stopping, eta0, "
            "fit_intercept, l1_ratio, max_iter, n_iter_no_change, n_jobs, penalty, random_state, shuffle, tol, "
            "trace, validation_fraction, verbose, warm_start, zero.",
        ),
        (
            SPAM | {"algorithm": "kernel-perceptron"},
            "params.budget must be given: without it a kernel-perceptron grows for ever.",
        ),
        (SPAM | {"actions": ["a"]}, "actions does not belong to perceptron."),
        (
            {"algorithm": "exp3", "actions": ["a", "b"], "params": {"arms": 3}},
            "params.arms must be the number of actions.",
        ),
        (
            {"algorithm": "fixed-share", "experts": 2},
            "rounds must be given, or else learning_rate, but is None.",
        ),
        (
            SPAM | {"algorithm": "gradient-descent", "params": {"eta0": -1}},
            "eta0 must be a finite number above zero, but is -1.",
        ),
        ({"algorithm": "hedge"}, "experts must be given: their names, or how many there are."),
    ],
)
def test_what_cannot_be_made_is_refused_before_anything_is_written(tmp_path, definition, sentence):
    with engine_at(tmp_path / "a.db") as engine:
        with refusal("refused", sentence):
            make(engine, **definition)
        assert engine.names() == []
        assert engine.store.last() == (0, 0, 0)


def test_only_bandits_are_told_defaults(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        sentence = "wait and its default are for bandits: others must be told the truth."
        with refusal("refused", sentence):
            engine.change_settings("it", {"wait": 1, "default_loss": 0})
        with refusal(
            "refused", "wait needs exactly one of default_loss and default_reward beside it."
        ):
            engine.change_settings("it", {"wait": 1})


def test_refused_examples_leave_nothing(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        before = state(engine)
        with refusal("refused", "x must have 3 features, but has 2."):
            ask(engine, "it", x=[1, 2])
        with refusal("refused", "The request must hold x, or rows for several examples."):
            ask(engine, "it")
        assert state(engine) == before
        trial = ask(engine, "it", x=[1, 2, 3])["trial"]
        with refusal("refused", "label must be one of the classes 'ham', 'spam', but is True."):
            tell(engine, "it", trial, label=True)
        with refusal("refused", "The feedback must hold label, but holds loss."):
            tell(engine, "it", trial, loss=1.0)
        assert tell(engine, "it", trial, label="spam")["applied"]


def test_a_learner_that_stops_half_way_is_read_again(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        tell(engine, "it", ask(engine, "it", x=[1, 2, 3])["trial"], label="ham")
        block = ask(engine, "it", rows=[[-1, -2, -3], [1e90, 1e90, 1e90], [1, 1, 1]])["trial"]
        engine.flushed().wait()
        before = state(engine)
        tell_all = {"labels": ["spam", "ham", "spam"]}
        engine.hosted("it").game.model.players_[0].weights[:] = 1e300
        with pytest.raises(Exception, match="too large"):
            tell(engine, "it", block, **tell_all)
        assert state(engine) == before


ONLINE = [name for name in algorithms() if kind_of(name) == "classifier"]


@pytest.mark.parametrize("name", ONLINE)
def test_every_classifier_starts_again_as_it_stopped(tmp_path, name):
    params = {"budget": 5} if name == "kernel-perceptron" else {}
    rows = np.random.default_rng(3).integers(0, 2, (40, 4)).astype(float)
    truth = (rows[:, 0] + rows[:, 2] > 0).astype(int).tolist()
    definition = {"algorithm": name, "classes": [0, 1], "features": 4, "params": params}
    with engine_at(tmp_path / "a.db", snapshot_every=17) as engine:
        make(engine, **definition)
        trials = [ask(engine, "it", x=row)["trial"] for row in rows[:5].tolist()]
        for trial, label in zip(trials[:4], truth, strict=False):
            tell(engine, "it", trial, label=label)
        for row, label in zip(rows[5:30].tolist(), truth[5:], strict=False):
            tell(engine, "it", ask(engine, "it", x=row)["trial"], label=label)
        block = ask(engine, "it", rows=rows[30:].tolist())["trial"]
        tell(engine, "it", block, labels=truth[30:])
        before = state(engine)
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == before
        replayed = load_hosted(engine.store, 1, "it", Limits(), from_start=True)
        assert (replayed.game.saved(), replayed.counts(), replayed.link) == before
        assert check_store(engine.store).problems == ()


def test_all_policies_are_served():
    families = [*learner_names("experts"), *learner_names("bandits")]
    assert set(families) <= set(algorithms())


def test_windows_by_a_clock_that_goes_back(tmp_path):
    now = [1000.0]
    with engine_at(tmp_path / "a.db", clock=lambda: now[0]) as engine:
        make(engine, **SPAM, settings={"feedback_within": 60})
        first, second = (ask(engine, "it", x=[1, 0, 0])["trial"] for _ in range(2))
        now[0] = 10.0
        assert tell(engine, "it", first, label="ham")["applied"]
        now[0] = 1061.0
        with refusal(
            "too_late", f"Trial {second!r} takes feedback for 60 seconds, which are over."
        ):
            tell(engine, "it", second, label="ham")
        assert not tell(engine, "it", first, label="ham")["applied"]
        engine.change_settings("it", {"feedback_within": 600})
        assert tell(engine, "it", second, label="ham")["applied"]
        assert engine.describe("it")["settings_version"] == 2
        times = [event.at for event in engine.store.events()]
        assert times == sorted(times)


def test_open_trials_are_bounded(tmp_path):
    now = [0.0]
    with engine_at(tmp_path / "a.db", clock=lambda: now[0], open_trials=3) as engine:
        make(engine, **SPAM, settings={"feedback_within": 1})
        trials = [ask(engine, "it", x=[1, 0, 0])["trial"] for _ in range(3)]
        sentence = "3 trials of 'it' wait for feedback. Tell some of them first. " + how(
            "open_trials"
        )
        with refusal("too_many", sentence):
            ask(engine, "it", x=[1, 0, 0])
        now[0] = 2.0
        ask(engine, "it", x=[1, 0, 0])
        engine.change_settings("it", {})
        engine.flushed().wait()
        assert tell(engine, "it", trials[1], label="ham")["applied"]
        before = state(engine)
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == before


def test_bandits_told_at_once_are_those_of_the_library(tmp_path):
    twin = EXP3(arms=3, random_state=5)
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="exp3", params={"arms": 3, "random_state": 5})
        for t in range(200):
            arm, probability = twin.choose()
            found = ask(engine, "it")
            assert (found["arm"], found["probability"]) == (arm, probability)
            loss = (arm * 7 + t) % 5 / 4
            twin.update(arm, loss)
            tell(engine, "it", found["trial"], loss=loss)
        assert engine.hosted("it").game.model.state_.tobytes() == twin.state_.tobytes()


@pytest.mark.parametrize("name", learner_names("bandits"))
def test_bandits_told_late_start_again_as_they_stopped(tmp_path, name):
    with engine_at(tmp_path / "a.db", snapshot_every=30) as engine:
        make(engine, algorithm=name, actions=["a", "b", "c"])
        trials = []
        for t in range(60):
            trials.append(ask(engine, "it"))
            if t % 3 == 2:
                late = trials.pop(t % len(trials))
                tell(engine, "it", late["trial"], reward=float(late["action"] == "b"))
        before, then = state(engine), ask(engine, "it")
    with engine_at(tmp_path / "a.db") as engine:
        assert check_store(engine.store).problems == ()
        assert engine.hosted("it").game.model.choose() == (then["arm"], then["probability"])
        assert state(engine)[1]["told"] == before[1]["told"] == 20


def test_a_bandit_that_waits_tells_itself_the_default(tmp_path):
    now = [0.0]
    with engine_at(tmp_path / "a.db", clock=lambda: now[0]) as engine:
        terms = {"wait": 10, "default_reward": 0.25}
        make(engine, algorithm="ucb1", params={"arms": 2}, settings=terms)
        first, second = (ask(engine, "it")["trial"] for _ in range(2))
        tell(engine, "it", first, reward=1.0)
        now[0] = 11.0
        engine.sweep()
        assert engine.describe("it")["loss"] == 0.75
        for _ in range(2):
            with refusal("too_late", f"Trial {second!r} has been told the default already."):
                tell(engine, "it", second, reward=1.0)
        third = ask(engine, "it")["trial"]
        now[0] = 30.0
        with refusal("too_late", f"Trial {third!r} has been told the default already."):
            tell(engine, "it", third, reward=1.0)
        assert engine.describe("it")["told"] == 3
        before = state(engine)
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == before


@pytest.mark.parametrize("name", learner_names("experts"))
def test_every_expert_policy_starts_again_as_it_stopped(tmp_path, name):
    with engine_at(tmp_path / "a.db", snapshot_every=20) as engine:
        params = {"rounds": 30} if name == "fixed-share" else {}
        make(engine, algorithm=name, experts=["a", "b"], params=params)
        game = engine.hosted("it").game
        for t in range(30):
            one, other = float(t % 2), float(t % 3 == 0)
            if game.by_losses:
                found = ask(engine, "it")
                assert len(found["distribution"]) == 2
                tell(engine, "it", found["trial"], losses={"a": one, "b": other})
            else:
                said = {"b": other} if name == "sleeping-experts" and t % 4 == 0 else [one, other]
                found = ask(engine, "it", advice=said)
                tell(engine, "it", found["trial"], outcome=float(t % 5 == 0))
        before = state(engine)
        assert engine.describe("it")["regret"] is not None
        assert engine.guarantees("it")
        assert state(engine) == before, "to ask for guarantees must change nothing"
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == before
        assert check_store(engine.store).problems == ()


def test_experts_who_are_all_asleep_make_no_mistake(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="sleeping-experts", experts=["a", "b"])
        for advice in ({}, {"a": "rain"}, [None, None]):
            asked = ask(engine, "it", advice=advice)
            answer = tell(engine, "it", asked["trial"], outcome="rain")
            assert asked["prediction"] == ("rain" if advice == {"a": "rain"} else None)
            assert not answer["mistake"]
        assert engine.describe("it")["told"] == 3
        before = state(engine)
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == before
        assert check_store(engine.store).problems == ()


def test_a_prediction_may_be_one_of_numpys_numbers(tmp_path, monkeypatch):
    predict_one = Perceptron.predict_one
    monkeypatch.setattr(Perceptron, "predict_one", lambda self, x: np.int64(predict_one(self, x)))
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="perceptron", classes=[0, 1], features=2)
        for trial, label in (("a", 1), ("b", 0)):
            answer = ask(engine, "it", x=[1.0, 2.0], trial=trial)["prediction"]
            assert type(answer) is int
            assert tell(engine, "it", trial, label=label)["mistake"] == (answer != label)
    store = Store(tmp_path / "a.db", exclusive=False)
    assert check_store(store).problems == ()
    store.close()


def test_a_budget_is_kept(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM | {"algorithm": "kernel-perceptron", "params": {"budget": 4}})
        twin = KernelPerceptron(budget=4)
        rng = np.random.default_rng(0)
        for x in rng.normal(size=(30, 3)):
            label = "spam" if x[0] * x[1] > 0 else "ham"
            tell(engine, "it", ask(engine, "it", x=x.tolist())["trial"], label=label)
            twin.learn_one(x, label, classes=["ham", "spam"])
        model = engine.hosted("it").game.model
        assert model.record_.mistakes == twin.record_.mistakes > 4
        assert np.array_equal(model.support_vectors_, twin.support_vectors_)
