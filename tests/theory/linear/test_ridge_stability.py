"""Condition and stability of ridge regression: golden numbers, exact values, the promise, a broken twin."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.linear.ridge_stability import ridge_condition, ridge_stability
from tests.refusals import NONNEGATIVE, NOT_NONNEGATIVE, NOT_POSITIVE, POSITIVE, assert_refuses_all

amounts = st.fractions(0, 10**6, max_denominator=10**6)
above_zero = st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6)


def test_golden_numbers():
    assert ridge_condition(10, 1) == 101
    assert ridge_condition(3, 1, least=1) == 5
    assert ridge_stability(1, moved=1) == 0.5
    assert ridge_stability(1, other=3, norm="0.25") == 0.5


@settings(max_examples=50)
@given(amounts, above_zero, amounts)
def test_never_below_the_exact_value_and_monotone(size, penalty, other):
    assert Fraction(ridge_condition(size, penalty)) >= (size**2 + penalty) / penalty
    assert ridge_condition(size, 2 * penalty) <= ridge_condition(size, penalty)
    exact = abs(penalty - other) / penalty * size
    assert Fraction(ridge_stability(penalty, other=other, norm=size)) >= exact
    assert Fraction(ridge_stability(penalty, moved=size)) ** 2 >= size**2 / (4 * penalty)
    assert ridge_stability(2 * penalty, moved=size) <= ridge_stability(penalty, moved=size)


def distances(seed):
    """How far ridge weights moved, and what is needed to bound it; singular values near the root of the penalty."""
    rng = np.random.default_rng(seed)
    rows, width = rng.integers(1, 6, 2)
    X = rng.standard_normal((rows, width))
    y, moved = rng.standard_normal((2, rows))
    penalty, other = 10.0 ** rng.uniform(-2, 1, 2)
    if seed % 2:  # a change along the worst direction
        U, s, _ = np.linalg.svd(X)
        penalty, moved = s[0] ** 2, U[:, 0]

    def solve(weight, outcomes):
        return np.linalg.solve(X.T @ X + weight * np.eye(width), X.T @ outcomes)

    before = solve(other, y)
    apart = np.linalg.norm(solve(penalty, y + moved) - before)
    alone = np.linalg.norm(solve(penalty, y + moved) - solve(penalty, y))
    return penalty, other, np.linalg.norm(moved), np.linalg.norm(before), apart, alone


def test_the_promise_and_half_of_it():
    short = 0
    for seed in range(200):
        penalty, other, moved, norm, apart, alone = distances(seed)
        assert apart <= ridge_stability(penalty, moved, other, norm) * (1 + 1e-9)
        promised = ridge_stability(penalty, moved)
        assert alone <= promised * (1 + 1e-9)
        short += alone > 0.9 * promised
    assert short >= 50


def test_refusals():
    good = {"penalty": 1, "moved": 1, "other": 1, "norm": 1}
    assert_refuses_all(ridge_stability, good, "penalty", POSITIVE, NOT_POSITIVE)
    assert_refuses_all(ridge_stability, good, "moved", NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(
        ridge_condition, {"largest": 1, "penalty": 1}, "penalty", POSITIVE, NOT_POSITIVE
    )
