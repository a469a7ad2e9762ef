"""Groups: golden values, the definition in whole numbers, the promise and its broken twins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.groups import group_exact, group_gap, worst_group
from assay.theory.tail.integers import binomial_at_most
from assay.theory.tail.rates import rate_at_least
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound

ERRORS, ROWS = [20, 12, 10, 5, 2, 1], [400, 250, 150, 100, 60, 40]
deltas = st.floats(1e-9, 0.9)
groups = st.lists(
    st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=2,
    max_size=6,
)


def test_golden_values():
    at_once = [holdout_exact(k, n, Fraction(1, 120)) for k, n in zip(ERRORS, ROWS, strict=True)]
    assert np.round(at_once, 4).tolist() == [0.0824, 0.0906, 0.1318, 0.1283, 0.1362, 0.1592]
    assert at_once == [
        group_exact(k, n, Fraction(1, 120)) for k, n in zip(ERRORS, ROWS, strict=True)
    ]
    # At the full delta the worst is 10 of 150, 1 of 40 or 2 of 60, each by itself.
    each = [holdout_exact(k, n, 0.05) for k, n in zip(ERRORS, ROWS, strict=True)]
    assert worst_group(ERRORS, ROWS, 0.05) == max(each) < max(at_once)


@settings(max_examples=60)
@given(groups, deltas)
def test_every_group_excludes_it_and_one_excludes_nothing_less(cases, delta):
    high, level = Fraction(worst_group(*zip(*cases, strict=True), delta)), Fraction(repr(delta))
    assert all(k == n or binomial_at_most(k, n, high, level) for k, n in cases) or high == 1
    less = high * (1 - Fraction(1, 10**12))
    assert not all(k < n and binomial_at_most(k, n, less, level) for k, n in cases)


@settings(max_examples=60)
@given(groups, deltas)
def test_the_gap_is_between_two_different_groups(cases, delta):
    level = Fraction(repr(delta)) / 2
    ends = [(rate_at_least(k, n, level), holdout_exact(k, n, level)) for k, n in cases]
    pairs = [
        Fraction(high) - Fraction(low)
        for g, (_, high) in enumerate(ends)
        for h, (low, _) in enumerate(ends)
        if g != h
    ]
    gap = Fraction(group_gap(*zip(*cases, strict=True), delta))
    assert min(max(pairs), 1) <= gap <= max(pairs) + Fraction(1, 2**52)
    shares = [Fraction(k, n) for k, n in cases]
    assert gap >= max(shares) - min(shares) or delta > 0.2


@settings(max_examples=40)
@given(groups, st.sampled_from(["0.05", "1e-12"]), st.booleans())
def test_confirmed_and_anything_smaller_is_not(cases, delta, at_length):
    errors, rows = map(list, zip(*cases, strict=True))
    inputs = {"errors": errors, "rows": rows, "delta": delta}
    for id in ("worst-group", "group-gap"):
        entry = find_theorem(id)
        high = Fraction(entry(**inputs))
        assert entry.checker(inputs, high, at_length) == (True, True)
        assert not entry.checker(inputs, high - Fraction(1, 10**9), at_length)[0] or high == 1
        if high < Fraction(9, 10):
            assert entry.checker(inputs, high + Fraction(1, 10), at_length) == (True, False)


# The promise is kept.


def tables(trials: int, rows: list[int], rates: list[float], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([rng.binomial(n, p, trials) for n, p in zip(rows, rates, strict=True)], axis=1)


def bounds(drawn: np.ndarray, rows: list[int], delta: float) -> np.ndarray:
    """The exact bound of each group, at the given level."""
    each = [np.array([holdout_exact(k, n, delta) for k in range(n + 1)]) for n in rows]
    return np.stack([table[drawn[:, g]] for g, table in enumerate(each)], axis=1)


def check_worst(trials: int, seed: int) -> None:
    rows = [40, 60, 30, 50]
    drawn = tables(trials, rows, [0.18, 0.19, 0.2, 0.15], seed)
    highs = bounds(drawn, rows, 0.05)
    assert highs[0].max() == worst_group(drawn[0].tolist(), rows, 0.05)
    assert_sound(int((highs.max(axis=1) < 0.2).sum()), trials, 0.05)
    # Twins: all groups at once without paying for it, and what was seen of the worst group.
    every = (highs < np.array([0.18, 0.19, 0.2, 0.15])).any(axis=1)
    assert_unsound(int(every.sum()), trials, 0.05)
    share = (drawn / np.array(rows))[:, 2]
    assert_unsound(int((share < 0.2).sum()), trials, 0.05)


def test_simulated_groups_keep_the_worst():
    check_worst(4000, 1)


@pytest.mark.guarantees
def test_simulated_groups_keep_the_worst_at_length():
    check_worst(100_000, 2)


def check_at_once(trials: int, seed: int) -> None:
    # Zero errors in each of ten groups promise just less than the rate that has them with probability delta / 10.
    rows, delta = [40] * 10, 0.05
    rate = 1 - (delta / 10) ** (1 / 40)
    drawn = tables(trials, rows, [rate] * 10, seed)
    broken = (bounds(drawn, rows, delta / 10) < rate).any(axis=1)
    assert_sound(int(broken.sum()), trials, delta)
    # Twins: each group at the full delta; the best group, named after looking; those that pass each by itself.
    alone = bounds(drawn, rows, delta)
    assert_unsound(int((alone < rate).any(axis=1).sum()), trials, delta)
    best = alone[np.arange(trials), alone.argmin(axis=1)]
    assert_unsound(int((best < rate).sum()), trials, delta)
    limit = rate * 0.999
    passing = (alone <= limit).any(axis=1)  # "all groups that are told of pass", though none should
    assert_unsound(int(passing.sum()), trials, delta)
    # The gate passes where every group does, and that happens with probability delta at most.
    assert_sound(int((alone <= limit).all(axis=1).sum()), trials, delta)


def test_simulated_groups_hold_at_once():
    check_at_once(4000, 7)


@pytest.mark.guarantees
def test_simulated_groups_hold_at_once_at_length():
    check_at_once(200_000, 8)


def check_gate(trials: int, seed: int) -> None:
    # The worst case of a gate: one group just above the limit, the others without error.
    rows, limit = [60, 200, 100], 0.1
    drawn = tables(trials, rows, [limit * 1.0001, 0.0, 0.0], seed)
    highs = bounds(drawn, rows, 0.05)
    assert_sound(int((highs.max(axis=1) <= limit).sum()), trials, 0.05)
    # The twin looks for a group that failed, leaves it out, and says that every group passes.
    rest = np.where(highs == highs.max(axis=1, keepdims=True), 0.0, highs).max(axis=1)
    assert_unsound(int((rest <= limit).sum()), trials, 0.05)
    # Another picks the group that was wrong most often and states its bound alone: a small group hides behind it.
    small = tables(trials, [20, 500], [0.1, 0.04], seed + 1)
    both = bounds(small, [20, 500], 0.05)
    worst = both[np.arange(trials), (small / np.array([20, 500])).argmax(axis=1)]
    assert_unsound(int((worst < 0.1).sum()), trials, 0.05)
    assert_sound(int((both.max(axis=1) < 0.1).sum()), trials, 0.05)


def test_simulated_groups_pass_no_gate_they_should_not():
    check_gate(4000, 9)


@pytest.mark.guarantees
def test_simulated_groups_pass_no_gate_they_should_not_at_length():
    check_gate(100_000, 10)


def check_gap(trials: int, seed: int) -> None:
    rows, rates = [40, 60, 30, 50], [0.1, 0.1, 0.4, 0.05]
    drawn = tables(trials, rows, rates, seed)
    level = 0.2 / 2
    highs = bounds(drawn, rows, level)
    lows = np.stack(
        [
            np.array([rate_at_least(k, n, level) for k in range(n + 1)])[drawn[:, g]]
            for g, n in enumerate(rows)
        ],
        axis=1,
    )
    gaps = [
        max(h[g] - low[k] for g in range(4) for k in range(4) if g != k)
        for h, low in zip(highs, lows, strict=True)
    ]
    assert gaps[0] == pytest.approx(group_gap(drawn[0].tolist(), rows, 0.2), abs=1e-15)
    assert_sound(int((np.array(gaps) < 0.35).sum()), trials, 0.2)
    shares = drawn / np.array(rows)
    assert_unsound(int((np.ptp(shares, axis=1) < 0.35).sum()), trials, 0.2)


def test_simulated_groups_keep_the_gap():
    check_gap(2000, 3)


@pytest.mark.guarantees
def test_simulated_groups_keep_the_gap_at_length():
    check_gap(50_000, 4)


def test_refuses_what_is_not_covered():
    with refuses("errors must be of at least 2 classes or groups, but is 1."):
        group_gap([1], [2], 0.05)
    with refuses("errors[1] must be at most the number of rows 2, but is 3."):
        worst_group([1, 3], [2, 2], 0.05)
    with refuses("rows must be as many as errors, 1, but is 2."):
        worst_group([1], [2, 2], 0.05)
