import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from assay.compiled.row_hash import column_seeds, dense_lane, sparse_lane
from assay.record.row_mix import dense_sums, seeds
from assay.record.rows import row_digests

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
    found, sums = np.empty(block.shape[1], np.uint64), np.empty(len(places), np.uint64)
    column_seeds(found)
    dense_lane(block, places, found, sums)
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


def test_seeds():
    found = np.empty(1000, np.uint64)
    column_seeds(found)
    assert (found == seeds(np.arange(1000, dtype=np.uint64), 0)).all()


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


@pytest.mark.parametrize("columns", [[1, 0], [1, 1]])
def test_columns_out_of_order_are_noticed(columns):
    matrix = sparse.csr_matrix((np.ones(2), np.array(columns), np.array([0, 2])), shape=(1, 3))
    assert not sparse_sums(matrix)[0]
