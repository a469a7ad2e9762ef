"""Looking at all rows, block by block, is sorting them all."""

from __future__ import annotations

import numpy as np
import pytest

from assay.compiled.neighbors import flat_scan
from assay.compiled.neighbors.flat_scan import scan_nearest, scan_within
from tests.naive.neighbors import nearest, within


def blocks_of(X, room):
    n, d = X.shape
    whole = np.full((-(-n // room) * room, d), np.inf)
    whole[:n] = X
    return np.ascontiguousarray(whole.reshape(-1, room, d).transpose(0, 2, 1))


@pytest.mark.parametrize(("n", "d", "k"), [(1, 1, 1), (33, 3, 5), (700, 300, 4), (90, 2, 80)])
def test_all_rows(n, d, k):
    # With 300 features a tile is a few blocks, so that lists go on from tile to tile.
    rng = np.random.default_rng(0)
    X, Q = rng.integers(0, 4, (n, d)).astype(float), rng.integers(0, 4, (5, d)).astype(float)
    far, near = np.zeros((5, k)), np.zeros((5, k), np.int64)
    P = blocks_of(X, 32)
    scan_nearest(Q, 1, 4, P, n, far, near)
    true_far, true_near = nearest(Q[1:4], X, k, "absolutes")
    np.testing.assert_array_equal(far[1:4], true_far)
    np.testing.assert_array_equal(near[1:4], true_near)
    assert not far[[0, 4]].any()
    limit = float(np.median(true_far))
    many, values, rows, used = scan_within(Q, 1, 4, P, n, limit)
    assert used == many.sum()
    parts = np.split(rows[:used], np.cumsum(many)[:-1])
    assert [part.tolist() for part in parts] == within(Q[1:4], X, limit, "absolutes")
    assert (values[:used] <= limit).all()


def test_a_tile_is_at_least_one_block():
    assert flat_scan._tile(np.empty((2, 10**5, 8))) == 1
    assert flat_scan._tile(np.empty((2, 4, 32))) == 512
