"""The loops of Bernoulli naive Bayes against their naive twin, dense and sparse."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from assay.compiled.bayes.bernoulli_nb import (
    bernoulli_scores,
    bernoulli_scores_csr,
    class_counts,
    class_counts_csr,
)
from tests.loop_rows import block
from tests.naive.naive_bayes import bernoulli_counts, bernoulli_joint

RNG = np.random.default_rng(2)
X = RNG.normal(size=(70, 5)) * (RNG.random((70, 5)) < 0.6)
CODES = np.arange(70) % 3
SPARSE = block(sparse.csr_matrix(X))


def test_counts():
    for weights in (np.ones(70), RNG.random(70)):
        wanted, totals = bernoulli_counts(X, 0.3, CODES, weights, 3)
        for loop, rows in ((class_counts, (X,)), (class_counts_csr, SPARSE)):
            counts, seen = np.zeros((3, 5)), np.zeros(3)
            loop(*rows, 0.3, CODES, weights, counts, seen)
            assert counts.tobytes() == wanted.tobytes()
            assert seen.tobytes() == totals.tobytes()


def test_scores():
    counts, totals = bernoulli_counts(X, 0.0, CODES, np.ones(70), 3)
    q = (counts + 1) / (totals[:, None] + 2)
    starts = np.log(totals / totals.sum()) + np.log(1 - q).sum(axis=1)
    gains = np.log(q) - np.log(1 - q)
    wanted = [bernoulli_joint(x, 0.0, counts, totals, 1.0) for x in X]
    for loop, rows in ((bernoulli_scores, (X,)), (bernoulli_scores_csr, SPARSE)):
        scores = np.empty((70, 3))
        loop(*rows, 0.0, gains, starts, scores)
        np.testing.assert_allclose(scores, wanted, rtol=1e-12)
