"""Blocks of Gram matrices are those of the kernel, whatever the road to them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import ThreadpoolController

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
    for among in (None, columns):
        some = whole[places] if among is None else whole[np.ix_(places, among)]
        steps, block = np.array([1.0, -2.0, 0.5]), np.empty_like(some)
        for kept in (None, block):
            sums = np.ones(some.shape[1])
            gram.add(places, among, steps, sums, kept)
            np.testing.assert_allclose(sums, 1 + steps @ some, rtol=1e-9)
        np.testing.assert_allclose(block, some, rtol=1e-10, atol=1e-12)
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
    monkeypatch.setattr(room, "_PIECE", 16)
    monkeypatch.setattr(room, "_PRODUCTS", 100)
    sums = np.zeros((2, 70))
    gram.add(np.arange(40), None, np.ones(40), sums[0])
    with gram.threaded(10**9):
        gram.add(np.arange(40), None, np.ones(40), sums[1])
    np.testing.assert_array_equal(sums[0], sums[1])
    np.testing.assert_allclose(sums[0], alone.sum(axis=0, dtype=float), rtol=1e-6)
    np.testing.assert_allclose(alone, Gaussian(0.3)(X)[:40], atol=1e-5)
    coefficients = RNG.normal(size=(1, 70))
    many = scores(Gaussian(0.3), X, X, coefficients)
    monkeypatch.setattr(room, "_WORTH_THREADS", 10**9)
    np.testing.assert_array_equal(many, scores(Gaussian(0.3), X, X, coefficients))


def test_products_start_threads_again_when_the_last_search_is_done():
    counts = []
    whole = ThreadpoolController().select(user_api="blas")

    def now():
        counts.append({library.num_threads for library in whole.lib_controllers})

    gram = Gram(Gaussian(0.3), X)
    now()
    with gram.threaded(0):
        with gram.threaded(0):
            now()
        now()
    now()
    assert counts[1] == counts[2] == {1}
    assert counts[3] == counts[0]


def test_precomputed_values_are_looked_up():
    whole = Linear()(X)
    out = np.empty((2, 3))
    Gram(Precomputed(), whole).rows(np.array([5, 1]), np.array([0, 2, 4]), out)
    np.testing.assert_array_equal(out, whole[np.ix_([5, 1], [0, 2, 4])])
    sums = np.zeros(70)
    Gram(Precomputed(), whole, single=True).add(np.array([5, 1]), None, np.array([1.0, 2.0]), sums)
    np.testing.assert_allclose(sums, whole[5] + 2 * whole[1], rtol=1e-6)


def test_what_costs_little_is_kept_only_if_it_is_asked_for_often():
    assert Gram(Gaussian(0.3), X).often > 1
    assert Gram(Gaussian(0.3), np.ones((5, 500))).often == 1
    assert Gram(Polynomial(2, 0.5, 1.0), X).often == 1
    assert Gram(Precomputed(), Linear()(X)).often == np.inf


def test_without_support_vectors_scores_are_zero():
    assert not scores(Gaussian(1.0), X, X[:0], np.zeros((1, 0))).any()
