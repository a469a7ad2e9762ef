"""Codes that keep the order of cells, bins of equal shares, thresholds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.learners.ensembles.columns import NO_GAP, binned, ranked

NAN = np.nan
cells = st.lists(
    st.sampled_from([-3.5, -0.0, 0.0, 0.1, 0.25, 7.0, 1e30, -1e-30, NAN]), min_size=1, max_size=30
)


@given(cells)
@settings(max_examples=50)
def test_ranks_are_in_order(column):
    X = np.array(column, np.float32)[:, None]
    table = ranked(X)
    codes = table.codes[0]
    assert table.codes.dtype == np.uint16
    present = ~np.isnan(X[:, 0])
    for i in np.flatnonzero(present):
        for j in np.flatnonzero(present):
            assert (codes[i] < codes[j]) == (X[i, 0] < X[j, 0])
    if present.all():
        assert table.gaps[0] == NO_GAP
    else:
        assert set(codes[~present].tolist()) == {table.gaps[0]}
        assert (table.incomplete == ~present).all()
        assert codes[present].max(initial=0) < max(table.gaps[0], 1)
    assert table.most > codes.max()


@given(cells, st.integers(2, 9))
@settings(max_examples=50)
def test_a_bin_holds_what_its_ends_say(column, most):
    X = np.array(column, np.float32)[:, None]
    table = binned(X, most)
    ends = table.values[: table.starts[1]]
    assert len(ends) < most
    assert (np.diff(ends) > 0).all()
    for cell, code in zip(X[:, 0].astype(float), table.codes[0].astype(int), strict=True):
        if np.isnan(cell):
            assert code == table.gaps[0] == len(ends) + 1
        else:
            assert code == 0 or cell > ends[code - 1]
            assert code == len(ends) or cell <= ends[code]


def test_few_values_have_a_bin_each_and_many_share_evenly():
    few = binned(np.array([5, 5, 1, 9, 1], np.float32)[:, None], 3)
    assert few.codes[0].tolist() == [1, 1, 0, 2, 0]
    assert few.values[:-1].tolist() == [3.0, 7.0]
    many = binned(np.random.default_rng(0).normal(size=(10_000, 1)).astype(np.float32), 100)
    counts = np.bincount(many.codes[0])
    assert len(counts) == 100
    assert counts.min() == counts.max() == 100
    lump = binned(np.r_[np.zeros(900), np.arange(1, 101)].astype(np.float32)[:, None], 4)
    assert len(lump.values) - 1 >= 1


def test_only_the_sample_has_a_say_in_bins():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 3)).astype(np.float32)
    sample = np.arange(100)
    other = X.copy()
    other[100:] = rng.normal(size=(400, 3))
    assert (binned(X, 16, sample).values[:-1] == binned(other, 16, sample).values[:-1]).all()


def test_thresholds():
    X = np.array([[1, 1], [2, 5], [4, NAN]], np.float32)
    feature = np.array([0, -1, 0, 1, 1])
    before, after = np.array([0, -1, 1, 0, 1]), np.array([2, -1, 2, 1, 2])
    cuts = ranked(X).thresholds(feature, before, after)
    np.testing.assert_array_equal(cuts, [2.5, NAN, 3.0, 3.0, np.inf])
    cuts = binned(X, 8).thresholds(feature, before, after)
    np.testing.assert_array_equal(cuts, [1.5, NAN, 3.0, 3.0, np.inf])


def test_threads_and_wide_codes():
    X = np.random.default_rng(0).normal(size=(66_000, 2)).astype(np.float32)
    X[:, 1] = np.arange(66_000)
    one, other = ranked(X), ranked(X, workers=2)
    assert one.codes.dtype == np.uint32
    assert (one.codes == other.codes).all()
    assert (one.codes[1] == np.arange(66_000)).all()


def test_a_column_of_missing_cells_only():
    X = np.full((4, 1), NAN, np.float32)
    for table in (ranked(X), binned(X, 4)):
        assert table.gaps[0] < NO_GAP
        assert len(set(table.codes[0].tolist())) == 1


@pytest.mark.parametrize("most", [2, 256, 65_535])
def test_constant_columns(most):
    table = binned(np.ones((5, 1), np.float32), most)
    assert table.codes[0].tolist() == [0] * 5
