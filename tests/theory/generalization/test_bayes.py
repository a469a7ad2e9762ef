"""Bayes rules, against every other rule on small tables."""

import itertools
import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.generalization.bayes import bayes_classifier_error, bayes_regressor

weights = st.integers(0, 9)
tables = st.lists(st.lists(weights, min_size=3, max_size=3).filter(any), min_size=1, max_size=3)
outcomes = st.lists(st.fractions(-5, 5, max_denominator=8), min_size=3, max_size=3)


# Classification.


def error_of(rule, table) -> Fraction:
    """The error of a rule that says a class for every row."""
    right = sum(row[said] for row, said in zip(table, rule, strict=True))
    return 1 - Fraction(right, sum(map(sum, table)))


@settings(max_examples=100)
@given(tables)
def test_no_rule_errs_less_and_one_errs_as_little(table):
    ours = bayes_classifier_error(table)
    errors = [error_of(rule, table) for rule in itertools.product(range(3), repeat=len(table))]
    assert Fraction(ours) >= min(errors)
    assert ours == pytest.approx(float(min(errors)), rel=1e-15, abs=1e-300)


def test_the_most_frequent_class_alone_errs_more():
    table = [[3, 1], [1, 3]]
    columns = list(zip(*table, strict=True))
    constant = 1 - Fraction(max(map(sum, columns)), 8)
    assert bayes_classifier_error(table) == 0.25 < constant


def test_seven_against_three():
    assert bayes_classifier_error([[0.7, 0.3]]) == pytest.approx(0.3, rel=1e-15)
    assert Fraction(bayes_classifier_error([[0.7, 0.3]])) >= Fraction(3, 10)


@given(tables, st.integers(1, 1000))
def test_weights_are_divided_by_their_sum(table, scale):
    scaled = [[Fraction(w, scale) for w in row] for row in table]
    assert bayes_classifier_error(scaled) == bayes_classifier_error(table)
    assert bayes_regressor(scaled, [0, 1, 2]) == bayes_regressor(table, [0, 1, 2])


@given(tables, st.data())
def test_a_finer_view_never_errs_more(table, data):
    """Telling one value of x from another can only help."""
    row = table[0]
    some = [data.draw(st.integers(0, w)) for w in row]
    rest = [w - s for w, s in zip(row, some, strict=True)]
    assert bayes_classifier_error([some, rest, *table[1:]]) <= bayes_classifier_error(table)


# Regression.


def square_error(rule, table, values) -> Fraction:
    cells = (
        w * (y - said) ** 2
        for row, said in zip(table, rule, strict=True)
        for w, y in zip(row, values, strict=True)
    )
    return sum(cells, Fraction(0))


@settings(max_examples=100)
@given(tables, outcomes, st.fractions(-3, 3, max_denominator=16).filter(bool))
def test_moving_any_prediction_errs_more(table, values, step):
    exact = [
        sum(w * y for w, y in zip(row, values, strict=True)) / Fraction(sum(row)) for row in table
    ]
    assert bayes_regressor(table, values) == [float(mean) for mean in exact]
    least = square_error(exact, table, values)
    for i in range(len(table)):
        moved = [*exact[:i], exact[i] + step, *exact[i + 1 :]]
        assert square_error(moved, table, values) > least


def test_the_mean_over_all_rows_errs_more():
    table, values = [[3, 1], [1, 3]], [0, 2]
    best = [Fraction(m) for m in bayes_regressor(table, values)]
    assert best == [Fraction(1, 2), Fraction(3, 2)]
    assert square_error([Fraction(1)] * 2, table, values) > square_error(best, table, values)


def test_with_centred_noise_it_is_the_function_itself():
    # y = F(x) + noise of -1, 0 or 1, at F = 2 and F = 5.
    table = [[1, 2, 1, 0, 0, 0], [0, 0, 0, 3, 1, 3]]
    assert bayes_regressor(table, [1, 2, 3, 4, 5, 6]) == [2.0, 5.0]


# Refusals.


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ([[1, -1]], "table[0][1] must be a finite number, zero or more, but is -1."),
        ([[1, math.nan]], "table[0][1] must be a finite number, zero or more, but is nan."),
        ([[1, math.inf]], "table[0][1] must be a finite number, zero or more, but is inf."),
        ([[True, 1]], "table[0][0] must be a finite number, zero or more, but is True."),
        ([[1, 2], [3]], "table must be rows of one length, at least 1, but is [[1, 2], [3]]."),
        ([], "table must be rows of one length, at least 1, but is []."),
        ([[]], "table must be rows of one length, at least 1, but is [[]]."),
        ([1, 2], "table[0] must be a sequence of numbers, but is 1."),
        (7, "table must be a sequence of rows, but is 7."),
    ],
)
def test_refusals_of_a_table(table, sentence):
    for call in (bayes_classifier_error, lambda t: bayes_regressor(t, [0, 1])):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            call(table)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: bayes_classifier_error([[0, 0]]),
            "table must be weights of which at least one is above zero, but is [[0, 0]].",
        ),
        (
            lambda: bayes_regressor([[1, 1], [0, 0]], [0, 1]),
            "table[1] must be a row with a weight above zero, but is [0.0, 0.0].",
        ),
        (
            lambda: bayes_regressor([[1, 1]], [0]),
            "outcomes must be one value for each column of the table, 2 numbers, but is [0].",
        ),
        (
            lambda: bayes_regressor([[1, 1]], [0, math.inf]),
            "outcomes[1] must be a finite number, but is inf.",
        ),
    ],
)
def test_refusals(call, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        call()
