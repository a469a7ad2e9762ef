import numpy as np
import pytest

from assay import EXP3, UCB1
from assay.compiled.bandits.bandit_game import begin, play_rounds, simulate_runs

NONE, NOTHING, EMPTY = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 2))
UNTRACED = (NONE, NOTHING, NOTHING, EMPTY)


def test_drawn_losses_have_their_means():
    means = [0.0, 0.25, 1.0]
    runs = EXP3(arms=3, learning_rate=1e-9, random_state=0).simulate(
        means=means, rounds=3000, runs=20
    )
    # At such a rate the arms are drawn alike.
    assert runs.loss.mean() / 3000 == pytest.approx(1.25 / 3, abs=0.01)
    assert runs.expected_loss == pytest.approx(np.full(20, 1250.0), rel=1e-4)
    assert runs.arm_losses.tolist() == [0.0, 750.0, 3000.0]


def test_a_state_that_does_not_fit_the_losses_is_refused():
    policy = UCB1(arms=3)
    fresh = policy._memory(3)
    with pytest.raises(ValueError, match="does not fit"):  # nothing chosen yet
        play_rounds(1, 0, 0, fresh, np.zeros((2, 3)), 2, False, True, UNTRACED)
    begin(1, fresh)
    for arms in (2, 4):
        with pytest.raises(ValueError, match="does not fit"):
            play_rounds(1, 0, 0, fresh, np.zeros((2, arms)), 2, False, True, UNTRACED)


def test_runs_depend_on_seed_and_number_alone():
    fresh = EXP3(arms=2, learning_rate=0.1)._memory(2)
    numbers = len(EXP3(arms=2, learning_rate=0.1)._own(2))
    losses = np.random.default_rng(0).random((50, 2))
    plays, sums = np.zeros((6, 2), dtype=np.int64), np.zeros((6, 2))
    simulate_runs(0, 0, numbers, 5, 10, fresh, losses, 50, False, plays, sums, UNTRACED)
    for r in range(6):
        one, its = np.zeros((1, 2), dtype=np.int64), np.zeros((1, 2))
        simulate_runs(0, 0, numbers, 5, 10 + r, fresh, losses, 50, False, one, its, UNTRACED)
        assert its.tolist() == sums[r : r + 1].tolist()
    assert len({tuple(row) for row in sums.tolist()}) > 1
