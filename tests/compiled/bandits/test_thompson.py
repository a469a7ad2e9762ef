import numpy as np
import pytest
from scipy import stats

from assay.compiled.bandits.bandit_book import PLAYS
from assay.compiled.bandits.thompson import least_rate


def generator(seed):
    return np.random.default_rng(seed).integers(0, 2**64, 4, dtype=np.uint64)


def tally_of(ones, plays):
    return np.array([0] * PLAYS + list(plays) + list(ones))


def drawn(ones, plays, many, seed):
    words, tally = generator(seed), tally_of(ones, plays)
    return [least_rate(words, tally, len(ones)) for _ in range(many)]


SHAPES = [
    (1, 1),
    (1, 7),
    (7, 1),
    (2, 2),
    (1, 900),
    (900, 1),
    (3, 40),
    (40, 3),
    (400, 300),
    (10**6, 9),
]


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_a_single_rate_is_a_beta_variate(a, b):
    rates = np.array([rate for _, rate in drawn([a - 1], [a + b - 2], 40_000, a * 1000 + b)])
    wanted = stats.beta(a, b)
    assert stats.kstest(rates, wanted.cdf).pvalue > 1e-4
    assert stats.kstest(rates, stats.beta(1.1 * a, b).cdf).pvalue < 1e-4
    # Moments of the standardized rates, within five standard errors of what they are.
    scores = (rates - wanted.mean()) / wanted.std()
    skew, kurtosis = (float(m) for m in wanted.stats(moments="sk"))
    for power, moment in ((1, 0.0), (2, 1.0), (3, skew), (4, 3 + kurtosis)):
        error = np.std(scores**power) / np.sqrt(len(scores))
        assert abs(np.mean(scores**power) - moment) < 5 * error


@pytest.mark.parametrize("end", ["lower", "upper"])
def test_the_tails_are_those_of_the_beta_distribution(end):
    rates = np.array([rate for _, rate in drawn([49], [98], 400_000, 5)])
    for share in (1e-2, 1e-3, 1e-4):
        cut = stats.beta(50, 50).ppf(share if end == "lower" else 1 - share)
        found = np.count_nonzero(rates < cut if end == "lower" else rates > cut)
        assert stats.binomtest(found, len(rates), share).pvalue > 1e-4


def test_the_least_of_several():
    found = drawn([3, 1, 8], [10, 4, 10], 40_000, 11)
    rng = np.random.default_rng(0)
    rates = rng.beta([4, 2, 9], [8, 4, 3], (40_000, 3))
    assert stats.ks_2samp([rate for _, rate in found], rates.min(axis=1)).pvalue > 1e-4
    ours = np.bincount([arm for arm, _ in found], minlength=3)
    theirs = np.bincount(rates.argmin(axis=1), minlength=3)
    assert stats.chi2_contingency([ours, theirs]).pvalue > 1e-4
