"""The top of {1..n}: golden numbers, all samples gone through, and the step of the notes that is twice too large."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from assay.lab import top_of_range
from tests.refusals import refuses


def test_golden_numbers_of_one_draw():
    game = top_of_range(10, random_state=1)
    assert [e.mean for e in game.estimators] == [Fraction(11, 2), 10, 10]
    assert game.holds
    assert game.bias("largest") == Fraction(-9, 2)
    assert game.bias("twice the mean") == 0


def test_the_printed_middle_term_is_twice_the_top():
    printed = 2 * sum(Fraction(2 * x - 1, 10) for x in range(1, 11))
    right = sum(Fraction(2 * x - 1, 10) for x in range(1, 11))
    assert (printed, right) == (20, 10)
    assert top_of_range(10, random_state=0).estimators[1].mean == right


@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 1), (5, 2), (4, 4)])
def test_all_samples_gone_through(n, m):
    rules = (
        max,
        lambda x: Fraction(2 * sum(x), m) - 1,
        lambda x: Fraction(
            max(x) ** (m + 1) - (max(x) - 1) ** (m + 1), max(x) ** m - (max(x) - 1) ** m
        ),
    )
    samples = list(product(range(1, n + 1), repeat=m))
    for estimator, rule in zip(top_of_range(n, m, random_state=0).estimators, rules, strict=True):
        values = [Fraction(rule(x)) for x in samples]
        assert estimator.mean == sum(values) / len(samples)
        square = sum((v - n) ** 2 for v in values) / len(samples)
        assert estimator.error**2 == pytest.approx(float(square), rel=1e-12, abs=1e-12)


def test_the_corrected_largest_varies_least_of_the_two_without_bias():
    _, mean, corrected = top_of_range(100, 10, random_state=0).estimators
    assert mean.mean == corrected.mean == 100
    assert corrected.error < mean.error / 2


def test_a_biased_mean_would_be_seen():
    """The interval that accepts 2X - 1 rejects X and 2X, each of which is wrong on average."""
    seen = top_of_range(10, random_state=2).estimators[1].observed
    assert seen.covers(10.0)
    assert not seen.covers(5.5)
    assert not seen.covers(11.0)


def test_what_it_prints():
    text = str(top_of_range(10, 2, random_state=0))
    assert text.splitlines()[0] == "The top of {1, ..., 10} from 2 uniform draws, 10,000 samples:"
    assert "corrected largest" in text.splitlines()[4]


def test_refusals():
    with refuses("top must be a whole number of at least 1, but is 0."):
        top_of_range(0)
    with refuses("top must be at most 10000, but is 10001."):
        top_of_range(10_001)
    with refuses("trials must be at most 10000 samples of 1000 draws, but is 10001."):
        top_of_range(10, 1000, trials=10_001)
    with refuses("name must be one of largest, twice the mean, corrected largest, but is 'x'."):
        top_of_range(3).bias("x")
