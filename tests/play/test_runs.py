"""Runs of a conservative learner: the same as asking one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import OnlineGradientDescent, Perceptron
from assay.play.runs import runs
from assay.play.turns import Examples, Player
from tests.naive.online_to_batch import elimination, hypotheses_used
from tests.naive.players import Elimination, Majority


def boolean(rows, seed, features=6, density=0.3):
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, features)) < density).astype(float)
    return X, np.where(X[:, :2].any(axis=1), 1, -1)


def one_by_one(learner, X, y):
    """Ask about every row; teach the mistakes only; the rows of the mistakes."""
    missed = []
    for t in range(len(y)):
        known = hasattr(learner, "classes_")
        said = learner.predict(X[t : t + 1])[0] if known else (1 if _is_own(learner) else -1)
        if said != y[t]:
            missed.append(t)
            learner.partial_fit(X[t : t + 1], y[t : t + 1], classes=[-1, 1])
    return missed


def _is_own(learner):
    return hasattr(type(learner), "record_")


@pytest.mark.parametrize("make", [Perceptron, Elimination, OnlineGradientDescent])
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 150))
def test_looking_ahead_changes_nothing(make, seed, rows):
    X, y = boolean(rows, seed)
    y = np.where(np.random.default_rng(seed).random(rows) < 0.1, -y, y)
    expected = one_by_one(make(), X, y)
    found = list(runs(Player(make(), np.array([-1, 1])), Examples(X), y))
    assert [run.stop for run in found[:-1]] == expected
    assert [run.mistakes for run in found] == list(range(len(expected) + 1))
    assert [run.ended for run in found] == [True] * len(expected) + [False]
    assert found[0].start == 0
    assert found[-1].stop == rows
    for before, after in itertools.pairwise(found):
        assert after.start == before.stop + 1
        assert before.length == before.stop - before.start


def test_each_hypothesis_is_the_one_that_ran():
    X, y = boolean(200, seed=3, features=8)
    stream = [(tuple(x), label) for x, label in zip(X.tolist(), y.tolist(), strict=True)]
    used = hypotheses_used(elimination(8), stream)
    for run in runs(Player(Elimination(), np.array([-1, 1])), Examples(X), y):
        hypothesis = run.hypothesis()
        part = slice(run.start, run.stop)
        if run.mistakes and run.length:
            assert set(np.flatnonzero(hypothesis.kept_)) == used[run.start]
        assert (hypothesis.predict(X[part]) == y[part]).all()
        if run.ended:
            assert hypothesis.predict(X[run.stop : run.stop + 1])[0] != y[run.stop]


def test_dicts_are_played_too():
    rows = [{"a": 1}] * 6
    labels = np.array([0, 0, 1, 1, 1, 1])
    found = list(runs(Player(Majority(), np.array([0, 1])), Examples(rows), labels))
    # It answers 0 until it has been told a 1, and is then told of no 0.
    assert [run.stop for run in found] == [2, 6]
