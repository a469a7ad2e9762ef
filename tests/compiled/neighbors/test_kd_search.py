"""Searching the tree: what is passed over cannot be nearer, and what is as near is not passed over."""

from __future__ import annotations

import numpy as np

from assay import KNeighborsRegressor, RadiusNeighborsRegressor
from assay.compiled.neighbors.kd_search import kd_order
from assay.compiled.neighbors.kd_tree import kd_build
from assay.theory.generalization.neighbors import kd_tree_pruning
from tests.naive.neighbors import nearest, ranked

WAY = {"algorithm": "kd_tree", "leaf_size": 8}


def searched(X, Q, k):
    return KNeighborsRegressor(k, **WAY).fit(X, np.zeros(len(X))).kneighbors(Q)


def walked(tree, X, q, k, *, strict):
    """The search from its definition, with the theorem's distance to the box around the rows of a half."""
    rows, feature, right = tree.rows, tree.feature, tree.right
    best: list[tuple[float, int]] = []

    def members(node):
        if feature[node] < 0:
            mine = rows[right[node]]
            return mine[mine >= 0].tolist()
        return members(node + 1) + members(right[node])

    def visit(node):
        nonlocal best
        mine = members(node)
        box = kd_tree_pruning(q, X[mine].min(axis=0), X[mine].max(axis=0)) ** 2
        if len(best) == k and (box >= best[-1][0] if strict else box > best[-1][0] * (1 + 1e-12)):
            return
        if feature[node] < 0:
            offered = [(float(np.square(X[r] - q).sum()), r) for r in mine]
            best = sorted(best + offered)[:k]
            return
        halves = [node + 1, right[node]]
        for half in halves:
            visit(half)

    visit(0)
    return [r for _, r in best]


def test_the_walk_by_definition_finds_the_same_and_a_strict_one_loses_ties():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 2)).astype(float)
    Q = rng.integers(0, 3, (9, 2)).astype(float)
    tree = kd_build(X, 8)
    found = searched(X, Q, 4)[1].tolist()
    assert [walked(tree, X, q, 4, strict=False) for q in Q] == found
    # A half at the very distance of the worst neighbour may hold a row that came first.
    assert [walked(tree, X, q, 4, strict=True) for q in Q] != found


def test_examples_far_outside_the_box():
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(200, 3)), 1e3 * rng.normal(size=(10, 3))
    distances, rows = searched(X, Q, 3)
    assert [rows[i].tolist() for i in range(10)] == [[r for _, r in ranked(q, X)[:3]] for q in Q]
    np.testing.assert_array_equal(distances, np.sqrt(nearest(Q, X, 3)[0]))
    close = RadiusNeighborsRegressor(1.0, **WAY).fit(X, np.zeros(200))
    assert [len(rows) for rows in close.radius_neighbors(Q)[1]] == [0] * 10


def test_examples_are_only_put_in_another_order():
    rng = np.random.default_rng(2)
    X, Q = rng.normal(size=(300, 2)), rng.normal(size=(500, 2))
    order = np.empty(200, np.int64)
    kd_order(Q, 100, 300, kd_build(X, 8), order)
    assert sorted(order.tolist()) == list(range(100, 300))
    # Neighbours in the order are nearer to each other than by chance.
    step = np.linalg.norm(np.diff(Q[order], axis=0), axis=1).mean()
    chance = np.linalg.norm(np.diff(Q[100:300], axis=0), axis=1).mean()
    assert step < 0.5 * chance
