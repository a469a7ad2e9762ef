from __future__ import annotations

import numpy as np
import pytest

from assay.learners.boolean import sphere_net
from assay.theory.complexity.cover import covering_number_sphere


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("distance", [2.0, 1.0, 0.5, 0.25])
def test_every_unit_vector_is_close_to_the_net(d, distance):
    net = sphere_net(d, distance, 10**6)
    assert np.allclose(np.linalg.norm(net, axis=1), 1)
    u = np.random.default_rng(0).normal(size=(2000, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    # Twice the inner product of unit vectors is two less the square of their distance.
    farthest = np.sqrt(2 - 2 * np.minimum((u @ net.T).max(axis=1), 1)).max()
    assert farthest <= distance
    if distance <= 1:
        assert len(net) <= covering_number_sphere(d, distance)
        if d > 1:
            assert farthest > distance / 2  # half the net would not do


def test_the_circle_needs_32_points_for_a_tenth():
    assert len(sphere_net(2, 0.1, 100)) == 32
    with pytest.raises(OverflowError):
        sphere_net(2, 0.1, 31)
    with pytest.raises(OverflowError):
        sphere_net(3, 0.1, 100)
