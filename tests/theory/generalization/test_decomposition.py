"""Decompositions of an error, on distributions small enough to enumerate."""

import itertools
import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.generalization.decomposition import bias_variance, error_decomposition

parts = st.fractions(0, 1, max_denominator=1000)
reals = st.fractions(-50, 50, max_denominator=20)
laws = st.lists(reals, min_size=1, max_size=5)


def mean(values) -> Fraction:
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def variance(values) -> Fraction:
    centre = mean(values)
    return mean((value - centre) ** 2 for value in values)


def sources(outcomes, predictions) -> tuple[Fraction, Fraction, Fraction]:
    """Noise, bias and variance of equally likely outcomes and predictions."""
    bias = mean(outcomes) - mean(predictions)
    return variance(outcomes), bias, variance(predictions)


# Noise, bias and variance.


def test_fair_coins_of_zero_or_two_and_zero_or_three():
    assert sources([0, 2], [0, 3]) == (1, Fraction(-1, 2), Fraction(9, 4))
    assert bias_variance(*sources([0, 2], [0, 3])) == 3.5


@settings(max_examples=100)
@given(laws, laws)
def test_the_sources_add_up(outcomes, predictions):
    error = mean((y - a) ** 2 for y, a in itertools.product(outcomes, predictions))
    noise, bias, spread = sources(outcomes, predictions)
    assert error == noise + bias**2 + spread
    ours = bias_variance(noise, bias, spread)
    assert Fraction(ours) >= error
    assert ours == pytest.approx(float(error), rel=1e-15)


def test_they_do_not_when_the_outcome_was_in_the_sample():
    # The learner repeats the outcome it is tested on: no error, yet both spread.
    assert bias_variance(*sources([0, 2], [0, 2])) == 2.0 != mean((y - y) ** 2 for y in (0, 2))


def test_they_do_not_when_the_bias_is_not_squared():
    noise, bias, spread = sources([0, 2], [0, 3])
    assert noise + bias + spread != Fraction(7, 2)


@given(st.floats(0, 1e6), st.floats(0, 1e3), st.floats(0, 1e6), st.floats(0, 10))
def test_monotone(noise, bias, spread, step):
    error = bias_variance(noise, bias, spread)
    assert bias_variance(noise + step, bias, spread) >= error
    assert bias_variance(noise, bias + step, spread) >= error
    assert bias_variance(noise, bias, spread + step) >= error
    assert bias_variance(noise, -bias, spread) == error


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ((-1, 0, 0), "noise must be a finite number, zero or more, but is -1."),
        ((0, math.inf, 0), "bias must be a finite number, but is inf."),
        ((0, True, 0), "bias must be a finite number, but is True."),
        ((0, 0, math.nan), "variance must be a finite number, zero or more, but is nan."),
    ],
)
def test_refusals_of_the_sources(inputs, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        bias_variance(*inputs)


# Approximation and estimation.


@settings(max_examples=100)
@given(st.lists(parts, min_size=1, max_size=6), st.data())
def test_the_estimation_error_is_the_rest(errors, data):
    """Any hypothesis of a class, by any rule: what it lacks to the best is never negative."""
    chosen = data.draw(st.sampled_from(errors))
    estimation = error_decomposition(chosen, min(errors))
    assert estimation >= 0
    assert Fraction(estimation) >= chosen - min(errors)
    assert min(errors) + Fraction(estimation) == pytest.approx(float(chosen), rel=1e-15, abs=1e-16)


def test_the_wrong_best_is_refused():
    sentence = "best must be at most the error 0.1, but is 0.2."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        error_decomposition(error=0.1, best=0.2)


@given(parts, parts, parts)
def test_monotone_in_both(a, b, c):
    low, middle, high = sorted((a, b, c))
    assert error_decomposition(middle, low) <= error_decomposition(high, low)
    assert error_decomposition(high, middle) <= error_decomposition(high, low)


@pytest.mark.parametrize("value", [-0.1, 1.5, math.nan, math.inf, True])
def test_errors_are_parts(value):
    for name, inputs in (("error", (value, 0)), ("best", (1, value))):
        sentence = f"{name} must be a number between 0 and 1, but is {value!r}."
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            error_decomposition(*inputs)
