"""Votes of pairs, against scikit-learn's own way to count them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.multiclass import _ovr_decision_function

from assay.learners.kernel.pair_votes import pair_sums, pair_votes


@pytest.mark.parametrize("classes", [3, 4, 7])
def test_scikit_learn_counts_the_same(classes):
    rng = np.random.default_rng(classes)
    found = rng.normal(size=(50, classes * (classes - 1) // 2))
    theirs = _ovr_decision_function((found < 0).astype(int), -found, classes)
    np.testing.assert_allclose(pair_sums(found, classes), theirs, atol=1e-12)
    assert (pair_sums(found, classes).round() == pair_votes(found, classes)).all()


def test_every_pair_has_one_winner():
    found = np.random.default_rng(0).normal(size=(20, 6))
    assert (pair_votes(found, 4).sum(axis=1) == 6).all()
    # A score of zero is none above zero: the second class has it.
    assert pair_votes(np.zeros((1, 1)), 2).tolist() == [[0.0, 1.0]]
