"""Whole numbers drawn, features drawn, sums of nodes, rows parted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.compiled.common.generator import start_stream
from assay.compiled.ensembles.forest_node import CLASSES, NUMBERS, below, node_sums, part
from tests.naive import forest as naive
from tests.naive.generator import Generator


def generator(seed=1, run=0):
    state = np.zeros(4, np.uint64)
    start_stream(state, seed, run)
    return state


@pytest.mark.parametrize("many", [1, 2, 3, 10, 1000, 2**31 + 1, 2**32 - 1])
def test_the_same_numbers_as_the_naive_twin(many):
    state, twin = generator(3), Generator(3)
    assert [below(state, many) for _ in range(200)] == [naive.below(twin, many) for _ in range(200)]


def test_each_number_is_equally_likely():
    state = generator(9)
    seen = np.bincount([below(state, 7) for _ in range(14_000)])
    assert stats.chisquare(seen).pvalue > 1e-4


def test_sums_of_a_node():
    label = np.array([2, 0, 2, 1], np.int32)
    weight, sums = np.array([0.5, 1.0, 0.5, 2.0]), np.empty(3)
    rows = np.array([3, 0, 2, 1], np.int32)
    none = (np.zeros((1, 4), np.uint16), np.zeros(1, np.int64), np.zeros(0, np.uint64))
    sample = (*none, label, np.zeros(0), weight, np.zeros(0))
    _, heavy, impure, pure = node_sums(CLASSES, 0, sample, rows, 1, 4, sums)
    assert (heavy, impure, pure, sums.tolist()) == (2.0, 0.5, False, [1.0, 0.0, 1.0])
    assert node_sums(CLASSES, 0, sample, rows, 1, 3, sums)[2:] == (0.0, True)
    sample = (*none, np.zeros(0, np.int32), np.array([1.0, 3.0, 1.0, -1.0]), weight, np.zeros(0))
    one = np.empty(1)
    _, heavy, impure, pure = node_sums(NUMBERS, 0, sample, rows, 1, 4, one)
    assert (heavy, impure, pure, one.tolist()) == (2.0, 1.0, False, [4.0])


@pytest.mark.parametrize("missing_left", [False, True])
def test_parting_keeps_the_order(missing_left):
    code = np.array([0, 5, 2, 9, 1, 9, 7], np.uint16)
    rows, spare = np.arange(7, dtype=np.int32), np.empty(7, np.int32)
    middle, missing = part(code, 9, rows, 1, 7, 2, missing_left, spare)
    assert missing == 2
    assert rows[0] == 0
    assert rows[1:middle].tolist() == ([2, 3, 4, 5] if missing_left else [2, 4])
    assert rows[middle:].tolist() == ([1, 6] if missing_left else [1, 3, 5, 6])
