"""Cells in order, bins of equal shares, and where cuts lie, seen in one tree of all rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import RandomForestRegressor

NAN = np.nan
cells = st.lists(
    st.sampled_from([-3.5, -0.0, 0.0, 0.1, 0.25, 7.0, 1e30, -1e-30, NAN]), min_size=2, max_size=30
)


def tree_of(X, y, bins=None):
    model = RandomForestRegressor(1, bootstrap=False, max_features=None, max_bins=bins)
    return model.fit(X, y).trees_[0]


def numbered(column):
    """Another target for each value, in no order; missing cells have one of their own."""
    values, codes = np.unique(np.array(column, np.float32) + 0.0, return_inverse=True)
    return np.random.default_rng(len(values)).permutation(len(values)).astype(float)[codes]


@settings(max_examples=25)
@given(cells)
def test_every_value_can_be_told_from_every_other(column):
    X, y = np.array(column, np.float32)[:, None], numbered(column)
    tree = tree_of(X, y)
    assert tree.leaves == len(set(y.tolist()))
    np.testing.assert_allclose(tree.value[tree.leaf_of(X), 0], y, atol=1e-12)


@settings(max_examples=25)
@given(cells, st.integers(2, 9))
def test_a_bin_holds_what_lies_between_its_ends(column, most):
    X = np.array(column, np.float32)[:, None]
    tree = tree_of(X, numbered(column), most)
    ends = np.unique(tree.threshold[np.isfinite(tree.threshold)])
    assert len(ends) < most
    leaf = tree.leaf_of(X)
    held = ~np.isnan(X[:, 0])
    # Rows of one leaf lie between the same ends, and missing cells are told from all others or go with some.
    for one in set(leaf[held].tolist()):
        assert len(set(np.searchsorted(ends, X[held & (leaf == one), 0]).tolist())) == 1


def test_few_values_have_a_bin_each_and_many_share_evenly():
    few = np.array([5, 5, 1, 9, 1], np.float32)[:, None]
    cuts = tree_of(few, few[:, 0], 3).threshold
    assert sorted(cuts[np.isfinite(cuts)].tolist()) == [3.0, 7.0]
    many = np.random.default_rng(0).normal(size=(2000, 1)).astype(np.float32)
    tree = tree_of(many, many[:, 0], 100)
    assert tree.rows[tree.feature < 0].tolist() == [20] * 100
    lump = np.r_[np.zeros(900), np.arange(1, 101)].astype(np.float32)[:, None]
    assert tree_of(lump, lump[:, 0], 4).leaves >= 2


def test_where_cuts_lie():
    """Halfway between the values of a node; with bins where the first of them ends."""
    X = np.array([[1.0], [2.0], [4.0], [8.0]], np.float32)
    y = np.array([0.0, 0.0, 5.0, 5.0])
    assert tree_of(X, y).threshold[0] == 3.0
    assert tree_of(X, y, 8).threshold[0] == 3.0
    gap = np.array([[1.0], [NAN]], np.float32)
    tree = tree_of(gap, np.array([0.0, 1.0]))
    assert tree.threshold[0] == np.inf
    np.testing.assert_allclose(tree.value[tree.leaf_of(gap), 0], [0, 1], atol=1e-12)


@pytest.mark.parametrize("bins", [None, 2, 256, 65_535])
@pytest.mark.parametrize("cell", [1.0, NAN])
def test_columns_that_say_nothing_are_not_asked_for(bins, cell):
    X = np.column_stack([np.full(6, cell), np.arange(6.0)]).astype(np.float32)
    tree = tree_of(X, np.arange(6.0), bins)
    assert set(tree.feature.tolist()) == {-1, 1}
