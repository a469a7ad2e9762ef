from __future__ import annotations

import numpy as np

from assay import Consistent, Halving
from tests.learners.boolean import shared


def test_votes_are_exact_whatever_the_code():
    # Two concepts of 62 bits against one of 61: a tie that doubles would also see as one, and one
    # more bit that they would lose beside the 1 of the first.
    table = np.array([[0, 0], [1, 0], [1, 0], [0, 1]])
    model = Halving(table, code=[1, 62, 62, 61]).partial_fit([[1]], [0], classes=[0, 1])
    assert model.decision_function([[0]])[0] < 0
    model = Halving(table[1:], code=[62, 62, 61]).fit([[0], [0]], [0, 1])
    assert model.predict([[0]]) == [0]


def test_left_for_each_of_several_classes():
    X = np.eye(4)
    model = Halving().fit(X, ["a", "b", "c", "b"])
    assert model.left_ == (1, 1, 1)
    assert model.formula_ == ("x0", "x1 OR x3", "x2")
    assert model.score(X, ["a", "b", "c", "b"]) == 1.0
    of = [g.of for g in model.guarantees()]
    assert of == [f"mistakes of {label!r} against the rest" for label in "abc"]


def test_evidence_counts_those_left():
    model = Consistent().partial_fit([[1.0, 0, 0]], [1], classes=[0, 1])
    assert model.guarantees()[0].assumptions[0].evidence == (
        "'x0' agrees with all 1 examples, as do 3 others"
    )


def test_a_new_feature_after_the_first_example_is_refused_and_leaves_nothing():
    model = Halving()
    model.learn_one({"a": 1, "b": 0}, True)
    before = shared.seen(model)
    with shared.refuses(
        "x names a feature 'c', but Halving takes its features from the first example: they fix the "
        "class of concepts. Name all features there."
    ):
        model.learn_one({"a": 1, "b": 0, "c": 1}, True)
    assert shared.seen(model) == before
    assert model.predict_one({"a": 1, "c": 1}) is True
