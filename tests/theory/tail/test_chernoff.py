"""Chernoff's lower tail against exact binomials."""

import math
import re
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.tail.chernoff import chernoff_lower_tail

GRID = [(n, Fraction(p, 20)) for n in (1, 2, 5, 10, 23, 59) for p in range(1, 21)]
GRID.append((400, Fraction(1, 10)))


def test_minority_of_eleven_voters():
    # Eleven voters, each right with probability 0.6: at most five are right.
    assert chernoff_lower_tail(expected=6.6, at_most=5) == pytest.approx(0.823708, rel=1e-6)


def test_ends():
    assert chernoff_lower_tail(expected=7, at_most=7) == 1.0
    assert chernoff_lower_tail(expected=10**9, at_most=0) == 5e-324


@settings(max_examples=50)
@given(st.floats(1e-3, 1e4), st.floats(0, 1))
def test_never_below_the_formula(mu, part):
    k = Fraction(repr(mu)) * Fraction(repr(part))
    with mpmath.workdps(50):
        m, low = mpmath.mpf(repr(mu)), mpmath.mpf(k.numerator) / k.denominator
        exact = mpmath.exp(-((m - low) ** 2) / (2 * m))
        ours = chernoff_lower_tail(mu, k)
        assert exact * (1 - mpmath.mpf("1e-40")) <= ours
        assert ours <= exact * (1 + mpmath.mpf("1e-12")) + 5e-324


@settings(max_examples=50)
@given(st.integers(1, 500), st.integers(0, 500), st.integers(0, 50))
def test_monotone(mu, k, step):
    if k + step <= mu:
        assert chernoff_lower_tail(mu, k) <= chernoff_lower_tail(mu, k + step)
    if k <= mu:
        assert chernoff_lower_tail(mu + step, k) <= chernoff_lower_tail(mu, k)


@pytest.mark.parametrize(
    ("expected", "at_most", "sentence"),
    [
        (0, 0, "expected must be a finite number above zero, but is 0."),
        (math.nan, 0, "expected must be a finite number above zero, but is nan."),
        (math.inf, 0, "expected must be a finite number above zero, but is inf."),
        (True, 0, "expected must be a finite number above zero, but is True."),
        (2, -1, "at_most must be a finite number, zero or more, but is -1."),
        (2, 2.5, "at_most must be at most the expected sum 2, but is 2.5."),
    ],
)
def test_refusals(expected, at_most, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        chernoff_lower_tail(expected, at_most)


def breaks(bound) -> int:
    """Binomials whose exact lower tail exceeds a claimed one."""
    broken = 0
    for n, p in GRID:
        tail = Fraction(0)
        for k in range(math.floor(n * p) + 1):
            tail += math.comb(n, k) * p**k * (1 - p) ** (n - k)
            broken += tail > Fraction(bound(n * p, k))
    return broken


def test_bounds_every_binomial():
    assert breaks(chernoff_lower_tail) == 0


def test_without_the_two_it_would_not():
    assert breaks(lambda mu, k: math.exp(-float((mu - k) ** 2 / mu))) > 0
