"""The tree of blocks: every row once, boxes that hold what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.compiled.neighbors.kd_tree import kd_build


def checked(X, room):
    """Walk the tree and see that edges and smallest rows are true; the depth of it."""
    P, rows, feature, right, edge, first, low, high = kd_build(X, room)
    np.testing.assert_array_equal([low, high], [X.min(axis=0), X.max(axis=0)])
    held = rows[rows >= 0]
    assert sorted(held.tolist()) == list(range(len(X)))
    for block in range(len(P)):
        mine = rows[block] >= 0
        np.testing.assert_array_equal(P[block][:, mine].T, X[rows[block][mine]])
        assert np.isinf(P[block][:, ~mine]).all()
    # All blocks are full but the last.
    assert (rows[:-1] >= 0).all()

    def walk(node):
        if feature[node] < 0:
            mine = rows[right[node]]
            mine = mine[mine >= 0]
            assert first[node] == mine.min()
            return mine, 1
        left, depth = walk(node + 1)
        other, deeper = walk(right[node])
        j = feature[node]
        assert X[left, j].max() == edge[node, 0]
        assert X[other, j].min() == edge[node, 1]
        assert edge[node, 0] <= edge[node, 1]
        assert abs(len(left) - len(other)) <= 2 * room
        both = np.concatenate([left, other])
        assert first[node] == both.min()
        return both, 1 + max(depth, deeper)

    everything, depth = walk(0)
    assert len(everything) == len(X)
    assert depth <= 2 + np.ceil(np.log2(len(P)))


@settings(max_examples=40)
@given(
    st.integers(1, 300),
    st.integers(1, 5),
    st.sampled_from([1, 8, 32]),
    st.sampled_from(["normal", "grid", "constant", "sorted"]),
    st.integers(0, 10**6),
)
def test_the_tree_holds_what_it_says(n, d, room, kind, seed):
    rng = np.random.default_rng(seed)
    X = {
        "normal": rng.normal(size=(n, d)),
        "grid": rng.integers(0, 3, (n, d)).astype(float),
        "constant": np.ones((n, d)),
        "sorted": np.sort(rng.normal(size=(n, d)), axis=0),
    }[kind]
    checked(X, room)


@pytest.mark.parametrize("shape", ["normal", "few", "pipe", "waves"])
def test_large_halves_are_found_by_sampling(shape):
    n = 5000
    rng = np.random.default_rng(1)
    column = {
        "normal": rng.normal(size=n),
        "few": rng.integers(0, 2, n).astype(float),
        "pipe": np.abs(np.arange(n) - n / 2),
        "waves": np.sin(np.arange(n) / 7),
    }[shape]
    checked(np.column_stack([column, 0.5 * column]), 16)


def test_the_widest_feature_is_halved_first():
    X = np.column_stack([np.arange(64.0), 100 * np.arange(64.0)[::-1]])
    tree = kd_build(X, 8)
    assert tree.feature[0] == 1
    assert tree.edge[0].tolist() == [3100.0, 3200.0]
    assert tree.first[tree.right[0]] == 0


def test_the_rows_given_are_left_alone():
    X = np.random.default_rng(0).normal(size=(100, 3))
    before = X.copy()
    kd_build(X, 8)
    np.testing.assert_array_equal(X, before)
