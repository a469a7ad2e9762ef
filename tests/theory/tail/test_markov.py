"""Markov's inequality, forwards and backwards, on arbitrary finite distributions."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.tail.markov import markov, reverse_markov
from tests.refusals import NONNEGATIVE, NOT_NONNEGATIVE, NOT_POSITIVE, POSITIVE, assert_refuses_all

parts = st.fractions(0, 1, max_denominator=1000)
inner = st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=1000)
laws = st.lists(st.tuples(parts, st.integers(1, 9)), min_size=1, max_size=6)


def mean_and_chance(law, threshold) -> tuple[Fraction, Fraction]:
    """The mean of a finite distribution, and the probability of exceeding a threshold."""
    total = sum(weight for _, weight in law)
    mean = sum(value * weight for value, weight in law) / total
    return mean, Fraction(sum(weight for value, weight in law if value > threshold), total)


def test_a_quarter_on_average_exceeds_an_eighth_one_time_in_seven():
    assert reverse_markov(mean="1/4", gap="7/8") == pytest.approx(1 / 7, rel=1e-15)


def test_nothing_is_said_by_a_small_mean():
    assert reverse_markov(mean=0, gap=0.5) == -1.0


@settings(max_examples=50)
@given(parts, inner)
def test_never_above_the_formula(mu, a):
    exact = (mu - (1 - a)) / a
    ours = reverse_markov(mu, a)
    assert Fraction(ours) <= exact
    assert ours == pytest.approx(float(exact), rel=1e-15, abs=1e-300)


@settings(max_examples=50)
@given(parts, parts, inner, inner)
def test_monotone(mu, nu, a, b):
    assert reverse_markov(min(mu, nu), a) <= reverse_markov(max(mu, nu), a)
    assert reverse_markov(mu, min(a, b)) <= reverse_markov(mu, max(a, b))


@settings(max_examples=200)
@given(laws, inner)
def test_never_broken(law, a):
    mean, chance = mean_and_chance(law, 1 - a)
    assert chance >= Fraction(reverse_markov(mean, a))


@given(inner)
def test_met_with_equality(a):
    law = [(1 - a, 3), (Fraction(1), 1)]
    mean, chance = mean_and_chance(law, 1 - a)
    assert chance == (mean - (1 - a)) / a
    assert chance == pytest.approx(reverse_markov(mean, a), rel=1e-15)


def test_a_strict_inequality_would_be_broken():
    mean, chance = mean_and_chance([(Fraction(1), 1)], Fraction(1, 2))
    assert not chance > reverse_markov(mean, 0.5)


def test_dividing_by_a_smaller_gap_would_be_broken():
    law, a = [(Fraction(1, 2), 1), (Fraction(1), 1)], Fraction(1, 2)
    mean, chance = mean_and_chance(law, 1 - a)
    assert chance < (mean - (1 - a)) / (a / 2)


@pytest.mark.parametrize("mean", [-0.1, 1.1, math.nan, math.inf, True, "x"])
def test_the_mean_is_a_part(mean):
    sentence = f"mean must be a number between 0 and 1, but is {mean!r}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        reverse_markov(mean, 0.5)


@pytest.mark.parametrize("gap", [0, 1, -0.1, math.nan, math.inf, False])
def test_the_gap_is_inside(gap):
    sentence = f"gap must be a number strictly between 0 and 1, but is {gap!r}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        reverse_markov(0.5, gap)


@settings(max_examples=200)
@given(laws, inner)
def test_forwards_never_broken(law, a):
    mean, above = mean_and_chance(law, a)
    met = Fraction(sum(w for value, w in law if value == a), sum(w for _, w in law))
    assert above + met <= Fraction(markov(mean, a))


def test_forwards_met_with_equality_and_broken_by_half():
    mean, _ = mean_and_chance([(Fraction(0), 3), (Fraction(1, 2), 1)], Fraction(1, 2))
    assert markov(mean, 0.5) == 0.25  # the chance of 1/2 or more
    assert not markov(mean, 0.5) / 2 >= 0.25


def test_forwards_refuses():
    good = {"mean": 0.1, "above": 0.2}
    assert_refuses_all(markov, good, "mean", NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(markov, good, "above", POSITIVE, NOT_POSITIVE)
