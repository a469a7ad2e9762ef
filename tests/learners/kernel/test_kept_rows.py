"""Rows that are kept, and those that make way."""

from __future__ import annotations

import numpy as np

from assay.kernels import Gaussian
from assay.learners.kernel.gram import Gram
from assay.learners.kernel.kept_rows import KeptRows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(70, 4))


def test_kept_rows_make_way_and_change_their_columns():
    whole = Gaussian(0.3)(X)
    kept = KeptRows(Gram(Gaussian(0.3), X), room=10 * 70 * 8, least=5)
    columns = np.arange(70)
    for step in range(30):
        if step % 6 == 5:
            many = int(RNG.integers(20, 71))
            columns = np.sort(RNG.choice(70, many, replace=False))
            kept.change(columns)
        rows = RNG.choice(columns, 5, replace=False)
        slots = kept.slots(rows)
        total = np.zeros(len(columns))
        kept.add(slots, np.arange(1.0, 6), total)
        np.testing.assert_allclose(
            total, np.arange(1.0, 6) @ whole[np.ix_(rows, columns)], rtol=1e-9
        )
        square = kept.square(slots, np.searchsorted(columns, rows))
        np.testing.assert_allclose(square, whole[np.ix_(rows, rows)], rtol=1e-9)
    assert kept.computed > 10


def test_rows_are_computed_once_while_there_is_room():
    kept = KeptRows(Gram(Gaussian(0.3), X), room=1e9, least=5)
    kept.slots(np.arange(10))
    kept.slots(np.array([3, 3, 12]))
    assert kept.computed == 11
