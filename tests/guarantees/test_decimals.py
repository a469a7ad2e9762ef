from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from assay.guarantees.decimals import decimal_above, decimal_ratio, decimal_text


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_decimal_above_is_not_below_and_reads_back(value):
    text = decimal_above(value)
    assert Fraction(text) >= Fraction(value)
    assert float(text) == value


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_decimal_ratio_is_the_nearest_of_seventeen_digits(top, bottom):
    exact = Fraction(top, bottom)
    assert abs(Fraction(decimal_ratio(top, bottom)) - exact) <= exact / 10**16


@given(st.floats(min_value=1e-320, max_value=1.0))
def test_decimal_text_loses_nothing(value):
    assert float(decimal_text(value)) == value
    assert decimal_text(decimal_text(value)) == decimal_text(value)


def test_whole_numbers_have_no_point():
    assert decimal_above(1.0) == "1"
    assert decimal_ratio(0, 7) == "0"
    assert decimal_text("0.0500") == "0.05"
    assert decimal_text("1e-40") == "1E-40"
