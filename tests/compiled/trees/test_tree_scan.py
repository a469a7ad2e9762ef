"""Every scan finds the best cut of a column; those that apply to one sample agree."""

import numpy as np
import pytest

from assay.compiled.trees.tree_keys import keys_of
from assay.compiled.trees.tree_scan import (
    ENTROPY,
    GINI,
    MISCLASSIFICATION,
    scan_counts,
    scan_target,
    scan_two,
    scan_weights,
)
from tests.naive.tree import impurity

NAMES = {GINI: "gini", ENTROPY: "entropy", MISCLASSIFICATION: "misclassification"}


def column(seed, classes, rows=40, digits=1):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=rows), digits).astype(np.float32)
    y = rng.integers(0, classes, rows)
    return x, y


def sorted_keys(x, y=None):
    """The cells of a column as sorted keys, with the class and the number of their rows, and where the class begins."""
    shift = max((len(x) - 1).bit_length(), 1)
    tails = np.arange(len(x), dtype=np.uint32)
    if y is not None:
        tails |= y.astype(np.uint32) << np.uint32(shift)
    keys = np.empty((1, len(x)), np.uint64)
    keys_of(np.ascontiguousarray(x)[:, None].view(np.uint32), tails, keys)
    return np.sort(keys[0]), np.uint64(shift)


def tables(n):
    """1 / k, and k log k as whole multiples of a unit."""
    k = np.arange(1, n + 1)
    unit = 2.0**-40
    xlog = np.concatenate([[0], np.rint(k * np.log2(k) / unit)]).astype(np.int64)
    return np.concatenate([[0.0], 1.0 / k]), xlog, unit


def best_cut(x, y, criterion, classes, least=1, w=None):
    """The largest fall, over all cuts between different cells."""
    w = np.ones(len(y)) if w is None else w
    whole, falls = impurity(criterion, y, w, classes), []
    for t in np.unique(x)[:-1]:
        left = x <= t
        if least <= left.sum() <= len(x) - least:
            parts = [impurity(criterion, y[m], w[m], classes) for m in (left, ~left)]
            falls.append((whole - sum(parts), int(left.sum())))
    top = max(f for f, _ in falls)
    return next((f, k) for f, k in falls if f >= top - 1e-9)


@pytest.mark.parametrize("criterion", NAMES)
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_counts_and_weights(criterion, classes):
    for seed in range(20):
        x, y = column(seed, classes)
        (cells, shift), n, least = sorted_keys(x, y), len(x), 1 + seed % 4
        inverse, xlog, unit = tables(n)
        state = np.bincount(y, minlength=classes).astype(float)
        part = (cells, n, 0, shift)
        found = scan_counts(
            *(*part, criterion, state, np.zeros((2, classes), np.int64), least),
            *(inverse, xlog, unit, 1e-10),
        )
        expected = best_cut(x, y, NAMES[criterion], classes, least)
        assert found[1] == expected[1]
        assert found[0] == pytest.approx(expected[0], abs=1e-9)
        room, ones = np.zeros((4, classes)), np.ones(n)
        weighed = scan_weights(*part, criterion, state, room, ones, least, 0.0, 1e-10)
        assert weighed[1] == found[1]
        assert weighed[0] == pytest.approx(found[0], abs=1e-9)
        if criterion == GINI and classes == 2:
            two = scan_two(*part, int(state[1]), least, inverse, 1e-10)
            assert two[1] == found[1]
            assert two[0] == pytest.approx(found[0], abs=1e-9)


def test_target():
    for seed in range(20):
        x, _ = column(seed, 2)
        y = np.random.default_rng(seed).normal(size=len(x)) + x
        cells, shift = sorted_keys(x)
        state = np.array([len(x), y.mean(), 0.0])
        found = scan_target(cells, len(x), 0, shift, state, y, np.zeros(0), 1, 0.0, 1e-12)
        expected = best_cut(x, y, "squared_error", 0)
        assert found[1] == expected[1]
        assert found[0] == pytest.approx(expected[0], rel=1e-9)


def test_far_from_zero_no_digits_are_lost():
    """Sums about the node's own mean find the cut though the targets agree in their first ten digits."""
    x = np.arange(20, dtype=np.float32)
    y = 1e9 + np.where(x < 13, 0.0, 1e-5)
    cells, shift = sorted_keys(x)
    state = np.array([20.0, y.mean(), 0.0])
    found = scan_target(cells, 20, 0, shift, state, y, np.zeros(0), 1, 0.0, 0.0)
    assert found[1] == 13


def test_no_cut_where_all_cells_are_alike_or_too_few():
    y, inverse = np.array([0, 1] * 3), tables(6)[0]
    for x, least in ((np.zeros(6, np.float32), 1), (np.arange(6, dtype=np.float32), 4)):
        cells, shift = sorted_keys(x, y)
        assert scan_two(cells, 6, 0, shift, 3, least, inverse, 0.0)[1] == 0
