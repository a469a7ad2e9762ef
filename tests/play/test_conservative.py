"""The conservative wrapper keeps a mistake bound, and changes on mistakes only."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import BernoulliNB

from assay import (
    MarginPerceptron,
    OnlineGradientDescent,
    Perceptron,
    SGDClassifier,
    Winnow,
    conservative,
)
from assay.errors import BadData, BadParameter
from assay.play.conservative import Conservative, is_conservative
from tests.naive.players import Elimination, Majority, Thresholds
from tests.scikit_checks import assert_checks_pass_but_those_named


def thresholds(rows, seed, cut, size=32):
    """Points labelled by one of the rules that halving chooses from."""
    X = np.random.default_rng(seed).random((rows, 1))
    return X, (X[:, 0] >= cut / size).astype(int)


# The theorem: the wrapper makes no more mistakes than the learner's bound allows.


@pytest.mark.parametrize("seed", range(40))
def test_halving_keeps_its_bound_when_told_of_mistakes_only(seed):
    X, y = thresholds(300, seed, cut=seed % 32)
    model = conservative(Thresholds(32)).fit(X, y) if len(set(y)) == 2 else None
    if model is None:
        return
    assert model.record_.mistakes <= 5  # the logarithm of 32 rules
    [promise] = model.guarantees(mistakes=5)
    assert promise.theorem == "conservative-wrapper-mistakes"
    assert promise.holds
    assert promise.value == 5


def test_worst_case_of_a_small_class_exhaustively():
    # Eight rules, all sequences of four different points: halving errs at most three times, so does A'.
    points = np.array([[1 / 16], [3 / 16], [7 / 16], [13 / 16]])
    worst = 0
    for order in itertools.permutations(range(4)):
        for cut in range(8):
            X = points[list(order)]
            y = (X[:, 0] >= cut / 8).astype(int)
            model = conservative(Thresholds(8)).partial_fit(X, y, classes=[0, 1])
            worst = max(worst, model.record_.mistakes)
    assert 2 <= worst <= 3


def test_a_skipped_lesson_breaks_the_bound():
    # The broken twin is not told of every second mistake, and errs more often than the bound allows.
    class Forgetful(Thresholds):
        def partial_fit(self, X, y, classes=None):
            self.asked_ = getattr(self, "asked_", 0) + 1
            return super().partial_fit(
                X[:0] if self.asked_ % 2 else X, y[:0] if self.asked_ % 2 else y
            )

    made = []
    for seed in range(40):
        X, y = thresholds(300, seed, cut=1 + seed % 31)
        model = conservative(Forgetful(32)).partial_fit(X, y, classes=[0, 1])
        made.append(model.record_.mistakes)
    assert max(made) > 5


def test_more_mistakes_than_declared_promise_nothing():
    X, y = thresholds(300, seed=1, cut=9)
    model = conservative(Thresholds(32)).fit(X, y)
    [promise] = model.guarantees(mistakes=0)
    assert promise.promised is None
    assert not promise.applies
    assert "mistakes were made" in promise.assumptions[0].evidence


# The rule: nothing changes but on mistakes, and then only by the mistaken example.


def test_a_learner_that_always_moves_is_held_still():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    model = conservative(OnlineGradientDescent())
    shown = OnlineGradientDescent()
    mistakes = 0
    for t in range(200):
        before = model.predict(X) if t else np.full(200, 1)
        model.partial_fit(X[t : t + 1], y[t : t + 1], classes=[0, 1])
        if before[t] == y[t]:
            assert model.predict(X).tolist() == before.tolist()
        else:
            mistakes += 1
            shown.partial_fit(X[t : t + 1], y[t : t + 1], classes=[0, 1])
            assert model.learner_.coef_.tobytes() == shown.coef_.tobytes()
    assert model.record_.mistakes == mistakes == model.learner_.record_.rounds
    assert model.record_.rounds == 200


def test_what_is_conservative_already_is_left_alone():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 4))
    y = X[:, 0] + 0.5 * X[:, 1] > 0.1
    model = conservative(Perceptron()).fit(X, y)
    plain = Perceptron().partial_fit(X, y, classes=[False, True])
    assert model.learner_.coef_.tobytes() == plain.coef_.tobytes()
    assert model.record_.mistakes == plain.record_.mistakes
    assert model.record_.rounds == 500
    names = [g.theorem for g in model.guarantees(mistakes=1000, radius=10, margin=0.001)]
    assert names[0] == "conservative-wrapper-mistakes"
    assert "perceptron-margin-mistakes" in names


LINEAR = [Perceptron, Winnow, MarginPerceptron, OnlineGradientDescent, SGDClassifier]


@pytest.mark.parametrize("learner", LINEAR)
def test_what_calls_itself_conservative_moves_on_mistakes_only(learner):
    X = np.random.default_rng(6).integers(0, 2, size=(120, 6)).astype(float)
    y = (X[:, 0] + X[:, 3] > 0).astype(int)
    model = learner().partial_fit(X[:1], y[:1], classes=[0, 1])
    moved = []
    for x, label in zip(X[1:], y[1:].tolist(), strict=True):
        right, scores = model.predict_one(x) == label, model.decision_function(X).tolist()
        model.learn_one(x, label)
        if right:
            moved.append(model.decision_function(X).tolist() != scores)
    assert is_conservative(model) == (not any(moved))


def test_the_class_says_whether_it_is_conservative():
    assert is_conservative(Perceptron())
    assert is_conservative(Winnow())
    assert is_conservative(conservative(BernoulliNB()))
    assert not is_conservative(OnlineGradientDescent())
    assert not is_conservative(BernoulliNB())


@pytest.mark.parametrize("learner", [Perceptron(), OnlineGradientDescent(), Majority()])
def test_chunks_whole_and_one_by_one_are_the_same(learner):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 3))
    y = X[:, 0] > 0.2
    rows = [dict(enumerate(x)) for x in X.tolist()]
    table = rows if isinstance(learner, Majority) else X
    whole = conservative(learner).fit(table, y)
    chunks, single = conservative(learner), conservative(learner)
    for i in range(0, 120, 17):
        chunks.partial_fit(table[i : i + 17], y[i : i + 17], classes=[False, True])
    assert single.predict_one(table[0]) is None
    for x, label in zip(table, y.tolist(), strict=True):
        single.learn_one(x, label)
    said = whole.predict(table).tolist()
    assert said == chunks.predict(table).tolist()
    assert said == [single.predict_one(x) for x in table]
    assert whole.record_.mistakes == chunks.record_.mistakes == single.record_.mistakes
    assert whole.record_.rounds == chunks.record_.rounds == single.record_.rounds == 120


def test_the_learner_given_is_not_changed():
    learner = BernoulliNB()
    model = conservative(learner).fit(np.eye(4), [0, 1, 0, 1])
    assert not hasattr(learner, "classes_")
    again = clone(model)
    assert not hasattr(again, "learner_")
    assert model.fit(np.eye(4), [0, 1, 0, 1]).record_.rounds == 4


def test_one_example_at_a_time_only_where_the_learner_can():
    assert not hasattr(conservative(BernoulliNB()), "learn_one")
    assert hasattr(conservative(Perceptron()), "predict_one")


def test_several_classes():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    y = np.argmax(X, axis=1)
    model = conservative(Perceptron()).fit(X, y)
    assert model.record_.updates == model.record_.mistakes < 300
    assert model.score(X, y) > 0.7


def test_a_holdout_certifies_it():
    X = np.random.default_rng(6).normal(size=(400, 3))
    y = X[:, 0] > 0
    model = conservative(Perceptron()).fit(X[:200], y[:200])
    assert 0 < model.certificate(X[200:], y[200:], delta=0.05).error < 1


@pytest.mark.parametrize(
    "learner", [Perceptron(), OnlineGradientDescent()], ids=lambda learner: type(learner).__name__
)
def test_estimator_checks(learner):
    assert_checks_pass_but_those_named(Conservative(learner))


def refuses(sentence, kind=BadData):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


def test_refusals():
    model = conservative(Elimination())
    wanted = "classes must be given in the first call of partial_fit: all labels there are."
    with refuses(wanted):
        model.partial_fit(np.eye(3), [0, 1, 1])
    with refuses("Conservative needs at least two classes, but y holds 1 class: 1."):
        model.fit(np.eye(3), [1, 1, 1])
    wrong = (
        "learner must have predict and partial_fit, or predict_one and learn_one, but object has "
        "neither pair."
    )
    with refuses(wrong, BadParameter):
        conservative(object()).fit(np.eye(3), [0, 1, 1])
