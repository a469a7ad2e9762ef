"""A finite distribution: its draws, its best rules, its refusals."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.data.synthetic import JointTable
from assay.errors import BadData, BadParameter
from assay.theory.generalization.bayes import bayes_classifier_error, bayes_regressor

TABLES = st.lists(
    st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), min_size=1, max_size=4
)


@settings(max_examples=50)
@given(TABLES)
def test_the_best_rules_are_those_of_the_theorems(table):
    source = JointTable(table, labels=[-1, 0, 2])
    assert source.bayes_error == pytest.approx(bayes_classifier_error(table), abs=1e-15)
    np.testing.assert_allclose(source.mean(source.points), bayes_regressor(table, [-1, 0, 2]))
    rule = source.bayes_rule(source.points)
    right = sum(row[[-1, 0, 2].index(label)] for row, label in zip(table, rule, strict=True))
    assert 1 - right / sum(map(sum, table)) == pytest.approx(source.bayes_error)


def test_no_rule_is_better_than_the_best():
    source = JointTable([[3, 1, 2], [1, 1, 5]])
    chances = source.probabilities(source.points)
    errors = [1 - source.mass @ [chances[0, a], chances[1, b]] for a in range(3) for b in range(3)]
    assert min(errors) == pytest.approx(source.bayes_error)
    assert sorted(errors)[1] > source.bayes_error


def test_draws_have_the_frequencies_of_the_table():
    source = JointTable([[6, 2], [1, 1]], points=[[0.0, 1.0], [2.0, 3.0]], labels=["a", "b"])
    X, y = source.sample(20_000, random_state=1)
    first = X[:, 0] == 0
    assert first.mean() == pytest.approx(0.8, abs=0.02)
    assert (y[first] == "a").mean() == pytest.approx(0.75, abs=0.02)
    again = source.outcomes(X[first], random_state=2)
    assert (again == "a").mean() == pytest.approx(0.75, abs=0.02)
    same = source.sample(20_000, random_state=1)
    assert same[0].tobytes() == X.tobytes()


def test_mean_and_variance():
    source = JointTable([[1, 1], [1, 3]], labels=[0, 2])
    assert source.mean(source.points).tolist() == [1.0, 1.5]
    assert source.variance(source.points).tolist() == [1.0, 0.75]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"table": [[0, 0], [1, 1]]},
            "table must be rows of finite weights, zero or more, with one above zero in each, but is [[0, 0], [1, 1]].",
        ),
        (
            {"table": [[1, -1]]},
            "table must be rows of finite weights, zero or more, with one above zero in each, but is [[1, -1]].",
        ),
        (
            {"table": [[1, 1]], "points": [[1.0], [2.0]]},
            "points must be 1 rows of features, but is [[1.0], [2.0]].",
        ),
        (
            {"table": [[1, 1], [1, 1]], "points": [[0.0], [-0.0]]},
            "points must be rows that are all different, but is [[0.0], [-0.0]].",
        ),
        (
            {"table": [[1, 1]], "labels": ["a", "a"]},
            "labels must be 2 different labels, but is ['a', 'a'].",
        ),
    ],
)
def test_refusals(arguments, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        JointTable(**arguments)


def test_rows_of_another_distribution():
    source = JointTable([[1, 1], [1, 1]])
    with pytest.raises(
        BadData, match=r"^X must hold rows of the distribution, but row 1 is \[2\.0\]\.$"
    ):
        source.mean([[0], [2]])
    with pytest.raises(
        BadData, match=r"^X must have 1 features in each row, but has the shape \(1, 2\)\.$"
    ):
        source.mean([[0, 1]])
