"""The distance of a pair: one number, to the bit, alone, in a block, and sparse."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.compiled.neighbors.pair_distances import (
    block_absolutes,
    block_squares,
    how_many_within,
    pair_absolutes,
    pair_form,
    pair_sparse,
    pair_squares,
)
from tests.naive.neighbors import exact_squares, value

cells = st.one_of(st.integers(-4, 4).map(float), st.floats(-1e6, 1e6), st.just(1e8 + 1e-3))


@st.composite
def pairs(draw):
    d = draw(st.integers(1, 13))
    row = st.lists(cells, min_size=d, max_size=d)
    return np.array([draw(row)]), np.array([draw(row)])


@settings(max_examples=50)
@given(pairs())
def test_alone_in_a_block_and_sparse_it_is_the_same_number(pair):
    Q, X = pair
    d = X.shape[1]
    squares, absolutes = value(Q[0], X[0]), value(Q[0], X[0], "absolutes")
    assert pair_squares(Q, 0, X, 0) == squares
    assert pair_absolutes(Q, 0, X, 0) == absolutes
    P, out = np.full((1, d, 8), np.inf), np.empty(8)
    P[0, :, 3] = X[0]
    block_squares(Q[0], P, 0, out)
    assert out[3] == squares
    assert np.isinf(out[4])
    block_absolutes(Q[0], P, 0, out)
    assert out[3] == absolutes
    thin = [(M.data, M.indices, M.indptr, d) for M in map(sparse.csr_matrix, (Q, X))]
    assert pair_sparse(thin[0], 0, thin[1], 0, np.empty(4), False) == squares
    assert pair_sparse(thin[0], 0, thin[1], 0, np.empty(4), True) == absolutes


@settings(max_examples=50)
@given(pairs())
def test_it_is_right_to_the_last_digits_wherever_the_origin_is(pair):
    Q, X = pair
    true = exact_squares(Q[0], X[0])
    assert abs(Fraction(pair_squares(Q, 0, X, 0)) - true) <= true * (X.shape[1] + 3) / 2**52


def test_the_square_of_a_sum_loses_what_the_sum_of_squares_keeps():
    q, x = np.full((1, 3), 1e8), np.full((1, 3), 1e8 + 1e-3)
    expanded = float((q @ q.T)[0, 0] - 2 * (q @ x.T)[0, 0] + (x @ x.T)[0, 0])
    true = float(exact_squares(q[0], x[0]))
    assert abs(expanded - true) >= true
    assert pair_squares(q, 0, x, 0) == pytest.approx(true, rel=1e-14)


def test_single_precision_is_widened_before_it_is_subtracted():
    rng = np.random.default_rng(0)
    Q, X = rng.normal(size=(2, 1, 7)).astype(np.float32)
    assert pair_squares(Q, 0, X, 0) == pair_squares(Q.astype(float), 0, X.astype(float), 0)


@settings(max_examples=30)
@given(st.integers(1, 9), st.integers(0, 10**6))
def test_the_form_is_that_of_the_definition(d, seed):
    rng = np.random.default_rng(seed)
    Q, X, A = rng.normal(size=(1, d)), rng.normal(size=(1, d)), rng.normal(size=(d, d))
    VI = A @ A.T
    VI = (VI + VI.T) / 2
    found = pair_form(Q, 0, X, 0, VI, np.empty(d))
    assert found == value(Q[0], X[0], "form", VI)
    assert found == pytest.approx((Q - X)[0] @ VI @ (Q - X)[0], rel=1e-9)


def test_a_form_of_whole_numbers_is_exact():
    VI = np.array([[2.0, 1.0], [1.0, 2.0]])
    zero, gap = np.zeros((1, 2)), np.empty(2)
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]])
    assert [pair_form(zero, 0, rows, r, VI, gap) for r in range(3)] == [2.0, 2.0, 2.0]


def test_counting():
    assert how_many_within(np.array([1.0, 2.0, np.inf, 2.0]), 2.0) == 3
    assert how_many_within(np.array([1.0, 2.0]), 0.5) == 0
