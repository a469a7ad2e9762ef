import math

import numpy as np
import pytest

from assay.compiled.experts.sleeping_experts import sleeping_experts_pass
from tests.expert_games import asleep
from tests.naive.sleeping_experts import sleeping_experts


def played(losses, advice=None, epsilon=0.5, first=0):
    n, k = losses.shape
    logs, totals, paid, awake = np.zeros(k), np.zeros(k), np.zeros(k), np.zeros(k, dtype=np.int64)
    mean, chosen = np.empty(n), np.empty(n, dtype=np.int64)
    advice = np.empty((0, k)) if advice is None else advice
    guess = np.empty(len(advice))
    seed = np.uint64(5)
    done = sleeping_experts_pass(
        losses,
        advice,
        logs,
        totals,
        paid,
        np.zeros((2, k)),
        awake,
        epsilon,
        first,
        seed,
        (mean, guess, chosen),
    )
    return done, logs, totals, paid, awake, mean, guess, chosen


@pytest.mark.parametrize("seed", range(24))
def test_like_the_naive_twin(seed):
    losses = asleep(seed)
    done, logs, totals, paid, awake, _, _, chosen = played(losses)
    twin = sleeping_experts((~np.isnan(losses)).tolist(), losses.tolist(), 0.5)
    assert done == len(losses)
    assert np.exp(logs) == pytest.approx(twin.w, rel=1e-11)
    assert totals == pytest.approx(twin.expert_loss, rel=1e-12)
    assert paid == pytest.approx(twin.paid, rel=1e-11)
    assert awake.tolist() == (~np.isnan(losses)).sum(axis=0).tolist()
    assert not np.isnan(losses[np.arange(len(losses)), chosen]).any()


def test_the_mean_of_those_awake():
    losses = np.array([[0.0, 1.0, math.nan]])
    advice = np.array([[0.25, 0.75, math.nan]])
    *_, mean, guess, _ = played(losses, advice)
    assert (mean[0], guess[0]) == (0.5, 0.5)


def test_stops_when_nobody_is_awake_or_a_loss_is_out_of_range():
    for bad in ([math.nan, math.nan], [1.5, math.nan], [math.nan, -0.1]):
        assert played(np.array([[0.0, 1.0], bad]))[0] == 1


def test_weights_need_their_logarithms():
    """After ten thousand rounds a plain weight is zero; here a sleeper wakes up and takes over."""
    losses = np.full((10_000, 2), math.nan)
    losses[:, 0] = 1.0
    losses[0, 1] = 1.0
    losses[-100:, 1] = 0.0
    _, logs, *_, mean, _, _ = played(losses, epsilon=3.0)
    assert math.exp(logs[0]) == 0.0
    assert logs[0] < -1000
    assert mean[-99] < 1e-300
