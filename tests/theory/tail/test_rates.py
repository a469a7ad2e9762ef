"""Rates from below: golden values, the definition in whole numbers, the promise by enumeration and simulation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.rates import (
    f1_at_least,
    macro_f1_at_least,
    mean_rate_at_least,
    rate_at_least,
)
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
from tests.soundness import assert_sound, assert_unsound

deltas = st.floats(1e-9, 0.99)
counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
cells = st.tuples(*[st.integers(0, 25)] * 3).filter(any)


def at_least(k: int, n: int, p: Fraction) -> Fraction:
    """P[Bin(n, p) >= k], term by term."""
    return sum(
        (math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)), start=Fraction(0)
    )


def test_golden_values():
    assert rate_at_least(180, 200, 0.05) == 0.8580107484090549
    assert rate_at_least(180, 230, 0.05) == pytest.approx(0.7330805945930847, rel=1e-15)
    assert f1_at_least(180, 20, 30, 0.05) == pytest.approx(0.8459855783743363, rel=1e-15)
    assert rate_at_least(20, 20, 0.05) == pytest.approx(0.05 ** (1 / 20), rel=1e-15)
    # One class is its own mean; two classes at level delta are each at half of it.
    assert mean_rate_at_least([180], [200], 0.05) == rate_at_least(180, 200, 0.05)
    assert mean_rate_at_least([20, 10], [20, 10], 0.1) == pytest.approx(
        (0.05 ** (1 / 20) + 0.05 ** (1 / 10)) / 2, rel=1e-15
    )
    assert macro_f1_at_least([180], [20], [30], 0.05) == f1_at_least(180, 20, 30, 0.05)
    # A class without rows pays, and counts as zero.
    assert macro_f1_at_least([180, 0], [20, 0], [30, 0], 0.1) == f1_at_least(180, 20, 30, 0.05) / 2


# The definition, in whole numbers.


@settings(max_examples=100)
@given(counts, deltas)
def test_so_many_successes_are_too_unlikely_there_and_not_one_double_above(case, delta):
    (k, n), level = case, Fraction(repr(delta))
    low = rate_at_least(k, n, delta)
    assert at_least(k, n, Fraction(low)) <= level or (k, low) == (0, 0.0)
    above = math.nextafter(low, 1.0)
    assert k == 0 or above == 1.0 or at_least(k, n, Fraction(above)) > level


@settings(max_examples=60)
@given(counts, deltas)
def test_is_what_the_errors_leave(case, delta):
    k, n = case
    assert rate_at_least(k, n, delta) == pytest.approx(
        1 - holdout_exact(n - k, n, delta), abs=1e-14
    )


@settings(max_examples=60)
@given(cells, deltas)
def test_f1_is_excluded_in_whole_numbers(case, delta):
    (hits, *others), level = case, Fraction(repr(delta))
    low = Fraction(f1_at_least(hits, *others, delta))
    jaccard = low / (2 - low)
    assert hits == 0 or at_least(hits, sum(case), jaccard) <= level
    more = low * (1 + Fraction(1, 10**13))
    assert hits == 0 or more >= 1 or at_least(hits, sum(case), more / (2 - more)) > level


@settings(max_examples=60)
@given(st.lists(counts, min_size=1, max_size=5), deltas)
def test_a_mean_is_never_above_the_mean_of_the_classes(cases, delta):
    level = Fraction(repr(delta)) / len(cases)
    mean = sum(Fraction(rate_at_least(k, n, level)) for k, n in cases) / len(cases)
    low = mean_rate_at_least(*zip(*cases, strict=True), delta)
    assert Fraction(low) <= mean < Fraction(math.nextafter(low, 2))


@settings(max_examples=60)
@given(st.lists(cells, min_size=1, max_size=5), deltas)
def test_a_macro_score_is_never_above_the_mean_of_the_classes(cases, delta):
    level = Fraction(repr(delta)) / len(cases)
    mean = sum(f1_at_least(*cell, level) for cell in cases) / len(cases)
    assert macro_f1_at_least(*zip(*cases, strict=True), delta) == pytest.approx(mean, rel=1e-14)


@settings(max_examples=60)
@given(counts, deltas, deltas)
def test_monotone(case, one, other):
    (k, n), (small, large) = case, sorted((one, other))
    here = rate_at_least(k, n, small)
    assert here <= rate_at_least(k, n, large)
    assert here <= rate_at_least(k + 1, n + 1, small)
    assert here >= rate_at_least(k, n + 1, small)
    assert f1_at_least(k, n - k, 0, small) == f1_at_least(k, 0, n - k, small) >= here


# The checkers, in whole numbers.


@settings(max_examples=60)
@given(counts, st.sampled_from(["0.05", "0.3", "1e-12"]), st.booleans())
def test_the_rate_is_confirmed_and_anything_larger_is_not(case, delta, at_length):
    inputs = {"successes": case[0], "rows": case[1], "delta": delta}
    confirm = find_theorem("rate-at-least").checker
    low = Fraction(rate_at_least(**inputs))
    assert confirm(inputs, low, at_length) == (True, True)
    assert not confirm(inputs, low + Fraction(1, 10**9), at_length)[0]
    if low > Fraction(1, 10**6):
        assert confirm(inputs, low * Fraction(999, 1000), at_length) == (True, False)
    for outside in (Fraction(-1, 2), Fraction(1), Fraction(3, 2)):
        assert not confirm(inputs, outside, at_length)[0]


@settings(max_examples=40)
@given(cells, st.sampled_from(["0.05", "1e-12"]), st.booleans())
def test_f1_is_confirmed_and_anything_larger_is_not(case, delta, at_length):
    names = ("true_positives", "false_positives", "false_negatives")
    inputs = dict(zip(names, case, strict=True)) | {"delta": delta}
    confirm = find_theorem("f1-at-least").checker
    low = Fraction(f1_at_least(**inputs))
    assert confirm(inputs, low, at_length) == (True, True)
    assert not confirm(inputs, low + Fraction(1, 10**9), at_length)[0]


@settings(max_examples=30)
@given(st.lists(cells, min_size=1, max_size=4), st.sampled_from(["0.05", "1e-12"]))
def test_means_are_confirmed_and_anything_larger_is_not(cases, delta):
    hits, alarms, misses = map(list, zip(*cases, strict=True))
    f1 = {"true_positives": hits, "false_positives": alarms, "false_negatives": misses}
    rates = {"successes": hits, "rows": [sum(cell) for cell in cases]}
    for id, inputs in (("macro-f1-at-least", f1), ("mean-rate-at-least", rates)):
        entry, inputs = find_theorem(id), inputs | {"delta": delta}
        low = Fraction(entry(**inputs))
        assert entry.checker(inputs, low, True) == (True, True)
        assert not entry.checker(inputs, low + Fraction(1, 10**9), True)[0]
        if low > Fraction(1, 10**6):
            assert entry.checker(inputs, low * Fraction(999, 1000), True) == (True, False)


def test_a_checker_takes_no_text_for_a_count():
    with refuses("successes must be a whole number, not text, but is '180'."):
        find_theorem("rate-at-least").checker(
            {"successes": "180", "rows": 200, "delta": "0.05"}, Fraction(1, 2), True
        )


# The promise is kept.


@pytest.mark.parametrize("delta", ["0.05", "0.3"])
@pytest.mark.parametrize("rows", [1, 7, 40])
def test_fails_at_most_delta_of_the_time_at_every_rate(rows, delta):
    bound = [Fraction(rate_at_least(k, rows, delta)) for k in range(rows + 1)]

    def failure(rate: Fraction, bound: list[Fraction]) -> Fraction:
        first = next((k for k in range(rows + 1) if bound[k] > rate), rows + 1)
        return at_least(first, rows, rate)

    grid = [Fraction(i, 97) for i in range(1, 97)]
    assert max(failure(rate, bound) for rate in grid) <= Fraction(delta)
    # Wald's interval, which stands in many reports: 1 of 1 would promise certainty.
    share = [Fraction(k, rows) for k in range(rows + 1)]
    wald = [p - Fraction(1.645 * math.sqrt(p * (1 - p) / rows)) for p in share]
    assert max(failure(rate, wald) for rate in grid) > Fraction(delta)


def broken(trials: int, bound, seed: int) -> int:
    """How often F1 was below its bound, on 60 rows of a good model of a rare class."""
    rng = np.random.default_rng(seed)
    chances = np.array([0.25, 0.02, 0.03, 0.70])
    true = 2 * chances[0] / (2 * chances[0] + chances[1] + chances[2])
    tables, many = np.unique(rng.multinomial(60, chances, trials), axis=0, return_counts=True)
    values = (bound(*map(int, row[:3])) for row in tables)
    return sum(int(m) for low, m in zip(values, many, strict=True) if low > true)


def by_delta_method(hits: int, alarms: int, misses: int) -> float:
    """What a normal approximation says of F1."""
    rows = hits + alarms + misses
    f1 = 2 * hits / (hits + rows)
    spread = math.sqrt(f1 * (1 - f1) * (2 - f1) ** 2 / 2 / rows / (2 - f1))
    return f1 - 1.645 * spread


def test_simulated_rows_keep_f1_and_break_a_normal_approximation():
    assert_sound(broken(4000, lambda *c: f1_at_least(*c, 0.05), 1), 4000, 0.05)
    assert_unsound(broken(4000, by_delta_method, 1), 4000, 0.05)


@pytest.mark.guarantees
def test_simulated_rows_keep_f1_at_length():
    assert_sound(broken(200_000, lambda *c: f1_at_least(*c, 0.05), 2), 200_000, 0.05)
    assert_unsound(broken(200_000, by_delta_method, 2), 200_000, 0.05)


def macro_broken(trials: int, seed: int, bound) -> int:
    """How often balanced accuracy was below the mean of what is said of the classes."""
    rng = np.random.default_rng(seed)
    sizes, rates = [15, 40, 25], [0.9, 0.8, 0.97]
    hits = [rng.binomial(n, p, trials) for n, p in zip(sizes, rates, strict=True)]
    lows = [
        np.array([bound(k, n) for k in range(n + 1)])[column]
        for n, column in zip(sizes, hits, strict=True)
    ]
    return int((np.mean(lows, axis=0) > np.mean(rates)).sum())


def test_simulated_classes_keep_their_mean():
    assert mean_rate_at_least([13, 33, 24], [15, 40, 25], 0.2) == pytest.approx(
        np.mean([rate_at_least(k, n, 0.2 / 3) for k, n in ((13, 15), (33, 40), (24, 25))])
    )
    assert_sound(macro_broken(4000, 3, lambda k, n: rate_at_least(k, n, 0.2 / 3)), 4000, 0.2)
    # What was seen, without any slack, is above the truth half of the time.
    assert_unsound(macro_broken(4000, 3, lambda k, n: k / n), 4000, 0.2)


def test_refuses_what_is_not_covered():
    good = {"successes": 3, "rows": 5, "delta": 0.05}
    assert_refuses_all(rate_at_least, good, "successes", COUNT, NOT_COUNTS)
    assert_refuses_all(rate_at_least, good, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(rate_at_least, good, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("successes must be at most the number of rows 5, but is 6."):
        rate_at_least(6, 5, 0.05)
    with refuses("true_positives must be above zero, or another of the three counts, but is 0."):
        f1_at_least(0, 0, 0, 0.05)
    with refuses("rows must be as many as successes, 2, but is 1."):
        mean_rate_at_least([1, 2], [3], 0.05)
    with refuses("successes must be of at least 1 class or group, but is 0."):
        mean_rate_at_least([], [], 0.05)
    with refuses("rows must be a sequence of whole numbers, but is 3."):
        mean_rate_at_least([1], 3, 0.05)
    with refuses("rows[1] must be between 1 and 1000000000000, but is 0."):
        mean_rate_at_least([1, 0], [3, 0], 0.05)
    with refuses("successes[0] must be at most the number of rows 3, but is 4."):
        mean_rate_at_least([4], [3], 0.05)
    with refuses("false_negatives must be as many as true_positives, 2, but is 1."):
        macro_f1_at_least([1, 2], [0, 0], [1], 0.05)
    with refuses("true_positives must be above zero in some class, but is 0."):
        macro_f1_at_least([0, 0], [0, 0], [0, 0], 0.05)
