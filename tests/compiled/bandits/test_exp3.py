import math

import numpy as np
import pytest

from assay import EXP3
from assay.compiled.bandits.bandit_book import opened
from assay.compiled.bandits.exp3 import exp3_draw, exp3_expected, exp3_numbers


def policy(arms, rate, losses):
    return EXP3(arms=arms, learning_rate=rate, random_state=0).play(losses)


@pytest.mark.parametrize(("arms", "numbers"), [(1, 9), (2, 13), (3, 19), (4, 21), (5, 31)])
def test_room_for_a_tree(arms, numbers):
    assert exp3_numbers(arms) == numbers


@pytest.mark.parametrize("arms", [1, 2, 3, 7, 8, 33])
def test_every_node_is_the_sum_of_its_children_and_leaves_are_weights(arms):
    losses = np.random.default_rng(0).random((400, arms))
    played = policy(arms, 0.3, losses)
    own = played._numbers
    tree = own[5 + 2 * arms :]
    leaves = len(tree) // 2
    for place in range(1, leaves):
        assert tree[place] == tree[2 * place] + tree[2 * place + 1]
    estimates = own[5 : 5 + arms]
    assert tree[leaves : leaves + arms] == pytest.approx(np.exp(-0.3 * (estimates - own[4])))
    weights = np.exp(-0.3 * (estimates - estimates.min()))
    assert played.probabilities_ == pytest.approx(weights / weights.sum(), rel=1e-12)


def test_arms_are_drawn_by_their_weights():
    played = policy(3, 0.1, np.random.default_rng(1).random((60, 3)))
    arms, generator, tally, book = opened(played.state_, 0, exp3_numbers(3))
    counts = np.zeros(3)
    for _ in range(60_000):
        arm, chance = exp3_draw(generator, tally, book, arms)
        counts[arm] += 1
        assert chance == played.probabilities_[arm]
    expected = 60_000 * played.probabilities_
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()
    row = np.array([1.0, 0.25, 0.0])
    assert exp3_expected(book, 3, row) == pytest.approx(played.probabilities_ @ row, rel=1e-14)


def test_weights_that_vanish_together_are_taken_afresh():
    played = policy(2, 5.0, np.ones((3000, 2)))
    base = played._numbers[4]
    assert base > 0  # exp(-5 * 1500) would be zero
    assert played.probabilities_.sum() == pytest.approx(1)
    assert math.isfinite(played.record_.squared_estimates)
