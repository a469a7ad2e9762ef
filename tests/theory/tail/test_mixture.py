"""The search that the progressive bounds share, against sixty digits for any exponents and weights."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from assay.theory.tail import mixture
from assay.theory.tail.integers import MOST_ROWS
from assay.theory.tail.mixture import mixture_bound, read_run
from tests.naive.tails import real
from tests.refusals import refuses


@st.composite
def mixtures(draw):
    size = draw(st.integers(1, 5))
    exponents = [draw(st.floats(1e-3, 10)) for _ in range(size)]
    shares = [draw(st.integers(1, 9)) for _ in range(size)]
    return exponents, [Fraction(share, sum(shares)) for share in shares]


def log_sum(exponents, weights, total, rows, rate):
    terms = [
        real(w) * mpmath.exp(-mpf(x) * real(total)) / (1 - rate * (1 - mpmath.exp(-mpf(x)))) ** rows
        for x, w in zip(exponents, weights, strict=True)
    ]
    return mpmath.log(mpmath.fsum(terms))


@settings(max_examples=60)
@given(mixtures(), st.integers(1, 400), st.fractions(0, 1), st.floats(1e-9, 0.99))
def test_never_below_sixty_digits_and_hardly_above(parts, rows, share, delta):
    total, level = share * rows, Fraction(repr(delta))
    found = mixture_bound(*parts, total, rows, level)
    assert share < found <= 1 or found == share == 1
    with mpmath.workdps(60):
        need = -mpmath.log(real(level))
        if found < 1:
            assert log_sum(*parts, total, rows, mpf(found)) >= need
        below = mpf(math.nextafter(found, 0))
        assert below <= total / rows or log_sum(*parts, total, rows, below) < need + mpf("1e-38")


@settings(max_examples=40)
@given(mixtures(), st.integers(2, 400), st.floats(1e-6, 0.5))
def test_monotone(parts, rows, delta):
    level = Fraction(repr(delta))
    here = mixture_bound(*parts, Fraction(1), rows, level)
    assert here <= mixture_bound(*parts, Fraction(2), rows, level)
    assert here >= mixture_bound(*parts, Fraction(1), rows + 1, level)
    assert here <= mixture_bound(*parts, Fraction(1), rows, level / 2)


def test_terms_too_small_to_matter_are_left_out_on_the_safe_side(monkeypatch):
    parts = [8.0, 1.0, 0.01], [Fraction(1, 3)] * 3
    cases = [
        (Fraction(k), n, Fraction(1, 20)) for k, n in ((0, 10), (50, 1000), (4 * 10**5, 10**6))
    ]
    usual = [mixture_bound(*parts, *case) for case in cases]
    monkeypatch.setattr(mixture, "_NEGLIGIBLE", math.inf)
    assert usual == [mixture_bound(*parts, *case) for case in cases]
    monkeypatch.setattr(mixture, "_NEGLIGIBLE", 1e-9)
    largest_only = [mixture_bound(*parts, *case) for case in cases]
    assert all(a >= b for a, b in zip(largest_only, usual, strict=True))
    assert largest_only != usual


def test_a_bad_guess_changes_nothing(monkeypatch):
    case = [0.5, 2.0], [Fraction(1, 2)] * 2, Fraction(3), 100, Fraction(1, 20)
    right = mixture_bound(*case)
    for guess in (0.0, 0.0301, 0.5, 1.0):
        monkeypatch.setattr(mixture._Mixture, "guess", lambda *_, guess=guess: guess)
        assert mixture_bound(*case) == right


def test_weights_that_sum_to_more_than_one_give_another_number():
    """The broken twin: a bound that is smaller than the theorem's."""
    case = Fraction(3), 100, Fraction(1, 20)
    right = mixture_bound([0.5, 2.0], [Fraction(1, 2)] * 2, *case)
    assert mixture_bound([0.5, 2.0], [Fraction(1)] * 2, *case) < right


def test_all_wrong_promises_nothing():
    assert mixture_bound([1.0], [Fraction(1)], Fraction(7), 7, Fraction(1, 20)) == 1.0


def test_refuses_what_no_run_has():
    assert read_run(0, MOST_ROWS, 0.5) == (0, MOST_ROWS, Fraction(1, 2))
    with refuses(f"rows must be at most {MOST_ROWS}, but is {MOST_ROWS + 1}."):
        read_run(0, MOST_ROWS + 1, 0.05)
    with refuses("errors must be at most the number of rows 3, but is 4."):
        read_run(4, 3, 0.05)
    with refuses("rows must be a whole number of at least 1, but is 0."):
        read_run(0, 0, 0.05)
    with refuses("delta must be a number strictly between 0 and 1, but is 1."):
        read_run(0, 3, 1)
