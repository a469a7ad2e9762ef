"""Bags of rows and sets of features."""

from __future__ import annotations

import numpy as np
import pytest

from assay.compiled.common.generator import start_stream
from assay.compiled.ensembles.forest_bag import draw_bag, draw_features
from assay.theory.boosting.bootstrap import bootstrap_out_of_bag
from tests.naive import forest as naive


@pytest.mark.parametrize(("rows", "draws"), [(1, 1), (7, 7), (50, 20), (20, 50)])
def test_the_same_bag_as_the_naive_twin(rows, draws):
    state, counts = np.zeros(4, np.uint64), np.empty(rows, np.int32)
    start_stream(state, 4, 2)
    draw_bag(state, draws, counts)
    assert counts.tolist() == naive.bag(4, 2, rows, draws)[1]


def test_a_bag_leaves_out_the_share_that_the_theorem_says():
    state, counts, left = np.zeros(4, np.uint64), np.empty(200, np.int32), []
    start_stream(state, 8, 0)
    for _ in range(2000):
        draw_bag(state, 200, counts)
        left.append((counts == 0).mean())
    share = bootstrap_out_of_bag(rows=200)
    assert abs(np.mean(left) - share) < 5 * np.std(left) / np.sqrt(2000)


def test_features_are_drawn_without_repetition_and_evenly():
    state, seen = np.zeros(4, np.uint64), np.zeros(6)
    start_stream(state, 5, 0)
    for _ in range(3000):
        features = np.arange(6, dtype=np.int32)
        draw_features(state, 2, features)
        assert sorted(features.tolist()) == list(range(6))
        seen[features[:2]] += 1
    assert abs(seen - 1000).max() < 5 * np.sqrt(3000 * 2 / 9)
