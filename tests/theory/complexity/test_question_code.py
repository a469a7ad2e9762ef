"""The words for questions: written out bit by bit, read back, and no more of them than Kraft allows."""

import itertools
import math
import re
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.complexity.code_length import kraft_inequality
from assay.theory.complexity.question_code import (
    grouping_description_length,
    short_threshold,
    single_below,
    threshold_description_length,
)

numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)
singles = st.floats(allow_nan=False, allow_infinity=False, width=32)


def gamma(k):
    word = bin(k)[2:]
    return "0" * (len(word) - 1) + word


def read_gamma(bits):
    zeros = bits.index("1")
    return int(bits[: 2 * zeros + 1], 2), bits[2 * zeros + 1 :]


def delta(k):
    word = bin(k)[2:]
    return gamma(len(word)) + word[1:]


def read_delta(bits):
    size, bits = read_gamma(bits)
    return int("1" + bits[: size - 1], 2), bits[size - 1 :]


def words(threshold):
    """Both words for a threshold, as the code is described."""
    raw = struct.unpack("<I", struct.pack("<f", single_below(threshold)))[0]
    yield "0" + format(raw, "032b")
    text = short_threshold(threshold)
    if not math.isinf(threshold):
        sign = text.startswith("-")
        number, _, power = text.lstrip("-").partition("e")
        whole, _, rest = number.partition(".")
        digits, exponent = int(whole + rest), int(power or 0) - len(rest)
        while digits and digits % 10 == 0:
            digits, exponent = digits // 10, exponent + 1
        exponent = exponent if digits else 0
        folded = 2 * exponent + 1 if exponent >= 0 else -2 * exponent
        yield "1" + str(int(sign)) + gamma(folded) + delta(digits + 1)


def read(bits):
    """The threshold at the front of some bits, and what follows."""
    if bits[0] == "0":
        return struct.unpack("<f", struct.pack("<I", int(bits[1:33], 2)))[0], bits[33:]
    sign = -1 if bits[1] == "1" else 1
    folded, bits = read_gamma(bits[2:])
    digits, bits = read_delta(bits)
    exponent = (folded - 1) // 2 if folded % 2 else -folded // 2
    return float(f"{sign * (digits - 1)}e{exponent}"), bits


@given(numbers, st.text("01", max_size=9))
def test_words_are_read_back_from_the_front(threshold, more):
    lengths = []
    for word in words(threshold):
        found, rest = read(word + more)
        assert rest == more
        assert single_below(found) == single_below(threshold)
        lengths.append(len(word))
    shown = threshold_description_length(threshold)
    assert shown == min(33, *lengths)


def test_examples():
    assert [threshold_description_length(t) for t in (0.0, 0.5, 37.5, 2.45)] == [4, 10, 20, 21]
    assert threshold_description_length(math.inf) == 33
    assert threshold_description_length(float(np.float32(math.pi))) == 33


@given(numbers, singles)
def test_cells_cannot_tell_the_difference(threshold, cell):
    below = single_below(threshold)
    assert below <= threshold
    assert (cell <= threshold) == (cell <= below)
    assert (cell <= threshold) == (cell <= float(short_threshold(threshold)))
    assert float(np.float32(below)) == below or math.isinf(below)


def test_all_short_decimals_fit_into_one_code():
    """Kraft's sum over the decimal words of small numbers, and the raw words that share the other half."""
    decimals = {
        "1" + str(s) + gamma(2 * e + 1 if e >= 0 else -2 * e) + delta(m + 1)
        for s, m, e in itertools.product((0, 1), range(200), range(-20, 21))
    }
    assert not any(a != b and b.startswith(a) for a, b in itertools.pairwise(sorted(decimals)))
    assert kraft_inequality(map(len, decimals)) <= 0.5


def test_a_code_without_the_sign_is_caught():
    lengths = [len("1" + gamma(1) + delta(m + 1)) for m in range(50)] * 2  # two signs, one word
    both = [len("1" + s + gamma(1) + delta(m + 1)) for m in range(50) for s in "01"]
    assert kraft_inequality(both) < kraft_inequality(lengths)
    words_ = ["1" + gamma(1) + delta(m + 1) for m in range(5)] * 2
    assert len(set(words_)) < len(words_)


@given(st.integers(2, 12))
def test_groupings(values):
    """As many as there are ways to divide, counted one by one."""
    ways = sum(1 for left in range(1, 2 ** (values - 1)))
    bits = grouping_description_length(values)
    assert 2**bits >= ways
    assert bits == 0 or 2 ** (bits - 1) < ways


@pytest.mark.parametrize("bad", [math.nan, True, "x", None])
def test_refused_thresholds(bad):
    sentence = f"threshold must be a number, but is {bad!r}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        threshold_description_length(bad)


def test_refused_values():
    sentence = "values must be a whole number of at least 2, but is 1."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        grouping_description_length(1)
