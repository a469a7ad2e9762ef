"""Rows chosen by a key: a function of their values, the same in every form, and small for the share that is asked."""

import numpy as np
import pytest
from scipy import sparse

from assay.compiled.common.chosen_rows import choose_dense, choose_sparse
from assay.evidence.counted_rows import largest_key
from assay.learners.common import chosen_by_value

SEEDS = np.random.default_rng(7).integers(1, 2**63, 4).astype(np.uint64) | np.uint64(1)
ALL = 2**64 - 1


def chosen(X, most):
    """Keys and places of the rows whose key is at most so large, by four of their cells."""
    keys, places = np.empty(X.shape[0], np.uint64), np.empty(X.shape[0], np.int64)
    if sparse.issparse(X):
        count = choose_sparse(X.data, X.indices, X.indptr, 4, np.uint64(most), keys, places)
    else:
        columns = np.unique(np.array([0, 1, -2, -1]).clip(-X.shape[1]) % X.shape[1])
        columns = columns[: X.shape[1]]
        count = choose_dense(X, columns, SEEDS, np.uint64(most), keys, places)
    return keys[:count], places[:count]


@pytest.mark.parametrize("width", [1, 2, 3, 5, 40])
def test_equal_rows_have_equal_keys(width):
    X = np.random.default_rng(0).normal(size=(500, width)).astype(np.float32)
    X[0] = 0.0
    keys, places = chosen(X.astype(np.float64), ALL)
    assert places.tolist() == list(range(500))
    assert len(set(keys.tolist())) == 500
    X[0] = -0.0
    for form in (X, np.asfortranarray(X), np.vstack([X, X])[500:]):
        assert (chosen(form, ALL)[0] == keys).all()


def test_so_many_are_chosen_as_the_limit_says():
    X = np.random.default_rng(1).integers(0, 10**6, size=(64_000, 3)).astype(float)
    for form in (X, sparse.csr_matrix(X)):
        _, places = chosen(form, largest_key(2**16))  # one in eight
        assert 7_600 < len(places) < 8_400


def test_rows_that_are_laid_out_otherwise_have_the_same_keys():
    X = np.random.default_rng(2).normal(size=(40, 5)).astype(np.float32)
    X[0], X[X < -1] = -0.0, 0.0
    keys, places = chosen_by_value(X.astype(np.float64), ALL)
    assert places.tolist() == list(range(40))
    for form in (X, np.asfortranarray(X)):
        assert (chosen_by_value(form, ALL)[0] == keys).all()
    thin = sparse.csr_matrix(X.astype(np.float64))
    own = chosen_by_value(thin, ALL)[0]
    assert len(set(own.tolist())) == 40
    for form in (thin.tocsc(), thin.tocoo()):
        assert (chosen_by_value(form, ALL)[0] == own).all()


def test_what_is_no_array_of_numbers_is_not_chosen_from():
    assert chosen_by_value([[1.0]], 1) is None
    assert chosen_by_value(np.array([["a"]], dtype=object), 1) is None
    assert chosen_by_value(np.zeros((3, 0)), 1) is None
    assert chosen_by_value(sparse.csr_matrix([[1, 2]]), 1) is None  # whole numbers
