"""What a tree's fit leaves behind."""

import dataclasses

import pytest

from assay.record.tree import TreeRecord


def test_a_record_is_plain_and_frozen():
    record = TreeRecord(10, 0, None, 7, 5, 2, 4, 2, 0, 16)
    assert record.internal == 2
    assert dataclasses.replace(record, nodes=1, leaves=1).internal == 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.rows = 3
