from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.needs import count, inside_unit, nonnegative, positive, real, unit
from assay.theory.rounding import as_fraction
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NONNEGATIVE,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    NOT_NONNEGATIVE,
    NOT_NUMBERS,
    NOT_POSITIVE,
    POSITIVE,
    refuses,
)

READERS = [
    (real, "a finite number", NOT_NUMBERS),
    (positive, POSITIVE, NOT_POSITIVE),
    (nonnegative, NONNEGATIVE, NOT_NONNEGATIVE),
    (inside_unit, INSIDE_UNIT, NOT_INSIDE_UNIT),
    (unit, "a number between 0 and 1", [*NOT_NUMBERS, -1e-300, 1.0000000000000002, 2]),
    (count, COUNT, NOT_COUNTS),
]


@pytest.mark.parametrize(("reader", "must", "values"), READERS)
def test_bad_values_are_refused_with_the_whole_sentence(reader, must, values):
    for value in values:
        with refuses(f"margin must be {must}, but is {value!r}."):
            reader("margin", value)


def test_count_names_the_least_number():
    for value in NOT_COUNTS_FROM_ONE:
        with refuses(f"rows must be {COUNT_FROM_ONE}, but is {value!r}."):
            count("rows", value, at_least=1)
    with refuses("rows must be a whole number of at least 3, but is 2."):
        count("rows", 2, at_least=3)


@pytest.mark.parametrize(
    "half", [0.5, "0.5", "1/2", "5e-1", Fraction(1, 2), Decimal("0.5"), np.float64(0.5)]
)
def test_every_way_to_write_one_half_is_read_as_one_half(half):
    for reader in (real, positive, nonnegative, inside_unit, unit):
        read = reader("margin", half)
        assert read.low == read.high == Fraction(1, 2)


@pytest.mark.parametrize("seven", [7, 7.0, "7", Fraction(7), np.int64(7), np.uint8(7)])
def test_every_way_to_write_seven_counts_as_a_plain_integer(seven):
    assert count("rows", seven) == 7
    assert type(count("rows", seven)) is int


def test_numpy_integers_do_not_overflow():
    assert count("rows", np.int64(2**62)) ** 2 == 2**124
    assert (positive("rows", np.int64(2**62)) ** 2).low == 2**124


def test_ends_of_the_ranges():
    assert nonnegative("loss", 0).low == 0
    assert (unit("rate", 0).low, unit("rate", 1).low) == (0, 1)
    assert positive("margin", 5e-324).low > 0
    assert count("rows", 10**400) == 10**400


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_read_as_the_decimals_they_print_as(x):
    read = real("margin", x)
    assert read.low == read.high == Fraction(repr(x)) == as_fraction(x)
    assert float(read.low) == x


def test_text_with_an_absurd_exponent_is_refused_at_once():
    for text in ("1e999999999", "1e-999999999", "1E+100001"):
        with refuses(f"margin must be {POSITIVE}, but is {text!r}."):
            positive("margin", text)
    assert positive("margin", "1e400").low == 10**400


def test_how_a_value_was_tried_is_not_told():
    with pytest.raises(BadParameter) as refused:
        inside_unit("delta", "nan")
    assert refused.value.__suppress_context__
