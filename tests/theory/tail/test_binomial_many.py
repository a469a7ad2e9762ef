"""Many exact bounds at once: never below the one that is certain, and close to it."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.binomial_many import holdout_exact_many
from assay.theory.tail.integers import binomial_tail, log_level
from tests.naive import tails
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT, refuses


def assert_many_is_close(errors: int, rows: int, delta: float) -> None:
    """Not below the true value and at most 1e-12 above it, decided by enclosures."""
    found = Fraction(float(holdout_exact_many([errors], [rows], delta)[0]))
    log = log_level(Fraction(repr(delta)))
    assert found == 1 or binomial_tail(errors, rows, found).at_most(log) is True
    less = found / (1 + Fraction(1, 10**12))
    assert binomial_tail(errors, rows, less).at_most(log) is False


def random_case(rng: random.Random) -> tuple[int, int, float]:
    rows = int(10 ** rng.uniform(0, 6))
    errors = int(rng.choice([rng.random(), rng.random() ** 6]) * rows)
    return errors, rows, 10 ** -rng.choice([rng.uniform(0.01, 3), rng.uniform(0.01, 100)])


def test_many_never_below_and_within_one_part_in_a_million_million():
    rng = random.Random(7)
    for _ in range(300):
        errors, rows, delta = random_case(rng)
        if errors < rows:
            assert_many_is_close(errors, rows, delta)


@pytest.mark.guarantees
def test_many_never_below_in_ten_thousand_cases():
    rng = random.Random(8)
    for _ in range(10_000):
        errors, rows, delta = random_case(rng)
        if errors < rows:
            assert_many_is_close(errors, rows, delta)


def test_many_never_below_by_sixty_digits_too():
    rng = random.Random(9)
    for _ in range(30):
        errors, rows, delta = random_case(rng)
        found = mpmath.mpf(float(holdout_exact_many(errors, rows, delta)))
        if found < 1:
            with mpmath.workdps(60):
                level = mpmath.mpf(repr(delta))
                less = found / (1 + mpmath.mpf("1e-12"))
                assert tails.binomial_tail(errors, rows, found) <= level
                assert tails.binomial_tail(errors, rows, less) > level


def test_a_smaller_margin_would_be_caught(monkeypatch):
    # Without its margin SciPy's inverse lands below the truth in some of the cases.
    monkeypatch.setattr("assay.theory.tail.binomial_many._MANY_MARGIN", 0.0)
    rng = random.Random(7)
    broken = 0
    for _ in range(100):
        errors, rows, delta = random_case(rng)
        if errors < rows:
            try:
                assert_many_is_close(errors, rows, delta)
            except AssertionError:
                broken += 1
    assert broken > 0


@pytest.mark.parametrize(
    ("errors", "rows", "delta"),
    [
        (1, 477698, 0.07870926112723783),
        (999, 103705, 0.01),
        (999, 90793, 0.001),
        (999, 16573, 1e-6),
        (780095, 959155, 2e-20),
        (38, 918566, 0.009071427185188973),
        (19, 21661, 3.1264451715759203e-284),
        (22, 3156, 7.680286020327155e-279),
        (701, 703, 5.29517442964585e-208),
        (1, 5, 1e-245),
    ],
)
def test_many_where_the_library_is_wrong(errors, rows, delta):
    # SciPy 1.17 errs here by 1e-12 to 5e-10, by 3 percent to the unsafe side, or gives no number.
    exact = holdout_exact(errors, rows, delta)
    assert exact <= holdout_exact_many(errors, rows, delta) <= exact * (1 + 1e-12)
    # Among many others, none of which looks suspicious, it must not slip through.
    among = holdout_exact_many(
        np.append(np.arange(1000), errors), np.append([2000] * 1000, rows), delta
    )
    assert exact <= among[-1] <= exact * (1 + 1e-12)


def test_many_with_a_broken_library(monkeypatch):
    import scipy.special

    right = holdout_exact_many([3, 5, 50, 99], 100, 0.05)
    monkeypatch.setattr(scipy.special, "betainccinv", lambda a, b, y: (a - 1) / (a + b))
    found = holdout_exact_many([3, 5, 50, 99], 100, 0.05)
    np.testing.assert_allclose(found, right, rtol=1e-13)


def test_many_broadcast_and_agree_with_one():
    values = holdout_exact_many([[0], [5], [50]], [100, 1000], 0.05)
    for i, j in itertools.product(range(3), range(2)):
        one = holdout_exact([0, 5, 50][i], [100, 1000][j], 0.05)
        assert one <= values[i, j] <= one * (1 + 1e-12)
    assert holdout_exact_many(7, 7, 0.05) == 1.0
    assert holdout_exact_many(np.array([], dtype=int), 10, 0.05).shape == (0,)
    unsigned = holdout_exact_many(np.array([3], dtype=np.uint8), np.uint64(10), 0.05)
    assert unsigned[0] == pytest.approx(0.6066242161054134, rel=1e-11)


# Refusals.


def test_many_refuses_what_is_not_covered():
    must = "(errors, rows) must be counts with 0 <= errors <= rows and 1 <= rows <= 1000000"
    for errors, rows, first in [
        ([3, 11, 12], 10, (11, 10)),
        ([[1], [-1]], [10, 20], (-1, 10)),
        (0, 0, (0, 0)),
        (0, 10**6 + 1, (0, 1000001)),
    ]:
        with refuses(f"{must}, but is {first}."):
            holdout_exact_many(errors, rows, 0.05)
    with refuses("errors must be whole numbers, but is 'float64'."):
        holdout_exact_many([0.5], 10, 0.05)
    with refuses("rows must be whole numbers, but is 'bool'."):
        holdout_exact_many(1, [True], 0.05)
    with refuses("delta must be at least 1e-290, but is 1e-300. Use holdout_exact."):
        holdout_exact_many(1, 10, 1e-300)
    for delta in NOT_INSIDE_UNIT:
        with refuses(f"delta must be {INSIDE_UNIT}, but is {delta!r}."):
            holdout_exact_many(1, 10, delta)
