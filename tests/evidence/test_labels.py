from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.labels import BLOCK, coded_pieces, encode, merge, narrowest, recode


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.one_of(st.integers(-5, 5), st.integers(-(2**63), 2**63 - 1)), min_size=1),
    st.sampled_from([pa.int64(), None]),
)
def test_codes_point_back_at_the_labels(column, kind):
    piece = encode(pa.array(column, kind), "truth")
    assert [piece.labels[code] for code in piece.codes] == column
    assert piece.labels == tuple(sorted(set(column)))
    assert piece.codes.dtype == narrowest(len(piece.labels))


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("rows", [300, 200_000])
def test_every_integer_type_to_its_edges(kind, rows):
    info = np.iinfo(kind)
    column = np.full(rows, info.max, dtype=kind)
    column[5], column[-1] = info.min, info.max - 1
    piece = encode(pa.array(column), "truth")
    assert piece.labels == (info.min, info.max - 1, info.max)
    assert (np.array(piece.labels, dtype=object)[piece.codes] == column).all()


@pytest.mark.parametrize("width", [1, 2, 3, 16, 17, 255, 256, 257, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("low", [0, 1, -1, -300, 2**62])
def test_ranges_of_every_width(width, low):
    column = np.random.default_rng(width).permutation(np.repeat(np.arange(width), 2)) + low
    piece = encode(pa.array(column), "truth")
    assert piece.labels == tuple(range(low, low + width))
    assert piece.codes.dtype == narrowest(width)
    assert (piece.codes.astype(np.int64) + low == column).all()


def test_truth_values_at_any_offset():
    column = np.random.default_rng(0).random(100) < 0.5
    array = pa.array(column)
    for start in range(20):
        piece = encode(array.slice(start, 70), "truth")
        assert (piece.codes == column[start : start + 70]).all()
        assert piece.family == "truth values"


def test_the_narrowest_type():
    sizes = [narrowest(size) for size in (1, 256, 257, 65_536, 65_537)]
    assert sizes == [np.uint8, np.uint8, np.uint16, np.uint16, np.uint32]


def test_pieces_end_at_the_edge_of_a_block():
    column = pa.array(np.zeros(BLOCK + 10, dtype=np.int8))
    assert [len(piece) for piece in coded_pieces(column, "truth", done=BLOCK - 3)] == [3, BLOCK, 7]
    assert list(coded_pieces(column.slice(0, 0), "truth", done=0)) == []


def test_merging_joins_labels_and_families():
    numbers, truth_values = encode(pa.array([3, 1]), "t"), encode(pa.array([True]), "t")
    both = merge([numbers, truth_values, numbers])
    assert (both.family, both.labels) == ("whole numbers", (1, 3))
    assert both.codes.tolist() == [1, 0, 0, 1, 0]
    assert merge([truth_values, truth_values]).family == "truth values"


def test_recoding_into_more_labels_than_a_byte_can_number():
    piece = encode(pa.array([299, 0]), "t")
    wide = recode(piece, tuple(range(300)))
    assert (wide.codes.tolist(), wide.codes.dtype) == ([299, 0], np.uint16)
