"""Samples as the grower takes them, and what it leaves."""

import numpy as np
import pytest

from assay.compiled.trees.tree_scan import ENTROPY, GINI
from assay.errors import BadData
from assay.learners.trees.growing import grown, sample_of
from tests.compiled.trees.test_tree_grow import rule
from tests.learners.trees.samples import labels, table

NUMBERS = np.zeros(4, np.int32)


def test_keys_hold_the_class_and_the_row():
    rng = np.random.default_rng(0)
    X = table(rng, 50)
    y = labels(rng, X, 3)
    sample = sample_of(X, y, 3, None, NUMBERS, GINI)
    for f in range(4):
        tails = sample.keys[f] & np.uint64(0xFFFFFFFF)
        rows = (tails & ((np.uint64(1) << sample.shift) - np.uint64(1))).astype(int)
        assert rows.tolist() == np.argsort(X[:, f], kind="stable").tolist()
        assert (tails >> sample.shift).tolist() == y[rows].tolist()


def test_the_table_of_logarithms_is_fine_and_cannot_overflow():
    for n in (2, 100, 5000):
        X = np.arange(n, dtype=np.float32)[:, None]
        sample = sample_of(X, np.arange(n) % 2, 2, None, NUMBERS[:1], ENTROPY)
        k = np.arange(1, n + 1)
        np.testing.assert_allclose(sample.xlog[1:] * sample.unit, k * np.log2(k), rtol=1e-12)
        assert int(sample.xlog[-1]) * 4 < 2**63


def test_too_many_classes_for_the_keys_are_refused():
    X = np.zeros((2**17 + 1, 1), np.float32)
    y = np.arange(len(X))
    with pytest.raises(BadData, match=r"^131,073 rows and 131,073 classes together are too many"):
        sample_of(X, y, len(X), None, NUMBERS[:1], GINI)


def test_thresholds_lie_in_the_middle_and_never_on_the_right():
    big = np.finfo(np.float32).max
    for low, high in ((1, 2), (-big, big), (big / 2, big), (-0.0, 1e-45), (-3, -1)):
        X = np.array([[low], [high]], np.float32)
        tree = grown(X, np.array([0, 1]), 2, None, NUMBERS[:1], rule())
        assert X[0, 0] <= tree.threshold[0] < X[1, 0]
        below, above = X[:, 0].astype(float)
        assert tree.threshold[0] in (below, below / 2 + above / 2)


def test_many_categories_have_room():
    """More children than a byte can number."""
    n = 600
    X = np.arange(n, dtype=np.float32)[:, None]
    y = np.arange(n) % 2
    tree = grown(X, y, 2, None, np.array([n], np.int32), rule("entropy", multiway=True))
    assert tree.leaves == n
    assert (tree.value.argmax(axis=1)[tree.leaf_of(X)] == y).all()
