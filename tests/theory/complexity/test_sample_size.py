"""The smallest sample that satisfies m >= needed(m)."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import NoNumber
from assay.theory.complexity.growth import sauer_growth
from assay.theory.complexity.sample_size import smallest_rows
from assay.theory.rounding import Enclosure, log2


def scanned(needed) -> int:
    m = 1
    while m < needed(m):
        m += 1
    return m


@given(st.floats(0.1, 50), st.floats(0, 100))
@settings(max_examples=50, deadline=None)
def test_is_the_first_size_found_by_scanning(slope, start):
    def needed(m):
        return Fraction(1 + start + slope * math.log(m))

    assert smallest_rows(needed) == scanned(needed)


@given(st.integers(0, 4), st.integers(2, 10))
@settings(max_examples=15, deadline=None)
def test_growth_functions_cross_once(dimension, factor):
    def needed(m):
        return factor * log2(2 * sauer_growth(2 * m, dimension))

    m = smallest_rows(needed)
    assert m == scanned(lambda m: needed(m).high)
    assert all(size >= needed(size).high for size in range(m, m + 50))


def test_constant_right_hand_sides():
    assert smallest_rows(lambda m: 0) == 1
    assert smallest_rows(lambda m: 7) == 7
    assert smallest_rows(lambda m: 7.25) == 8
    assert smallest_rows(lambda m: 10**15) == 10**15


def test_counts_the_upper_end_of_an_enclosure():
    assert smallest_rows(lambda m: Enclosure(Fraction(3), Fraction(5))) == 5


def test_one_row_fewer_is_not_enough():
    def needed(m):
        return 20 * log2(40 * sauer_growth(2 * m, 3))

    m = smallest_rows(needed)
    assert m - 1 < needed(m - 1).high


def test_gives_up_where_no_size_is_enough():
    sentence = "No sample of up to 1000 rows is enough for what was asked."
    with pytest.raises(NoNumber, match=re.escape(sentence)):
        smallest_rows(lambda m: m + 1, at_most=1000)
    assert smallest_rows(lambda m: 999.5, at_most=1000) == 1000
