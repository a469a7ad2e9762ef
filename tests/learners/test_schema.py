"""Every kind takes what a learner can hold, and nothing that only looks like it."""

import math

import numpy as np
import pytest
from scipy import sparse

from assay import Perceptron, SGDClassifier
from assay.errors import BadData
from assay.learners import schema
from assay.learners.rows import Rows
from assay.record.online import Comparator

NUMBERS = [0, 1, True, None, "1", 1.5, -1.5, math.nan, math.inf, 10**400, -1, [], np.float64(1)]


@pytest.mark.parametrize(
    ("kind", "taken"),
    [
        (schema.is_count, [0, 1]),
        (schema.is_finite, [1.5, -1.5]),
        (schema.is_number, [1.5, -1.5, math.inf]),
        (schema.is_amount, [1.5, math.inf]),
        (schema.optional(schema.is_count), [0, 1, None]),
        (schema.one_of(1, "1"), [1, "1"]),
    ],
)
def test_kinds_of_numbers(kind, taken):
    found = [value for value in NUMBERS if kind(value)]
    assert [(type(v), v) for v in found] == [(type(v), v) for v in taken]


def test_lists_and_tuples():
    pair = schema.group(schema.is_count, schema.each(schema.is_finite))
    assert pair((1, [1.0, 2.0]))
    for odd in ([1, [1.0]], (1, (1.0,)), (1, [1]), (1,), (1, [], 2), None):
        assert not pair(odd)


def test_arrays():
    kind = schema.array("<f8", least=0, most=2)
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
    assert schema.is_block(Rows(dense=np.eye(2)))
    assert schema.is_block(Rows(matrix=sparse.csr_matrix(np.eye(2))))
    for odd in (
        np.eye(2),
        Rows(dense=np.eye(2, dtype="f4")),
        Rows(dense=np.full((1, 1), math.inf)),
    ):
        assert not schema.is_block(odd)
    u = np.ones(2)
    assert schema.is_comparator(Comparator(u, 1.5, 0.0, None))
    assert schema.is_comparator(Comparator(u, 1.5, 0.0, 0.1))
    for odd in (
        None,
        Comparator(u, 1, 0.0, None),
        Comparator(u, 1.5, -1.0, None),
        Comparator(u, 1.5, 0.0, 0.0),
        Comparator(u, 1.5, 0.0, "wide"),
        Comparator(u * math.nan, 1.5, 0.0, None),
        Comparator(np.zeros(0), 1.5, 0.0, None),
    ):
        assert not schema.is_comparator(odd)


def test_logs_labels_names_and_indices():
    assert schema.is_log([])
    assert schema.is_log([{"round": 1.0}, {"round": 2.0}])
    for odd in (None, [1], [{}], [{"a": 1}], [{"a": 1.0}, {"b": 1.0}], [{1: 1.0}]):
        assert not schema.is_log(odd)
    for labels in ([0, 1], ["a", "b", "c"], [False, True], [0.0, 2.0]):
        assert schema.is_labels(np.array(labels))
        assert schema.is_labels(np.array(labels, dtype=object))
        assert not schema.is_labels(np.array(labels[::-1]))
        assert not schema.is_labels(np.array(labels[:1]))
        assert not schema.is_labels(labels)
    for odd in ([0, "a"], [None, None], [0.0, math.nan], [1, 1], [0, True]):
        assert not schema.is_labels(np.array(odd, dtype=object))
    assert schema.is_names(np.array(["a", "b"], dtype=object))
    for odd in (["a", "a"], ["a", 1]):
        assert not schema.is_names(np.array(odd, dtype=object))
    assert schema.is_index({"a": 0, 7: 1})
    for odd in ({"a": 1}, {"a": 0, "b": 0}, {"a": False}, {None: 0}, ["a"]):
        assert not schema.is_index(odd)
    with pytest.raises(BadData):
        schema.is_encoder({"encoder": "one-hot"})


def test_parameters_by_their_annotations():
    for name, value in (("trace", 1), ("max_iter", np.int64(3)), ("zero", "mistake")):
        schema.require_parameter(Perceptron, name, value)
    for name, value in (("tol", None), ("tol", 1), ("average", 3), ("class_weight", {"a": 2})):
        schema.require_parameter(SGDClassifier, name, value)
    for learner, name, value in (
        (Perceptron, "trace", 2),
        (Perceptron, "trace", None),
        (Perceptron, "max_iter", 2.0),
        (Perceptron, "zero", [1]),
        (SGDClassifier, "tol", "small"),
        (SGDClassifier, "alpha", math.nan),
        (SGDClassifier, "eta0", 10**400),
        (SGDClassifier, "class_weight", {"a": "b"}),
        (SGDClassifier, "random_state", -1),
    ):
        with pytest.raises(ValueError, match=f"the parameter {name} is of another kind"):
            schema.require_parameter(learner, name, value)


def test_an_attribute_is_like_a_fresh_one_or_in_the_table():
    for name, fresh, value in (
        ("rounds", 0, 5),
        ("clean", False, True),
        ("weights", np.zeros(2, "f4"), np.ones(2, "f4")),
        ("counts", np.zeros(1, int), np.ones(1, int)),
        ("pair", (1.0, 2), (0.5, 7)),
        ("passes", None, 3),
        ("largest", 0.0, math.inf),
    ):
        schema.require_attribute(name, fresh, value)
    for name, fresh, value in (
        ("rounds", 0, True),
        ("rounds", 0, -1),
        ("clean", False, 1),
        ("weights", np.zeros(2), np.ones(3)),
        ("weights", np.zeros(2), np.ones(2, "f4")),
        ("weights", np.zeros(2), np.array([0, math.nan])),
        ("counts", np.zeros(1, int), -np.ones(1, int)),
        ("pair", (1.0, 2), (0.5, -7)),
        ("pair", (1.0, 2), (0.5,)),
        ("numbers", np.zeros(2), np.zeros(3)),
        ("passes", None, "x"),
        ("unheard_of", None, 3),
        ("unheard_of", [], []),
        ("negations", False, True),
    ):
        with pytest.raises(ValueError, match=f"{name} is of another kind"):
            schema.require_attribute(name, fresh, value)
