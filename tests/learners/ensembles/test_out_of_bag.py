"""Rows left out: bits, sums over blocks, and records."""

from __future__ import annotations

import numpy as np
import pytest

from assay.learners.ensembles.out_of_bag import LeftOut, gathered, record_of


def test_bits():
    rng = np.random.default_rng(0)
    bags = rng.integers(0, 3, (5, 4099))
    kept = LeftOut.of(iter(bags), 4099)
    for part in (slice(0, 4099), slice(2048, 4096), slice(4096, 4099)):
        np.testing.assert_array_equal(kept.of_rows(part), (bags[:, part] == 0).T)
    assert kept.bits.nbytes == 5 * 513


@pytest.mark.parametrize("workers", [1, 2])
def test_sums_over_blocks(workers):
    rng = np.random.default_rng(1)
    n, members = 5000, 4
    left = rng.integers(0, 2, (n, members)).astype(np.uint8)
    left[7] = 0
    loss = rng.random((n, members)) * left
    votes = rng.random((n, 2)) * left.any(axis=1, keepdims=True)
    counts = rng.random(n) < 0.7

    def judge(part):
        return votes[part], loss[part], left[part]

    mean, sums = gathered(judge, members, counts, pairs=True, workers=workers)
    assert np.isnan(mean[7]).all()
    np.testing.assert_allclose(mean[8], votes[8] / left[8].sum() if left[8].any() else np.nan)
    record = record_of(sums, rows=n, counted=int(counts.sum()), voted=n - 1, errors=3)
    seen = left[counts].astype(bool)
    kept = loss[counts]
    assert record.left_out == seen.sum(axis=0).min()
    assert record.loss == pytest.approx(
        np.mean([kept[seen[:, t], t].mean() for t in range(members)])
    )
    pairs = [(kept[:, t] * kept[:, s])[seen[:, t] & seen[:, s]] for t in range(4) for s in range(4)]
    assert record.tandem == pytest.approx(np.mean([p.mean() for p in pairs]))
    assert record.left_out_by_both == min(map(len, pairs))


def test_nothing_is_said_where_a_bag_left_nothing_out():
    none = (np.zeros(2), np.array([0.0, 3.0]), np.zeros((2, 2)), np.zeros((2, 2)))
    record = record_of(none, rows=3, counted=3, voted=3, errors=0)
    assert (record.left_out, record.left_out_by_both, record.loss) == (0, 0, 0.0)
    one = (np.ones(2), np.array([2.0, 3.0]), np.zeros((2, 2)), np.array([[2.0, 0], [0, 3]]))
    record = record_of(one, rows=5, counted=5, voted=5, errors=0)
    assert (record.left_out, record.left_out_by_both) == (2, 0)
    alone = (np.ones(2), np.array([2.0, 3.0]), np.zeros((0, 0)), np.zeros((0, 0)))
    assert record_of(alone, rows=5, counted=5, voted=5, errors=0).left_out_by_both == 0
