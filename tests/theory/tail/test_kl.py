"""The relative-entropy bound against 60-digit arithmetic and against its neighbours."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import mpf

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.hoeffding import validation_hoeffding
from assay.theory.tail.kl import holdout_kl, relative_entropy
from tests.naive import tails
from tests.refusals import (
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NONNEGATIVE,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    NOT_NONNEGATIVE,
    assert_refuses_all,
    refuses,
)

deltas = st.floats(1e-12, 0.99)
shares = st.fractions(0, 1, max_denominator=10**6)
rows = st.integers(1, 10**6)


# Golden values.


@pytest.mark.parametrize(
    ("errors", "rows", "value"),
    [
        (50, 1000, 0.06868474664903169),
        (5, 100, 0.1215270364428926),
        (200, 1000, 0.2321230488527207),
    ],
)
def test_golden_values(errors, rows, value):
    assert holdout_kl(errors, rows, 0.05) == pytest.approx(value, abs=1e-12)


def test_mean_of_bounded_losses():
    losses = [0.3 * (i * (5**0.5 - 1) / 2 % 1) for i in range(1, 201)]
    total = math.fsum(losses)
    assert total / 200 == pytest.approx(0.1507247608093313, abs=1e-12)
    assert holdout_kl(total, 200, 0.05) == pytest.approx(0.219289331436113, abs=1e-9)


def test_registered_with_its_textbook_twin():
    entry = find_theorem("holdout-kl")
    assert entry(errors=50, rows=1000, delta=0.05) == holdout_kl(50, 1000, 0.05)
    assert entry.textbook(errors=5, rows=100, delta=0.05) == validation_hoeffding(5, 100, 0.05)


def test_multiples_of_the_exact_bound():
    for errors, n, multiple in [(2, 50, 1.20), (25, 500, 1.12), (500, 10**4, 1.03)]:
        assert round(holdout_kl(errors, n, 0.05) / holdout_exact(errors, n, 0.05), 2) == multiple


# Never below, hardly above.


@settings(max_examples=100)
@given(shares, rows, deltas)
def test_never_below_sixty_digits(share, n, delta):
    total = share * n
    found = holdout_kl(total, n, delta)
    assert share <= Fraction(found) <= 1
    with mpmath.workdps(60):
        need = -mpmath.log(mpf(repr(delta))) / n
        q = tails.real(share)
        if found < 1:
            assert tails.relative_entropy(q, mpf(found)) >= need
        # A hair less, in units of the distance to the mean or of the double, would not do.
        less = q + (mpf(found) - q) * (1 - mpf("1e-9")) - 4 * math.ulp(found)
        assert less <= q or tails.relative_entropy(q, less) < need


@given(st.integers(1, 10**9), deltas)
def test_as_good_as_exact_where_there_is_no_error(n, delta):
    exact, kl = holdout_exact(0, n, delta), holdout_kl(0, n, delta)
    assert exact <= kl <= exact * (1 + 1e-12)


@given(rows, deltas)
def test_nothing_but_errors(n, delta):
    assert holdout_kl(n, n, delta) == 1.0


@pytest.mark.parametrize("delta", ["1e-400", "1e-1500", Fraction(1, 2**5000)])
def test_delta_beyond_doubles(delta):
    top, bottom = Fraction(delta).as_integer_ratio()
    need = math.log(bottom) - math.log(top)
    for errors, n in [(50, 10**4), (5000, 10**4)]:
        found = holdout_kl(errors, n, delta)
        assert n * relative_entropy(Fraction(errors, n), Fraction(found)).down() >= need * (
            1 - 1e-9
        )
        assert holdout_exact(errors, n, delta) <= found < 1
    assert holdout_kl(999, 1000, delta) == 1.0


@pytest.mark.parametrize(
    ("errors", "n", "delta"),
    [
        ("0.99999999999999999999", 1, 0.05),
        (0.5, 1, "0." + "9" * 40),
        (0, 1, "0." + "9" * 40),
        (0.5, 10**9, 1 - 2**-53),
        (1e-300, 1, 0.05),
        (10**9 - 1, 10**9, 1e-300),
        (50, 10**100, 0.05),
    ],
)
def test_at_the_ends_of_the_doubles(errors, n, delta):
    found = holdout_kl(errors, n, delta)
    share = Fraction(str(errors)) / n
    assert share <= Fraction(found) <= 1
    with mpmath.workdps(150):
        need = -mpmath.log(tails.real(str(delta))) / n
        assert found == 1 or tails.relative_entropy(tails.real(share), mpf(found)) >= need


def test_half_and_quarter():
    found = relative_entropy(Fraction(1, 2), Fraction(1, 4))
    truth = mpmath.log(2) / 2 + mpmath.log(mpf(2) / 3) / 2
    assert found.down() <= truth <= found.up()
    assert relative_entropy(Fraction(1, 3), Fraction(1, 3)).high == 0
    assert relative_entropy(Fraction(0), Fraction(1, 2)).up() == pytest.approx(math.log(2))


# Its neighbours, and monotone.


@settings(max_examples=60)
@given(st.integers(1, 3000), st.data(), st.floats(1e-12, 0.4))
def test_between_the_exact_bound_and_hoeffding(n, data, delta):
    errors = data.draw(st.integers(0, n))
    kl = holdout_kl(errors, n, delta)
    assert holdout_exact(errors, n, delta) <= kl
    assert kl <= min(validation_hoeffding(errors, n, delta), 1.0)


@settings(max_examples=60)
@given(shares, shares, rows, deltas)
def test_grows_with_the_errors(one, other, n, delta):
    few, many = sorted((one, other))
    assert holdout_kl(few * n, n, delta) <= holdout_kl(many * n, n, delta)


@settings(max_examples=60)
@given(shares, rows, rows, deltas)
def test_falls_with_the_rows(share, one, other, delta):
    few, many = sorted((one, other))
    assert holdout_kl(share * many, many, delta) <= holdout_kl(share * few, few, delta)


@settings(max_examples=60)
@given(shares, rows, deltas, deltas)
def test_falls_with_delta(share, n, one, other):
    assume(one != other)
    small, large = sorted((one, other))
    assert holdout_kl(share * n, n, large) <= holdout_kl(share * n, n, small)


# The promise is kept.


def test_fails_at_most_delta_of_the_time_at_every_rate():
    n, delta = 40, 0.2
    bound = [holdout_kl(k, n, delta) for k in range(n + 1)]

    def failure(bound: list[float], p: float) -> float:
        return math.fsum(
            math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if bound[k] < p
        )

    rates = [math.nextafter(p, 2) for p in bound if p < 1]
    assert max(failure(bound, p) for p in rates) <= delta * (1 + 1e-12)
    # The same formula with half of ln(1/delta) must break.
    broken = [holdout_kl(k, n, math.sqrt(delta)) for k in range(n + 1)]
    assert max(failure(broken, math.nextafter(p, 2)) for p in broken if p < 1) > delta


# Refusals.


def test_refuses_what_is_not_covered():
    inputs = {"errors": 5, "rows": 100, "delta": 0.05}
    assert_refuses_all(holdout_kl, inputs, "errors", NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(holdout_kl, inputs, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(holdout_kl, inputs, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("errors must be at most the number of rows 100, but is 100.5."):
        holdout_kl(100.5, 100, 0.05)
