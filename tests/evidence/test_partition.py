"""The digest of a partition: the same under any names and cuts, another for another partition."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.partition import digest_partition
from assay.evidence.tally import tally

columns = st.lists(st.integers(0, 6), min_size=1, max_size=50)


def naive(labels) -> str:
    number: dict = {}
    codes = [number.setdefault(label, len(number)) for label in labels]
    data = b"".join(code.to_bytes(2, "little") for code in codes)
    return "sha256:" + hashlib.sha256(b"assay-partition-1\n" + data).hexdigest()


@given(columns, st.permutations(range(7)))
def test_names_do_not_matter(labels, names):
    assert digest_partition(labels) == naive(labels)
    assert digest_partition([f"class {names[v]}" for v in labels]) == naive(labels)


@given(columns, st.integers(0, 50))
def test_nor_does_where_the_column_is_cut(labels, cut):
    cut = min(cut, len(labels) - 1)
    chunks = [part for part in (labels[:cut], labels[cut:]) if part]
    assert digest_partition(*chunks) == naive(labels)
    counted = tally(((part, part) for part in chunks), partition=True)
    assert counted.partition_digest == naive(labels)


@given(columns, columns)
def test_two_partitions_have_two_digests(one, other):
    assert (digest_partition(one) == digest_partition(other)) is (naive(one) == naive(other))


@pytest.mark.parametrize("rows", [2**20, 2**20 + 1])
def test_columns_of_several_blocks(rows):
    labels = np.arange(rows) % 300
    assert digest_partition(labels) == naive(labels.tolist())


def test_it_is_taken_only_where_asked_for():
    assert tally([([0, 1], [0, 1])]).partition_digest is None
