"""One round of boosting against its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.compiled.ensembles.reweigh import LEAST, cast, missed_weight, reweigh


@given(st.integers(0, 10**6), st.integers(1, 40), st.floats(1e-3, 1e3))
def test_a_round(seed, n, factor):
    rng = np.random.default_rng(seed)
    w, said, labels = rng.random(n) + 1e-6, rng.integers(0, 3, n), rng.integers(0, 3, n)
    wrong = said != labels
    missed, whole = missed_weight(w, said, labels)
    assert missed == pytest.approx(math.fsum(w[wrong]), rel=1e-14)
    assert whole == pytest.approx(math.fsum(w), rel=1e-14)
    assert (missed == 0) == (not wrong.any())
    twin = np.where(wrong, w * factor, w)
    after = reweigh(w, said, labels, factor)
    assert after == pytest.approx(math.fsum(twin), rel=1e-14)
    np.testing.assert_allclose(w, twin / math.fsum(twin), rtol=1e-14)


def test_no_weight_is_ever_lost():
    w, said, labels = np.full(4, 0.25), np.array([1, 0, 0, 0]), np.zeros(4, dtype=np.int64)
    for _ in range(3):
        reweigh(w, said, labels, 1e200)
    assert w[1:].tolist() == [LEAST] * 3
    reweigh(w, 1 - said, labels, 1e250)
    assert (w > 0).all()
    assert np.isfinite(w).all()


def test_votes_are_cast():
    ballots = np.zeros((2, 3))
    cast(ballots, np.array([0, 1, 1]), 0.5)
    cast(ballots, np.array([0, 0, 1]), 0.25)
    assert ballots.tolist() == [[0.75, 0.25, 0], [0, 0.5, 0.75]]
