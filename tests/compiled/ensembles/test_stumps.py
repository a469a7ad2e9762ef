"""The search for stumps against trying everything; its bounds against what they bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import DecisionStump
from assay.compiled.ensembles import stumps
from assay.compiled.ensembles.stump_bins import BINS, bin_feature
from tests.naive.stumps import best_stump, gini

WORTH = {"gini": gini, "error": max}


def sample(seed, most_rows=120):
    rng = np.random.default_rng(seed)
    n, d, classes = (
        int(rng.integers(2, most_rows)),
        int(rng.integers(1, 6)),
        int(rng.integers(2, 6)),
    )
    X = rng.normal(size=(n, d))
    if seed % 3 == 0:
        X = X.round(int(rng.integers(0, 2)))
    codes = rng.integers(0, classes, n)
    if seed % 2:
        codes = ((X[:, 0] > 0.1) ^ (rng.random(n) < 0.1)).astype(int)
    codes = np.unique(codes, return_inverse=True)[1]
    w = rng.exponential(size=n) ** int(rng.integers(1, 5)) + 1e-12
    return X, codes, w / w.sum()


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(["gini", "error"]))
def test_it_is_the_best_of_all_stumps(seed, criterion):
    X, codes, w = sample(seed)
    if codes.max() == 0:
        return
    stump = DecisionStump(criterion).fit(X, codes, w)
    twin = best_stump(X.tolist(), codes.tolist(), w.tolist(), codes.max() + 1, WORTH[criterion])
    if twin is None:
        assert stump.feature_ == -1
        return
    assert (stump.feature_, stump.threshold_, *stump.sides_[0]) == tuple(twin)


def worths(X, codes, w, classes, criterion):
    """What every cut of every feature is worth, vectorised: for more rows than the twin can take."""
    found = []
    for f in range(X.shape[1]):
        order = np.argsort(X[:, f], kind="stable")
        sums = np.zeros((len(w), classes))
        sums[np.arange(len(w)), codes[order]] = w[order]
        below = np.cumsum(sums, axis=0)[:-1]
        above = sums.sum(axis=0) - below
        cut = np.diff(X[order, f]) > 0
        if criterion == "gini":
            with np.errstate(invalid="ignore", divide="ignore"):
                value = (below**2).sum(1) / below.sum(1) + (above**2).sum(1) / above.sum(1)
        else:
            value = below.max(1) + above.max(1)
        found.append((value[cut].max(initial=-1.0), f))
    return max(found, key=lambda one: one[0])


@pytest.mark.parametrize("criterion", ["gini", "error"])
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_with_more_values_than_bins(classes, criterion):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(1500, 5))
        shift = (0.0, 0.3, 1.0, 3.0)[seed]
        codes = (np.floor(shift * X[:, 0] + rng.normal(size=1500)) % classes).astype(int)
        w = rng.exponential(size=1500) ** (1 + 2 * seed)
        w /= w.sum()
        stump = DecisionStump(criterion).fit(X, codes, w)
        best, feature = worths(X, codes, w, classes, criterion)
        side = (X[:, stump.feature_] > stump.threshold_).astype(int)
        sums = np.zeros((2, classes))
        np.add.at(sums, (side, codes), w)
        value = sum(WORTH[criterion](s.tolist()) for s in sums)
        assert value == pytest.approx(best, abs=1e-12)
        assert stump.feature_ == feature
        assert [s[c] for s, c in zip(sums, stump.sides_[0], strict=True)] == pytest.approx(
            sums.max(axis=1)
        )


def test_no_cut_inside_a_bin_is_worth_more_than_its_bound():
    """On bins of every kind; a bound that takes the ends of a bin for the most must fail."""
    rng = np.random.default_rng(1)
    slack, broken = 1e-12, 0
    for trial in range(150):
        classes = int(rng.integers(2, 7))
        sums = rng.exponential(size=(classes, 3)) ** 4
        if trial % 3 == 0:
            sums[rng.integers(classes), 0] = 0
        sums[:, 1] *= 10.0 ** rng.integers(-4, 2)
        before, after = np.zeros((classes, 257)), np.zeros((classes, 257))
        stumps._accumulate(sums, 3, before, after)
        part = rng.random((200, classes))
        part[:100] = part[:100] < 0.5
        below = before[:, 1] + part * sums[:, 1]
        above = after[:, 1] - part * sums[:, 1]
        worth, reach = np.zeros((2, 257)), np.zeros(256)
        stumps._cuts_between(before, after, 3, False, worth)
        stumps._reach_by_gini(sums, before, after, 3, worth, reach)
        value = (below**2).sum(1) / below.sum(1) + (above**2).sum(1) / above.sum(1)
        scale = sums.sum()
        assert value.max() <= reach[1] + slack * scale
        broken += value.max() > max(worth[0, 1] + worth[1, 1], worth[0, 2] + worth[1, 2]) + 1e-9
        stumps._cuts_between(before, after, 3, True, worth)
        stumps._reach_by_errors(before, after, 3, reach)
        assert (below.max(1) + above.max(1)).max() <= reach[1] + slack * scale
    assert broken > 15


def test_the_bound_spares_most_bins():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20_000, 4))
    codes = (X[:, 0] + rng.normal(size=20_000) > 0).astype(int)
    rows = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[rows], np.arange(3))
    values = np.ascontiguousarray(X[rows].T)
    order, cells = np.empty((4, 20_000), np.int32), np.empty((4, 20_000), np.uint8)
    starts, bins = np.empty((4, BINS + 1), np.int32), np.empty(4, np.int64)
    for f in range(4):
        bits = values[f].astype(np.float32).view(np.uint32)
        keys = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31)).astype(np.uint64)
        keys = np.sort(keys << np.uint64(32) | np.arange(20_000, dtype=np.uint64))
        bins[f] = bin_feature(values[f], keys, order[f], cells[f], starts[f])
    room = np.empty((4, 2, BINS)), np.full((4, BINS + 1), -1.0), np.full((4, BINS), -1.0)
    w = np.full(20_000, 1 / 20_000)
    stumps.weigh_cuts(cells, values, order, starts, bins, ends, w, 0, 4, False, *room)
    assert 0 < (room[2] >= 0).sum() < 50  # of 1024


def test_duplicated_features_and_mirrored_ones_give_the_first():
    rng = np.random.default_rng(3)
    x = rng.normal(size=500)
    codes = ((x > 0) ^ (rng.random(500) < 0.2)).astype(int)
    w = rng.exponential(size=500)
    for X in (np.column_stack([x, x]), np.column_stack([-x, x]), np.column_stack([x**3, x, -x])):
        assert DecisionStump().fit(X, codes, w).feature_ == 0
