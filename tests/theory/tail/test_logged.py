"""Logged decisions: the golden, promises checked again, and what a broken form of each would do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from assay.theory.registry import find_theorem
from assay.theory.tail.logged import (
    logged_improvement,
    logged_improvement_apart,
    logged_loss_at_least,
    logged_loss_at_most,
)
from tests.soundness import assert_sound, assert_unsound
from tests.theory.tail.test_nonnegative_mean import root

GOLDEN = [(5, 60), (0, 940)]
CHECKED = ("logged-loss-at-least", "logged-loss-at-most", "logged-improvement")


def test_golden():
    # Twelve digits, by the formula in fifty (`root`) and by the theorem.
    assert logged_loss_at_least(GOLDEN, 0.05) == pytest.approx(0.197405622250, abs=1e-12)
    assert float(root(GOLDEN, Fraction(1, 20))) == pytest.approx(0.197405622250601, abs=1e-14)


def test_the_ends_mirror_each_other_and_shifts_are_taken_off():
    assert logged_loss_at_most(GOLDEN, 0.05) == pytest.approx(
        1 - logged_loss_at_least(GOLDEN, 0.05)
    )
    assert logged_loss_at_most([(0, 5)], 0.05) == 1
    assert logged_loss_at_least([(0, 5)], 0.05) == 0
    shifted = [(3, 400), (2, 600)]
    assert logged_loss_at_least(shifted, 0.05, shift=2) == pytest.approx(
        logged_improvement([("1.5", 400), (1, 600)], 0.05) * 2, rel=1e-9
    )
    assert logged_improvement([(0, 100)], 0.05) == -1
    half = "0.025"
    apart = logged_loss_at_least([(2, 400), (0, 600)], half) - logged_loss_at_most(GOLDEN, half)
    assert logged_improvement_apart([(2, 400), (0, 600)], GOLDEN, 0.05) == pytest.approx(apart)


@pytest.mark.parametrize("name", CHECKED)
def test_the_checker_takes_what_the_theorem_gives_and_nothing_better(name):
    entry = find_theorem(name)
    inputs = {"returns": [["2", 450], ["0", 550]], "delta": "0.05"}
    bound = Fraction(entry(**inputs))
    better = -1 if entry.claims[0].direction == "at most" else 1
    assert entry.checker is not None
    assert entry.checker(inputs, bound, True) == (True, True)
    assert entry.checker(inputs, bound + better * Fraction(1, 10**9), True)[0] is False
    assert entry.checker(inputs, bound - better * Fraction(1, 1000), True) == (True, False)


def test_an_improvement_that_looks_at_its_own_rounds_only():
    # The paired bound holds; leaving out the shift, as if returns could not be negative, does not.
    rng, delta, trials = np.random.default_rng(0), 0.1, 120
    broken = naive = 0
    for _ in range(trials):
        right = (
            rng.random(80) < 0.5
        )  # the new policy always takes action 1, which loses a little more
        losses = rng.random(80) < np.where(right, 0.52, 0.5)
        weights = np.where(right, 2.0, 0.0)
        returns = losses + weights * (1.0 - losses)
        kinds = [
            (float(y), int(n)) for y, n in zip(*np.unique(returns, return_counts=True), strict=True)
        ]
        broken += logged_improvement(kinds, delta) > -0.01
        naive += logged_loss_at_least(kinds, delta, 0) - 0.5 > -0.01
    assert_sound(broken, trials, delta)
    assert_unsound(naive, trials, delta)
