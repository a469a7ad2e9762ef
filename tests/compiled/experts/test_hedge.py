import math

import numpy as np
import pytest

from assay.compiled.experts.hedge import REFRESH, SMALL, hedge_pass
from tests.naive.hedge import hedge


def played(losses, rate, largest=1.0, state=None, first=0, draws=False):
    n, k = losses.shape
    fresh = np.zeros(k), np.zeros((3, k)), np.ones(k), np.array([float(k)])
    totals, carries, weights, whole = state or fresh
    mean, square = np.empty(n), np.empty(n)
    chosen = np.empty(n if draws else 0, dtype=np.int64)
    rounds = hedge_pass(
        losses,
        totals,
        carries,
        weights,
        whole,
        rate,
        largest,
        first,
        np.uint64(3),
        (mean, square, chosen, np.empty(0)),
    )
    return rounds, (totals, carries, weights, whole), mean, square, chosen


@pytest.mark.parametrize(("rounds", "experts"), [(1, 1), (3, 2), (200, 7), (1000, 33)])
def test_like_the_naive_twin(rounds, experts):
    losses = np.random.default_rng(rounds).random((rounds, experts))
    done, (totals, _, weights, whole), mean, square, _ = played(losses, 0.05)
    twin = hedge(losses.tolist(), 0.05)
    assert done == rounds
    assert mean.sum() == pytest.approx(twin.loss, rel=1e-12)
    assert square.sum() == pytest.approx(twin.squared_losses, rel=1e-12)
    assert totals == pytest.approx(twin.expert_losses, rel=1e-12)
    assert weights / whole == pytest.approx(twin.weights[-1], rel=1e-12)
    assert whole[0] == pytest.approx(weights.sum(), rel=1e-12)


def test_parts_give_the_same_bits():
    losses = np.random.default_rng(0).random((3 * REFRESH + 5, 19))
    _, whole, mean, _, chosen = played(losses, SMALL, draws=True)
    for size in (1, 7, REFRESH):
        state, means, choices = None, [], []
        for start in range(0, len(losses), size):
            part = losses[start : start + size]
            _, state, some, _, drawn = played(part, SMALL, state=state, first=start, draws=True)
            means.append(some)
            choices.append(drawn)
        assert [a.tobytes() for a in state] == [a.tobytes() for a in whole]
        assert np.concatenate(means).tobytes() == mean.tobytes()
        assert np.concatenate(choices).tolist() == chosen.tolist()


def test_nothing_underflows_in_ten_thousand_rounds_with_a_large_gap():
    losses = np.zeros((20_000, 3))
    losses[:, 0] = 1.0
    _, state, mean, _, _ = played(losses, SMALL)
    assert state[2] / state[3] == pytest.approx([0.0, 0.5, 0.5], rel=1e-12)
    # The tables turn: the one who was out comes back, because totals are kept and not weights.
    back = np.zeros((30_000, 3))
    back[:, 1:] = 1.0
    _, state, mean, _, _ = played(back, SMALL, state=state, first=20_000)
    assert (state[2] / state[3])[0] == pytest.approx(1.0)
    assert mean[-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("bad", [math.nan, -1e-9, 1.1, math.inf])
@pytest.mark.parametrize("place", [0, 1, 5, 9])
def test_stops_before_a_loss_out_of_range(bad, place):
    losses = np.random.default_rng(1).random((10, 4))
    good = losses[:place].copy()
    losses[place, 2] = bad
    done, state, *_ = played(losses, 0.05)
    assert done == place
    _, expected, *_ = played(good, 0.05)
    assert [a.tobytes() for a in state] == [a.tobytes() for a in expected]
