from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from assay.compiled.common.rows import (
    add_to,
    dot,
    sparse_add_to,
    sparse_dot,
    sparse_square,
    wide_dot,
    wide_square,
)
from tests.loop_rows import block

widths = st.integers(0, 40)


@given(widths, st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]))
def test_dot_is_the_sum_of_products(width, seed, dtype):
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(2, width)).astype(dtype)
    exact = math.fsum(float(a) * float(b) for a, b in zip(x, w, strict=True))
    size = math.fsum(abs(float(a) * float(b)) for a, b in zip(x, w, strict=True))
    assert abs(dot(x, w) - exact) <= (width + 1) * np.finfo(dtype).eps * size


def test_an_empty_row_has_no_score_whatever_lies_behind_it_in_memory():
    store = np.full(4, np.nan)
    assert dot(store[:0], store[:0]) == 0.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("weight", [0.0, 1.0, -1.0])
def test_a_cell_that_is_not_finite_always_shows_in_the_score(bad, weight):
    for width in (1, 7, 8, 33):
        for place in {0, width // 2, width - 1}:
            x, w = np.ones(width), np.zeros(width)
            x[place], w[place] = bad, weight
            assert not math.isfinite(dot(x, w))
            data, indices, starts = block(sparse.csr_matrix(x))
            assert not math.isfinite(sparse_dot(data, indices, *starts, w))


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_sparse_loops_do_what_the_dense_ones_do(width, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=width) * (rng.random(width) < 0.5)
    w = rng.normal(size=width)
    data, indices, pointers = block(sparse.csr_matrix(x))
    assert sparse_dot(data, indices, pointers[0], pointers[1], w) == pytest.approx(x @ w, abs=1e-12)
    thick, thin = w.copy(), w.copy()
    add_to(thick, x, -2.0)
    sparse_add_to(thin, data, indices, pointers[0], pointers[1], -2.0)
    assert np.array_equal(thick, thin)
    assert np.allclose(thick, w - 2 * x, rtol=0, atol=1e-12)


@pytest.mark.parametrize("d", [0, 1, 3, 7, 8, 9, 50, 257])
def test_sums_are_exact_to_the_last_digits(d):
    rng = np.random.default_rng(d)
    x, w = rng.normal(size=d), rng.normal(size=d)
    bound = 1e-15 * (1 + np.abs(x) @ np.abs(w))
    assert abs(wide_dot(x, w) - math.fsum(x * w)) <= bound
    assert wide_square(x) == pytest.approx(math.fsum(x * x), rel=1e-14)
    assert sparse_square(np.append(9.0, x), 1, d + 1) == wide_square(x)


def test_single_precision_rows_are_summed_as_their_double_copies():
    rng = np.random.default_rng(0)
    for d in range(200):
        x, w = rng.normal(size=d).astype(np.float32), rng.normal(size=d)
        assert wide_dot(x, w) == wide_dot(x.astype(np.float64), w)
        assert wide_square(x) == wide_square(x.astype(np.float64))


def test_what_is_no_number_comes_through():
    assert math.isnan(wide_dot(np.array([1.0, np.nan]), np.zeros(2)))
    assert math.isnan(wide_dot(np.array([1.0, np.inf]), np.zeros(2)))
