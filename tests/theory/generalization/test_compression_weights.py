"""The weighted sum against fifty digits, and the weights against their definition."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special

from assay.theory.generalization.compression_weights import GuessedWeights

LEVEL = Fraction(1, 20)


def weights(m, a, b):
    """Half even, half beta-binomial, in 50 digits."""
    with mpmath.workdps(50):
        a, b = mpmath.mpf(a), mpmath.mpf(b)
        beta = [
            mpmath.binomial(m - 1, M) * mpmath.beta(M + a, m - 1 - M + b) / mpmath.beta(a, b)
            for M in range(m)
        ]
        return [(mpmath.mpf(1) / m + w) / 2 for w in beta]


def summed(m, k, rate, a, b):
    with mpmath.workdps(50):
        e, w = mpmath.mpf(rate), weights(m, a, b)
        return mpmath.fsum(
            w[M] * mpmath.binomial(M, k) / mpmath.binomial(m, k) / (1 - e) ** (m - M)
            for M in range(k, m)
        )


@pytest.mark.parametrize(("m", "guess"), [(1, 0), (2, 0), (40, 3), (200, 6), (200, 150)])
def test_the_sum_is_never_above_the_true_one_and_hardly_below(m, guess):
    mixture = GuessedWeights(m, guess, LEVEL)
    assert float(mpmath.fsum(weights(m, mixture.a, mixture.b))) == pytest.approx(1)
    for k in {0, guess, m // 2}:
        for rate in (0.001, 0.05, 0.3, 0.9):
            log_true = mpmath.log(summed(m, k, rate, mixture.a, mixture.b) * mpmath.mpf(1) / 20)
            ours = mixture.log_excess(k, rate)
            assert ours <= log_true
            assert ours >= log_true - mpmath.mpf(10) ** -11


@pytest.mark.parametrize(("m", "guess"), [(280, 8), (1000, 30), (1500, 45)])
def test_the_weights_lie_around_the_best_size_for_the_guess(m, guess):
    M = np.arange(guess, m)
    log_share = special.gammaln(M + 1) - special.gammaln(M - guess + 1)
    log_share += special.gammaln(m - guess + 1) - special.gammaln(m + 1)
    best = M[np.argmin(-np.expm1((math.log(0.05) + log_share) / (m - M)))]
    mixture = GuessedWeights(m, guess, LEVEL)
    assert mixture.a == pytest.approx(40 * (best + 0.5) / m)
    assert mixture.a + mixture.b == pytest.approx(40)


def test_weights_that_sum_to_more_than_one_would_be_noticed():
    mixture = GuessedWeights(200, 6, LEVEL)
    mixture.total /= 2
    true = mpmath.log(summed(200, 6, 0.1, mixture.a, mixture.b) * mpmath.mpf(1) / 20)
    assert mixture.log_excess(6, 0.1) > true


def test_far_ends():
    mixture = GuessedWeights(1000, 30, Fraction(1, 10**200))
    assert mixture.reached(30, 1.0)
    assert mixture.log_excess(30, 1.0) == math.inf
    assert mixture.reached(30, 1 - 1e-15)
    assert not mixture.reached(999, 1e-300)
