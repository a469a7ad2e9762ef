"""Expected Rademacher complexity: exact values, an interval that covers, and a narrower one that does not."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import rademacher_complexity
from assay.data.synthetic import NoisyFunction
from assay.errors import BadParameter
from assay.theory.complexity.rademacher import rademacher_empirical
from assay.theory.complexity.shattering import intervals
from tests.soundness import assert_sound, assert_unsound

LINE = NoisyFunction(np.sign)


class TwoPoints:
    """Points 0 and 1, each half of the time: a sample of two sees one point or both."""

    def sample(self, rows, random_state=None):
        rng = np.random.default_rng(random_state)
        return rng.integers(0, 2, size=(rows, 1)).astype(float), np.zeros(rows)


def every_labeling(points):
    places = np.unique(np.asarray(points), return_inverse=True)[1].ravel()
    ways = np.array(np.meshgrid(*[[-1, 1]] * (places.max() + 1))).reshape(places.max() + 1, -1).T
    return ways[:, places]


def test_samples_of_distinct_points_have_one_value_for_intervals():
    complexity = rademacher_complexity("intervals", LINE, 6, samples=5, random_state=0)
    assert complexity.value == pytest.approx(rademacher_empirical(intervals(range(6))))
    assert complexity.largest == pytest.approx(complexity.value)
    assert complexity.value <= complexity.promised
    assert complexity.of_losses == complexity.high / 2


def test_a_class_of_the_users_and_many_points():
    many = rademacher_complexity(intervals, LINE, 30, samples=20, random_state=1)
    assert many.promised is None
    assert 0 < many.low < many.value < many.high
    assert "Massart" not in str(many)
    named = rademacher_complexity(
        "rectangles", NoisyFunction(lambda X: X[:, 0], features=2), 6, samples=5
    )
    assert named.holds
    assert "Massart" in str(named)


def test_the_interval_covers_what_is_known_exactly():
    # All labelings: 1 where both points are seen, half of the time, else 1/2. Its mean is 3/4.
    truth, delta, trials = 0.75, 0.3, 120
    runs = [
        rademacher_complexity(
            every_labeling, TwoPoints(), 2, samples=6, delta=delta, random_state=seed
        )
        for seed in range(trials)
    ]
    broken = sum(not run.low <= truth <= run.high for run in runs)
    assert_sound(broken, trials, delta)
    narrow = sum(abs(run.value - truth) > (run.high - run.value) / 6 for run in runs)
    assert_unsound(narrow, trials, delta)


def test_refusals():
    sentence = (
        "concepts must be one of 'intervals', 'rectangles', 'halfspaces', or a function from points to "
        "labelings, but is 'circles'."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        rademacher_complexity("circles", LINE, 3)
