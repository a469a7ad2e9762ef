from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from itertools import pairwise
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadData
from assay.evidence import column_digest, labels
from assay.evidence.digest import digest_bytes, digest_file, digest_labels, digest_losses
from tests.naive.label_digest import label_digest, loss_digest

# NumPy itself drops a NUL at the end of text.
COLUMNS = st.one_of(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4),
        min_size=1,
        max_size=60,
    ),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=60),
    st.lists(st.integers(-3, 300), min_size=1, max_size=60),
    st.lists(st.booleans(), min_size=1, max_size=60),
)


def small_blocks(rows):
    return mock.patch.multiple(labels, BLOCK=rows), mock.patch.multiple(column_digest, BLOCK=rows)


def containers(column):
    """The same column in everything that can hold it."""
    yield column
    yield tuple(column)
    yield np.array(column)
    yield np.array(column, dtype=object)
    yield pd.Series(column)
    yield pd.Series(column, dtype="category")
    yield pd.Series(column, dtype=object)
    yield pl.Series(column)
    yield pa.array(column)
    yield pa.array(column).dictionary_encode()
    yield pa.chunked_array([pa.array(column[:1]), pa.array(column[1:], pa.array(column).type)])
    if isinstance(column[0], str):
        yield pl.Series(column, dtype=pl.Categorical)
        yield pa.array(column, pa.large_string())
        yield pa.array(column, pa.string_view())
        yield pd.Series(column, dtype="string")
    elif isinstance(column[0], bool):
        yield pd.Series(column, dtype="boolean")
        yield np.array(column, dtype=np.int8)
        yield np.array(column, dtype=np.float32)
    else:
        yield pd.Series(column, dtype="Int64")
        yield np.array(column, dtype=">i8")
        yield np.repeat(np.array(column), 2)[::2]
        if max(map(abs, column)) < 2**53:
            yield np.array(column, dtype=np.float64)
            yield [float(value) for value in column]
        if min(column) >= 0 and max(column) < 2**16:
            yield np.array(column, dtype=np.uint16)
            yield np.array(column, dtype=np.uint64)


@settings(max_examples=60, deadline=None)
@given(COLUMNS)
def test_every_container_gives_the_digest_of_the_definition(column):
    expected = label_digest(column)
    for held in containers(column):
        assert digest_labels(held) == expected


@settings(max_examples=60, deadline=None)
@given(COLUMNS, st.lists(st.integers(0, 60), max_size=8), st.integers(1, 20))
def test_chunks_make_no_difference(column, cuts, block):
    edges = [0, *sorted(min(cut, len(column)) for cut in cuts), len(column)]
    chunks = [column[a:b] for a, b in pairwise(edges)]
    whole = pa.array(column)
    slices = [whole.slice(a, b - a) for a, b in pairwise(edges)]
    coded = whole.dictionary_encode()
    coded_slices = [coded.slice(a, b - a) for a, b in pairwise(edges)]
    first, second = small_blocks(block)
    with first, second:
        expected = label_digest(column, block)
        assert digest_labels(column) == expected
        assert digest_labels(*chunks) == expected
        assert digest_labels(*slices) == expected
        assert digest_labels(*coded_slices) == expected


def test_blocks_of_their_real_size():
    rng = np.random.default_rng(0)
    column = rng.integers(0, 300, 2**20 + 5)
    column[:5] = [7, 7, 8, 7, 7]
    assert digest_labels(column) == label_digest(column.tolist())
    assert digest_labels(column[:3], column[3:900_000], column[900_000:]) == digest_labels(column)


def test_many_small_chunks_are_gathered():
    column = ["a", "b", "c"] * 1000
    assert digest_labels(*([label] for label in column)) == label_digest(column)


def test_more_labels_than_two_bytes_can_number():
    column = np.arange(70_000)[::-1] * 5
    assert digest_labels(column) == label_digest(column.tolist())


def test_one_changed_row_changes_the_digest():
    column = np.zeros(1000, dtype=np.int64)
    other = column.copy()
    other[500] = 1
    assert digest_labels(column) != digest_labels(other)
    assert digest_labels(["1"]) != digest_labels([1])
    assert digest_labels([1, 0]) != digest_labels([0, 1])


def test_the_digest_is_pinned():
    # From the definition: b'["ham","spam"]\n' and the bytes 0, 1, 1.
    block = hashlib.sha256(b'["ham","spam"]\n\x00\x01\x01').digest()
    expected = "sha256:" + hashlib.sha256(b"assay-labels-1\n" + block).hexdigest()
    assert digest_labels(["ham", "spam", "spam"]) == expected
    assert digest_labels(["é"]) == (
        "sha256:"
        + hashlib.sha256(
            b"assay-labels-1\n" + hashlib.sha256(b'["\xc3\xa9"]\n\x00').digest()
        ).hexdigest()
    )


def test_a_column_that_turns_from_numbers_into_text_is_refused():
    sentence = (
        "labels holds both whole numbers (3) and, from row 3 on, text ('a'); "
        "write the whole column one way."
    )
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        digest_labels([3, 4], ["a"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), max_size=50), st.integers(0, 50))
def test_losses(losses, cut):
    array = np.array(losses, dtype=np.float64)
    assert digest_losses(array) == loss_digest(losses)
    assert digest_losses(array[:cut], array[cut:]) == loss_digest(losses)
    assert digest_losses(np.repeat(array, 2)[::2]) == loss_digest(losses)


def test_bytes_and_files(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes(b"weights" * 100_000)
    assert digest_file(path) == digest_bytes(b"weights" * 100_000)
    assert digest_bytes(b"") == "sha256:" + hashlib.sha256().hexdigest()
    missing = tmp_path / "none.bin"
    with pytest.raises(
        BadData, match=f"^{re.escape(f'{missing} cannot be read: No such file or directory.')}$"
    ):
        digest_file(missing)


def test_naming_bytes_imports_nothing_heavy():
    code = (
        "import sys, assay.evidence.digest, assay.data; "
        "print([m for m in ('numpy', 'pyarrow', 'narwhals') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
