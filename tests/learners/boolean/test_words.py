from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from assay.learners.boolean.words import (
    blocks,
    column_words,
    dense,
    first_bad,
    label_word,
    row_words,
)
from assay.learners.common.rows import Rows


@given(st.integers(0, 2**32 - 1), st.integers(1, 64), st.integers(0, 70))
def test_columns_and_rows_as_bits(seed, rows, columns):
    block = np.random.default_rng(seed).random((rows, columns)) < 0.5
    words = column_words(block)
    assert words.dtype == np.uint64
    assert [int(w) for w in words] == [sum(int(b) << t for t, b in enumerate(c)) for c in block.T]
    whole = [int(sum(int(w) << 64 * k for k, w in enumerate(row))) for row in row_words(block)]
    assert whole == [sum(int(b) << j for j, b in enumerate(row)) for row in block]


def test_labels_as_bits():
    assert int(label_word(np.array([1.0, -1, 1]))) == 5


def test_blocks_of_dense_and_sparse_rows():
    X = np.arange(20.0).reshape(10, 2)
    for rows in (Rows.of(X), Rows.of(sparse.csr_matrix(X))):
        parts = list(blocks(rows, 7, 3))
        assert [start for start, _ in parts] == [0, 3, 6]
        assert np.vstack([block for _, block in parts]).tolist() == X[:7].tolist()
        assert dense(rows).tolist() == X.tolist()


def test_the_first_row_that_will_not_do():
    X = np.zeros((5, 3))
    X[3, 1], X[4, 0] = 0.5, np.nan
    for form in (np.asarray, sparse.csr_matrix):
        assert first_bad(Rows.of(form(X)), boolean=True) == 3
        assert first_bad(Rows.of(form(X)), boolean=False) == 4
        assert first_bad(Rows.of(form(X[:3])), boolean=True) == 3
