"""The list of the nearest: sorting all is the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.compiled.neighbors.nearest_list import (
    FEW,
    NOBODY,
    empty_list,
    in_order,
    offer,
    wider,
    worst,
)


def kept(distances, rows, k):
    far, near = np.empty(k), np.empty(k, np.int64)
    empty_list(far, near)
    for distance, row in zip(distances, rows, strict=True):
        offer(far, near, distance, row)
    in_order(far, near)
    return far, near


@pytest.mark.parametrize("k", [1, 2, 5, FEW, FEW + 1, 200])
@settings(max_examples=20)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=300), st.integers(0, 10**6))
def test_the_nearest_are_the_first_of_all_sorted(k, whole, seed):
    rows = np.random.default_rng(seed).permutation(len(whole))
    distances = np.array(whole, dtype=float)
    far, near = kept(distances, rows, k)
    order = np.lexsort((rows, distances))[:k]
    many = len(order)
    assert far[:many].tolist() == distances[order].tolist()
    assert near[:many].tolist() == rows[order].tolist()
    assert (near[many:] == NOBODY).all()
    assert np.isinf(far[many:]).all()


@pytest.mark.parametrize("k", [3, FEW + 3])
def test_the_worst_is_where_it_is_said_to_be(k):
    rng = np.random.default_rng(0)
    far, near = np.empty(k), np.empty(k, np.int64)
    empty_list(far, near)
    assert np.isinf(far[worst(far)])
    for row in range(3 * k):
        offer(far, near, float(rng.integers(0, 9)), row)
        assert far[worst(far)] == far.max()
        assert near[worst(far)] == near[far == far.max()].max()


def test_room_for_more():
    values, numbers = wider(np.array([1.0, 2.0, 3.0]), np.array([7, 8, 9]), 2, 10)
    assert (len(values), len(numbers)) == (10, 10)
    assert (values[:2].tolist(), numbers[:2].tolist()) == ([1.0, 2.0], [7, 8])
