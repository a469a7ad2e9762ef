import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from assay.compiled.common.row_hash import dense_lane, sparse_lane
from assay.evidence.row_mix import dense_sums, seeds
from assay.evidence.rows import row_digests

ODD = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    1e-60,
    1e-40,
    2**24,
    2**24 + 0.5,
    2**53 + 2,
    1e300,
    np.inf,
    -np.inf,
    np.nan,
]


def lane(block, places=None):
    places = np.arange(len(block)) if places is None else places
    sums = np.empty(len(places), np.uint64)
    dense_lane(block, places, seeds(np.arange(block.shape[1], dtype=np.uint64), 0), sums)
    return sums


def sparse_sums(matrix, places=None):
    places = np.arange(matrix.shape[0]) if places is None else places
    sums = np.empty(len(places), np.uint64)
    ordered = sparse_lane(matrix.data, matrix.indices, matrix.indptr, places, sums)
    return ordered, sums


def heads(X):
    return np.ascontiguousarray(row_digests(X)[:, :8]).view("<u8").ravel()


@given(arrays(np.float64, (3, 4), elements=st.floats() | st.sampled_from(ODD)))
def test_naive_twin(block):
    assert lane(block).tolist() == dense_sums(block)[:, 0].tolist() == heads(block).tolist()


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_any_layout_and_precision(kind):
    rng = np.random.default_rng(0)
    block = rng.normal(size=(50, 7)).astype(kind)
    block[rng.random(block.shape) < 0.4] = 0
    wanted = heads(block.astype(np.float32))
    wide = np.zeros((50, 14), kind)
    wide[:, ::2] = block
    for same in (block, np.asfortranarray(block), wide[:, ::2]):
        assert (lane(same) == wanted).all()
    matrix = sparse.csr_matrix(block)
    assert sparse_sums(matrix)[0]
    assert (sparse_sums(matrix)[1] == wanted).all()
    some = np.array([3, 3, 49, 0])
    assert (lane(block, some) == wanted[some]).all()
    assert (sparse_sums(matrix, some)[1] == wanted[some]).all()


def test_wide_indices():
    matrix = sparse.csr_matrix(np.eye(4))
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    assert (sparse_sums(matrix)[1] == heads(np.eye(4))).all()


def test_columns_out_of_order_are_noticed():
    for columns in ([1, 0, 2], [1, 2, 1]):
        parts = np.ones(3), np.array(columns), np.array([0, 3])
        assert not sparse_sums(sparse.csr_matrix(parts, shape=(1, 3)))[0]


def test_values_of_one_column_are_added():
    parts = np.array([0.1, 0.2, -3, 3, 1]), np.array([0, 0, 1, 1, 2]), np.array([0, 5])
    ordered, found = sparse_sums(sparse.csr_matrix(parts, shape=(1, 3)))
    assert ordered
    assert found.tolist() == heads(np.array([[0.1 + 0.2, 0.0, 1.0]])).tolist()
