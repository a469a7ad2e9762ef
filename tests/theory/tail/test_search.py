"""The smallest double at which a condition holds, from any guess."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory.tail.search import smallest_double, smallest_whole

inside = st.floats(1e-300, 1.0)


@given(inside, inside)
def test_finds_the_very_double_from_any_guess(answer, guess):
    assert smallest_double(lambda x: x >= answer, 0.0, 1.0, guess) == answer


@given(st.floats(0.01, 0.99), inside)
def test_never_leaves_the_interval(answer, guess):
    low, high = answer / 2, (answer + 1) / 2

    def holds(x: float) -> bool:
        assert low < x <= high
        return x >= answer

    assert smallest_double(holds, low, high, guess) == answer


def test_root_of_two():
    root = smallest_double(lambda x: x * x >= 2.0, 0.0, 2.0, 1.4142)
    assert root == math.nextafter(1.414213562373095, 2.0)
    assert root * root >= 2.0 > math.nextafter(root, 0.0) ** 2


@pytest.mark.parametrize("guess", [5e-324, 1e-310, 0.5, 1.0, 2.0, -1.0])
def test_ends_of_the_doubles(guess):
    assert smallest_double(lambda x: True, 0.0, 1.0, guess) == 5e-324
    assert smallest_double(lambda x: x >= 1.0, 0.0, 1.0, guess) == 1.0
    assert smallest_double(lambda x: x >= 5e-320, 0.0, 1.0, guess) == 5e-320


def test_nothing_between_the_ends():
    low = 0.25
    high = math.nextafter(low, 1.0)
    assert smallest_double(lambda x: x >= high, low, high, 0.9) == high


def test_a_good_guess_is_cheap():
    calls = []

    def holds(x: float) -> bool:
        calls.append(x)
        return x >= 0.3

    smallest_double(holds, 0.0, 1.0, 0.3)
    assert len(calls) == 2
    calls.clear()
    smallest_double(holds, 0.0, 1.0, 0.3 + 3 * math.ulp(0.3))
    assert len(calls) <= 6
    calls.clear()
    smallest_double(holds, 0.0, 1.0, 0.9)
    assert len(calls) < 120


@given(st.integers(0, 50), st.integers(1, 10**12), st.integers(0, 10**12))
def test_the_smallest_whole_number(low, width, place):
    first = low + 1 + place % width
    assert smallest_whole(lambda n: n >= first, low, low + width) == first
