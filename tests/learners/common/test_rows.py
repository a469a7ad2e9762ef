from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.errors import Where
from assay.learners.common import Rows

X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0], [4.0, 5.0, 6.0]])


@pytest.fixture(params=["dense", "csr_matrix", "csr_array"])
def rows(request):
    return Rows.of(X.copy() if request.param == "dense" else getattr(sparse, request.param)(X))


def test_both_forms_hold_the_same(rows):
    assert (len(rows), rows.width, rows.dtype) == (4, 3, np.float64)
    assert [rows.row(place).tolist() for place in range(4)] == X.tolist()
    assert rows.squares().tolist() == [5.0, 0.0, 9.0, 77.0]


def test_parts_and_selections(rows):
    assert [rows.part(1, 3).row(place).tolist() for place in range(2)] == X[1:3].tolist()
    taken = rows.take(np.array([3, 0]))
    assert [taken.row(place).tolist() for place in range(2)] == X[[3, 0]].tolist()


def test_a_selection_is_a_copy(rows):
    taken = rows.take(np.arange(4))
    rows.arrays[0][...] = -1.0
    assert taken.row(3).tolist() == [4.0, 5.0, 6.0]


def test_selections_are_in_double_precision():
    for narrow in (X.astype(np.float32), sparse.csr_matrix(X, dtype=np.float32)):
        rows = Rows.of(narrow)
        assert rows.dtype == np.float32
        assert rows.take(np.array([0])).dtype == np.float64


def test_indices_are_unsigned_and_not_copied():
    matrix = sparse.csr_matrix(X)
    _, indices, pointers = Rows.of(matrix).arrays
    assert (indices.dtype.kind, pointers.dtype) == ("u", np.uint64)
    assert np.shares_memory(indices, matrix.indices)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    assert Rows.of(matrix).arrays[1].dtype == np.uint64


def test_a_fortran_array_is_put_in_rows():
    rows = Rows.of(np.asfortranarray(X))
    assert rows.dense.flags.c_contiguous
    assert rows.row(0).tolist() == [1.0, 0.0, 2.0]


def test_scaling_row_by_row(rows):
    scaled = rows.scaled(np.array([2.0, 1.0, -1.0, 0.5]))
    assert [scaled.row(place).tolist() for place in (0, 2, 3)] == [
        [2, 0, 4],
        [0, -3, 0],
        [2, 2.5, 3],
    ]


def test_stacking_widens_and_one_sparse_block_makes_all_sparse():
    narrow, wide = Rows.of(np.ones((1, 2))), Rows.of(np.full((2, 3), 2.0))
    dense = Rows.stacked([narrow, wide])
    mixed = Rows.stacked([narrow, Rows.of(sparse.csr_matrix(wide.dense))])
    assert dense.dense is not None
    assert mixed.dense is None
    for whole in (dense, mixed):
        assert [whole.row(place).tolist() for place in range(3)] == [
            [1, 1, 0],
            [2, 2, 2],
            [2, 2, 2],
        ]


def test_cells_are_the_numbers_held():
    assert Rows.of(X).cells == 12
    assert Rows.of(sparse.csr_matrix(X)).cells == 6


@pytest.mark.parametrize("thin", [False, True])
def test_a_bad_cell_is_named(thin):
    broken = X.copy()
    broken[2, 1], broken[3, 2] = np.nan, -np.inf
    rows = Rows.of(sparse.csr_matrix(broken) if thin else broken)
    assert rows.bad_cell(2) == (Where(row=2, column=1), " holds NaN")
    assert rows.bad_cell(3, ["a", "b", "c"]) == (
        Where(row=3, column=2, name="c"),
        " holds infinity",
    )
    assert rows.bad_cell(0) == (Where(row=0), " is too large to be learned from")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_one_more_feature_stands_last(form):
    rows = Rows.of(form(np.array([[1.0, 0], [0, 2]]))).with_column(np.array([0.0, 3]))
    whole = rows.whole.toarray() if sparse.issparse(rows.whole) else rows.whole
    assert whole.tolist() == [[1, 0, 0], [0, 2, 3]]
    assert rows.width == 3
