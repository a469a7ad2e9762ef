"""Scored batches: the wealth against a naive gambler, properties, and the promise by simulation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem
from assay.theory.tail.judged_mean import ScoredBatch, judged_mean
from tests.naive.judged_mean import GRID, naive_wealth
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT, assert_refuses_all, refuses
from tests.soundness import assert_sound, assert_unsound

grids = st.lists(st.integers(0, GRID), min_size=2, max_size=40)


@settings(max_examples=50)
@given(grids, st.integers(0, 100), st.sampled_from([0.05, 0.2]))
def test_the_bound_is_where_a_naive_gambler_is_rich(drawn, more, delta):
    residuals, items = np.array(drawn) / GRID, len(drawn) + more
    batch = ScoredBatch(residuals, items, 50 * items, delta)
    bound = (
        batch.bound()
    )  # the scores average one half: the residual is half the bound and a quarter
    mean = (Fraction(bound) + Fraction(1, 2)) / 2
    if 0 < bound < 1 and mean < Fraction(sum(drawn), GRID * items) + Fraction(more, items):
        assert naive_wealth(residuals, items, mean, delta) >= math.log(1 / delta)
        low = mean - Fraction(1, 10**6)
        if low > Fraction(sum(drawn), GRID * items):
            assert naive_wealth(residuals, items, low, delta) < math.log(1 / delta) + 1e-3


@settings(max_examples=50)
@given(grids, st.integers(0, 100), st.floats(0.01, 0.5), st.floats(0.01, 0.5))
def test_monotone_and_between_the_ends(drawn, more, one, other):
    residuals, items = np.array(drawn) / GRID, len(drawn) + more
    low, high = sorted((one, other))
    here = judged_mean(residuals, items, 50 * items, low)
    assert judged_mean(residuals, items, 50 * items, high) <= here + 1e-9
    mean = 0.5 + 2 * sum(drawn) / GRID / items - 1 + 2 * more / items
    assert here <= min(1.0, max(mean, 0.0)) + 1e-9
    # A judge that finds everything worse by as much leaves the residuals smaller by as much.
    assert judged_mean(residuals, items, 60 * items, low) >= here - 1e-12


@settings(max_examples=40)
@given(grids, st.integers(0, 100))
def test_confirmed_and_less_is_not(drawn, more):
    inputs = {
        "residuals": np.array(drawn) / GRID,
        "items": len(drawn) + more,
        "scores": 30 * (len(drawn) + more),
        "delta": "0.05",
    }
    entry = find_theorem("judged-mean")
    bound = Fraction(entry(**inputs))
    assert entry.checker(inputs, bound, True) == (True, True)
    assert entry.checker(inputs, bound + Fraction(1, 100), True) == (True, False)
    assert not entry.checker(inputs, bound - Fraction(1, 10**6), True)[0]


def test_all_labelled_is_the_truth():
    labels = np.array([1, 0, 0, 1, 0.5])
    scores = np.array([0.5, 0.25, 0, 1, 0.5])
    bound = judged_mean((labels - scores + 1) / 2, 5, int(100 * scores.sum()), 0.05)
    assert bound == pytest.approx(0.5, abs=3e-5)


def test_a_judge_that_is_right_needs_few_labels():
    rng = np.random.default_rng(0)
    wrong = rng.random(5000) < 0.1
    chosen = rng.choice(5000, 200, replace=False)
    right, blind = np.where(wrong, 1.0, 0.0), np.full(5000, 0.1)
    bounds = [
        judged_mean((wrong[chosen] - f[chosen] + 1) / 2, 5000, round(100 * f.sum()), 0.05)
        for f in (right, blind)
    ]
    assert wrong.mean() < bounds[0] < wrong.mean() + 0.0202
    assert bounds[0] < bounds[1] - 0.004


def test_refuses_what_is_not_covered():
    good = {"residuals": [0.5, 0.4], "items": 9, "scores": 300, "delta": 0.05}
    assert_refuses_all(judged_mean, good, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("items must be a whole number of at least 2, but is 1."):
        judged_mean([0.5, 0.4], 1, 30, 0.05)
    with refuses("scores must be at most 100 for each item, but is 901."):
        judged_mean([0.5, 0.4], 9, 901, 0.05)
    with refuses("items must be at most 10,000,000, but is 20000000."):
        judged_mean([0.5, 0.4], 20_000_000, 901, 0.05)


# The promise is kept for batches of every kind; and not where the order is that of the labels, or draws come back.

BATCHES = {
    "rare": (np.zeros(300), (np.arange(300) < 3) * 1.0),
    "half": (np.full(300, 0.5), (np.arange(300) < 150) * 1.0),
    "a judge that is always wrong": ((np.arange(300) >= 75) * 1.0, (np.arange(300) < 75) * 1.0),
    "graded": (np.arange(300) * 7 % 101 / 100, np.arange(300) * 13 % 100 / 100),
}


def broken(name, labels, runs, bound=judged_mean, seed=0, order=None):
    """How often the bound lies below the mean of the batch."""
    rng = np.random.default_rng(seed)
    scores, losses = BATCHES[name]
    total, mean = round(100 * scores.sum()), losses.mean()
    below = 0
    for _ in range(runs):
        chosen = rng.choice(300, labels, replace=False)
        if order is not None:
            chosen = chosen[np.argsort(order(losses[chosen]), kind="stable")]
        x = (losses[chosen] - np.round(scores[chosen], 2) + 1) / 2
        below += bound(x, 300, total, 0.05) < mean - 1e-9
    return below


def with_little_slack(x, items, total, delta):
    """Broken: a quarter of what is between the estimate and the bound."""
    estimate = total / (100 * items) + 2 * x.mean() - 1
    return (judged_mean(x, items, total, delta) + 3 * estimate) / 4


@pytest.mark.parametrize("name", BATCHES)
def test_simulated_labels_keep_the_promise(name):
    assert_sound(broken(name, 60, 150), 150, 0.05)


def test_broken_twins_are_found():
    assert_unsound(broken("half", 60, 150, with_little_slack), 150, 0.05)
    # Whoever puts labels that are right first has the gambler rich before the others come.
    assert_unsound(broken("half", 60, 60, order=lambda losses: losses), 60, 0.05)


@pytest.mark.guarantees
@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.parametrize("labels", [40, 150, 280])
def test_simulated_labels_keep_the_promise_at_length(name, labels):
    assert_sound(broken(name, labels, 10_000, seed=labels), 10_000, 0.05)
