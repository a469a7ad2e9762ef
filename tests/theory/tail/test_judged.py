"""Judged batches: golden counts, every allocation enumerated, the promise exactly and by simulation."""

from __future__ import annotations

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from assay.theory.registry import find_theorem
from assay.theory.tail.finite_population import most_errors
from assay.theory.tail.judged import judged_strata
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT, assert_refuses_all, refuses
from tests.soundness import assert_sound, assert_unsound

deltas = st.floats(1e-6, 0.9)


@st.composite
def strata(draw, most=3, largest=25):
    drawn = []
    for _ in range(draw(st.integers(1, most))):
        size = draw(st.integers(1, largest))
        labelled = draw(st.integers(0, size))
        drawn.append((size, labelled, draw(st.integers(0, labelled))))
    return drawn


@pytest.mark.parametrize(
    ("sizes", "labelled", "wrong", "most"),
    [
        ([1000, 9000], [100, 300], [80, 3], 1077),
        ([1000, 9000], [200, 200], [160, 2], 1146),
        ([500, 9500], [50, 350], [47, 2], 680),
    ],
)
def test_golden_values(sizes, labelled, wrong, most):
    assert judged_strata(sizes, labelled, wrong, 0.05) == most


def p_value(size: int, labelled: int, wrong: int, bad: int) -> Fraction:
    ways = sum(
        math.comb(bad, i) * math.comb(size - bad, labelled - i)
        for i in range(wrong + 1)
        if labelled - i <= size - bad
    )
    return Fraction(ways, math.comb(size, labelled))


def enumerated(cases, delta: float) -> tuple[int, int]:
    """The largest sum of any allocation that is admissible, a hair strictly and a hair generously."""
    open_ = sum(0 < labelled < size for size, labelled, _ in cases)
    limit = chi2.isf(delta, 2 * open_) if open_ else 0.0
    columns = []
    for size, labelled, wrong in cases:
        column = [(k, p_value(size, labelled, wrong, k)) for k in range(size + 1)]
        possible = [(k, p) for k, p in column if p > 0 and wrong <= k <= size - labelled + wrong]
        columns.append([(k, -2 * math.log(p)) for k, p in possible])
    best = [0, 0]
    for allocation in itertools.product(*columns):
        total, cost = sum(k for k, _ in allocation), sum(c for _, c in allocation)
        for i, slack in enumerate((-1e-9, 1e-9)):
            if cost <= limit + slack:
                best[i] = max(best[i], total)
    return best[0], best[1]


@settings(max_examples=100)
@given(strata(), deltas)
def test_no_allocation_that_is_admissible_exceeds_it(cases, delta):
    least, most = enumerated(cases, delta)
    assert least <= judged_strata(*zip(*cases, strict=True), delta) <= most


@settings(max_examples=60)
@given(strata(most=1, largest=400), deltas)
def test_one_stratum_is_the_finite_population(cases, delta):
    [(size, labelled, wrong)] = cases
    if labelled:
        alone = most_errors(wrong, labelled, size, delta)
        most = judged_strata([size], [labelled], [wrong], delta)
        # They part where a tail is delta exactly: there Fisher's set is closed.
        assert most == alone or p_value(size, labelled, wrong, most) == Fraction(repr(delta))


@settings(max_examples=60)
@given(strata(largest=200), deltas, deltas)
def test_monotone_and_without_order(cases, one, other):
    small, large = sorted((one, other))
    here = judged_strata(*zip(*cases, strict=True), small)
    assert judged_strata(*zip(*cases, strict=True), large) <= here
    assert judged_strata(*zip(*reversed(cases), strict=True), small) == here
    assert sum(k for *_, k in cases) <= here <= sum(size - n + k for size, n, k in cases)
    worse = [(size, n, min(k + 1, n)) for size, n, k in cases]
    assert here <= judged_strata(*zip(*worse, strict=True), small)


@settings(max_examples=60)
@given(st.integers(2, 300), st.data())
def test_the_cost_of_wrong_rows_is_convex(size, data):
    # The proof rests on it: what one more wrong row costs never falls.
    labelled = data.draw(st.integers(1, size))
    wrong = data.draw(st.integers(0, labelled))
    p = [p_value(size, labelled, wrong, k) for k in range(size + 1)]
    assert all(p[k] ** 2 >= p[k - 1] * p[k + 1] for k in range(1, size))


def test_strata_without_labels_or_with_nothing_else_are_added():
    alone = judged_strata([1000, 9000], [100, 300], [80, 3], 0.05)
    more = judged_strata([1000, 9000, 50, 20], [100, 300, 0, 20], [80, 3, 0, 7], 0.05)
    assert more == alone + 50 + 7
    assert judged_strata([10], [10], [4], 0.05) == 4
    assert judged_strata([10], [0], [0], 0.05) == 10


@pytest.mark.parametrize("delta", ["0.05", "1e-9", "1e-1500"])
def test_a_million_rows_in_ten_strata_take_no_time(delta):
    start = time.perf_counter()
    most = judged_strata([10**5] * 10, [5000] * 10, [500 * i + 3 for i in range(10)], delta)
    assert 22_530 <= most <= 10**6
    assert time.perf_counter() - start < 2.0


@settings(max_examples=40)
@given(strata(), st.sampled_from(["0.05", "1e-6"]))
def test_confirmed_and_one_fewer_is_not(cases, delta):
    columns = map(list, zip(*cases, strict=True))
    inputs = dict(zip(("sizes", "labelled", "wrong"), columns, strict=True)) | {"delta": delta}
    entry = find_theorem("judged-strata")
    most = Fraction(entry(**inputs))
    assert entry.checker(inputs, most, True) == (True, True)
    assert entry.checker(inputs, most + 1, True) == (True, False)
    assert not entry.checker(inputs, most - 1, True)[0]
    assert not entry.checker(inputs, most + Fraction(1, 2), True)[0]


# The promise is kept: over all samples of a small batch, in whole numbers.


@pytest.mark.parametrize("delta", [0.05, 0.3])
@pytest.mark.parametrize(
    ("sizes", "labelled"), [((8, 20), (4, 6)), ((12, 12), (3, 9)), ((6, 8, 10), (2, 3, 4))]
)
def test_fails_at_most_delta_of_the_time_for_every_batch(sizes, labelled, delta):
    seen = list(itertools.product(*(range(n + 1) for n in labelled)))
    bound = {k: judged_strata(sizes, labelled, k, delta) for k in seen}
    worst = Fraction(0)
    for bad in itertools.product(*(range(0, size + 1, 2) for size in sizes)):
        failure = Fraction(0)
        for k in seen:
            if bound[k] < sum(bad):
                chance = Fraction(1)
                for size, n, b, i in zip(sizes, labelled, bad, k, strict=True):
                    ways = math.comb(b, i) * math.comb(size - b, n - i) if n - i <= size - b else 0
                    chance *= Fraction(ways, math.comb(size, n))
                failure += chance
        worst = max(worst, failure)
    assert worst <= Fraction(repr(delta))


def broken(trials: int, bound, seed: int) -> int:
    """890 wrong rows: 800 of the 1,000 flagged, 90 of the 9,000 passed."""
    rng = np.random.default_rng(seed)
    flagged = rng.hypergeometric(800, 200, 100, trials)
    passed = rng.hypergeometric(90, 8910, 300, trials)
    pairs, many = np.unique(np.stack([flagged, passed], axis=1), axis=0, return_counts=True)
    values = (bound([int(i), int(j)]) for i, j in pairs)
    return sum(int(m) for high, m in zip(values, many, strict=True) if high < 890)


def by_fisher(wrong: list[int]) -> float:
    return judged_strata([1000, 9000], [100, 300], wrong, 0.05)


def by_normal(wrong: list[int]) -> float:
    """The stratified estimate and 1.645 standard errors."""
    total = variance = 0.0
    for size, n, k in zip((1000, 9000), (100, 300), wrong, strict=True):
        share = k / n
        total += size * share
        variance += size**2 * (1 - n / size) * share * (1 - share) / (n - 1)
    return total + 1.645 * math.sqrt(variance)


def without_combining(wrong: list[int]) -> float:
    """Each stratum at the full delta, added up as if one could fail at a time, less what was seen: half the slack."""
    high = sum(
        most_errors(k, n, size, 0.05)
        for size, n, k in zip((1000, 9000), (100, 300), wrong, strict=True)
    )
    guess = sum(size * k / n for size, n, k in zip((1000, 9000), (100, 300), wrong, strict=True))
    return (high + guess) / 2


def test_simulated_labels_keep_the_promise_and_break_the_normal_approximation():
    assert_sound(broken(2000, by_fisher, 1), 2000, 0.05)
    assert_unsound(broken(20_000, by_normal, 1), 20_000, 0.05)


@pytest.mark.guarantees
def test_simulated_labels_keep_the_promise_at_length():
    assert_sound(broken(100_000, by_fisher, 2), 100_000, 0.05)
    assert_unsound(broken(100_000, by_normal, 2), 100_000, 0.05)
    assert_unsound(broken(100_000, without_combining, 2), 100_000, 0.05)


def test_refuses_what_is_not_covered():
    good = {"sizes": [9], "labelled": [3], "wrong": [1], "delta": 0.05}
    assert_refuses_all(judged_strata, good, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("sizes must be of at least one stratum, but is 0."):
        judged_strata([], [], [], 0.05)
    with refuses("wrong must be as many as sizes, 1, but is 2."):
        judged_strata([9], [3], [1, 1], 0.05)
    with refuses("labelled[0] must be at most the size 9, but is 10."):
        judged_strata([9], [10], [1], 0.05)
    with refuses("wrong[0] must be at most the labelled rows 3, but is 4."):
        judged_strata([9], [3], [4], 0.05)
    with refuses("sizes[1] must be at least 1, but is 0."):
        judged_strata([9, 0], [3, 0], [1, 0], 0.05)
