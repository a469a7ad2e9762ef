import numpy as np
import pytest

from assay.compiled.common.generator import start_stream, uniform
from tests.naive.generator import Generator


@pytest.mark.parametrize(("seed", "run"), [(0, 0), (1, 0), (0, 1), (2**63 - 1, 10**6), (12345, 7)])
def test_naive_twin(seed, run):
    words = np.zeros(4, dtype=np.uint64)
    start_stream(words, seed, run)
    twin = Generator(seed, run)
    assert [uniform(words) for _ in range(1000)] == [twin.uniform() for _ in range(1000)]
    assert words.tolist() == twin.s


def test_streams_differ_and_are_uniform():
    first = {Generator(seed, run).word() for seed in range(40) for run in range(40)}
    assert len(first) == 1600
    words = np.zeros(4, dtype=np.uint64)
    start_stream(words, 3, 5)
    drawn = np.array([uniform(words) for _ in range(100_000)])
    assert 0 < drawn.min() < drawn.max() < 1
    counts = np.bincount((drawn * 100).astype(int), minlength=100)
    assert np.abs(counts - 1000).max() < 200
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.02
