"""What a class declares is what a model file may hold, and parts that do not belong together are refused."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from assay import (
    EXP3,
    DisjunctionMajority,
    Halving,
    KTermDNF,
    OnlineGradientDescent,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
    load,
    save,
)
from assay.errors import BadData, BadParameter
from assay.learners.common import kinds
from assay.learners.model_file import files, require_attribute, state, state_of, state_of_learner
from assay.learners.registry import find_learner, learner_names
from assay.record.online import Comparator

RNG = np.random.default_rng(2)
X = RNG.integers(0, 2, (40, 3)).astype(float)
Y = (X[:, 0] + X[:, 1] > 0).astype(int) ^ (RNG.random(40) < 0.2)


def refused(model, folder):
    """Save a learner that somebody has changed, and see it refused."""
    save(model, folder / "a.assay")
    with pytest.raises(BadData, match="damaged or was changed: it does not fit a "):
        load(folder / "a.assay")


def test_every_learner_declares_its_state():
    for name in learner_names():
        learner = find_learner(name)
        declared = state_of_learner(learner)
        assert any(kind.needed for kind in declared.values()), name
        assert all(key.endswith("_") and not key.startswith("_") for key in declared)


@pytest.mark.parametrize(
    ("model", "changes"),
    [
        (Perceptron(), {"mistakes": 10**9}),
        (Perceptron(), {"weights": np.zeros(2)}),
        (Perceptron(trace=True), {"_log": [{"rounds": 1.0}]}),
        (OnlineGradientDescent(trace=True), {"_steps": []}),
        (OnlineGradientDescent(), {"numbers": np.full(9, np.inf)}),
        (OnlineGradientDescent(), {"numbers": np.zeros(9)}),
        (OnlineGradientDescent(), {"numbers": np.eye(9)[0]}),
        (SGDClassifier(average=True), {"lag": np.zeros(0)}),
        (SGDClassifier(), {"counts": np.ones(3, int)}),
        (SGDClassifier(), {"numbers": np.array([1, 0.5, 0, 0])}),
        (SGDClassifier(), {"numbers": np.array([0, 0, 0, 0.0])}),
        (SGDClassifier(average=True), {"numbers": np.array([1, -1, 0, 0.0])}),
        (SGDRegressor(), {"numbers": np.array([1, 5e-324, 0, 0])}),
        (Halving(), {"alive": np.zeros(8, dtype=bool)}),
        (KTermDNF(), {"signs": None}),
        (KTermDNF(), {"held": 10**6}),
        (KTermDNF(), {"support": np.zeros((1, 1), dtype=np.uint64)}),
        (DisjunctionMajority(), {"beta": 1e300}),
    ],
)
def test_players(model, changes, tmp_path):
    player = model.fit(X, Y).players_[0]
    save(model, tmp_path / "a.assay")
    load(tmp_path / "a.assay")
    for name, value in changes.items():
        setattr(player, name, value)
    refused(model, tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"kept": 1},
        {"count": 0},
        {"_ones": []},
        {"_signs": [np.zeros(3)]},
        {"_best": (10**9, None)},
        {"_best": lambda kept: (kept.count, Comparator(np.ones(9), 3.0, 0.0, None))},
    ],
)
def test_hindsight(changes):
    kept = Perceptron().fit(X, Y).players_[0].hindsight
    kept.examples()
    kept._require_state()
    for name, value in changes.items():
        setattr(kept, name, value(kept) if callable(value) else value)
    with pytest.raises(ValueError, match="kept"):
        kept._require_state()


@pytest.mark.parametrize(
    "changes",
    [
        {"n_features_in_": 4},
        {"classes_": np.arange(3)},
        {"players_": []},
        {"feature_names_in_": np.array(["a"], dtype=object)},
        {"feature_index_": {"a": 0}},
    ],
)
def test_learners(changes, tmp_path):
    model = Perceptron().fit(X, Y)
    for name, value in changes.items():
        setattr(model, name, value)
    refused(model, tmp_path)


@pytest.mark.parametrize(
    ("place", "word"),
    [
        (4, 2**63),  # arms
        (5, 3),  # the arm that was chosen
        (6, 10**6),  # rounds
        (8, 2**64 - 1),  # plays of an arm
        (12, np.float64(1e9).view(np.uint64)),  # the loss
        (12, np.float64(np.nan).view(np.uint64)),
        (-1, np.float64(1.0).view(np.uint64)),  # the weight of an arm that is none
    ],
)
def test_memories_of_bandits(place, word, tmp_path):
    policy = EXP3(arms=3, random_state=0).play(RNG.random((20, 3)))
    policy.state_[place] = word
    refused(policy, tmp_path)


# Attributes of parts

PASSES, LARGEST = kinds.optional(kinds.count), kinds.amount


def test_an_attribute_is_like_a_fresh_one_or_declared():
    for kind, fresh, value in (
        (None, 0, 5),
        (None, False, True),
        (None, np.zeros(2, "f4"), np.ones(2, "f4")),
        (None, np.zeros(1, int), np.ones(1, int)),
        (None, (1.0, 2), (0.5, 7)),
        (PASSES, None, 3),
        (LARGEST, 0.0, math.inf),
        (kinds.same, False, False),
    ):
        require_attribute(kind, "it", fresh, value)
    for kind, fresh, value in (
        (None, 0, True),
        (None, 0, -1),
        (None, False, 1),
        (None, np.zeros(2), np.ones(3)),
        (None, np.zeros(2), np.ones(2, "f4")),
        (None, np.zeros(2), np.array([0, math.nan])),
        (None, np.zeros(1, int), -np.ones(1, int)),
        (None, (1.0, 2), (0.5, -7)),
        (None, (1.0, 2), (0.5,)),
        (kinds.array("<f8"), np.zeros(2), np.zeros(3)),
        (PASSES, None, "x"),
        (None, None, 3),
        (None, [], []),
        (kinds.same, False, True),
    ):
        with pytest.raises(ValueError, match="it is of another kind"):
            require_attribute(kind, "it", fresh, value)


# A learner of another package


@dataclass
class Box:
    """A record that this library knows nothing of."""

    low: np.ndarray
    high: np.ndarray


class Part:
    """A part that this library knows nothing of; the learner makes it by itself."""

    state = kinds.declare(box=kinds.optional(kinds.record(Box, low=kinds.numbers())))
    arrays = ("weights",)

    def __init__(self, width):
        self.weights, self.rounds, self.box = np.zeros(width), 0, None

    @property
    def width(self):
        return len(self.weights)

    @property
    def _begun_with(self):
        return [self.width, "<f8"]


class InTheBox(BaseEstimator):
    """Says whether a row lies within the box of those it has seen."""

    state = kinds.declare(
        box_=kinds.record(
            Box, low=kinds.numbers("n_features_in_"), high=kinds.numbers("n_features_in_")
        ),
        rows_=kinds.whole(1),
        inside_=kinds.maybe(kinds.whole(most="rows_")),
        parts_=kinds.maybe(kinds.parts(2)),
    )

    def __init__(self, slack: float = 0.0):
        self.slack = slack

    def fit(self, X):
        self.n_features_in_, self.rows_ = X.shape[1], len(X)
        self.box_ = Box(X.min(axis=0), X.max(axis=0))
        self.parts_ = [self._begin(X.shape[1], X.dtype) for _ in range(2)]
        self.parts_[0].rounds, self.parts_[1].box = 7, self.box_
        return self

    def _begin(self, width, dtype):
        return Part(width)

    def _require_state(self):
        if (self.box_.low > self.box_.high).any():
            raise ValueError("its box is inside out")


@pytest.fixture
def registered(monkeypatch):
    def name_of(model):
        if type(model) is not InTheBox:
            raise BadParameter("none of assay's learners")
        return "in-the-box"

    monkeypatch.setattr(state, "name_of", name_of)
    monkeypatch.setattr(files, "name_of", name_of)
    monkeypatch.setattr(state, "make_learner", lambda name, given: InTheBox(**given))
    monkeypatch.setattr(state, "find_learner", lambda name: InTheBox)


@pytest.mark.usefixtures("registered")
def test_a_learner_of_another_package(tmp_path):
    assert set(state_of(InTheBox)) == {"box_", "rows_", "inside_", "parts_"}
    model, path = InTheBox(slack=0.5).fit(X), tmp_path / "a.assay"
    save(model, path)
    again = load(path)
    assert type(again) is InTheBox
    assert again.slack == 0.5
    assert again.box_.high.tolist() == model.box_.high.tolist()
    assert [part.rounds for part in again.parts_] == [7, 0]
    assert type(again.parts_[1].box) is Box
    for changes in (
        {"rows_": 0},
        {"n_features_in_": 2},
        {"inside_": 41},
        {"box_": Box(X.max(axis=0), -X.max(axis=0) - 1)},
        {"box_": Box(np.zeros(2), np.ones(2))},
        {"parts_": model.parts_[:1]},
    ):
        other = InTheBox().fit(X)
        vars(other).update(changes)
        refused(other, tmp_path)
    del model.box_
    refused(model, tmp_path)
    model.fit(X).helper_ = 1
    with pytest.raises(BadParameter, match="declares no attribute 'helper_'"):
        save(model, path)
