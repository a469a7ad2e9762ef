"""Votes, leaves and rows left out, against walking down one row at a time."""

from __future__ import annotations

import numpy as np

from assay.compiled.ensembles.forest_votes import add_votes, leaves, left_out_votes
from tests.compiled.ensembles.test_forest_grow import forest, table
from tests.naive.forest import leaf, vote

X, RNG = table(1, rows=60, missing=0.1)
Y = RNG.integers(0, 3, 60)
GROVE = forest(X, Y, 5).grove
ASKED = np.vstack([X, X + np.float32(0.1)])


def test_votes_and_leaves():
    out = np.zeros((len(ASKED), 3))
    add_votes(GROVE.nodes, GROVE.starts, GROVE.shares, ASKED, out)
    np.testing.assert_allclose(out / 5, vote(GROVE.trees, ASKED), rtol=1e-12)
    found = np.empty((len(ASKED), 5), np.int32)
    leaves(GROVE.nodes, GROVE.starts, ASKED, found)
    assert found.tolist() == [[leaf(tree, row) for tree in GROVE.trees] for row in ASKED]


def test_rows_left_out():
    left = np.random.default_rng(0).integers(0, 2, (60, 5)).astype(np.uint8)
    out, loss = np.zeros((60, 3)), np.empty((60, 5))
    label = Y.astype(np.int32)
    left_out_votes(GROVE.nodes, GROVE.starts, GROVE.shares, X, left, label, np.zeros(0), out, loss)
    for i, row in enumerate(X):
        shares = [t.value[leaf(t, row)] / t.value[leaf(t, row)].sum() for t in GROVE.trees]
        np.testing.assert_allclose(out[i], sum(s * v for s, v in zip(shares, left[i], strict=True)))
        np.testing.assert_allclose(
            loss[i], [(1 - s[Y[i]]) * v for s, v in zip(shares, left[i], strict=True)]
        )


def test_numbers_left_out():
    target = RNG.normal(size=60)
    grove = forest(X, target, 5, criterion="squared_error").grove
    left, out, loss = np.ones((60, 5), np.uint8), np.zeros((60, 1)), np.empty((60, 5))
    none = np.zeros(0, np.int32)
    left_out_votes(grove.nodes, grove.starts, grove.shares, X, left, none, target, out, loss)
    said = np.array([[t.value[leaf(t, row), 0] for t in grove.trees] for row in X])
    np.testing.assert_allclose(out[:, 0], said.sum(axis=1))
    np.testing.assert_allclose(loss, (said - target[:, None]) ** 2)
