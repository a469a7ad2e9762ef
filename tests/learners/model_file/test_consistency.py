"""Parts that are each in order are refused where they do not belong together."""

import numpy as np
import pytest

from assay import (
    EXP3,
    DisjunctionMajority,
    Halving,
    KTermDNF,
    OnlineGradientDescent,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
)
from assay.learners.model_file.consistency import require_hindsight, require_model, require_player
from assay.record.online import Comparator

RNG = np.random.default_rng(2)
X = RNG.integers(0, 2, (40, 3)).astype(float)
Y = (X[:, 0] + X[:, 1] > 0).astype(int) ^ (RNG.random(40) < 0.2)


def player_of(model):
    player = model.fit(X, Y).players_[0]
    require_player(player, lambda: model._begin(3, np.dtype(float)))
    return player, lambda: require_player(player, lambda: model._begin(3, np.dtype(float)))


@pytest.mark.parametrize(
    ("model", "changes"),
    [
        (Perceptron(), {"mistakes": 10**9}),
        (Perceptron(), {"weights": np.zeros(2)}),
        (Perceptron(trace=True), {"_log": [{"rounds": 1.0}]}),
        (OnlineGradientDescent(trace=True), {"_steps": []}),
        (OnlineGradientDescent(), {"numbers": np.full(9, np.inf)}),
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
    ],
)
def test_players(model, changes):
    player, require = player_of(model)
    for name, value in changes.items():
        setattr(player, name, value)
    with pytest.raises(ValueError, match=r"player|learner"):
        require()


@pytest.mark.parametrize(
    ("model", "changes"),
    [
        (OnlineGradientDescent(), {"numbers": np.zeros(9)}),
        (OnlineGradientDescent(), {"numbers": np.eye(9)[0]}),
        (DisjunctionMajority(), {"beta": 1e300}),
    ],
)
def test_players_that_know_more_about_themselves(model, changes):
    player, _ = player_of(model)
    player._require_state()
    for name, value in changes.items():
        setattr(player, name, value)
    with pytest.raises(ValueError, match=r"numbers of a player|its factor"):
        player._require_state()


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
    require_hindsight(kept)
    for name, value in changes.items():
        setattr(kept, name, value(kept) if callable(value) else value)
    with pytest.raises(ValueError, match="kept"):
        require_hindsight(kept)


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
def test_learners(changes):
    model = Perceptron().fit(X, Y)
    require_model(model)
    for name, value in changes.items():
        setattr(model, name, value)
    with pytest.raises(ValueError, match=r"it has|its players"):
        require_model(model)


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
def test_memories_of_bandits(place, word):
    policy = EXP3(arms=3, random_state=0).play(RNG.random((20, 3)))
    require_model(policy)
    policy.state_[place] = word
    with pytest.raises(ValueError, match="its memory"):
        require_model(policy)
