"""The votes of stumps against asking each of them."""

from __future__ import annotations

import numpy as np

from assay.compiled.ensembles.ballots import count_ballots, say
from tests.naive.stumps import Stump, says


def test_votes_are_those_of_the_stumps():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (50, 4)).astype(float)
    stumps = [
        Stump(int(rng.integers(4)), float(rng.integers(5)), *rng.integers(0, 3, 2).tolist())
        for _ in range(20)
    ]
    votes = rng.random(21)
    features = np.array([s.feature for s in stumps] + [-1])
    thresholds = np.array([s.threshold for s in stumps] + [0.0])
    sides = np.array([[s.low, s.high] for s in stumps] + [[2, 0]])
    ballots, twin = np.zeros((3, 50)), np.zeros((50, 3))
    count_ballots(np.ascontiguousarray(X.T), features, thresholds, sides, votes, ballots)
    for row, counted in zip(X, twin, strict=True):
        for stump, vote in zip(stumps, votes[:-1], strict=True):
            counted[says(stump, row)] += vote
        counted[2] += votes[-1]
    assert ballots.T.tolist() == twin.tolist()


def test_more_rows_than_a_block():
    X = np.arange(10_000.0)[None, :]
    ballots = np.zeros((2, 10_000))
    count_ballots(
        X,
        np.array([0, -1]),
        np.array([5000.0, 0.0]),
        np.array([[0, 1], [0, 0]]),
        np.array([2.0, 0.5]),
        ballots,
    )
    assert ballots[1].tolist() == [0.0] * 5001 + [2.0] * 4999
    assert ballots[0].tolist() == [2.5] * 5001 + [0.5] * 4999


def test_one_stump():
    said = np.empty(4, dtype=np.int64)
    say(np.array([1.0, 2.0, 2.5, 3.0]), 2.0, 7, 9, said)
    assert said.tolist() == [7, 7, 9, 9]
