import numpy as np
import pytest
from scipy import stats

from assay.compiled.thompson import beta_variate


def generator(seed):
    return np.random.default_rng(seed).integers(0, 2**64, 4, dtype=np.uint64)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 7), (7, 1), (2, 2), (3, 40), (400, 300)])
def test_beta_variates(a, b):
    words = generator(a * 1000 + b)
    drawn = [beta_variate(words, float(a), float(b)) for _ in range(20_000)]
    assert stats.kstest(drawn, stats.beta(a, b).cdf).pvalue > 1e-4
    assert stats.kstest(drawn, stats.beta(1.1 * a, b).cdf).pvalue < 1e-4
