"""Every kind takes what a learner can hold, and nothing that only looks like it."""

import math

import numpy as np
import pytest
from scipy import sparse

from assay import Perceptron
from assay.learners.common import Rows, kinds
from assay.record.online import Comparator
from tests.learners.model_files import reopened

NUMBERS = [0, 1, True, None, "1", 1.5, -1.5, math.nan, math.inf, 10**400, -1, [], np.float64(1)]


@pytest.mark.parametrize(
    ("kind", "taken"),
    [
        (kinds.count, [0, 1]),
        (kinds.finite, [1.5, -1.5]),
        (kinds.number, [1.5, -1.5, math.inf]),
        (kinds.amount, [1.5, math.inf]),
        (kinds.optional(kinds.count), [0, 1, None]),
        (kinds.one_of(1, "1"), [1, "1"]),
    ],
)
def test_kinds_of_numbers(kind, taken):
    found = [value for value in NUMBERS if kind(value)]
    assert [(type(v), v) for v in found] == [(type(v), v) for v in taken]


def test_lists_and_tuples():
    pair = kinds.group(kinds.count, kinds.each(kinds.finite))
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


def test_lengths_and_bounds_by_name():
    held = {"classes_": np.arange(3), "n_features_in_": 2, "rows_": 5}
    sizes = kinds.Sizes(held)
    assert kinds.amounts("classes_", "n_features_in_")(np.zeros((3, 2)), sizes)
    assert not kinds.amounts("classes_", "n_features_in_")(np.zeros((2, 3)), sizes)
    assert kinds.numbers("machines")(np.zeros(4), sizes)
    assert kinds.numbers("machines", "problems")(np.zeros((4, 3)), sizes)
    assert not kinds.numbers("machines")(np.zeros(3), sizes)
    assert kinds.counts(below="classes_")(np.array([0, 2]), sizes)
    assert not kinds.counts(below="classes_")(np.array([0, 3]), sizes)
    assert kinds.whole(most="rows_")(5, sizes)
    assert not kinds.whole(most="rows_")(6, sizes)
    assert kinds.numbers("problems")(np.zeros(1), kinds.Sizes({"classes_": np.arange(2)}))
    with pytest.raises(ValueError, match="it has no columns_"):
        kinds.numbers("columns_")(np.zeros(1), sizes)


def test_blocks_and_records():
    assert kinds.block(Rows(dense=np.eye(2)))
    assert kinds.block(Rows(matrix=sparse.csr_matrix(np.eye(2))))
    for odd in (
        np.eye(2),
        Rows(dense=np.eye(2, dtype="f4")),
        Rows(dense=np.full((1, 1), math.inf)),
    ):
        assert not kinds.block(odd)
    u = np.ones(2)
    comparator = kinds.record(
        Comparator,
        vector=kinds.numbers().where(len),
        norm=kinds.amount,
        loss=kinds.amount,
        margin=kinds.optional(kinds.real(5e-324, math.inf)),
    )
    assert comparator(Comparator(u, 1.5, 0.0, None))
    assert comparator(Comparator(u, 1.5, 0.0, 0.1))
    for odd in (
        None,
        Comparator(u, 1, 0.0, None),
        Comparator(u, 1.5, -1.0, None),
        Comparator(u, 1.5, 0.0, 0.0),
        Comparator(u, 1.5, 0.0, "wide"),
        Comparator(u * math.nan, 1.5, 0.0, None),
        Comparator(np.zeros(0), 1.5, 0.0, None),
    ):
        assert not comparator(odd)


def test_logs_labels_names_and_indices():
    assert kinds.log([])
    assert kinds.log([{"round": 1.0}, {"round": 2.0}])
    for odd in (None, [1], [{}], [{"a": 1}], [{"a": 1.0}, {"b": 1.0}], [{1: 1.0}]):
        assert not kinds.log(odd)
    for labels in ([0, 1], ["a", "b", "c"], [False, True], [0.0, 2.0]):
        assert kinds.labels(np.array(labels))
        assert kinds.labels(np.array(labels, dtype=object))
        assert not kinds.labels(np.array(labels[::-1]))
        assert not kinds.labels(np.array(labels[:1]))
        assert not kinds.labels(labels)
    for odd in ([0, "a"], [None, None], [0.0, math.nan], [1, 1], [0, True]):
        assert not kinds.labels(np.array(odd, dtype=object))
    assert kinds.names()(np.array(["a", "b"], dtype=object))
    for odd in (["a", "a"], ["a", 1]):
        assert not kinds.names()(np.array(odd, dtype=object))
    assert kinds.index()({"a": 0, 7: 1})
    for odd in ({"a": 1}, {"a": 0, "b": 0}, {"a": False}, {None: 0}, ["a"]):
        assert not kinds.index()(odd)


def test_an_encoder_that_is_no_table_of_categories_is_refused():
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    model.encoder_ = {"encoder": "one-hot"}
    with pytest.raises(ValueError, match="encoder"):
        reopened(model)
