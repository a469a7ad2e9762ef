"""Whether neighbouring blocks are alike, and whether errors rise: exact, and strong enough to be of use."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.evidence.spells import ALPHA, longest_spell, means_of, rise
from tests.soundness import assert_sound, assert_unsound


def test_means_of_blocks_hold_every_row_once():
    losses = np.arange(10.0)
    assert means_of(losses, 3).tolist() == [1.0, 4.0, 7.5]
    assert means_of(losses, 10).tolist() == losses.tolist()


def skewed(rng):
    """Few errors, in 25 blocks."""
    return means_of(rng.random(500) < 0.03, 25)


def two_kinds(rng):
    """A quarter of the blocks are bad."""
    return rng.random(25) + (rng.random(25) < 0.25)


def constant(rng):
    """No errors at all."""
    return np.zeros(int(rng.integers(2, 30)))


def alarms(test, trials, seed):
    kinds = (skewed, two_kinds, constant)
    draws = (kinds[i % 3](np.random.default_rng([seed, i])) for i in range(trials))
    return sum(test(means) <= ALPHA for means in draws)


def best_of_ten(means):
    """A broken twin: after whichever place they rise most, without paying for the choice."""
    cuts = np.arange(2, len(means) - 1, max(len(means) // 10, 1))
    p = [stats.ttest_ind(means[k:], means[:k], alternative="greater").pvalue for k in cuts]
    return min(p, default=1.0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_errors_of_exchangeable_blocks_are_seldom_said_to_rise():
    assert_sound(alarms(rise, 600, seed=1), 600, ALPHA)
    assert_unsound(alarms(best_of_ten, 600, seed=1), 600, ALPHA)


@pytest.mark.parametrize("late", [1.0, 0.5, 0.25, 0.1])
def test_errors_that_rise_are_noticed(late):
    u = np.linspace(0, 1, 100)
    raised = 0.2 + np.maximum(u - 1 + late, 0) / late * 0.5
    noticed = sum(
        rise(np.random.default_rng([3, i]).binomial(20, raised) / 20) <= ALPHA for i in range(20)
    )
    assert noticed >= 18


def test_errors_that_fall_are_no_reason_to_promise_nothing():
    assert rise(np.linspace(1, 0, 50)) == 1.0


def test_one_block_and_equal_blocks_rise_by_nothing():
    assert rise(np.array([0.3])) == rise(np.full(9, 0.3)) == 1.0


@pytest.mark.parametrize("length", [40, 160])
def test_blocks_are_as_long_as_spells(length):
    """Spells in which labels mean nothing: blocks of a third of one are alike, blocks of four are not."""
    rng = np.random.default_rng(length)
    X = rng.normal(size=(9_600, 3))
    spells = np.repeat(rng.random(9_600 // length + 1) < 0.5, length)[:9_600]
    y = (X[:, 0] > 0) ^ (spells & (rng.random(9_600) < 0.5))
    sizes = (9_600 * 3 // length, 9_600 // (4 * length))
    assert longest_spell(X, y.astype(int), sizes) == sizes[1]


def test_a_table_too_small_for_the_first_size_takes_the_next():
    rng = np.random.default_rng(0)
    assert longest_spell(rng.normal(size=(30, 2)), rng.integers(0, 2, 30), (100, 20)) == 20
