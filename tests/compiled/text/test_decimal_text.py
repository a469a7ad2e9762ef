from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.compiled.text.decimal_text import nearest, read_float


def read(text: str):
    """Whether the number was read, its value, and what stands behind it."""
    signs = np.frombuffer(text.encode() + b"\n", np.uint8)
    good, value, place = read_float(signs, np.uint64(0))
    return good, value, text[int(place) :]


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def assert_as_float(text: str):
    good, value, rest = read(text)
    assert good
    assert rest == ""
    assert bits(value) == bits(float(text)), text


numerals = st.builds(
    lambda sign, whole, part, power: f"{sign}{whole}{part}{power}",
    st.sampled_from(["", "-", "+"]),
    st.from_regex(r"[0-9]{1,30}", fullmatch=True),
    st.from_regex(r"(\.[0-9]{0,30})?", fullmatch=True),
    st.from_regex(r"([eE][-+]?[0-9]{1,3})?", fullmatch=True),
)


@settings(max_examples=800)
@given(numerals)
@example("-0")
@example("0e999")
@example("000000000000000000000000000000.00000000000000000000012")
@example("1e-400")
@example("12345678901234567890123456789e-380")
def test_numerals_are_read_as_float_reads_them(text):
    good, value, rest = read(text)
    assert rest == ""
    if good:
        assert bits(value) == bits(float(text))
    else:
        # Left to float(): too large, or many digits next to the middle of two floats.
        digits = text.lower().split("e")[0].replace(".", "").lstrip("+-0")
        assert math.isinf(float(text)) or len(digits) > 19


@settings(max_examples=800)
@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(2.2250738585072011e-308)
@example(2.2250738585072014e-308)
@example(1.7976931348623157e308)
def test_every_float_comes_back(number):
    for text in (repr(number), f"{number:.17g}", f"{number:.17e}", f"{number:.6g}"):
        assert_as_float(text)


@settings(max_examples=500)
@given(st.integers(0, 2**64 - 1), st.integers(-360, 320))
def test_whole_times_power_of_ten(whole, power):
    sure, value = nearest(np.uint64(whole), power)
    if sure:
        assert bits(value) == bits(float(f"{whole}e{power}"))
    else:
        assert math.isinf(float(f"{whole}e{power}"))


@settings(max_examples=500)
@given(st.integers(1, 2**53 - 1), st.integers(-60, 60))
def test_the_middle_of_two_floats(mantissa, shift):
    """Exactly between two floats, and a hair beside it: the hardest numbers to round."""
    middle = (2 * mantissa + 1) * 10**400
    middle = middle << shift if shift >= 0 else middle >> -shift
    for text in (f"{middle}e-400", f"{middle - 1}e-400", f"{middle + 1}e-400"):
        good, value, _ = read(text)
        assert not good or bits(value) == bits(float(text))


def test_known_hard_cases():
    for text in (
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740995e0",
        "1.00000000000000011102230246251565404236316680908203125",
        "2.4703282292062328e-324",
        "2.4703282292062327e-324",
        "7.2057594037927933e16",
        "6.02214076e23",
        "1e22",
        "1e23",
        "8.5e22",
        "0.000001",
    ):
        good, value, _ = read(text)
        assert not good or bits(value) == bits(float(text)), text
    assert_as_float("9007199254740993")


@pytest.mark.parametrize(
    "text", ["", "-", "+", ".", "-.", "e5", "x", "nan", "inf", "1e", "1e+", "1e-x", "1e999"]
)
def test_what_is_left_to_others(text):
    assert not read(text)[0]


@pytest.mark.parametrize(
    ("text", "value", "rest"),
    [("1 ", 1.0, " "), ("5.", 5.0, ""), (".5", 0.5, ""), ("1:2", 1.0, ":2"), ("1_0", 1.0, "_0")],
)
def test_where_a_number_ends(text, value, rest):
    assert read(text) == (True, value, rest)


def test_the_check_can_fail():
    """Dividing by powers of ten one after the other, as is often done, misses the nearest float."""

    def naive(digits: str, power: int) -> float:
        return int(digits) * 10.0**power

    texts = [(str(k), -23) for k in range(1, 200)]
    wrong = [t for t in texts if naive(*t) != float(f"{t[0]}e{t[1]}")]
    assert wrong
    for digits, power in texts:
        assert_as_float(f"{digits}e{power}")
