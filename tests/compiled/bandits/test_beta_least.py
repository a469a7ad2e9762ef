"""The probability of being the least, against integrals by SciPy and against draws."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import integrate, stats

from assay.compiled.bandits.beta_least import least_probabilities


def found(ones, plays):
    answer = np.empty(len(ones))
    least_probabilities(np.array(ones), np.array(plays), answer)
    return answer


def integrated(ones, plays):
    rates = [stats.beta(1 + k, 1 + n - k) for k, n in zip(ones, plays, strict=True)]
    shares = (1e-12, 1e-6, 0.01, 0.1, 0.5, 0.9, 0.99, 1 - 1e-6, 1 - 1e-12)
    cuts = sorted({0.0, 1.0, *(float(rate.ppf(share)) for rate in rates for share in shares)})

    def part(i, low, high):
        others = [rate for j, rate in enumerate(rates) if j != i]
        return integrate.quad(
            lambda x: rates[i].pdf(x) * np.prod([rate.sf(x) for rate in others]),
            low,
            high,
            epsabs=0,
            epsrel=1e-12,
        )[0]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = [(low, high) for low, high in itertools.pairwise(cuts) if low < high]
        return np.array([sum(part(i, *pair) for pair in pairs) for i in range(len(rates))])


@pytest.mark.parametrize(
    ("ones", "plays"),
    [
        ([0, 0], [0, 0]),
        ([0, 0, 5], [0, 3, 10]),
        ([100, 3], [1000, 10]),
        ([400_000, 1], [1_000_000, 3]),
        ([5, 50, 500], [50, 500, 5000]),
        ([0, 0, 0], [0, 100, 10_000]),
        ([10, 0, 10], [10, 10, 20]),
    ],
)
def test_like_integrals_over_the_rates(ones, plays):
    wanted = integrated(ones, plays)
    np.testing.assert_allclose(found(ones, plays), wanted, rtol=1e-7)
    # The check can fail: one loss more is seen.
    other = found([ones[0] + 1, *ones[1:]], [plays[0] + 1, *plays[1:]])
    assert not np.allclose(other, wanted, rtol=1e-7)


def test_in_closed_form():
    # P[Beta(1, 1) < Beta(2, 1)] = 2 / 3, and among equals every arm is as likely.
    np.testing.assert_allclose(found([1, 0], [1, 0]), [1 / 3, 2 / 3], rtol=1e-13)
    np.testing.assert_allclose(found([3] * 50, [9] * 50), np.full(50, 0.02), rtol=1e-12)
    assert found([7], [20]).tolist() == [1.0]


def test_small_probabilities_keep_their_digits():
    # P[Beta(1 + n, 1) < Beta(1, 1 + n)] = 1 / C(2n + 2, n + 1).
    np.testing.assert_allclose(found([12, 0], [12, 12])[0], 1 / 10_400_600, rtol=1e-9)


def test_many_plays_of_many_arms():
    rng = np.random.default_rng(0)
    plays = rng.integers(0, 10**9, 300)
    ones = rng.binomial(plays, 0.3)
    answer = found(ones, plays)
    assert answer.sum() == pytest.approx(1)
    assert (answer >= 0).all()
    drawn = rng.beta(1 + ones, 1 + plays - ones, (20_000, 300)).argmin(axis=1)
    shares = np.bincount(drawn, minlength=300) / 20_000
    assert np.abs(shares - answer).max() < 0.015
