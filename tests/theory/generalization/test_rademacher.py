"""Bounds through Rademacher complexity, against samples from a known distribution."""

from __future__ import annotations

import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.complexity.rademacher import rademacher_massart, rademacher_monte_carlo
from assay.theory.generalization.rademacher import (
    rademacher_empirical_bound,
    rademacher_expected_bound,
)
from tests.soundness import assert_sound, assert_unsound

BOUNDS = (rademacher_expected_bound, rademacher_empirical_bound)


def test_slack_at_a_thousand_rows():
    slack = [bound(observed=0, complexity=0.1, rows=1000, delta=0.05) for bound in BOUNDS]
    assert slack == pytest.approx([0.238702, 0.328841], rel=2e-6)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 10**6), st.floats(0.001, 0.99))
@settings(max_examples=50, deadline=None)
def test_never_below_the_exact_value_and_monotone(observed, complexity, rows, delta):
    with mpmath.workdps(50):
        mean, richness, failure = (mpmath.mpf(repr(x)) for x in (observed, complexity, delta))
        expected = mean + 2 * richness + mpmath.sqrt(mpmath.log(1 / failure) / (2 * rows))
        empirical = mean + 2 * richness + 3 * mpmath.sqrt(mpmath.log(2 / failure) / (2 * rows))
        assert rademacher_expected_bound(observed, complexity, rows, delta) >= expected
        assert rademacher_empirical_bound(observed, complexity, rows, delta) >= empirical
    for bound in BOUNDS:
        here = bound(observed, complexity, rows, delta)
        assert here >= bound(observed / 2, complexity, rows, delta)
        assert here >= bound(observed, complexity / 2, rows, delta)
        assert here >= bound(observed, complexity, rows + 1, delta)
        assert here <= bound(observed, complexity, rows, delta / 2)


class TestPromise:
    """Two hundred random loss tables over 64 equally likely examples."""

    TRIALS, ROWS, DELTA = 120, 200, 0.1
    LOSSES = np.random.default_rng(11).integers(0, 2, size=(200, 64))
    TRUE = LOSSES.mean(axis=1)

    def samples(self):
        rng = np.random.default_rng(12)
        return [self.LOSSES[:, rng.integers(0, 64, size=self.ROWS)] for _ in range(self.TRIALS)]

    def gaps(self, samples):
        """Largest amount by which a member's true loss exceeds its sample loss."""
        return np.array([(self.TRUE - losses.mean(axis=1)).max() for losses in samples])

    def test_expected_complexity(self):
        samples = self.samples()
        # Massart's bound holds on every sample, so also for the mean over samples.
        complexity = rademacher_massart(labelings=200, rows=self.ROWS, half_range=0.5)
        slack = rademacher_expected_bound(0, complexity, self.ROWS, self.DELTA)
        gaps = self.gaps(samples)
        assert_sound(int((gaps > slack).sum()), self.TRIALS, self.DELTA)
        without_complexity = rademacher_expected_bound(0, 0, self.ROWS, self.DELTA)
        assert_unsound(int((gaps > without_complexity).sum()), self.TRIALS, self.DELTA)

    def test_complexity_on_the_sample(self):
        samples = self.samples()
        gaps = self.gaps(samples)
        # Both claims share delta: the simulated complexity takes half of it.
        complexities = [
            rademacher_monte_carlo(losses, draws=100, delta=self.DELTA / 2, seed=i).high
            for i, losses in enumerate(samples)
        ]
        slacks = [
            rademacher_empirical_bound(0, complexity, self.ROWS, self.DELTA / 2)
            for complexity in complexities
        ]
        assert_sound(int((gaps > slacks).sum()), self.TRIALS, self.DELTA)
        # Without the factors 2 and 3, and without the complexity, only one function is covered.
        broken = math.sqrt(math.log(2 / self.DELTA) / (2 * self.ROWS))
        assert_unsound(int((gaps > broken).sum()), self.TRIALS, self.DELTA)


@pytest.mark.parametrize("bound", BOUNDS)
class TestRefusals:
    @pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, math.inf, True, None])
    def test_observed(self, bound, bad):
        sentence = f"observed must be a number between 0 and 1, but is {bad!r}."
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            bound(bad, 0.1, 10, 0.05)

    @pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf, True, None])
    def test_complexity(self, bound, bad):
        sentence = f"complexity must be a finite number, zero or more, but is {bad!r}."
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            bound(0.1, bad, 10, 0.05)

    @pytest.mark.parametrize("bad", [0, -1, 1.5, math.nan, True, None])
    def test_rows(self, bound, bad):
        sentence = f"rows must be a whole number of at least 1, but is {bad!r}."
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            bound(0.1, 0.1, bad, 0.05)

    @pytest.mark.parametrize("bad", [0, 1, -0.1, math.nan, math.inf, True, None])
    def test_delta(self, bound, bad):
        sentence = f"delta must be a number strictly between 0 and 1, but is {bad!r}."
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            bound(0.1, 0.1, 10, bad)
