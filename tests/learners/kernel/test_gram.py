"""Blocks of Gram matrices are those of the kernel, whatever the road to them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.kernels import Gaussian, Linear, Polynomial, Precomputed
from assay.learners.kernel import gram as room
from assay.learners.kernel.gram import Gram, scores

RNG = np.random.default_rng(0)
X = RNG.normal(size=(70, 4)) + 5
KERNELS = [Gaussian(0.3), Linear(), Polynomial(2, 0.5, 1.0), 2 * Gaussian(0.3) + Linear()]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("thin", [False, True])
def test_rows_products_and_scores(kernel, thin):
    rows = sparse.csr_matrix(X) if thin else X
    whole = kernel(X)
    gram = Gram(kernel, rows)
    places, columns = np.array([3, 69, 0]), np.arange(10, 60, 7)
    out = np.empty((3, 70))
    gram.rows(places, None, out)
    np.testing.assert_allclose(out, whole[places], rtol=1e-10, atol=1e-12)
    out = np.empty((3, len(columns)))
    gram.rows(places, columns, out)
    np.testing.assert_allclose(out, whole[np.ix_(places, columns)], rtol=1e-10, atol=1e-12)
    weights = RNG.normal(size=len(columns))
    np.testing.assert_allclose(
        gram.product(places, columns, weights), whole[np.ix_(places, columns)] @ weights, rtol=1e-9
    )
    np.testing.assert_allclose(gram.diagonal, np.diag(whole), rtol=1e-10)
    coefficients = RNG.normal(size=(2, 70))
    np.testing.assert_allclose(
        scores(kernel, rows, rows, coefficients), whole @ coefficients.T, rtol=1e-8
    )


def test_threads_change_no_bit(monkeypatch):
    alone = np.empty((40, 70), np.float32)
    gram = Gram(Gaussian(0.3), X, single=True)
    gram.rows(np.arange(40), None, alone)
    monkeypatch.setattr(room, "_WORTH_THREADS", 1)
    shared = np.empty_like(alone)
    with gram.threaded(10**9):
        gram.rows(np.arange(40), None, shared)
    np.testing.assert_array_equal(alone, shared)
    np.testing.assert_allclose(alone, Gaussian(0.3)(X)[:40], atol=1e-5)
    coefficients = RNG.normal(size=(1, 70))
    many = scores(Gaussian(0.3), X, X, coefficients)
    monkeypatch.setattr(room, "_WORTH_THREADS", 10**9)
    np.testing.assert_array_equal(many, scores(Gaussian(0.3), X, X, coefficients))


def test_precomputed_values_are_looked_up():
    whole = Linear()(X)
    out = np.empty((2, 3))
    Gram(Precomputed(), whole).rows(np.array([5, 1]), np.array([0, 2, 4]), out)
    np.testing.assert_array_equal(out, whole[np.ix_([5, 1], [0, 2, 4])])


def test_without_support_vectors_scores_are_zero():
    assert not scores(Gaussian(1.0), X, X[:0], np.zeros((1, 0))).any()
