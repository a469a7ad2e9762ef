import math

import numpy as np
import pytest

from assay.compiled.experts.expert_losses import (
    ABSOLUTE,
    ENTROPIC,
    SQUARE,
    expert_losses,
    own_losses,
    slope_at,
    within,
)
from tests.naive.weighted_average import entropic_loss, square_loss

NAIVE = {SQUARE: square_loss, ENTROPIC: entropic_loss, ABSOLUTE: lambda y, p: abs(y - p)}


def judged(loss, advice, outcomes, low=0.0, width=1.0, bounded=True, missing=False):
    losses = np.empty_like(advice)
    where = expert_losses(loss, advice, outcomes, low, width, bounded, missing, losses)
    return where, losses


@pytest.mark.parametrize("loss", NAIVE)
def test_like_the_definitions(loss):
    rng = np.random.default_rng(0)
    advice, outcomes = rng.random((40, 3)), rng.random(40)
    advice[:4, 0] = outcomes[:4] = [0, 1, 0, 1]
    advice[:4, 1] = [1, 0, 0.5, 0.5]
    where, losses = judged(loss, advice, outcomes)
    assert where == (40, 3)
    for t, i in np.ndindex(losses.shape):
        expected = NAIVE[loss](outcomes[t], advice[t, i])
        assert losses[t, i] == pytest.approx(expected, rel=1e-12, abs=1e-15)
    own = np.empty(40)
    own_losses(loss, np.ascontiguousarray(advice[:, 2]), outcomes, 0.0, 1.0, True, own)
    assert own.tobytes() == losses[:, 2].tobytes()


def test_numbers_are_scaled_into_the_range():
    _, losses = judged(SQUARE, np.array([[30.0]]), np.array([20.0]), low=10.0, width=40.0)
    assert losses[0, 0] == 0.0625


def test_who_is_out_of_range():
    advice, outcomes = np.full((3, 2), 0.5), np.array([0.5, 0.5, 2.0])
    assert judged(SQUARE, advice, outcomes)[0] == (2, 2)
    assert judged(SQUARE, advice, outcomes, bounded=False)[0] == (3, 2)
    advice[1, 1] = math.nan
    assert judged(SQUARE, advice, outcomes, bounded=False)[0] == (1, 1)
    where, losses = judged(SQUARE, advice, outcomes, missing=True)
    assert where == (2, 2)
    assert math.isnan(losses[1, 1])
    advice[0, 0] = math.inf
    assert judged(ABSOLUTE, advice, outcomes, bounded=False)[0] == (0, 0)


def test_slopes():
    for loss in (SQUARE, ABSOLUTE):
        for x, y in ((0.2, 0.7), (0.9, 0.1), (-3.0, 2.0)):
            rise = NAIVE[loss](y, x + 1e-6) - NAIVE[loss](y, x - 1e-6)
            assert slope_at(loss, x, y) == pytest.approx(rise / 2e-6, rel=1e-6)
    assert slope_at(ABSOLUTE, 0.5, 0.5) == 0.0


def test_an_average_is_as_doubtful_as_those_who_are_not_out():
    alive = np.array([0.0, 1e9, math.inf])
    assert within(1.0, np.array([1.0, 0.5, 0.5]), alive) == 1 - 2.0**-53
    assert within(0.0, np.array([0.0, 0.5, 0.5]), alive) == 2.0**-1022
    assert within(1.0, np.array([1.0, 1.0, 0.5]), alive) == 1.0
    assert within(0.0, np.array([0.0, 0.0, 0.5]), alive) == 0.0
    assert within(0.3, np.array([0.0, 1.0, 0.5]), alive) == 0.3
