"""The forty gamblers: their bets, what they own in many digits, and where a mean is excluded."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.tail.nonnegative_mean import MOST_VALUES, NonnegativeMean, bets

LEVEL = Fraction(1, 20)
histograms = st.lists(st.tuples(st.floats(0, 1e6), st.integers(1, 2000)), min_size=1, max_size=8)


def root(histogram, level: Fraction) -> mpmath.mpf:
    """The largest mean at which the gamblers own 1 / level, to forty digits; written from the formula."""
    with mpmath.workdps(50):
        shares = [
            mpmath.floor(mpmath.mpf(504) ** (mpmath.mpf(j) / 39) / 512 * 2**30) / 2**30
            for j in range(40)
        ]
        need = mpmath.mpf(level.denominator) / level.numerator

        def wealth(m):
            own = [
                mpmath.fprod((1 - c + c * mpmath.mpf(y) / m) ** n for y, n in histogram)
                for c in shares
            ]
            return mpmath.fsum(own) / 40

        low, high = mpmath.mpf(0), mpmath.mpf(max(y for y, _ in histogram))
        for _ in range(160):
            middle = (low + high) / 2
            low, high = (middle, high) if wealth(middle) >= need else (low, middle)
        return low


def test_the_bets_rise_in_equal_ratios():
    shares = np.array(bets())
    assert np.diff(np.log(shares)) == pytest.approx(np.full(39, math.log(504) / 39), rel=1e-4)
    assert all((share * 2**30).is_integer() for share in shares)


@pytest.mark.parametrize(
    "histogram",
    [[(5, 60), (0, 940)], [(0.25, 300), (1.5, 7), (180, 2), (0, 4000)], [(1e-3, 10), (2e-3, 10)]],
)
@pytest.mark.parametrize("level", [LEVEL, Fraction(1, 10**6)])
def test_the_largest_mean_that_is_excluded(histogram, level):
    got, true = NonnegativeMean(histogram, level).at_least(), root(histogram, level)
    assert true * (1 - mpmath.mpf(10) ** -12) <= got <= true


@given(histograms, st.floats(1e-9, 0.5))
@settings(max_examples=40, deadline=None)
def test_what_is_promised_is_excluded_again_and_is_no_more_than_the_mean(histogram, level):
    mean = NonnegativeMean(histogram, Fraction(level))
    got = mean.at_least()
    assert got == 0.0 or mean.excludes(Fraction(got))
    total = sum(n for _, n in histogram)
    assert got <= sum(y * n for y, n in histogram) / total * (1 + 1e-12)
    # Values in another unit give the mean in that unit; more of the same give no less.
    doubled = NonnegativeMean([(y * 2, n) for y, n in histogram], Fraction(level)).at_least()
    assert doubled == pytest.approx(2 * got, rel=1e-9)
    more = NonnegativeMean([(y, 4 * n) for y, n in histogram], Fraction(level)).at_least()
    assert more >= got * (1 - 1e-9)


def test_zeros_alone_exclude_nothing():
    mean = NonnegativeMean([(0, 1000)], LEVEL)
    assert mean.at_least() == 0
    assert not mean.excludes(Fraction(0))
    assert not mean.excludes(Fraction(1, 10**9))


def test_shares_of_rounds_are_taken_as_they_are():
    whole = NonnegativeMean([(1, 10), (0, 10)], LEVEL).at_least()
    shared = NonnegativeMean([(1, "9.5"), (1, "0.5"), (0, 10)], LEVEL).at_least()
    assert shared == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize(
    ("histogram", "sentence"),
    [
        ([], "returns must be at least one round"),
        ("many", "returns must be a sequence"),
        ([(1, 2, 3)], r"returns\[0\] must be a sequence"),
        ([(-1, 2)], r"returns\[0\]\[0\] must be"),
        ([(1, 0)], r"returns\[0\]\[1\] must be"),
        ([(math.inf, 1)], r"returns\[0\]\[0\] must be"),
        ([(1e301, 1)], "returns must be numbers below 1e300"),
        ([(1, 10**9), (2, 1)], "returns must be of at most 1,000,000,000 rounds"),
        ([(1, 1)] * (MOST_VALUES + 1), "returns must be at most 4,096 values"),
    ],
)
def test_refusals(histogram, sentence):
    with pytest.raises(BadParameter, match=f"^{sentence}"):
        NonnegativeMean(histogram, LEVEL)
