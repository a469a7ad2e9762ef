"""Columns are divided among children, and each child's part keeps its order."""

import numpy as np
import pytest

from assay.compiled.trees.tree_divide import _keep_left, _keep_right, _part_many, _part_two

MASK = np.uint64(2**10 - 1)


def column(seed, children):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    rows = rng.permutation(n).astype(np.uint64)
    cells = np.sort(rng.integers(0, 2**40, n).astype(np.uint64) << np.uint64(10)) | rows
    return cells, rng.integers(0, children, n).astype(np.uint16)


def parts(cells, to, children):
    return [[c for c in cells.tolist() if to[c & int(MASK)] == k] for k in range(children)]


@pytest.mark.parametrize("seed", range(10))
def test_two_children(seed):
    cells, to = column(seed, 2)
    left, right = parts(cells, to, 2)
    whole, only_left, only_right = cells.copy(), cells.copy(), cells.copy()
    _part_two.py_func(whole, MASK, to, np.empty_like(cells))
    assert whole.tolist() == left + right
    _keep_left.py_func(only_left, MASK, to)
    assert only_left[: len(left)].tolist() == left
    _keep_right.py_func(only_right, MASK, to)
    assert only_right[len(left) :].tolist() == right


@pytest.mark.parametrize("seed", range(5))
def test_many_children(seed):
    cells, to = column(seed, 5)
    expected = parts(cells, to, 5)
    rows = np.array([len(part) for part in expected])
    _part_many.py_func(cells, MASK, to, rows, np.empty_like(cells))
    assert cells.tolist() == [cell for part in expected for cell in part]
