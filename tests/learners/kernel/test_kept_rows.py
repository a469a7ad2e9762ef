"""Rows that are kept, and those that make way."""

from __future__ import annotations

import numpy as np
import pytest

from assay.kernels import Exponential, Gaussian
from assay.learners.kernel.gram import Gram
from assay.learners.kernel.kept_rows import KeptRows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(70, 4))


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Exponential(0.3)], ids=["cheap", "costly"])
@pytest.mark.parametrize("many", [0, 3, 10, 70])
def test_kept_rows_make_way_and_change_their_columns(kernel, many):
    whole = kernel(X)
    kept = KeptRows(Gram(kernel, X), room=many * 70 * 8)
    columns = np.arange(70)
    for step in range(40):
        if step % 6 == 5:
            width = int(RNG.integers(20, 71))
            columns = np.sort(RNG.choice(70, width, replace=False))
            kept.change(columns)
        rows = RNG.choice(columns, 5, replace=False)
        total = np.zeros(len(columns))
        kept.add(rows, np.arange(1.0, 6), total, keep=step % 4 > 0)
        np.testing.assert_allclose(
            total, np.arange(1.0, 6) @ whole[np.ix_(rows, columns)], rtol=1e-9
        )
        rows = np.sort(RNG.choice(columns, 15, replace=False))
        np.testing.assert_allclose(kept.square(rows), whole[np.ix_(rows, rows)], rtol=1e-9)
    assert kept.computed >= 40


def test_costly_rows_are_computed_once_while_there_is_room():
    kept = KeptRows(Gram(Exponential(0.3), X), room=1e9)
    sums = np.zeros(70)
    kept.add(np.arange(10), np.ones(10), sums)
    kept.add(np.array([3, 4, 12]), np.ones(3), sums)
    assert kept.computed == 11


def test_cheap_rows_are_kept_once_they_were_asked_for_often():
    gram = Gram(Gaussian(0.3), X)
    kept = KeptRows(gram, room=1e9)
    sums = np.zeros(70)
    for _ in range(gram.often + 3):
        kept.add(np.arange(10), np.ones(10), sums)
    assert kept.computed == 10 * gram.often
    kept.add(np.arange(10, 20), np.ones(10), sums, keep=False)
    assert kept.computed == 10 * gram.often + 10
    kept = KeptRows(gram, room=1e9, at_once=True)
    for _ in range(3):
        kept.add(np.arange(10), np.ones(10), sums)
    assert kept.computed == 10
    np.testing.assert_allclose(kept.square(np.arange(5, 15)), Gaussian(0.3)(X[5:15]), rtol=1e-9)


def test_the_whole_matrix_is_computed_once_and_is_what_is_kept():
    kept = KeptRows(Gram(Gaussian(0.3), X), room=1e9)
    sums = np.zeros(70)
    for _ in range(4):
        kept.add(np.array([5, 3]), np.ones(2), sums)
    whole = kept.square(np.arange(70))
    np.testing.assert_allclose(whole, Gaussian(0.3)(X), rtol=1e-9)
    computed = kept.computed
    assert kept.square(np.arange(70)) is whole
    kept.add(np.arange(70), np.ones(70), sums)
    assert kept.computed == computed
