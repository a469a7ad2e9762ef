"""Differences of two models: golden values, the definition in whole numbers, the promise and four broken twins."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from assay.errors import BadData
from assay.theory.registry import find_theorem
from assay.theory.tail.betting import bounded_betting
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.difference import (
    mcnemar_better,
    mcnemar_p,
    paired_difference,
    paired_loss_difference,
)
from assay.theory.tail.rates import rate_at_least
from tests.refusals import COUNT, NOT_COUNTS, assert_refuses_all, refuses
from tests.soundness import assert_sound, assert_unsound

deltas = st.floats(1e-9, 0.99)


@st.composite
def cases(draw, most=60):
    rows = draw(st.integers(1, most))
    differing = draw(st.integers(0, rows))
    only_old = draw(st.integers(0, differing))
    return only_old, differing - only_old, rows


def p_value(b: int, c: int) -> Fraction:
    return Fraction(sum(math.comb(b + c, i) for i in range(b, b + c + 1)), 2 ** (b + c))


def test_golden_values():
    assert mcnemar_p(40, 20) == pytest.approx(0.00674464686559593, rel=1e-14)
    assert mcnemar_p(20, 8) == pytest.approx(0.017849069088697433, rel=1e-14)
    assert paired_difference(40, 20, 1000, 0.05) == pytest.approx(0.003949003726275503, rel=1e-13)
    assert paired_difference(20, 8, 164, 0.05) == pytest.approx(0.006812467015773332, rel=1e-13)
    # The parts of the first: which model, and how often they differ.
    assert rate_at_least(40, 60, 0.04) == pytest.approx(0.5466879382386862, rel=1e-15)
    assert rate_at_least(60, 1000, 0.005) == pytest.approx(0.04229147693443558, rel=1e-14)


@settings(max_examples=100)
@given(cases(200))
def test_the_p_value_is_that_of_the_sign_test(case):
    b, c, _ = case
    exact = p_value(b, c)
    assert exact <= Fraction(mcnemar_p(b, c)) <= exact * (1 + Fraction(1, 10**15))
    if b + c:
        peer = binomtest(b, b + c, 0.5, alternative="greater").pvalue
        assert mcnemar_p(b, c) == pytest.approx(peer, rel=1e-9)


@settings(max_examples=100)
@given(cases(200), deltas)
def test_better_is_decided_as_in_whole_numbers(case, delta):
    b, c, _ = case
    assert mcnemar_better(b, c, delta) == (0 if p_value(b, c) <= Fraction(repr(delta)) else -1)
    assert mcnemar_better(b, c, p_value(b, c) if b else 0.99) == (0 if b else -1)


@settings(max_examples=60)
@given(cases(), deltas)
def test_the_three_bounds_in_the_formula(case, delta):
    b, c, n = case
    level = Fraction(repr(delta))
    theta = Fraction(rate_at_least(b, b + c, level * 4 / 5)) if b + c else Fraction(0)
    least = Fraction(rate_at_least(b + c, n, level / 10))
    most = Fraction(holdout_exact(b + c, n, level / 10))
    bound = min(least * (2 * theta - 1), most * (2 * theta - 1))
    low = Fraction(paired_difference(b, c, n, delta))
    assert low <= bound <= low + Fraction(1, 2**53)
    # No bound above zero where the test of the sign at the same level would not pass.
    assert low <= 0 or mcnemar_better(b, c, delta) == 0


@settings(max_examples=60)
@given(cases(), deltas, deltas)
def test_monotone(case, one, other):
    (b, c, n), (small, large) = case, sorted((one, other))
    here = paired_difference(b, c, n, small)
    assert here <= paired_difference(b, c, n, large)
    if c:
        assert here <= paired_difference(b + 1, c - 1, n, small)
    assert mcnemar_p(b + 1, c) <= mcnemar_p(b, c) <= mcnemar_p(b, c + 1)


# The checkers.


@settings(max_examples=60)
@given(cases(), st.sampled_from(["0.05", "0.3", "1e-12"]), st.booleans())
def test_confirmed_and_anything_larger_is_not(case, delta, at_length):
    inputs = dict(zip(("only_old", "only_new", "rows"), case, strict=True)) | {"delta": delta}
    confirm = find_theorem("paired-difference").checker
    low = Fraction(paired_difference(**inputs))
    assert confirm(inputs, low, at_length) == (True, True)
    assert not confirm(inputs, low + Fraction(1, 10**9), at_length)[0]
    if low > -1 + Fraction(1, 1000):
        assert confirm(inputs, low - Fraction(1, 1000), at_length) == (True, False)


@settings(max_examples=60)
@given(cases(), st.sampled_from(["0.05", "0.3", "1e-12"]), st.booleans())
def test_better_is_confirmed(case, delta, at_length):
    inputs = {"only_old": case[0], "only_new": case[1], "delta": delta}
    confirm, sign = find_theorem("mcnemar-better").checker, mcnemar_better(*case[:2], delta)
    assert confirm(inputs, Fraction(sign), at_length) == (True, True)
    assert confirm(inputs, Fraction(0), at_length)[0] == (sign == 0)
    assert confirm(inputs, Fraction(-1), at_length) == (True, sign == -1)
    assert not confirm(inputs, Fraction(1, 100), at_length)[0]


# The promise is kept: over all tables of a few rows, in whole numbers.


@pytest.mark.parametrize("delta", ["0.05", "0.3"])
@pytest.mark.parametrize("rows", [1, 5, 12])
def test_fails_at_most_delta_of_the_time_for_every_pair_of_models(rows, delta):
    tables = [(b, c) for b in range(rows + 1) for c in range(rows + 1 - b)]
    bound = {(b, c): Fraction(paired_difference(b, c, rows, delta)) for b, c in tables}
    better = {(b, c): mcnemar_better(b, c, delta) for b, c in tables}
    for i in range(0, 11, 2):
        for j in range(0, 11 - i):
            old, new = Fraction(i, 10), Fraction(j, 10)
            chance = {
                (b, c): math.comb(rows, b)
                * math.comb(rows - b, c)
                * old**b
                * new**c
                * (1 - old - new) ** (rows - b - c)
                for b, c in tables
            }
            assert sum(chance[t] for t in tables if bound[t] > old - new) <= Fraction(delta)
            if old <= new:
                assert sum(chance[t] for t in tables if better[t] == 0) <= Fraction(delta)


def drawn(trials: int, rows: int, old: float, new: float, seed: int) -> np.ndarray:
    """(b, c) for so many pairs of models."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(rows, [old, new, 1 - old - new], trials)[:, :2]


def broken(tables: np.ndarray, bound, true: float) -> int:
    different, many = np.unique(tables, axis=0, return_counts=True)
    values = (bound(int(b), int(c)) for b, c in different)
    return sum(int(m) for low, m in zip(values, many, strict=True) if low > true)


def unpaired(rows: int, b: int, c: int) -> float:
    """The two error rates as if they came from different rows; the models are never wrong together."""
    old, new = b / rows, c / rows
    return old - new - 1.645 * math.sqrt((old * (1 - old) + new * (1 - new)) / rows)


def bootstrapped(rows: int, b: int, c: int) -> float:
    """The fifth percentile of the mean over rows drawn again."""
    rng = np.random.default_rng(b * 1000 + c)
    again = rng.multinomial(rows, [b / rows, c / rows, 1 - (b + c) / rows], 400)
    return float(np.quantile((again[:, 0] - again[:, 1]) / rows, 0.05))


def one_end(rows: int, b: int, c: int) -> float:
    """Only the lower end of how often the models differ, at the full delta, whatever the sign."""
    theta = rate_at_least(b, b + c, 0.05) if b + c else 0.0
    return rate_at_least(b + c, rows, 0.05) * (2 * theta - 1)


TWINS = [(unpaired, 100, 0.5, 0.5), (bootstrapped, 30, 0.0, 0.05), (one_end, 60, 0.0, 0.2)]


def assert_kept_where_the_twin_breaks(twin, rows, old, new, trials, seed):
    tables = drawn(trials, rows, old, new, seed)
    kept = broken(tables, lambda b, c: paired_difference(b, c, rows, 0.05), old - new)
    assert_sound(kept, trials, 0.05)
    assert_unsound(broken(tables, lambda b, c: twin(rows, b, c), old - new), trials, 0.05)


@pytest.mark.parametrize(("twin", "rows", "old", "new"), TWINS)
def test_simulated_rows_keep_the_promise_and_break_the_twins(twin, rows, old, new):
    assert_kept_where_the_twin_breaks(twin, rows, old, new, 2000, 1)


@pytest.mark.guarantees
@pytest.mark.parametrize(("twin", "rows", "old", "new"), TWINS)
def test_simulated_rows_keep_the_promise_and_break_the_twins_at_length(twin, rows, old, new):
    assert_kept_where_the_twin_breaks(twin, rows, old, new, 50_000, 2)


@pytest.mark.guarantees
@pytest.mark.parametrize("rows", [30, 164, 1000])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_equal_models_pass_at_most_delta_of_the_time(rows, share):
    tables = drawn(100_000, rows, share / 2, share / 2, 3)
    assert_sound(broken(tables, lambda b, c: mcnemar_better(b, c, 0.05) + 0.5, 0.0), 100_000, 0.05)
    assert_sound(
        broken(tables, lambda b, c: paired_difference(b, c, rows, 0.05), 0.0), 100_000, 0.05
    )


def test_picking_the_better_model_after_looking_breaks_the_promise():
    tables = drawn(4000, 400, 0.2, 0.2, 4)
    asked = broken(tables, lambda b, c: mcnemar_better(b, c, 0.05) + 0.5, 0.0)
    picked = broken(tables, lambda b, c: mcnemar_better(max(b, c), min(b, c), 0.05) + 0.5, 0.0)
    assert_sound(asked, 4000, 0.05)
    assert_unsound(picked, 4000, 0.05)


# Graded losses.


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 64), st.integers(0, 64)), min_size=1, max_size=80), deltas)
def test_graded_losses_are_bet_on(pairs, delta):
    old, new = (np.array(column) / 64 for column in zip(*pairs, strict=True))
    # In 64ths the shares are exact; what floating point could have lost is allowed for in the last digits.
    exact = 1 - 2 * bounded_betting((new - old + 1) / 2, delta)
    assert paired_loss_difference(old, new, delta) == pytest.approx(exact, abs=1e-12)


def graded_broken(trials: int, bound, seed: int) -> int:
    rng = np.random.default_rng(seed)
    old = rng.beta(0.2, 3.0, (trials, 40))
    new = rng.beta(0.1, 1.5, (trials, 40))  # the same mean, rarer and larger losses
    return sum(bound(o, n) > 0 for o, n in zip(old, new, strict=True))


def by_normal(old: np.ndarray, new: np.ndarray) -> float:
    gap = old - new
    return float(gap.mean() - 1.645 * gap.std(ddof=1) / math.sqrt(gap.size))


def test_simulated_losses_keep_the_promise_and_break_a_normal_approximation():
    assert_sound(graded_broken(400, lambda o, n: paired_loss_difference(o, n, 0.05), 5), 400, 0.05)
    assert_unsound(graded_broken(4000, by_normal, 5), 4000, 0.05)


@pytest.mark.guarantees
def test_simulated_losses_keep_the_promise_at_length():
    kept = graded_broken(10_000, lambda o, n: paired_loss_difference(o, n, 0.05), 6)
    assert_sound(kept, 10_000, 0.05)


def test_refuses_what_is_not_covered():
    good = {"only_old": 3, "only_new": 2, "rows": 9, "delta": 0.05}
    assert_refuses_all(paired_difference, good, "only_old", COUNT, NOT_COUNTS)
    assert_refuses_all(paired_difference, good, "only_new", COUNT, NOT_COUNTS)
    with refuses("rows must be at least the 5 on which one model is wrong, but is 4."):
        paired_difference(3, 2, 4, 0.05)
    with refuses("only_old must be a whole number, not text, but is '3'."):
        find_theorem("paired-difference").checker(good | {"only_old": "3"}, Fraction(0), True)
    with refuses("the two models' losses must be of the same rows, but are of 2 and 1.", BadData):
        paired_loss_difference([0.5, 0.5], [0.1], 0.05)
