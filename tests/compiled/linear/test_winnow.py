from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.compiled.linear.winnow import (
    SMALLEST,
    impurity,
    weight_of_true,
    winnow_pass,
    winnow_pass_csr,
)
from tests.loop_rows import block
from tests.naive.winnow import winnow


def played(X, y, *, negations=False, thin=False, dtype=np.float64, factor=2.0):
    rows = block(sparse.csr_matrix(X, dtype=dtype) if thin else np.asarray(X, dtype=dtype))
    w = np.ones(X.shape[1])
    v = np.ones(X.shape[1] if negations else 0)
    missed = np.empty(len(y), dtype=np.int64)
    threshold = float(len(w) + len(v))
    mistakes, stopped = (winnow_pass_csr if thin else winnow_pass)(
        *(rows if thin else (rows,)), np.asarray(y, dtype=float), w, v, threshold, factor, missed
    )
    return w, v, missed[:mistakes], stopped


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("negations", [False, True])
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_labels_give_the_twin_bit_by_bit(thin, dtype, negations, seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 12))
    X, y = (rng.random((40, d)) < 0.4).astype(int), rng.choice([-1, 1], size=40)
    literals = np.column_stack([X, 1 - X]) if negations else X
    twin = winnow(literals.tolist(), y.tolist())
    w, v, missed, stopped = played(X, y, negations=negations, thin=thin, dtype=dtype)
    assert [*w, *v] == twin.w
    assert len(missed) == twin.mistakes
    assert (y[missed] > 0).sum() == twin.missed_positives
    assert stopped == 40


@pytest.mark.parametrize("thin", [False, True])
def test_no_weight_is_ever_lost(thin):
    # The second feature is halved in every cycle and never doubled: 1100 halvings would make it zero.
    X, y = np.tile([[1, 1], [1, 0], [1, 0]], (1100, 1)), np.tile([-1, 1, 1], 1100)
    w, _, missed, _ = played(X, y, thin=thin)
    assert len(missed) >= 2200
    assert w[1] == SMALLEST > 0
    assert w[0] == 2.0
    assert 2.0**-1100 == 0.0


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("negations", [False, True])
@pytest.mark.parametrize("cell", [2.0, 0.5, -1.0, 1e-320, np.nan, np.inf])
def test_it_stops_at_a_row_that_is_not_boolean(thin, negations, cell):
    X = np.ones((5, 3))
    X[3, 2] = cell
    _, _, missed, stopped = played(X, [1, -1, -1, -1, -1], negations=negations, thin=thin)
    assert stopped == 3
    assert (missed < 3).all()


def test_a_stored_zero_is_a_zero():
    csr = sparse.csr_matrix(
        (np.array([1.0, 0.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2)
    )
    w, v, missed = np.ones(2), np.ones(2), np.empty(1, dtype=np.int64)
    winnow_pass_csr(*block(csr), np.ones(1), w, v, 4.0, 2.0, missed)
    assert (w.tolist(), v.tolist()) == ([2.0, 1.0], [1.0, 2.0])


def test_impurity_is_zero_only_for_zeros_and_ones():
    assert impurity(np.array([0.0, 1.0, 1.0])) == 0.0
    for odd in (2.0, -1.0, 0.5, 1e-320):
        assert impurity(np.array([0.0, odd, 1.0])) > 0.0
    assert impurity(np.array([2.0, -1.0])) > 0.0  # nothing cancels


@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_a_sum_of_weights_is_never_rounded_below_one_of_them(d, seed):
    rng = np.random.default_rng(seed)
    w = 2.0 ** rng.integers(-60, 10, size=d)
    assert weight_of_true(np.ones(d), w, np.zeros(0)) >= w.max()


@pytest.mark.parametrize("thin", [False, True])
def test_another_factor_is_the_twins_too(thin):
    rng = np.random.default_rng(3)
    X, y = (rng.random((60, 9)) < 0.4).astype(int), rng.choice([-1, 1], size=60)
    w, _, missed, _ = played(X, y, thin=thin, factor=1.25)
    run = winnow(X.tolist(), y.tolist(), factor=1.25)
    assert len(missed) == run.mistakes
    # The twin divides where the loop multiplies by the inverse.
    assert w == pytest.approx(run.w, rel=1e-13)
