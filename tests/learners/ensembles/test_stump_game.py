"""The game between examples and stumps: against the table of all of them, and against boosting."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from assay import MajorityBoostClassifier, stump_game
from assay.data.synthetic import weakly_learnable
from assay.errors import BadData, BadParameter
from assay.theory.boosting.majority_boost import boosting_minimax


def all_stumps(X, y):
    """What every stump is right on: the whole matrix of the game."""
    columns = [np.full(len(y), label) == y for label in (0, 1)]
    for f in range(X.shape[1]):
        for cut in np.unique(X[:, f])[:-1]:
            said = (X[:, f] > cut).astype(int)
            columns += [said == y, 1 - said == y]
    return np.array(columns).T.astype(int)


@pytest.mark.parametrize("seed", range(6))
def test_the_value_is_that_of_the_whole_table(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (14, 2)).astype(float)
    y = rng.permutation(np.arange(14) % 2)
    game = stump_game(X, y)
    whole = boosting_minimax(all_stumps(X, y).tolist())
    assert game.low <= whole.high + 1e-9
    assert game.high >= whole.low - 1e-9
    assert game.high - game.low <= 1e-6
    assert game.low == pytest.approx(whole.low, abs=1e-6)


def test_the_strategies_prove_it():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 3))
    y = np.where(X[:, 0] * X[:, 1] > 0, "even", "odd")
    game = stump_game(X, y)
    right = np.array(
        [
            np.where(X[:, f] > cut, high, low) == y if f >= 0 else y == low
            for f, cut, low, high in game.stumps
        ]
    )
    assert (game.votes @ right).min() >= game.low
    assert all_stumps(X, (y == "odd").astype(int)).T.dot(game.weights).max() <= game.high
    assert game.votes.sum() == pytest.approx(1)
    assert game.weights.sum() == pytest.approx(1)


def test_a_planted_edge_is_found_and_boosting_may_rely_on_it():
    data = weakly_learnable(40, 9, edge=0.1, random_state=4)
    game = stump_game(data.X, data.y)
    assert game.low >= 0.5 + data.edge - 1e-9
    model = MajorityBoostClassifier(edge=0.9 * game.edge).fit(data.X, data.y)
    assert model.record_.wrong == 0


def test_contradictions_leave_no_edge():
    game = stump_game([[0.0], [0.0], [1.0]], [0, 1, 1])
    assert game.low == pytest.approx(0.5)
    assert game.edge < 0


def test_hearts():
    X, y = load_svmlight_file("examples/data/heart_scale.svmlight")
    game = stump_game(X.toarray()[:60], y[:60], tol=1e-4)
    assert 0 < game.edge < 0.2
    assert game.high - game.low <= 1e-4 + 1e-9


def test_it_stops_when_told_to():
    rng = np.random.default_rng(0)
    game = stump_game(rng.normal(size=(30, 2)), np.arange(30) % 2, max_iter=3)
    assert game.low <= game.high
    assert len(game.votes) <= 3


def test_refusals():
    sentence = "The game is played with two classes, but y holds 3."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        stump_game([[0.0], [1.0], [2.0]], [0, 1, 2])
    for name, value, must in (
        ("tol", 0, "a finite number above zero"),
        ("max_iter", 0, "a whole number of at least 1"),
    ):
        with pytest.raises(BadParameter, match=f"^{name} must be {must}, but is {value}."):
            stump_game([[0.0], [1.0]], [0, 1], **{name: value})
