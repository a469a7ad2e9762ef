"""Rows in order and in bins, against NumPy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from assay.compiled.ensembles.stump_bins import BINS, bin_feature


def binned(values):
    values = np.asarray(values, dtype=float) + 0.0
    n = len(values)
    with np.errstate(over="ignore"):
        bits = values.astype(np.float32).view(np.uint32)
    keys = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31)).astype(np.uint64) << np.uint64(32)
    keys = np.sort(keys | np.arange(n, dtype=np.uint64))
    order, codes = np.empty(n, np.int32), np.empty(n, np.uint8)
    starts = np.empty(BINS + 1, np.int32)
    bins = bin_feature(values, keys, order, codes, starts)
    return values, order, codes, starts, bins


RNG = np.random.default_rng(0)
COLUMNS = {
    "continuous": RNG.normal(size=5000),
    "whole": RNG.integers(-3, 4, 700),
    "exactly as many values as bins": RNG.permutation(np.repeat(np.arange(256), 3)),
    "one value more": RNG.permutation(np.repeat(np.arange(257), 3)),
    "one heavy value": np.where(RNG.random(4000) < 0.7, 0.0, RNG.random(4000)),
    "heavy at the end": np.where(RNG.random(4000) < 0.6, 9.0, RNG.random(4000)),
    "constant": np.ones(50),
    "one row": [3.0],
    "beyond single precision": 1.7e9 + RNG.permutation(1000) * 1e-6,
    "few beyond single precision": 1.0 + RNG.integers(0, 9, 400) * 1e-12,
    "huge": RNG.normal(size=900) * 1e300,
    "tiny": RNG.normal(size=900) * 1e-310,
    "two zeros": np.where(RNG.random(99) < 0.5, 0.0, -0.0),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_order_and_bins(name):
    values, order, codes, starts, bins = binned(COLUMNS[name])
    n, distinct = len(values), len(np.unique(values))
    assert order.tolist() == np.argsort(values, kind="stable").tolist()
    assert 1 <= bins <= min(distinct, BINS)
    assert bins == distinct or distinct > BINS
    assert starts[0] == 0
    assert (starts[bins:] == n).all()
    assert (np.diff(starts[: bins + 1]) > 0).all()
    for b in range(bins):
        assert (codes[order[starts[b] : starts[b + 1]]] == b).all()
    # No value is in two bins.
    ends = starts[1:bins]
    assert (values[order[ends - 1]] < values[order[ends]]).all()


def test_bins_hold_about_equal_counts():
    _, _, _, starts, bins = binned(RNG.random(25_600))
    assert bins == BINS
    assert np.diff(starts).max() == 100
