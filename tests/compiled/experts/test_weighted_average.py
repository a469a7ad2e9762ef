import math

import numpy as np
import pytest

from assay.compiled.experts.weighted_average import weighted_average_pass
from assay.theory import tuning
from tests.naive.hedge import hedge
from tests.naive.weighted_average import square_loss, weighted_average


def played(losses, advice, rate, anytime=False, largest=1.0, totals=None, first=0):
    n, k = losses.shape
    totals = np.zeros(k) if totals is None else totals
    mean, square, guess = np.empty(n), np.empty(n), np.empty(len(advice))
    chosen = np.empty(0, dtype=np.int64)
    done = weighted_average_pass(
        losses,
        advice,
        totals,
        np.zeros(k),
        np.empty(k),
        rate,
        anytime,
        largest,
        first,
        np.uint64(0),
        (mean, square, chosen, guess),
    )
    return done, totals, mean, square, guess


def test_like_the_naive_average():
    rng = np.random.default_rng(0)
    advice, outcomes = rng.random((50, 5)), rng.random(50)
    losses = (advice - outcomes[:, None]) ** 2
    done, totals, _, _, guess = played(losses, advice, 0.5)
    twin = weighted_average(advice.tolist(), outcomes.tolist(), 0.5, square_loss)
    assert done == 50
    assert guess == pytest.approx(twin.predictions, rel=1e-12)
    assert totals == pytest.approx(twin.expert_losses, rel=1e-12)


@pytest.mark.parametrize("rate", [0.3, 12.0])
def test_like_naive_hedge(rate):
    losses = np.random.default_rng(1).random((60, 4))
    _, _, mean, square, _ = played(losses, np.empty((0, 4)), rate)
    twin = hedge(losses.tolist(), rate)
    assert mean.sum() == pytest.approx(twin.loss, rel=1e-12)
    assert square.sum() == pytest.approx(twin.squared_losses, rel=1e-12)


def test_the_anytime_rate_is_that_of_the_round():
    losses = np.random.default_rng(2).random((60, 4))
    _, _, mean, _, _ = played(losses, np.empty((0, 4)), 2 * math.sqrt(math.log(4)), anytime=True)
    twin = hedge(losses.tolist(), lambda t: tuning.hedge_anytime_rate(t, 4))
    assert mean.sum() == pytest.approx(twin.loss, rel=1e-12)


def test_stops_where_it_should():
    losses = np.array([[0.0, 1.0], [math.inf, 0.5], [0.0, math.inf]])
    none = np.empty((0, 2))
    assert played(losses, none, 1.0)[0] == 1
    done, totals, *_ = played(losses, none, 1.0, largest=math.inf)
    assert (done, totals.tolist()) == (2, [math.inf, 1.5])
