from __future__ import annotations

import numpy as np

from assay.compiled.ensembles.boosting_blocks import (
    add_value,
    fine_sums,
    node_histogram,
    split_rows,
)

SHIFT = 20


def sample(seed, rows=300, width=3):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 256, size=(rows, width)).astype(np.uint8)
    gradients, hessians = rng.integers(-900, 900, size=rows), rng.integers(0, 1000, size=rows)
    order = rng.permutation(rows).astype(np.uint32)
    return codes, gradients, hessians, order


def test_a_histogram_has_the_sums_and_the_counts_of_a_leaf():
    codes, gradients, hessians, order = sample(0)
    words = ((gradients << 16) | hessians).astype(np.int32)
    held = np.zeros((3 * 256, 2), np.int64)
    node_histogram(codes, words, SHIFT, order, 40, 200, held)
    for f in range(3):
        for k in range(256):
            mine = [row for row in order[40:200].tolist() if codes[row, f] == k]
            packed, count = held[f * 256 + k].tolist()
            assert count == len(mine)
            assert packed >> SHIFT == sum(gradients[mine].tolist())
            assert packed & (2**SHIFT - 1) == sum(hessians[mine].tolist())


def test_two_halves_of_a_leaf_add_up_to_it():
    codes, gradients, hessians, order = sample(1)
    words = ((gradients << 16) | hessians).astype(np.int32)
    whole, halves = np.zeros((2, 3 * 256, 2), np.int64)
    node_histogram(codes, words, SHIFT, order, 0, 300, whole)
    node_histogram(codes, words, SHIFT, order, 0, 111, halves)
    node_histogram(codes, words, SHIFT, order, 111, 300, halves)
    assert np.array_equal(whole, halves)


def test_rows_of_a_leaf_are_parted_and_others_stay():
    codes, _, _, order = sample(2)
    bins = np.random.default_rng(3).integers(0, 2, size=256).astype(np.uint8)
    before, scratch = order.copy(), np.empty_like(order)
    middle = split_rows(codes, 1, bins, order, 50, 250, scratch)
    assert bins[codes[order[50:middle], 1]].all()
    assert not bins[codes[order[middle:250], 1]].any()
    assert sorted(order[50:250].tolist()) == sorted(before[50:250].tolist())
    assert np.array_equal(order[:50], before[:50])
    assert np.array_equal(order[250:], before[250:])


def test_fine_sums_and_values():
    rng = np.random.default_rng(4)
    gradient, hessian, order = rng.normal(size=90), rng.random(90), np.arange(90, dtype=np.uint32)
    total, heavy = fine_sums(gradient, hessian, 1024.0, 2048.0, order, 10, 80)
    assert total == sum(round(g * 1024) for g in gradient[10:80].tolist())
    assert heavy == sum(round(h * 2048) for h in hessian[10:80].tolist())
    score = np.zeros(90)
    add_value(score, order, 10, 80, 0.5)
    assert score.tolist() == [0.0] * 10 + [0.5] * 70 + [0.0] * 10
