"""Steps on all weights at once against the rules they come from."""

from __future__ import annotations

import numpy as np
import pytest

from assay.compiled.neural.network_steps import adam_step, momentum_step
from tests.naive.network import adam, momentum

RNG = np.random.default_rng(3)
GRADIENTS = RNG.normal(size=(20, 50))


@pytest.mark.parametrize("ahead", [False, True])
def test_momentum(ahead):
    weights, velocity = RNG.normal(size=50), np.zeros(50)
    wanted, speed = weights.copy(), velocity.copy()
    for gradient in GRADIENTS:
        momentum_step(weights, gradient, velocity, 0.05, 0.9, ahead)
        wanted, speed = momentum(wanted, gradient, speed, 0.05, 0.9, ahead)
        assert weights.tobytes() == wanted.tobytes()
        assert velocity.tobytes() == speed.tobytes()


def test_adam():
    weights, first, second = RNG.normal(size=50), np.zeros(50), np.zeros(50)
    wanted, one, two = weights.copy(), first.copy(), second.copy()
    for t, gradient in enumerate(GRADIENTS, 1):
        rate = 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        adam_step(weights, gradient, first, second, rate, 0.9, 0.999, 1e-8)
        wanted, one, two = adam(wanted, gradient, one, two, t, 0.01, 0.9, 0.999, 1e-8)
        np.testing.assert_allclose(weights, wanted, rtol=1e-14)
        assert (first.tobytes(), second.tobytes()) == (one.tobytes(), two.tobytes())


def test_single_precision():
    weights, velocity = np.ones(3, "f4"), np.zeros(3, "f4")
    momentum_step(weights, np.ones(3, "f4"), velocity, 0.5, 0.0, False)
    assert weights.tolist() == [0.5] * 3
    assert weights.dtype == np.float32
