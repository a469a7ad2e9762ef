"""Asking and teaching one example at a time, whatever the learner and the table."""

from __future__ import annotations

import copy
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from assay import Perceptron, Winnow, conservative
from assay.errors import BadData, BadParameter
from assay.play.turns import (
    Constant,
    Examples,
    Player,
    Still,
    classes_for,
    is_fitted,
    labels_of,
    require_learner,
    takes_sparse,
)
from tests.naive.players import Elimination, Majority

X = np.arange(12.0).reshape(4, 3)
TABLES = {
    "array": X,
    "list": X.tolist(),
    "csr": sparse.csr_matrix(X),
    "csc": sparse.csc_matrix(X),
    "pandas": pd.DataFrame(X, columns=["a", "b", "c"]),
    "polars": pl.DataFrame(X, schema=["a", "b", "c"], orient="row"),
}


def dense(block):
    return block.toarray() if sparse.issparse(block) else np.asarray(block)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_rows_of_every_kind_of_table(table):
    examples = Examples(table)
    assert len(examples) == 4
    np.testing.assert_array_equal(dense(examples.block(1, 3)), X[1:3])
    names = ["a", "b", "c"] if hasattr(table, "columns") else [0, 1, 2]
    assert examples.named(2) == dict(zip(names, [6.0, 7.0, 8.0], strict=True))


def test_rows_that_are_dicts():
    examples = Examples([{"a": 1}, {"b": 2}, {}])
    assert examples.dicts
    assert len(examples) == 3
    assert examples.named(1) == {"b": 2}
    assert examples.block(1, 3) == [{"b": 2}, {}]


def sentence(text):
    return f"^{re.escape(text)}$"


def test_refuses_what_has_no_rows_and_columns():
    wrong = (
        "X must have rows and columns, but has the shape (3,). Give a table, or a list of dicts."
    )
    with pytest.raises(BadData, match=sentence(wrong)):
        Examples([1, 2, 3])
    with pytest.raises(BadData, match=sentence("X has 4 rows, but y has 3 labels.")):
        labels_of([1, 0, 1], 4)
    wrong = "y must hold one label for each row, but has the shape (4, 1)."
    with pytest.raises(BadData, match=sentence(wrong)):
        labels_of(np.zeros((4, 1)), 4)
    wrong = "There must be at least one example, but X has no rows."
    with pytest.raises(BadData, match=sentence(wrong)):
        labels_of([], 0)


def test_refuses_learners_that_cannot_take_turns():
    wrong = "learner must predict classes, but LinearRegression predicts quantities."
    with pytest.raises(BadParameter, match=sentence(wrong)):
        require_learner(LinearRegression())
    wrong = (
        "learner must have predict and partial_fit, or predict_one and learn_one, but object has "
        "neither pair."
    )
    with pytest.raises(BadParameter, match=sentence(wrong)):
        require_learner(object())
    wrong = "X must be a table, because GaussianNB does not learn from dicts."
    with pytest.raises(BadParameter, match=sentence(wrong)):
        Player(GaussianNB(), np.array([0, 1])).row(Examples([{"a": 1}]))


def test_all_labels_there_are():
    labels = np.array([3, 1, 3])
    assert classes_for(GaussianNB(), labels, None).tolist() == [1, 3]
    assert classes_for(GaussianNB(), labels, [5, 3, 1]).tolist() == [1, 3, 5]
    fitted = GaussianNB().fit(X, [1, 2, 3, 1])
    assert classes_for(fitted, labels, None).tolist() == [1, 2, 3]


def test_what_is_said_before_the_first_lesson():
    classes = np.array(["no", "yes"])
    assert Player(Perceptron(), classes).ask(X[0]) == "yes"
    assert Player(Perceptron(zero=-1), classes).ask({"a": 1.0}) == "no"
    assert Player(Perceptron(), np.array([0, 1, 2])).ask(X[0]) == 0
    assert Player(conservative(Perceptron()), classes).ask(X[0]) == "yes"
    player = Player(GaussianNB(), classes)
    assert player.ask(X[0]) == "no"
    assert player.answers(Examples(X), 0, 3).tolist() == ["no"] * 3
    assert player.hypothesis(Examples(X)).predict(X).tolist() == ["no"] * 4
    assert Constant(1).predict_one({"a": 2}) == 1


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, pd.DataFrame, list])
def test_a_learner_that_starts_with_an_opinion(make):
    # Winnow says yes where all features are set, before it has learned anything.
    table = np.array([[1.0, 1, 1], [1, 0, 1], [0, 0, 0]])
    rows = [dict(zip("abc", x, strict=True)) for x in table.tolist()]
    examples = Examples(rows if make is list else make(table))
    player = Player(Winnow(), np.array(["no", "yes"]))
    row, _ = player.row(examples)
    answers = [player.ask(row(t)) for t in range(3)]
    assert answers == player.answers(examples, 0, 3).tolist()
    if make is not list:
        assert answers == ["yes", "no", "no"]
        assert player.hypothesis(examples).predict(table).tolist() == answers
    assert not hasattr(player.learner, "players_")


def test_fitted_or_not():
    assert not is_fitted(Perceptron())
    assert is_fitted(Perceptron().fit(X, [0, 1, 0, 1]))
    assert is_fitted(Majority())

    class Bare:
        def partial_fit(self, X, y, classes=None):
            self.state_ = 1

        def predict(self, X):
            return np.zeros(len(X))

    bare = Bare()
    assert not is_fitted(bare)
    bare.partial_fit(X, [1] * 4)
    assert is_fitted(bare)


def test_learners_of_sparse_rows():
    assert takes_sparse(Perceptron())
    assert not takes_sparse(GaussianNB())
    assert not takes_sparse(Majority())


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("learner", [Perceptron(), SGDClassifier(random_state=0), BernoulliNB()])
def test_one_by_one_on_every_kind_of_table(table, learner):
    examples, classes = Examples(table), np.array([0, 1])
    player = Player(copy.deepcopy(learner), classes)
    row, _ = player.row(examples)
    twin = copy.deepcopy(learner)
    for t, label in enumerate([0, 1, 1, 0]):
        player.teach(row(t), label)
        twin.partial_fit(X[t : t + 1], [label], classes=classes)
        expected = twin.predict(X)
        assert player.answers(examples, 0, 4).tolist() == expected.tolist()
        assert [player.ask(row(t)) for t in range(4)] == expected.tolist()


def test_single_precision_stays_single():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(50, 3)).astype(np.float32)
    labels = (table[:, 0] > 0).astype(int)
    player = Player(Perceptron(), np.array([0, 1]))
    row, _ = player.row(Examples(table))
    for t in range(50):
        player.teach(row(t), int(labels[t]))
    twin = Perceptron().partial_fit(table, labels, classes=[0, 1])
    assert player.learner.coef_.dtype == np.float32
    assert player.learner.coef_.tobytes() == twin.coef_.tobytes()


@pytest.mark.parametrize("learner", [Perceptron(), Elimination()])
def test_a_block_teaches_as_its_rows_do(learner):
    rng = np.random.default_rng(1)
    table = (rng.random((60, 4)) < 0.4).astype(float)
    labels = (table[:, :2] > 0).any(axis=1).astype(int)
    examples, classes = Examples(table), np.array([0, 1])
    one, many = (Player(copy.deepcopy(learner), classes) for _ in range(2))
    row, _ = one.row(examples)
    for t in range(60):
        one.teach(row(t), int(labels[t]))
    many.teach_rows(examples, 0, 0, labels)
    assert not many.known
    many.teach_rows(examples, 0, 25, labels)
    many.teach_rows(examples, 25, 60, labels)
    assert one.answers(examples, 0, 60).tolist() == many.answers(examples, 0, 60).tolist()


def test_dicts_for_learners_of_both_kinds():
    rows = [{"a": 1.0}, {"b": 1.0}, {"a": 1.0, "b": 1.0}]
    for learner in (Majority(), Perceptron()):
        player = Player(learner, np.array(["no", "yes"]))
        player.teach_rows(Examples(rows), 0, 3, np.array(["yes", "no", "yes"]))
        assert player.ask(rows[0]) == "yes"
        assert player.answers(Examples(rows), 0, 3).shape == (3,)
    majority = Majority()
    table = Examples(pd.DataFrame({"x": [1, 2]}))
    Player(majority, np.array([0, 1])).teach_rows(table, 1, 2, np.array([0, 1]))
    assert majority.seen == [{"x": 2}]


def test_a_hypothesis_stays_as_it_was():
    rng = np.random.default_rng(2)
    table, classes = rng.normal(size=(40, 3)), np.array([0, 1])
    labels = (table[:, 0] > 0).astype(int)
    for learner in (Perceptron(), SGDClassifier(random_state=0)):
        player, examples = Player(learner, classes), Examples(table)
        player.teach_rows(examples, 0, 10, labels)
        still, before = player.hypothesis(examples), player.answers(examples, 0, 40).tolist()
        weights = still.coef_.tobytes()
        player.teach_rows(examples, 10, 40, 1 - labels)
        assert still.predict(table).tolist() == before
        assert still.coef_.tobytes() == weights != player.learner.coef_.tobytes()


def test_a_hypothesis_can_be_asked_but_not_taught():
    still = Still(Perceptron().fit(X, [0, 1, 0, 1]))
    assert still.predict_one(X[0]) == still.predict(X[:1])[0]
    assert still.classes_.tolist() == [0, 1]
    for name in ("fit", "partial_fit", "learn_one", "record_", "guarantees", "certificate"):
        assert not hasattr(still, name)
    again = copy.deepcopy(still)
    assert again.predict(X).tolist() == still.predict(X).tolist()
