"""The loops of Gaussian naive Bayes against their naive twin, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.compiled.bayes.gaussian_nb import (
    class_squares,
    class_squares_csr,
    class_sums,
    class_sums_csr,
    gaussian_scores,
    gaussian_scores_csr,
)
from tests.loop_rows import block
from tests.naive.naive_bayes import gaussian_joint, moments

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 4)) * (RNG.random((60, 4)) < 0.6)
CODES = np.arange(60) % 3
WEIGHTS = RNG.random(60)
SPARSE = block(sparse.csr_matrix(X))


def learned(rows, shift=0.0):
    sums, totals = np.zeros((3, 4)), np.zeros(3)
    dense = len(rows) == 1
    (class_sums if dense else class_sums_csr)(*rows, CODES, WEIGHTS, sums, totals)
    means = sums / totals[:, None] + shift
    squares, drift = np.zeros((3, 4)), np.zeros((3, 4))
    if dense:
        class_squares(*rows, CODES, WEIGHTS, means, squares, drift)
    else:
        class_squares_csr(*rows, CODES, WEIGHTS, means, totals, squares, drift)
    return totals, means, squares, drift


@pytest.mark.parametrize("rows", [(X,), SPARSE], ids=["dense", "csr"])
def test_moments(rows):
    totals, means, squares, drift = learned(rows)
    wanted = moments(X, CODES, WEIGHTS, 3)
    np.testing.assert_allclose(totals, wanted[0], rtol=1e-13)
    np.testing.assert_allclose(means, wanted[1], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(squares / totals[:, None], wanted[2], rtol=1e-12)
    assert np.abs(drift).max() < 1e-13


@pytest.mark.parametrize("rows", [(X,), SPARSE], ids=["dense", "csr"])
def test_the_drift_is_what_the_means_are_off(rows):
    """Without the correction a mean that is off by 0.01 would show in the variance."""
    totals, means, squares, drift = learned(rows, shift=0.01)
    wanted = moments(X, CODES, WEIGHTS, 3)
    total = totals[:, None]
    np.testing.assert_allclose(means + drift / total, wanted[1], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose((squares - drift**2 / total) / total, wanted[2], rtol=1e-12)
    assert (np.abs(squares / total - wanted[2]) > 1e-6).all()


def test_scores():
    _, means, variances = moments(X, CODES, WEIGHTS, 3)
    priors = np.array([0.2, 0.3, 0.5])
    starts = np.log(priors) - 0.5 * np.log(2 * np.pi * variances).sum(axis=1)
    wanted = [gaussian_joint(x, priors, means, variances) for x in X]
    found, again = np.empty((60, 3)), np.empty((60, 3))
    gaussian_scores(X, means, 1 / variances, starts, found)
    gaussian_scores_csr(*SPARSE, means, 1 / variances, starts, again)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert found.tobytes() == again.tobytes()
