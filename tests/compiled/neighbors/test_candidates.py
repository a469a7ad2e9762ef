"""Distances of chosen pairs: dense and sparse rows have the same lists, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.compiled.neighbors.candidates import (
    bars_of,
    candidates_within,
    offer_candidates,
    order_lists,
    squared_lengths,
)
from assay.compiled.neighbors.kd_search import ABSOLUTES, FORM, SQUARES
from tests.naive.neighbors import by_fours, value

RNG = np.random.default_rng(0)
X = np.round(np.maximum(RNG.normal(size=(30, 6)), 0), 1)
Q = np.round(np.maximum(RNG.normal(size=(4, 6)), 0), 1)
VI = np.eye(6) + 0.25
# Two of the examples, from the second on, and rows from the tenth on.
MANY, FOUND, BASE = np.array([3, 4]), np.array([0, 5, 7, 1, 2, 5, 19]), 10
PAIRS = [(1, 10), (1, 15), (1, 17), (2, 11), (2, 12), (2, 15), (2, 29)]
NAMES = {SQUARES: "squares", ABSOLUTES: "absolutes", FORM: "form"}


def empty(k):
    return np.full((4, k), np.inf), np.full((4, k), np.iinfo(np.int64).max)


def cells(M):
    M = sparse.csr_matrix(M)
    return M.data, M.indices, M.indptr, M.shape[1]


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("k", [2, 70])
def test_lists_and_limits(kind, k):
    truth = {pair: value(Q[pair[0]], X[pair[1]], NAMES[kind], VI) for pair in PAIRS}
    far, near = empty(k)
    offer_candidates(kind, Q, 1, X, VI, MANY, FOUND, BASE, far, near)
    bars = np.empty(4)
    bars_of(far, bars)
    order_lists(far, near)
    assert bars.tolist() == far[:, -1].tolist()
    for i in (1, 2):
        mine = sorted((v, r) for (q, r), v in truth.items() if q == i)[:k]
        assert [(v, r) for v, r in zip(far[i], near[i], strict=True) if r < 100] == mine
    limit = sorted(truth.values())[3]
    who, rows, values, used = candidates_within(kind, Q, 1, X, VI, MANY, FOUND, BASE, limit)
    found = [*zip(who[:used].tolist(), rows[:used].tolist(), strict=True)]
    assert found == [pair for pair in PAIRS if truth[pair] <= limit]
    assert values[:used].tolist() == [truth[pair] for pair in found]
    if kind == FORM:
        return
    thin = (kind, cells(Q), 1, cells(X), VI, MANY, FOUND, BASE)
    again = empty(k)
    offer_candidates(*thin, *again)
    order_lists(*again)
    assert again[0].tobytes() == far.tobytes()
    assert again[1].tobytes() == near.tobytes()
    other = candidates_within(*thin, limit)
    assert [part[:used].tolist() for part in other[:3]] == [
        who[:used].tolist(),
        rows[:used].tolist(),
        values[:used].tolist(),
    ]


def test_lengths():
    thick, thin = np.empty(30), np.empty(30)
    squared_lengths(X, np.zeros((1, 6)), thick)
    squared_lengths(cells(X), cells(np.zeros((1, 6))), thin)
    assert thick.tolist() == thin.tolist() == [by_fours(row * row) for row in X]
