import math

import numpy as np
import pytest

from assay.compiled.experts.adahedge import adahedge_pass
from tests.expert_games import losses as game
from tests.naive.adahedge import adahedge


def played(losses, advice=None, state=None, first=0):
    n, k = losses.shape
    fresh = np.zeros(k), np.zeros((2, k)), np.ones(k), np.zeros(1), np.zeros(1), np.zeros(1)
    totals, carries, weights, gap, spread, size = state or fresh
    mean, variance = np.empty(n), np.empty(n)
    advice = np.empty((0, k)) if advice is None else advice
    guess, chosen = np.empty(len(advice)), np.empty(n, dtype=np.int64)
    done = adahedge_pass(
        losses,
        advice,
        np.empty(0),
        0,
        totals,
        np.empty(0),
        carries,
        weights,
        (gap, spread, size),
        first,
        np.uint64(5),
        (mean, variance, chosen, guess),
    )
    return done, (totals, carries, weights, gap, spread, size), mean, variance, guess, chosen


@pytest.mark.parametrize("scale", [1.0, 1e-3, 50.0])
@pytest.mark.parametrize("seed", range(32))
def test_like_the_naive_twin(seed, scale):
    losses = scale * game(seed)
    done, (totals, _, _, gap, spread, _), mean, variance, _, _ = played(losses)
    twin = adahedge(losses.tolist())
    assert done == len(losses)
    assert mean.sum() == pytest.approx(twin.loss, rel=1e-9, abs=1e-12)
    assert gap[0] == pytest.approx(twin.gap, rel=1e-9, abs=1e-12)
    assert variance.sum() == pytest.approx(twin.variance, rel=1e-8, abs=1e-12)
    assert spread[0] == pytest.approx(twin.spread)
    assert totals == pytest.approx(twin.expert_losses)


@pytest.mark.parametrize("seed", range(8))
def test_where_losses_start_makes_no_difference(seed):
    losses = game(seed)
    shifts = np.random.default_rng(seed).normal(size=(len(losses), 1))
    _, (_, _, _, gap, *_), mean, *_ = played(losses)
    _, (_, _, _, moved, *_), other, *_ = played(losses + 100 * shifts)
    assert moved[0] == pytest.approx(gap[0], rel=1e-6, abs=1e-9)
    assert other - 100 * shifts[:, 0] == pytest.approx(mean, rel=1e-6, abs=1e-9)


def test_parts_give_the_same_bits():
    losses = np.random.default_rng(0).random((50, 5))
    _, whole, mean, *_, chosen = played(losses)
    state, means, drawn = None, [], []
    for t in range(50):
        _, state, some, *_, choice = played(losses[t : t + 1], state=state, first=t)
        means.append(some[0])
        drawn.append(int(choice[0]))
    assert [a.tobytes() for a in state] == [a.tobytes() for a in whole]
    assert means == mean.tolist()
    assert drawn == chosen.tolist()


def test_losses_that_grow_a_thousandfold_stay_finite():
    """Beyond the range of the direct formula the gap comes from the totals."""
    losses = np.zeros((6, 2))
    losses[:, 0] = [1e-6, 0, 1e-6, 0, 1e3, 0]
    losses[:, 1] = [0, 1e-6, 0, 1e-6, 0, 1e3]
    _, (_, _, _, gap, *_), *_ = played(losses)
    assert gap[0] == pytest.approx(adahedge(losses.tolist()).gap, rel=1e-9)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_stops_before_what_is_not_finite(bad):
    losses = np.zeros((3, 2))
    losses[1, 1] = bad
    assert played(losses)[0] == 1
