"""Tails and their inverses in 60-digit floating point: slow, obvious, and free of assay's code."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction

import mpmath
from mpmath import mpf

DIGITS = 60


def real(value: object) -> mpf:
    """A number at face value; fractions and decimal text are not rounded to doubles first."""
    if isinstance(value, Fraction):
        return mpf(value.numerator) / value.denominator
    return mpf(str(value) if isinstance(value, str) else value)


@functools.cache
def choose(n: int, k: int) -> mpf:
    with mpmath.workdps(DIGITS + 20):
        return _choose(n, k)


def _choose(n: int, k: int) -> mpf:
    return mpmath.exp(mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1))


def binomial_tail(errors: int, rows: int, rate: mpf) -> mpf:
    """P[Binomial(rows, rate) <= errors], the terms added from the last to the first."""
    with mpmath.workdps(DIGITS + 20):
        term = choose(rows, errors) * rate**errors * (1 - rate) ** (rows - errors)
        total, odds, least = term, (1 - rate) / rate, mpf(10) ** -(DIGITS + 15)
        for i in range(errors, 0, -1):
            term *= i * odds / (rows - i + 1)
            total += term
            if term < total * least:
                break
    return total


def hypergeometric_tail(errors: int, rows: int, bad: int, population: int) -> mpf:
    good = population - bad
    with mpmath.workdps(DIGITS + 20):
        return sum(
            mpmath.binomial(bad, i) * mpmath.binomial(good, rows - i)
            for i in range(max(0, rows - good), min(errors, bad) + 1)
        ) / mpmath.binomial(population, rows)


def relative_entropy(q: mpf, p: mpf) -> mpf:
    miss = (1 - q) * mpmath.log((1 - q) / (1 - p)) if q < 1 else mpf(0)
    return miss + (q * mpmath.log(q / p) if q > 0 else mpf(0))


def mixture_ratio(errors: int, rows: int, rate: mpf) -> mpf:
    """ln M(p) of the one-sided Beta(1/2, 1/2) mixture."""
    with mpmath.workdps(DIGITS + 20):
        half = mpf(1) / 2
        top = mpmath.betainc(errors + half, rows - errors + half, 0, rate)
        prior = 2 * mpmath.asin(mpmath.sqrt(rate))
        return (
            mpmath.log(top)
            - mpmath.log(prior)
            - errors * mpmath.log(rate)
            - (rows - errors) * mpmath.log(1 - rate)
        )


def crossing(function: Callable[[mpf], mpf], low: object, high: object) -> mpf:
    """Where an increasing function passes zero, by bisection."""
    with mpmath.workdps(DIGITS):
        a, b = real(low), real(high)
        for _ in range(3 * DIGITS):
            middle = (a + b) / 2
            a, b = (middle, b) if function(middle) < 0 else (a, middle)
        return b


def upper_rate(errors: int, rows: int, level: object) -> mpf:
    """sup{p : P[Bin(rows, p) <= errors] >= level}."""
    if errors == rows:
        return mpf(1)
    with mpmath.workdps(DIGITS):
        want = real(level)
        return crossing(lambda p: want - binomial_tail(errors, rows, p), mpf(10) ** -30, 1)
