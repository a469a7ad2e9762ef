"""Least squares and ridge: the excess promised is never below the excess there is."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.linear.least_squares import ols_normal_equations, ridge_primal_dual
from tests.refusals import NONNEGATIVE, NOT_NONNEGATIVE, NOT_POSITIVE, POSITIVE, assert_refuses_all

amounts = st.fractions(0, 10**6, max_denominator=10**6)
above_zero = st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6)


def test_the_smallest_ridge_problem():
    # x = (1, 2), y = (1, 2), penalty 1: w = 5/6 and alpha = (1/6, 1/3).
    w, alpha = Fraction(5, 6), (Fraction(1, 6), Fraction(1, 3))
    assert (1 - w, 2 - 2 * w) == alpha
    assert alpha[0] + 2 * alpha[1] == w
    assert ridge_primal_dual(1, w - (alpha[0] + 2 * alpha[1])) == 0


@settings(max_examples=50)
@given(amounts, above_zero)
def test_never_below_the_exact_value(size, scale):
    assert Fraction(ols_normal_equations(size, scale)) >= (size / scale) ** 2
    assert Fraction(ridge_primal_dual(scale, size)) >= scale * size**2
    assert ols_normal_equations(2 * size, scale) >= ols_normal_equations(size, scale)
    assert ols_normal_equations(size, 2 * scale) <= ols_normal_equations(size, scale)
    assert ridge_primal_dual(2 * scale, size) >= ridge_primal_dual(scale, size)
    assert ridge_primal_dual(scale, 2 * size) >= ridge_primal_dual(scale, size)


def problems(seed):
    rng = np.random.default_rng(seed)
    rows, width = rng.integers(1, 9, 2)
    X = rng.standard_normal((rows, width)) * 10.0 ** rng.integers(-2, 3)
    return rng, X, rng.standard_normal(rows), rng.standard_normal(width)


def ols_excess(seed):
    """The excess of some vector, what its normal equations lack, and the least singular value."""
    _, X, y, w = problems(seed)
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    excess = np.sum((y - X @ w) ** 2) - np.sum((y - X @ best) ** 2)
    least = np.linalg.svd(X, compute_uv=False)[-1]
    return excess, np.linalg.norm(X.T @ (y - X @ w)), least


def ridge_excess(seed):
    rng, X, y, w = problems(seed)
    penalty = 10.0 ** rng.integers(-3, 3)

    def objective(w):
        return np.sum((y - X @ w) ** 2) + penalty * w @ w

    best = np.linalg.solve(X.T @ X + penalty * np.eye(len(w)), X.T @ y)
    dual = X.T @ np.linalg.solve(X @ X.T + penalty * np.eye(len(y)), y)
    assert np.allclose(best, dual, rtol=1e-7, atol=1e-9)
    apart = np.linalg.norm(w - X.T @ (y - X @ w) / penalty)
    return objective(w) - objective(best), penalty, apart


def broken(promise, excesses):
    """How often an excess is above its promise, apart from rounding."""
    return sum(excess > promise(*rest) * (1 + 1e-9) + 1e-9 for excess, *rest in excesses)


def test_no_vector_is_further_from_the_best_than_promised():
    least_squares = [ols_excess(seed) for seed in range(300)]
    ridge = [ridge_excess(seed) for seed in range(300)]
    assert broken(ols_normal_equations, least_squares) == 0
    assert broken(ridge_primal_dual, ridge) == 0
    # Twins with the singular value or the penalty in the wrong place are noticed.
    assert broken(lambda left, least: left**2 * least**2, least_squares) > 0
    assert broken(lambda penalty, apart: apart**2 / penalty, ridge) > 0


def test_the_promise_is_met():
    # One feature: the excess is the bound.
    X, y, w = np.array([3.0, 4.0]), np.array([1.0, 2.0]), 0.5
    best = X @ y / (X @ X)
    excess = np.sum((y - X * w) ** 2) - np.sum((y - X * best) ** 2)
    assert excess == pytest.approx(ols_normal_equations(abs(X @ (y - X * w)), 5.0))


def test_refusals():
    good = {"gradient": 1, "singular": 1}
    assert_refuses_all(ols_normal_equations, good, "gradient", NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(ols_normal_equations, good, "singular", POSITIVE, NOT_POSITIVE)
    good = {"penalty": 1, "distance": 1}
    assert_refuses_all(ridge_primal_dual, good, "penalty", POSITIVE, NOT_POSITIVE)
    assert_refuses_all(ridge_primal_dual, good, "distance", NONNEGATIVE, NOT_NONNEGATIVE)
