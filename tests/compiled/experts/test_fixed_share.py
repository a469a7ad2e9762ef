import math

import numpy as np
import pytest

from assay.compiled.experts.fixed_share import fixed_share_pass
from tests.naive.fixed_share import best_sequence, fixed_share


def played(losses, rate=0.7, share=0.05, switches=2, largest=1.0):
    n, k = losses.shape
    weights, totals, sequences = np.full(k, 1 / k), np.zeros(k), np.zeros((switches + 1, k))
    mean, none = np.empty(n), np.empty(0, dtype=np.int64)
    done = fixed_share_pass(
        losses,
        np.empty((0, k)),
        weights,
        totals,
        sequences,
        np.zeros((switches + 2, k)),
        rate,
        share,
        largest,
        0,
        np.uint64(0),
        (mean, np.empty(0), none, np.empty(0)),
    )
    return done, weights, totals, sequences, mean


@pytest.mark.parametrize("seed", range(12))
def test_like_the_naive_twin(seed):
    losses = np.random.default_rng(seed).random((30, 1 + seed % 5))
    done, weights, totals, _, mean = played(losses)
    twin = fixed_share(losses.tolist(), 0.7, 0.05)
    assert done == 30
    assert mean.sum() == pytest.approx(twin.loss, rel=1e-12)
    assert weights == pytest.approx(twin.weights[-1], rel=1e-12)
    assert totals == pytest.approx(losses.sum(axis=0))


@pytest.mark.parametrize("switches", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_sequence_is_that_of_all_sequences(seed, switches):
    losses = np.random.default_rng(seed).random((7, 3))
    *_, sequences, _ = played(losses, switches=switches)
    for s in range(switches + 1):
        assert sequences[s].min() == pytest.approx(best_sequence(losses.tolist(), s), rel=1e-12)


def test_no_weight_falls_below_its_share_in_many_rounds():
    losses = np.zeros((20_000, 2))
    losses[:, 0] = 1.0
    _, weights, *_ = played(losses, rate=50.0, share=0.01)
    assert weights.min() >= 0.005
    assert weights.sum() == pytest.approx(1, rel=1e-12)


def test_stops_where_it_should():
    losses = np.zeros((3, 2))
    losses[1, 1] = 1.5
    assert played(losses)[0] == 1
    losses[1] = math.inf
    assert played(losses, largest=math.inf)[0] == 1
