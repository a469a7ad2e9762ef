import numpy as np
from numba import njit
from scipy import stats

from assay.compiled.common.normal import _AREA, _HEIGHTS, _TAIL, EDGES, normal


@njit
def fill(words, numbers):
    for i in range(numbers.shape[0]):
        numbers[i] = normal(words)


def drawn(many, seed):
    words = np.random.default_rng(seed).integers(0, 2**64, 4, dtype=np.uint64)
    numbers = np.empty(many)
    fill(words, numbers)
    return numbers


def test_every_layer_has_the_same_area():
    np.testing.assert_allclose(EDGES[1:256] * np.diff(_HEIGHTS[1:]), _AREA, rtol=1e-9)
    rest = np.sqrt(2 * np.pi) * stats.norm.sf(_TAIL)
    np.testing.assert_allclose(_TAIL * np.exp(-(_TAIL**2) / 2) + rest, _AREA, rtol=1e-12)


def test_the_distribution():
    numbers = drawn(2_000_000, 1)
    assert stats.kstest(numbers, "norm").pvalue > 1e-4
    assert stats.kstest(1.01 * numbers, "norm").pvalue < 1e-4
    for power, moment in ((1, 0), (2, 1), (3, 0), (4, 3), (6, 15)):
        error = np.std(numbers**power) / np.sqrt(len(numbers))
        assert abs(np.mean(numbers**power) - moment) < 5 * error


def test_the_tails():
    numbers = drawn(4_000_000, 2)
    for cut in (2.0, 3.0, _TAIL, 4.0, 4.5):
        for side in (numbers, -numbers):
            found = int(np.count_nonzero(side > cut))
            assert stats.binomtest(found, len(numbers), stats.norm.sf(cut)).pvalue > 1e-4
    beyond = np.abs(numbers[np.abs(numbers) > _TAIL])
    share = stats.norm.sf(beyond) / stats.norm.sf(_TAIL)
    assert stats.kstest(share, "uniform").pvalue > 1e-4
