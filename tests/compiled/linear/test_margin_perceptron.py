from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.compiled.linear.margin_perceptron import NORM, STARTED, margin_perceptron_pass
from tests.loop_rows import IN_ORDER, block
from tests.naive.margin_perceptron import margin_perceptron


def played(X, y, threshold, *, bias=0.0, thin=False, dtype=np.float64, parts=1):
    rows = sparse.csr_matrix(X, dtype=dtype) if thin else np.asarray(X, dtype=dtype)
    signs = np.asarray(y, dtype=np.float64)
    w, b, state = np.zeros(rows.shape[1]), np.zeros(1), np.zeros(3)
    mistakes, moved, smallest = 0, [], math.inf
    for part in np.array_split(np.arange(len(y)), parts):
        start, stop = int(part[0]), int(part[-1]) + 1
        out = np.empty(stop - start, dtype=np.int64)
        wrong, moves, stopped, least = margin_perceptron_pass(
            block(rows[start:stop]), signs[start:stop], IN_ORDER, w, b, bias, threshold, state, out
        )
        mistakes += wrong
        moved += (out[:moves] + start).tolist()
        smallest = min(smallest, least)
        if stopped < stop - start:
            return w, b, state, mistakes, moved, smallest, start + stopped
    return w, b, state, mistakes, moved, smallest, len(y)


def unit(X, bias):
    X = np.column_stack([X, np.full(len(X), bias)])
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("bias", [0.0, 1.0])
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), threshold=st.sampled_from([0.0, 0.05, 0.3]))
def test_it_is_the_twin_on_scaled_examples(thin, bias, seed, threshold):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(50, 6)), rng.choice([-1, 1], size=50)
    twin = margin_perceptron(unit(X, bias).tolist(), y.tolist(), margin=threshold, slack=0.0)
    w, b, state, _, moved, _, stopped = played(X, y, threshold, bias=bias, thin=thin)
    assert np.allclose([*w, b[0]], twin.w, rtol=0, atol=1e-12)
    assert len(moved) - 1 == twin.updates
    assert math.sqrt(state[NORM]) == pytest.approx(twin.norms[-1], rel=1e-12)
    assert moved[0] == 0
    assert stopped == 50


def test_mistakes_are_wrong_signs_and_the_first_example_is_not_predicted():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.1, 1.0], [-1.0, 0.0]])
    *_, mistakes, moved, _, _ = played(X, [1, 1, 1, 1], 0.5)
    assert (mistakes, moved) == (1, [0, 2, 3])
    assert played(X[:1], [-1], 0.5)[3] == 0


def test_a_score_of_zero_reads_as_plus():
    X = np.eye(2)
    assert played(X, [1, 1], 0.5)[3] == 0
    assert played(X, [1, -1], 0.5)[3] == 1


def test_parts_give_the_bits_of_the_whole():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 4)), rng.choice([-1, 1], size=200)
    whole = played(X, y, 0.1, bias=1.0)
    for parts in (2, 7, 200):
        again = played(X, y, 0.1, bias=1.0, parts=parts)
        assert np.array_equal(whole[0], again[0])
        assert np.array_equal(whole[2], again[2])
        assert whole[4] == again[4]


def test_the_length_of_the_weights_does_not_drift():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20_000, 3)), rng.choice([-1, 1], size=20_000)
    w, b, state, *_ = played(X, y, 0.3, bias=1.0)
    assert state[NORM] == pytest.approx(float(w @ w + b[0] ** 2), rel=1e-12)


def test_the_smallest_margin_is_that_of_the_rows_played():
    X, y = np.array([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]]), [1, 1, -1]
    assert played(X, y, 0.5)[5] == pytest.approx(0.6)


def test_weights_that_cancel_start_again_from_the_next_example():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    w, _, state, *_ = played(X, [1, -1, 1], 0.1)
    assert w.tolist() == [0.0, 1.0]
    assert state[NORM] == 1.0


def test_single_precision_rows_are_learned_in_double_precision():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 5)).astype(np.float32)
    y = rng.choice([-1, 1], size=100)
    narrow, wide = played(X, y, 0.1, dtype=np.float32), played(X.astype(float), y, 0.1)
    assert np.allclose(narrow[0], wide[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("cell", [np.nan, np.inf, 0.0, 1e200])
def test_it_stops_at_a_row_without_a_length(thin, cell):
    X = np.array([[1.0, 2.0], [2.0, 1.0], [cell, 0.0], [1.0, 1.0]])
    w, _, state, _, moved, _, stopped = played(X, [1, 1, 1, 1], 0.1, thin=thin)
    assert stopped == 2
    assert moved == [0]
    assert state[STARTED] == 1.0
    assert np.isfinite(w).all()
