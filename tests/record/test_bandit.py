import math

import numpy as np

from assay.record.bandit import BanditRecord, BanditRuns, Replay


def test_regret_needs_the_losses_of_all_arms():
    seen = {
        "rounds": 3,
        "loss": 2.0,
        "plays": np.array([2, 1, 0]),
        "seen_losses": np.array([1.5, 0.5, 0]),
    }
    record = BanditRecord(**seen)
    assert record.regret is record.best is record.expected_regret is None
    assert record.mean_losses[:2].tolist() == [0.75, 0.5]
    assert math.isnan(record.mean_losses[2])
    whole = BanditRecord(**seen, expected_loss=1.75, arm_losses=np.array([2.0, 0.5, 1.0]))
    assert (whole.regret, whole.expected_regret, whole.best) == (1.5, 1.25, 1)


def test_runs():
    losses = np.array([3.0, 5.0, 4.0])
    runs = BanditRuns(9, losses, losses + 1, np.zeros((3, 2)), np.array([4.0, 3.0]))
    assert runs.regret.tolist() == [1.0, 3.0, 2.0]
    low, high = runs.interval(2.0)
    assert runs.mean_regret == 2.0
    assert (low, high) == (2 - 2 / math.sqrt(3), 2 + 2 / math.sqrt(3))
    one = BanditRuns(9, losses[:1], losses[:1], np.zeros((1, 2)), np.array([4.0, 3.0]))
    assert all(map(math.isnan, one.interval()))


def test_replay():
    assert Replay(10, 4, 1.0).mean_loss == 0.25
