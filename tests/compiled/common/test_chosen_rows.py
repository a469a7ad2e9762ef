"""Rows chosen by a key: a function of their values, the same in every form, and small for the share that is asked."""

import numpy as np
import pytest
from scipy import sparse

from assay.evidence.counted_rows import largest_key
from assay.learners.common.row_heads import chosen_by_value


@pytest.mark.parametrize("width", [1, 2, 3, 5, 40])
def test_equal_rows_have_equal_keys(width):
    X = np.random.default_rng(0).normal(size=(500, width)).astype(np.float32)
    X[0] = 0.0
    keys, places = chosen_by_value(X.astype(np.float64), 2**64 - 1)
    assert places.tolist() == list(range(500))
    assert len(set(keys.tolist())) == 500
    X[0] = -0.0
    for form in (X, np.asfortranarray(X), np.vstack([X, X])[500:]):
        assert (chosen_by_value(form, 2**64 - 1)[0] == keys).all()
    rows = sparse.csr_matrix(X)
    own = chosen_by_value(rows, 2**64 - 1)[0]
    assert (chosen_by_value(rows.tocsc(), 2**64 - 1)[0] == own).all()


def test_so_many_are_chosen_as_the_limit_says():
    X = np.random.default_rng(1).integers(0, 10**6, size=(64_000, 3)).astype(float)
    for form in (X, sparse.csr_matrix(X)):
        _, places = chosen_by_value(form, largest_key(2**16))  # one in eight
        assert 7_600 < len(places) < 8_400


def test_what_is_no_array_of_numbers_is_not_chosen_from():
    assert chosen_by_value([[1.0]], 1) is None
    assert chosen_by_value(np.array([["a"]], dtype=object), 1) is None
    assert chosen_by_value(np.zeros((3, 0)), 1) is None
