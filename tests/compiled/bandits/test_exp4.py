import numpy as np
import pytest

from assay.compiled.bandits.exp4 import choose_advised, learn_advised
from assay.compiled.common.generator import start_stream
from tests.naive.contextual import exp4


def test_naive_twin():
    rng = np.random.default_rng(0)
    generator = np.zeros(4, dtype=np.uint64)
    start_stream(generator, 0, 0)
    for _ in range(50):
        n, k = int(rng.integers(1, 6)), int(rng.integers(1, 5))
        losses, advice = 5 * rng.random(n), rng.dirichlet(np.ones(k), n)
        chances, shares = np.empty(k), np.empty((n, k))
        given = np.ones(k, dtype=np.bool_), 0.3, 0.0, chances, shares
        action = choose_advised(generator, losses, advice, *given)
        np.testing.assert_allclose(chances, exp4(advice, losses, 0.3), rtol=1e-12)
        np.testing.assert_allclose(shares, advice, rtol=1e-12)
        before = losses.copy()
        share = np.ascontiguousarray(shares[:, action])
        learn_advised(losses, share, 0.7, chances[action])
        np.testing.assert_allclose(losses - before, 0.7 * share / chances[action], rtol=1e-12)


def test_excluded_actions_are_advised_by_nobody():
    generator = np.zeros(4, dtype=np.uint64)
    start_stream(generator, 0, 0)
    advice = np.array([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]])
    chances, shares = np.empty(3), np.empty((2, 3))
    allowed = np.array([False, True, True])
    choose_advised(generator, np.zeros(2), advice, allowed, 0.5, 0.0, chances, shares)
    assert shares.tolist() == [[0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]
    assert chances.tolist() == [0.0, 0.5, 0.5]
    with pytest.raises(ValueError, match="does not fit the round"):
        choose_advised(generator, np.zeros(3), advice, allowed, 0.5, 0.0, chances, shares)
