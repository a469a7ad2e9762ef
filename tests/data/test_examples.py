from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from assay.data.examples import Chunks, Examples, NumberedFeatures, gathered, joined, rechunked
from assay.errors import BadData


def pieces_of(lengths, kind=np.asarray):
    """Pieces of so many rows, of which each holds its number, and the label its double."""
    start = 0
    for length in lengths:
        rows = np.arange(start, start + length, dtype=float)
        yield kind(np.column_stack([rows, rows + 1])), 2 * rows
        start += length


def values(X):
    return (X.toarray() if sparse.issparse(X) else X)[:, 0].tolist()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@given(st.lists(st.integers(0, 7), max_size=8), st.integers(1, 6))
def test_chunks_of_one_size(kind, lengths, rows):
    chunks = list(rechunked(pieces_of(lengths, kind), rows))
    total = sum(lengths)
    assert [len(y) for _, y in chunks] == [rows] * (total // rows) + [total % rows] * (
        total % rows > 0
    )
    assert [v for X, _ in chunks for v in values(X)] == list(range(total))
    assert [v for _, y in chunks for v in y] == [2 * k for k in range(total)]


def test_rows_before_a_refusal_come_first():
    def pieces():
        yield from pieces_of([3, 4])
        raise BadData("row 8 is bad.")

    lengths = []
    with pytest.raises(BadData, match=r"^row 8 is bad\.$"):
        lengths.extend(len(X) for X, _ in rechunked(pieces(), 5))
    assert lengths == [5, 2]


def test_live_rows_do_not_wait():
    assert [len(y) for _, y in rechunked(pieces_of([1, 3, 2]), 2, live=True)] == [1, 2, 1, 2]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("rows", [None, 9, 20])
@pytest.mark.parametrize("lengths", [[9], [2, 3, 4], [1, 8]])
def test_pieces_gathered(kind, rows, lengths):
    X, y = gathered(pieces_of(lengths, kind), rows)
    assert X.shape == (9, 2)
    assert values(X) == list(range(9))
    assert y.tolist() == [2 * k for k in range(9)]


def test_without_labels():
    bare = [(X, None) for X, _ in pieces_of([2, 3])]
    assert gathered(bare)[1] is None
    assert joined(bare)[1] is None
    assert [y for _, y in rechunked(bare, 2)] == [None] * 3


def test_chunks_can_be_read_again():
    chunks = Chunks(lambda: pieces_of([2, 3]), ("a", "b"), target="t", rows=5)
    for _ in range(2):
        read = list(chunks)
        assert [part.first_row for part in read] == [1, 3]
        assert [len(part) for part in read] == [2, 3]
        assert {part.target for part in read} == {"t"}
    assert values(chunks.whole().X) == list(range(5))
    assert repr(chunks) == "Chunks(5 rows, 2 features)"
    assert repr(Chunks(lambda: iter(()), ("a",))) == "Chunks(rows not counted, 1 feature)"


def test_what_examples_show():
    assert repr(Examples(np.eye(2), None, ("a", "b"))) == "Examples(2 rows, 2 features, no target)"
    sparse_ones = Examples(sparse.csr_array(np.eye(2)), np.ones(2), ("a", "b"), "label")
    assert repr(sparse_ones) == "Examples(2 rows, 2 sparse features, target 'label')"


def test_numbered_features():
    features = NumberedFeatures(1, 3)
    assert (len(features), features[0], features[-1], features[1:]) == (3, "1", "3", ["2", "3"])
    assert features == ["1", "2", "3"]
    assert features == NumberedFeatures(1, 3)
    assert hash(features) == hash(NumberedFeatures(1, 3))
    assert features != NumberedFeatures(0, 3)
    assert features != 3
    assert repr(features) == "<features 1 to 3>"
    assert "2" in features
