from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.compiled.linear.perceptron import perceptron_pass
from tests.loop_rows import IN_ORDER, block
from tests.naive.perceptron import perceptron

CONVENTIONS = {1: 1.0, -1: -1.0, "mistake": 0.0}


def played(X, y, zero, dtype=np.float64, *, thin=False, bias=0.0, order=IN_ORDER):
    rows = sparse.csr_matrix(X, dtype=dtype) if thin else np.asarray(X, dtype=dtype)
    w, b = np.zeros(rows.shape[1], dtype=dtype), np.zeros(1, dtype=dtype)
    missed = np.empty(len(y), dtype=np.int64)
    signs = np.asarray(y, dtype=dtype)
    mistakes, stopped = perceptron_pass(
        block(rows), signs, order, w, b, bias, CONVENTIONS[zero], missed
    )
    return w, b, missed[:mistakes], stopped


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("zero", CONVENTIONS)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_small_whole_numbers_give_the_twin_bit_by_bit(thin, dtype, zero, seed):
    # Such numbers are exact in either precision, so the order of sums does not matter.
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(40, int(rng.integers(1, 20))))
    y = rng.choice([-1, 1], size=40)
    twin = perceptron(np.column_stack([X, np.ones(40, dtype=int)]).tolist(), y.tolist(), zero)
    w, b, missed, stopped = played(X, y, zero, dtype, thin=thin, bias=1.0)
    assert [*w.tolist(), b[0]] == twin.w
    assert stopped == 40
    wrong = [t for t in range(40) if _updates(twin.scores[t], y[t], zero)]
    assert missed.tolist() == wrong


def _updates(score, label, zero):
    return label * score < 0 or (score == 0 and zero in ("mistake", -label))


@pytest.mark.parametrize("thin", [False, True])
def test_real_numbers_give_the_twin_up_to_rounding(thin):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 17)), rng.choice([-1, 1], size=300)
    twin = perceptron(X.tolist(), y.tolist())
    w, _, missed, _ = played(X, y, 1, thin=thin)
    assert len(missed) == twin.updates
    assert np.allclose(w, twin.w, rtol=0, atol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("label", [-1, 1])
def test_it_stops_at_a_row_that_cannot_be_scored_even_if_its_sign_is_right(bad, thin, label):
    X = np.ones((6, 3))
    X[4, 1] = bad
    y = np.array([-1, -1, -1, -1, label, 1])
    w, _, missed, stopped = played(X, y, 1, thin=thin)
    assert stopped == 4
    assert missed.tolist() == [0]
    assert w.tolist() == [-1.0, -1.0, -1.0]


def test_the_constant_feature_moves_only_if_there_is_one():
    X, y = np.ones((3, 1)), np.array([-1, 1, -1])
    assert played(X, y, 1)[1][0] == 0.0
    assert played(X, y, 1, bias=1.0)[1][0] == -1.0
