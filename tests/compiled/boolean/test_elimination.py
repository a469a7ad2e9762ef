from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.compiled.boolean.elimination import elimination_pass, elimination_pass_csr
from tests.naive.disjunction import literals, monotone


def played(X, y, *, negations=False, thin=False, dtype=np.float64):
    X = np.asarray(X, dtype=dtype)
    matrix = sparse.csr_matrix(X)
    places = matrix.indices.astype(np.uint32), matrix.indptr.astype(np.uint64)
    rows = (matrix.data, *places) if thin else (X,)
    w, v = np.ones(X.shape[1]), np.ones(X.shape[1] if negations else 0)
    missed = np.empty(len(y), dtype=np.int64)
    loop = elimination_pass_csr if thin else elimination_pass
    dropped, refused, stopped = loop(*rows, np.asarray(y, dtype=float), w, v, missed)
    return w, v, missed[:dropped].tolist(), refused, stopped


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), negations=st.booleans())
def test_random_labels_give_the_twin(thin, dtype, seed, negations):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 10))
    X, y = (rng.random((40, d)) < 0.3).astype(int), rng.choice([-1, 1], size=40)
    twin = (literals if negations else monotone)(X.tolist(), y.tolist())
    w, v, missed, refused, stopped = played(X, y, negations=negations, thin=thin, dtype=dtype)
    if negations:
        left = {(j, 1) for j in np.flatnonzero(w)} | {(j, 0) for j in np.flatnonzero(v)}
    else:
        left = set(np.flatnonzero(w))
    assert left == twin.left
    assert len(missed) + refused == twin.mistakes
    assert refused == twin.missed_positives
    assert (y[missed] < 0).all()
    assert stopped == 40


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("cell", [2.0, 0.5, -1.0, 1e-320, np.nan, np.inf])
def test_it_stops_at_a_row_that_is_not_boolean(thin, cell):
    X = np.ones((5, 3))
    X[3, 2] = cell
    for negations in (False, True):
        *_, missed, _, stopped = played(X, [-1, -1, 1, -1, -1], negations=negations, thin=thin)
        assert stopped == 3
        assert missed == [0]
