"""Delayed feedback: every label learned once, in the order of arrival, whatever the order of telling."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule
from sklearn.naive_bayes import BernoulliNB

from assay import Perceptron, delayed
from assay.errors import BadData, BadParameter, UnknownName
from assay.play.delayed import Told, Trial
from assay.theory.tail.progressive_anytime import progressive_anytime
from tests.naive.players import Majority
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT
from tests.soundness import assert_sound, assert_unsound

points = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=3, max_size=3)
labels = st.sampled_from(["no", "yes"])


class DelayedGame(RuleBasedStateMachine):
    """Predictions and labels in any order, against a list of what should have been learned."""

    waiting = Bundle("waiting")
    told = Bundle("told")

    def __init__(self):
        super().__init__()
        self.game = delayed(Perceptron(), classes=["no", "yes"])
        self.twin = Perceptron()
        self.said, self.points, self.truth = {}, {}, {}

    def expected(self, x):
        answer = self.twin.predict_one(x)
        return "yes" if answer is None else answer

    @rule(target=waiting, x=points)
    def predict(self, x):
        trial = self.game.predict(x)
        assert trial.prediction == self.expected(x)
        assert trial.id not in self.said
        self.said[trial.id], self.points[trial.id] = trial.prediction, list(x)
        x[0] = 99.0  # what the caller does with its vector afterwards is its own business
        return trial.id

    @rule(target=waiting, x=points, name=st.text(max_size=2))
    def predict_with_a_name(self, x, name):
        if name in self.said:
            with pytest.raises(BadParameter, match=r"^trial must be a new name, but "):
                self.game.predict(x, trial=name)
            return multiple()
        self.said[name], self.points[name] = self.game.predict(x, trial=name).prediction, list(x)
        return name

    @rule(target=told, trial=consumes(waiting), label=labels)
    def tell(self, trial, label):
        found = self.game.feedback(trial, label)
        assert found == Told(applied=True, mistake=self.said[trial] != label)
        self.twin.learn_one(self.points[trial], label, classes=["no", "yes"])
        self.truth[trial] = label
        return trial

    @rule(trial=told, label=labels)
    def tell_again(self, trial, label):
        if label == self.truth[trial]:
            found = self.game.feedback(trial, label)
            assert found == Told(applied=False, mistake=self.said[trial] != label)
        else:
            with pytest.raises(BadParameter, match=r"^label must be '(no|yes)' as told before"):
                self.game.feedback(trial, label)

    @rule(trial=waiting, label=st.sampled_from(["maybe", 1, None]))
    def tell_nonsense(self, trial, label):
        with pytest.raises(
            BadData, match=r"^label must be one of the classes 'no', 'yes', but is "
        ):
            self.game.feedback(trial, label)

    @rule(trial=st.one_of(st.integers(10**6, 10**7), st.just(("x", 1))), label=labels)
    def tell_what_was_never_asked(self, trial, label):
        with pytest.raises(UnknownName, match=r"^No trial .* has been predicted\.$"):
            self.game.feedback(trial, label)

    @invariant()
    def counts_agree(self):
        game = self.game
        assert game.trials == len(self.said)
        assert game.told == len(self.truth)
        assert game.pending == len(self.said) - len(self.truth)
        assert game.mistakes == sum(self.said[t] != label for t, label in self.truth.items())

    @invariant()
    def the_learner_is_a_replay_of_what_was_told(self):
        if self.truth:
            mine, twin = self.game.learner, self.twin
            assert mine.coef_.tobytes() == twin.coef_.tobytes()
            assert mine.intercept_.tobytes() == twin.intercept_.tobytes()
            assert mine.record_ == twin.record_
        else:
            assert not hasattr(self.game.learner, "players_")


DelayedGame.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestDelayedGame = DelayedGame.TestCase


# Learners of other libraries.


def test_learners_with_partial_fit():
    game = delayed(BernoulliNB(), classes=[0, 1])
    first, second = game.predict([1, 0]), game.predict([0, 1])
    assert (first, second) == (Trial(0, 0), Trial(1, 0))
    assert game.feedback(1, 1) == Told(applied=True, mistake=True)
    assert game.feedback(0, 0) == Told(applied=True, mistake=False)
    twin = BernoulliNB().partial_fit([[0, 1]], [1], classes=[0, 1]).partial_fit([[1, 0]], [0])
    assert game.predict([0, 1]).prediction == twin.predict([[0, 1]])[0]
    assert game.error == 0.5


def test_learners_of_rivers_kind_need_no_classes():
    game = delayed(Majority())
    assert game.predict({"a": 1}).prediction is None
    assert game.feedback(0, "spam").mistake
    assert game.predict({"a": 1}).prediction == "spam"
    assert delayed(Majority(), classes=["ham", "spam"]).predict({}).prediction == "ham"


def test_a_learner_that_knows_its_classes():
    learner = Perceptron().fit(np.eye(3), ["a", "b", "b"])
    game = delayed(learner)
    assert game.predict([1.0, 0.0, 0.0]).prediction == "a"
    game.feedback(0, "a")
    assert game.error == 0.0


def test_names_given_and_names_drawn_do_not_collide():
    game = delayed(Majority())
    assert game.predict({}, trial=0).id == 0
    assert [game.predict({}).id for _ in range(2)] == [1, 2]


def test_a_refused_lesson_leaves_the_trial_waiting():
    game = delayed(Perceptron(), classes=[0, 1])
    game.predict([1.0, 2.0])
    game.feedback(0, 0)
    bad = game.predict([3.0, 4.0])
    game._waiting[bad.id] = np.array([np.nan, 1.0]), bad.prediction
    with pytest.raises(BadData):
        game.feedback(bad.id, 0)
    assert (game.told, game.pending) == (1, 1)


# The bound.


def test_what_waits_counts_as_wrong():
    game = delayed(Perceptron(), classes=[0, 1], delta="0.1")
    assert game.bound == 1.0
    assert game.error is None
    assert game.guarantees() == []
    rng = np.random.default_rng(0)
    for t in range(60):
        x = rng.normal(size=2)
        trial = game.predict(x)
        if t % 3:
            game.feedback(trial.id, int(x[0] > 0))
    assert game.pending == 20
    assert game.bound == progressive_anytime(game.mistakes + 20, 60, "0.1")
    first, *rest = game.guarantees()
    assert first.theorem == "progressive-anytime"
    assert first.value == game.bound
    assert rest
    assert all(g.of.endswith(", at the time of learning") for g in rest)


def late_labels(runs, rows, seed, bound):
    """Labels are told ten rounds late, and never where the prediction was wrong and a coin says so."""
    broken = 0
    for i in range(runs):
        rng = np.random.default_rng([seed, i])
        game = delayed(Perceptron(fit_intercept=False), classes=[False, True])
        X = rng.normal(size=(rows, 3))
        y = (X[:, 0] > 0) ^ (rng.random(rows) < 0.1)
        risks, queue = [], []
        for x, label in zip(X, y.tolist(), strict=True):
            known = hasattr(game.learner, "players_")
            w = game.learner.players_[0].weights if known else np.zeros(3)
            angle = np.arccos(w[0] / np.linalg.norm(w)) / np.pi if w.any() else 0.5
            risks.append(0.1 + 0.8 * angle)
            trial = game.predict(x)
            if trial.prediction == label or rng.random() < 0.5:
                queue.append((trial.id, label))
            if len(queue) > 10:
                game.feedback(*queue.pop(0))
        broken += bound(game) < np.mean(risks)
    return broken


def test_the_promise_is_kept_though_wrong_predictions_stay_unlabelled():
    assert_sound(late_labels(60, 100, 1, lambda game: game.bound), 60, 0.05)

    # The twin looks at what was told only.
    def told_only(game):
        return progressive_anytime(game.mistakes, game.told, 0.05)

    assert_unsound(late_labels(25, 400, 2, told_only), 25, 0.05)


def test_refusals():
    for delta in NOT_INSIDE_UNIT:
        wanted = f"delta must be {INSIDE_UNIT}, but is {delta!r}."
        with pytest.raises(BadParameter, match=f"^{re.escape(wanted)}$"):
            delayed(Perceptron(), classes=[0, 1], delta=delta)
    with pytest.raises(BadData, match=r"^classes must be given: all labels there are\.$"):
        delayed(Perceptron())
    game = delayed(Majority())
    game.predict({}, trial="a")
    wanted = "trial must be a new name, but 'a' has been predicted before."
    with pytest.raises(BadParameter, match=f"^{re.escape(wanted)}$"):
        game.predict({}, trial="a")
    game.feedback("a", 1)
    wanted = "label must be 1 as told before for trial 'a', but is 0."
    with pytest.raises(BadParameter, match=f"^{re.escape(wanted)}$"):
        game.feedback("a", 0)
    with pytest.raises(UnknownName, match=r"^No trial 'b' has been predicted\.$"):
        game.feedback("b", 0)
