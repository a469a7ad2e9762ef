"""Rows that come in units, 10 to 50 of them, alike within a unit in two ways and to every degree.

Tens of thousands of bounds would take hours. Whether one fails is seen faster: it does where the sixty-four gamblers
own 1 / delta at the truth. So every draw is judged by their wealth, written from its definition; the bound itself is
asked of all draws that come near to breaking it, and of some that do not.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

from assay.checks import check_bound
from assay.checks.experiments import alike_units
from assay.theory.tail.binomial_many import holdout_exact_many
from assay.theory.tail.difference import paired_difference
from assay.theory.tail.unit_mean import unit_mean_betting
from assay.theory.tail.unit_ratio import unit_difference, unit_ratio_betting
from tests.guarantees.case import DELTA
from tests.soundness import assert_sound, assert_unsound

pytestmark = pytest.mark.guarantees

TRIALS = 10_000
ROWS = 8
LONGEST = 12


def rates(rng, trials, units, mean, correlation, together):
    """An error rate for each unit: all or nothing with the chance of the correlation, or from a beta."""
    shape = (trials, units)
    mean = np.broadcast_to(mean, shape)
    if together:
        return np.where(rng.random(shape) < correlation, rng.random(shape) < mean, mean)
    if not correlation:
        return mean
    spread = 1 / correlation - 1
    return rng.beta(mean * spread, (1 - mean) * spread)


@dataclass
class Drawn:
    """Units as the gamblers see them: shares and weights as (trials, units), and what they bet on."""

    counts: np.ndarray  # (trials, units, 2): errors or differences, and rows
    shares: np.ndarray
    weights: np.ndarray
    truth: float

    def wealth(self):
        total = np.zeros(len(self.shares))
        gap = self.shares - self.weights * self.truth
        for j in range(1, 65):
            total += np.prod(1 - j / 64 * gap, axis=1)
        return total / 64


def mean_over_units(rng, units, correlation, together, mean, trials=TRIALS):
    errors = rng.binomial(ROWS, rates(rng, trials, units, mean, correlation, together))
    counts = np.stack([errors, np.full_like(errors, ROWS)], axis=2)
    return Drawn(counts, errors / ROWS, np.ones(errors.shape), mean)


def rate_per_row(rng, units, correlation, together, mean, trials=TRIALS):
    """Long units are wrong three times as often."""
    rows = rng.choice([2, 10], (trials, units), p=[0.7, 0.3])
    errors = rng.binomial(
        rows, rates(rng, trials, units, np.where(rows == 10, mean, mean / 3), correlation, together)
    )
    truth = (0.7 * 2 * mean / 3 + 0.3 * 10 * mean) / (0.7 * 2 + 0.3 * 10)
    return Drawn(np.stack([errors, rows], axis=2), errors / LONGEST, rows / LONGEST, truth)


def difference_of_two(rng, units, correlation, together, mean, trials=TRIALS):
    """Equal models, one of which is wrong on so many rows; in a unit it is mostly the same one."""
    side = rates(rng, trials, units, 0.5, correlation, together)
    differing = rng.binomial(ROWS, min(2 * mean, 1.0), (trials, units))
    old = rng.binomial(differing, side)
    more = 2 * old - differing
    counts = np.stack([more, np.full_like(more, ROWS)], axis=2)
    # Betting is on (1 - d) / 2, whose mean is one half.
    return Drawn(counts, (1 - more / ROWS) / 2, np.ones(more.shape), 0.5)


def kinds(counts):
    return [(*kind, many) for kind, many in sorted(Counter(map(tuple, counts.tolist())).items())]


def fails(design, counts, truth):
    """Whether the bound itself is on the wrong side of the truth."""
    if design is mean_over_units:
        return unit_mean_betting(kinds(counts), DELTA) < truth
    if design is rate_per_row:
        return unit_ratio_betting(kinds(counts), LONGEST, DELTA) < truth
    return unit_difference(kinds(counts), DELTA) > 1 - 2 * truth


@pytest.mark.parametrize("design", [mean_over_units, rate_per_row, difference_of_two])
@pytest.mark.parametrize("units", [10, 20, 50])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.7, 0.9])
@pytest.mark.parametrize("together", [False, True], ids=["beta", "all or nothing"])
@pytest.mark.parametrize("mean", [0.05, 0.2, 0.5])
def test_units(design, units, correlation, together, mean):
    rng = np.random.default_rng([units, round(10 * correlation), together, round(100 * mean)])
    drawn = design(rng, units, correlation, together, mean)
    wealth = drawn.wealth()
    broken = wealth >= 1 / DELTA
    assert_sound(int(broken.sum()), TRIALS, DELTA)
    near = np.flatnonzero(
        np.abs(wealth * DELTA - 1) > 1e-9
    )  # closer than that nobody can tell in doubles
    asked = near[np.argsort(-wealth[near])][:25].tolist() + rng.choice(near, 15).tolist()
    for trial in asked:
        assert fails(design, drawn.counts[trial], drawn.truth) == broken[trial]


@pytest.mark.parametrize("units", [10, 20, 50])
@pytest.mark.parametrize("together", [False, True], ids=["beta", "all or nothing"])
def test_rows_taken_for_independent_draws_are_caught(units, together):
    rng = np.random.default_rng([units, together])
    drawn = mean_over_units(rng, units, 0.7, together, 0.2)
    errors = drawn.counts[..., 0].sum(axis=1)
    by_rows = np.array(
        [float(holdout_exact_many(k, ROWS * units, DELTA)) for k in range(ROWS * units + 1)]
    )
    assert_unsound(int((by_rows[errors] < 0.2).sum()), TRIALS, DELTA)


def test_rows_for_draws_break_a_promise_in_27_of_100_draws():
    """20 units of 8 rows that agree to .7; and `check_bound` says so."""
    by_rows = [float(holdout_exact_many(k, 160, DELTA)) for k in range(161)]
    experiment = alike_units(lambda errors: by_rows[int(errors.sum())], 20, 8, 0.1)
    checked = check_bound(experiment, delta=DELTA, trials=20_000, random_state=4)
    assert checked.verdict == "broken"
    assert checked.rate == pytest.approx(0.27, abs=0.015)


@pytest.mark.parametrize("units", [20, 50])
def test_a_difference_row_by_row_is_caught(units):
    rng = np.random.default_rng(units)
    drawn = difference_of_two(rng, units, 0.9, True, 0.2, trials=2000)
    # Of each unit only the surplus is known; at least so many rows are wrong for one model alone.
    more = drawn.counts[..., 0]
    old, new = np.maximum(more, 0).sum(axis=1), np.maximum(-more, 0).sum(axis=1)
    seen = zip(old.tolist(), new.tolist(), strict=True)
    broken = sum(paired_difference(b, c, ROWS * units, DELTA) > 0 for b, c in seen)
    assert_unsound(broken, 2000, DELTA)


def test_the_usual_normal_interval_over_units_is_caught():
    drawn = mean_over_units(np.random.default_rng(5), 20, 0.9, True, 0.05)
    spread = drawn.shares.std(axis=1, ddof=1) / 20**0.5
    high = drawn.shares.mean(axis=1) + 1.729 * spread  # Student's t with 19 degrees of freedom
    assert_unsound(int((high < 0.05).sum()), TRIALS, DELTA)
