"""Every kind takes what a learner can hold, and nothing that only looks like it."""

import math

import numpy as np
import pytest
from scipy import sparse

from assay.errors import BadData
from assay.learners.common.rows import Rows
from assay.learners.model_file import kinds
from assay.record.online import Comparator

NUMBERS = [0, 1, True, None, "1", 1.5, -1.5, math.nan, math.inf, 10**400, -1, [], np.float64(1)]


@pytest.mark.parametrize(
    ("kind", "taken"),
    [
        (kinds.is_count, [0, 1]),
        (kinds.is_finite, [1.5, -1.5]),
        (kinds.is_number, [1.5, -1.5, math.inf]),
        (kinds.is_amount, [1.5, math.inf]),
        (kinds.optional(kinds.is_count), [0, 1, None]),
        (kinds.one_of(1, "1"), [1, "1"]),
    ],
)
def test_kinds_of_numbers(kind, taken):
    found = [value for value in NUMBERS if kind(value)]
    assert [(type(v), v) for v in found] == [(type(v), v) for v in taken]


def test_lists_and_tuples():
    pair = kinds.group(kinds.is_count, kinds.each(kinds.is_finite))
    assert pair((1, [1.0, 2.0]))
    for odd in ([1, [1.0]], (1, (1.0,)), (1, [1]), (1,), (1, [], 2), None):
        assert not pair(odd)


def test_arrays():
    kind = kinds.array("<f8", least=0, most=2)
    assert kind(np.array([0.0, 2.0]))
    for odd in (
        np.array([math.nan]),
        np.array([-1.0]),
        np.array([3.0]),
        np.array([1.0], dtype="f4"),
        np.array([[1.0]]),
        np.arange(2.0)[::-1],
        [1.0],
        None,
    ):
        assert not kind(odd)


def test_blocks_and_comparators():
    assert kinds.is_block(Rows(dense=np.eye(2)))
    assert kinds.is_block(Rows(matrix=sparse.csr_matrix(np.eye(2))))
    for odd in (
        np.eye(2),
        Rows(dense=np.eye(2, dtype="f4")),
        Rows(dense=np.full((1, 1), math.inf)),
    ):
        assert not kinds.is_block(odd)
    u = np.ones(2)
    assert kinds.is_comparator(Comparator(u, 1.5, 0.0, None))
    assert kinds.is_comparator(Comparator(u, 1.5, 0.0, 0.1))
    for odd in (
        None,
        Comparator(u, 1, 0.0, None),
        Comparator(u, 1.5, -1.0, None),
        Comparator(u, 1.5, 0.0, 0.0),
        Comparator(u, 1.5, 0.0, "wide"),
        Comparator(u * math.nan, 1.5, 0.0, None),
        Comparator(np.zeros(0), 1.5, 0.0, None),
    ):
        assert not kinds.is_comparator(odd)


def test_logs_labels_names_and_indices():
    assert kinds.is_log([])
    assert kinds.is_log([{"round": 1.0}, {"round": 2.0}])
    for odd in (None, [1], [{}], [{"a": 1}], [{"a": 1.0}, {"b": 1.0}], [{1: 1.0}]):
        assert not kinds.is_log(odd)
    for labels in ([0, 1], ["a", "b", "c"], [False, True], [0.0, 2.0]):
        assert kinds.is_labels(np.array(labels))
        assert kinds.is_labels(np.array(labels, dtype=object))
        assert not kinds.is_labels(np.array(labels[::-1]))
        assert not kinds.is_labels(np.array(labels[:1]))
        assert not kinds.is_labels(labels)
    for odd in ([0, "a"], [None, None], [0.0, math.nan], [1, 1], [0, True]):
        assert not kinds.is_labels(np.array(odd, dtype=object))
    assert kinds.is_names(np.array(["a", "b"], dtype=object))
    for odd in (["a", "a"], ["a", 1]):
        assert not kinds.is_names(np.array(odd, dtype=object))
    assert kinds.is_index({"a": 0, 7: 1})
    for odd in ({"a": 1}, {"a": 0, "b": 0}, {"a": False}, {None: 0}, ["a"]):
        assert not kinds.is_index(odd)
    with pytest.raises(BadData):
        kinds.is_encoder({"encoder": "one-hot"})
