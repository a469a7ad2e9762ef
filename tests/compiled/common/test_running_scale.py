import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assay.compiled.common.running_scale import running_scale_pass
from tests.naive.running_scale import running_scale, welford

cells = st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, -1.0, 0.1, 1e-9, 1e100, -1e100]))
matrices = hnp.arrays(
    np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=12), elements=cells
)


def scaled(X, state=None, seen=0, largest=1e140):
    mean, squares = state or (np.zeros(X.shape[1]), np.zeros(X.shape[1]))
    out = np.full(X.shape, np.nan)
    done = running_scale_pass(X, mean, squares, seen, largest, out)
    return done, out, (mean, squares)


@given(matrices)
@settings(max_examples=100, deadline=None)
def test_the_bits_of_the_naive_twin(X):
    done, out, (mean, squares) = scaled(X)
    assert done == len(X)
    rows, means, sums = welford(X.tolist())
    assert out.tolist() == rows
    assert (mean.tolist(), squares.tolist()) == (means, sums)
    assert (squares >= 0).all()


def exactly(X):
    return pytest.approx(np.array(running_scale(X.tolist())), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_close_to_the_exact_values(shift):
    X = np.random.default_rng(0).normal(size=(40, 3)) + shift
    assert scaled(X)[1] == exactly(X)


def test_the_mean_of_squares_less_the_square_of_the_mean_would_not_do():
    X = np.random.default_rng(0).normal(size=(40, 3)) + 1e6
    seen = np.arange(1, 41)[:, None]
    mean = np.cumsum(X, axis=0) / seen
    variance = np.cumsum(X**2, axis=0) / seen - mean**2
    assert (X - mean) / np.sqrt(np.maximum(variance, 1e-12)) != exactly(X)


@given(matrices)
@settings(max_examples=50, deadline=None)
def test_no_feature_is_larger_than_the_rows_allow(X):
    _, out, _ = scaled(X)
    most = np.sqrt(np.arange(len(X)))[:, None]  # Samuelson's inequality
    assert (np.abs(out) <= most * (1 + 1e-6)).all()


@pytest.mark.parametrize("size", [1, 3, 64])
def test_parts_give_the_same_bits(size):
    X = np.random.default_rng(1).normal(size=(200, 7))
    _, whole, end = scaled(X)
    state, parts = None, []
    for start in range(0, len(X), size):
        part = np.ascontiguousarray(X[start : start + size])
        _, out, state = scaled(part, state, start)
        parts.append(out)
    assert np.concatenate(parts).tobytes() == whole.tobytes()
    assert [a.tobytes() for a in state] == [a.tobytes() for a in end]


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e141])
def test_a_bad_row_stops_the_pass_and_changes_nothing(odd):
    X = np.random.default_rng(2).normal(size=(9, 3))
    X[4, 2] = odd
    done, out, state = scaled(X)
    assert done == 4
    assert np.isnan(out[4:]).all()
    _, before, end = scaled(X[:4].copy())
    assert out[:4].tobytes() == before.tobytes()
    assert [a.tobytes() for a in state] == [a.tobytes() for a in end]


@pytest.mark.parametrize("value", [0.0, 0.1, -3.7, 1e-300, 1e140])
def test_what_never_varies_is_zero(value):
    _, out, _ = scaled(np.full((1000, 2), value))
    assert not out.any()


def test_numbers_that_are_next_to_nothing():
    X = np.array([[1e-200], [2e-200], [5e-324], [1e-160]])
    _, out, _ = scaled(X)
    assert np.isfinite(out).all()
