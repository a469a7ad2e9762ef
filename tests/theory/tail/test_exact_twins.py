"""The exact twins of textbook bounds: golden values, the shares of delta, the promise."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import holdout_exact, upper_rate
from assay.theory.tail.exact_twins import (
    finite_class_exact,
    finite_class_hoeffding,
    large_gap_average,
    large_gap_average_vote,
    large_gap_exact,
    large_gap_textbook,
    occam_exact,
    occam_hoeffding,
)
from assay.theory.tail.integers import MOST_ROWS
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    assert_refuses_all,
    refuses,
)

deltas = st.floats(1e-9, 0.9)


@st.composite
def holdouts(draw, most=500):
    rows = draw(st.integers(1, most))
    return draw(st.integers(0, rows)), rows


# Golden values.


def test_occam_thirty_errors_in_four_hundred_by_eighteen_bits():
    assert occam_exact(30, 400, 18, 0.05) == pytest.approx(0.1618855467454492, abs=1e-12)
    assert occam_hoeffding(30, 400, 18, 0.05) == pytest.approx(0.214070043160061, abs=1e-12)


def test_class_of_a_thousand():
    assert finite_class_exact(50, 1000, 1000, 0.05) == pytest.approx(0.08219610486161029, abs=1e-12)
    found = finite_class_hoeffding(50, 1000, 1000, 0.05)
    assert found == pytest.approx(0.120368627784461, abs=1e-12)


def test_large_gaps():
    found = large_gap_exact(100, 0.05, hypotheses=11)
    assert found == pytest.approx(0.0525075169026572, abs=1e-12)
    found = large_gap_exact(200, 0.05, mistakes=3)
    assert found == pytest.approx(0.0295130496070399, abs=1e-12)


def test_price_of_declared_models():
    prices = [(1, 0.062863), (5, 0.068405), (50, 0.074953), (1000, 0.082196), (10**6, 0.096167)]
    for models, value in prices:
        assert round(finite_class_exact(50, 1000, models, 0.05), 6) == value


@pytest.mark.parametrize(
    ("name", "inputs", "exact", "textbook"),
    [
        ("occam-exact", {"errors": 3, "rows": 90, "bits": 5}, occam_exact, occam_hoeffding),
        (
            "finite-class-exact",
            {"errors": 3, "rows": 90, "class_size": 5},
            finite_class_exact,
            finite_class_hoeffding,
        ),
        ("large-gap-exact", {"run": 90, "mistakes": 5}, large_gap_exact, large_gap_textbook),
        ("large-gap-exact", {"run": 90, "hypotheses": 5}, large_gap_exact, large_gap_textbook),
    ],
)
def test_registered_with_their_textbook_twins(name, inputs, exact, textbook):
    entry = find_theorem(name)
    assert entry(**inputs, delta=0.05) == exact(**inputs, delta=0.05)
    assert entry.textbook(**inputs, delta=0.05) == textbook(**inputs, delta=0.05)


# What they are: the exact bound at a share of delta.


@settings(max_examples=50)
@given(holdouts(), st.integers(1, 40), deltas)
def test_a_share_of_delta_each(case, bits, delta):
    level = Fraction(repr(delta))
    assert occam_exact(*case, bits, delta) == upper_rate(*case, level / 2**bits)
    assert occam_exact(*case, bits, delta) == finite_class_exact(*case, 2**bits, delta)
    assert finite_class_exact(*case, bits, delta) == upper_rate(*case, level / bits)
    assert finite_class_exact(*case, 1, delta) == holdout_exact(*case, delta)


@settings(max_examples=50)
@given(st.integers(1, 10**6), st.integers(0, 10**6), deltas)
def test_large_gap_in_closed_form(run, mistakes, delta):
    found = large_gap_exact(run, delta, mistakes=mistakes)
    assert found == large_gap_exact(run, delta, hypotheses=(mistakes + 1) * (mistakes + 2))
    with mpmath.workdps(60):
        share = mpmath.mpf(repr(delta)) / ((mistakes + 1) * (mistakes + 2))
        truth = -mpmath.expm1(mpmath.log(share) / run)
        assert truth <= found <= truth + math.ulp(found)


def test_shares_of_delta_sum_to_delta():
    total = sum(Fraction(1, (i + 1) * (i + 2)) for i in range(1000))
    assert total == 1 - Fraction(1, 1001)


@settings(max_examples=60)
@given(holdouts(), st.integers(1, 60), st.floats(1e-9, 0.5))
def test_never_above_the_textbook(case, size, delta):
    for exact, textbook in [
        (occam_exact, occam_hoeffding),
        (finite_class_exact, finite_class_hoeffding),
    ]:
        assert exact(*case, size, delta) <= min(textbook(*case, size, delta), 1.0)
    run = case[1]
    assert large_gap_exact(run, delta, mistakes=size) <= large_gap_textbook(
        run, delta, mistakes=size
    )


@settings(max_examples=40)
@given(holdouts(), st.integers(1, 60), st.integers(1, 60), deltas, deltas)
def test_monotone(case, one, other, d1, d2):
    errors, rows = case
    (few, many), (small, large) = sorted((one, other)), sorted((d1, d2))
    for bound in (occam_exact, finite_class_exact, occam_hoeffding, finite_class_hoeffding):
        here = bound(errors, rows, few, large)
        assert here <= bound(errors, rows, many, large)
        assert here <= bound(errors, rows, few, small)
        assert bound(errors, rows + 1, few, large) <= here
        if errors < rows:
            assert here <= bound(errors + 1, rows, few, large)
    for bound in (large_gap_exact, large_gap_textbook):
        here = bound(rows, large, mistakes=few)
        assert here <= bound(rows, large, mistakes=many)
        assert here <= bound(rows, small, mistakes=few)
        assert bound(rows + 1, large, mistakes=few) <= here


def test_long_descriptions_and_large_classes():
    assert occam_exact(5, 10**5, 5000, 0.05) == upper_rate(5, 10**5, Fraction(1, 20 * 2**5000))
    assert 0.0342 < occam_exact(5, 10**5, 5000, 0.05) < 0.036
    assert occam_exact(5, 100, 10**7, 0.05) == 1.0
    assert occam_exact(0, 1, 53, 0.05) == upper_rate(0, 1, Fraction(1, 20 * 2**53)) == 1.0
    assert occam_exact(0, 2, 106, 0.05) == upper_rate(0, 2, Fraction(1, 20 * 2**106))
    assert finite_class_exact(5, 10**5, 10**1500, "1e-1500") < 0.08


# The promise is kept, by exact summation.


def failure(bound: list[float], rows: int, rate: float) -> float:
    return math.fsum(
        math.comb(rows, k) * rate**k * (1 - rate) ** (rows - k)
        for k in range(rows + 1)
        if bound[k] < rate
    )


def test_best_of_a_class_of_independent_rules():
    rows, size, delta = 50, 20, 0.1
    declared = [finite_class_exact(k, rows, size, delta) for k in range(rows + 1)]
    pretended = [holdout_exact(k, rows, delta) for k in range(rows + 1)]

    def any_fails(bound: list[float], rate: float) -> float:
        return 1 - (1 - failure(bound, rows, rate)) ** size

    rates = [math.nextafter(p, 2) for p in declared + pretended if p < 1]
    assert max(any_fails(declared, p) for p in rates) <= delta
    assert max(any_fails(declared, p) for p in rates) > 0.9 * delta
    assert max(any_fails(pretended, p) for p in rates) > 0.8


def test_rules_of_a_prefix_code_fail_together_at_most_delta():
    rows, delta, sizes = 40, 0.2, (1, 2, 3, 4, 5, 6, 6)
    assert sum(Fraction(1, 2**size) for size in sizes) == 1
    bounds = {s: [occam_exact(k, rows, s, delta) for k in range(rows + 1)] for s in set(sizes)}
    rates = [math.nextafter(p, 2) for bound in bounds.values() for p in bound if p < 1]
    worst = [max(failure(bounds[s], rows, p) for p in rates) for s in sizes]
    assert sum(worst) <= delta * (1 + 1e-12)
    # A code that is not prefix-free (two rules of one bit beside the others) would break it.
    assert sum(worst) + worst[0] + worst[1] > delta


def test_runs_between_mistakes_fail_together_at_most_delta():
    rate, delta = 0.1, 0.3

    def chance(share: Fraction) -> float:
        """That a run is so long that the promise at this share lies below the rate."""
        runs = (g for g in itertools.count(1) if upper_rate(0, g, share) < rate)
        return (1 - rate) ** next(runs)

    level = Fraction(3, 10)
    shares = [level / ((i + 1) * (i + 2)) for i in range(12)]
    assert sum(chance(share) for share in shares) <= delta
    # The whole of delta for every run would be spent twelve times.
    assert 12 * chance(level) > delta
    assert large_gap_exact(30, 0.3, mistakes=2) == upper_rate(0, 30, shares[2])


# Refusals.


@pytest.mark.parametrize(
    ("bound", "size"),
    [
        (occam_exact, "bits"),
        (occam_hoeffding, "bits"),
        (finite_class_exact, "class_size"),
        (finite_class_hoeffding, "class_size"),
    ],
)
def test_refuses_what_is_not_covered(bound, size):
    inputs = {"errors": 5, "rows": 100, size: 3, "delta": 0.05}
    assert_refuses_all(bound, inputs, "errors", COUNT, NOT_COUNTS)
    assert_refuses_all(bound, inputs, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(bound, inputs, size, COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(bound, inputs, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("errors must be at most the number of rows 100, but is 101."):
        bound(101, 100, 3, 0.05)


@pytest.mark.parametrize("bound", [large_gap_exact, large_gap_textbook])
def test_large_gap_refuses_what_is_not_covered(bound):
    no_count = [value for value in NOT_COUNTS if value is not None]
    inputs = {"run": 100, "delta": 0.05, "mistakes": 3}
    assert_refuses_all(bound, inputs, "run", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(bound, inputs, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    assert_refuses_all(bound, inputs, "mistakes", COUNT, no_count)
    inputs = {"run": 100, "delta": 0.05, "hypotheses": 3}
    assert_refuses_all(bound, inputs, "hypotheses", COUNT_FROM_ONE, [*no_count, 0])
    for both in ((None, None), (3, 4)):
        with refuses(f"mistakes or hypotheses must be given, one of the two, but is {both!r}."):
            bound(100, 0.05, *both)


def test_a_run_beyond_reason():
    with refuses("run must be at most 1000000000000, but is 1000000000001."):
        large_gap_exact(MOST_ROWS + 1, 0.05, mistakes=0)


def test_the_mean_of_a_gap_costs_what_one_hypothesis_does():
    for run, mistakes in ((1, 0), (44, 3), (200, 3)):
        number = large_gap_average(run, mistakes, 0.05)
        assert number == large_gap_exact(run, 0.05, mistakes=mistakes)
        assert number == pytest.approx(1 - (0.05 / ((mistakes + 1) * (mistakes + 2))) ** (1 / run))
        assert large_gap_average_vote(run, mistakes, 0.05) == 2 * number


def test_the_proof_of_the_mean_by_enumeration():
    """All error rates on a grid: no adaptive choice reaches 1 / share with more than that share."""
    share, grid = Fraction(1, 5), [Fraction(k, 4) for k in range(4)]

    def chance(product, left):
        """The largest probability of ever reaching 1 / share within so many right rows."""
        if product >= 1 / share:
            return Fraction(1)
        if not left:
            return Fraction(0)
        return max((1 - e) * chance(product / (1 - e), left - 1) for e in grid)

    most = chance(Fraction(1), 6)
    assert Fraction(0) < most <= share
    assert not most <= share / 3  # a third of the share would not do
