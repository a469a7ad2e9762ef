"""Losses so large or so small that their squares are no floats: nothing is promised from them."""

import numpy as np
import pytest

from assay import AdaHedge
from assay.errors import BadData
from assay.theory.regret.adahedge import adahedge_second_order

SIZES = [1e-320, 1e-200, 1e-162, 1e-155, 1e-150, 1.0, 1e150, 1e153, 1e155, 1e200, 1e300]


def promises(size):
    losses = np.random.default_rng(0).random((200, 4)) * size
    losses[:, 0] *= 0.5
    policy = AdaHedge()
    policy.play(losses)
    return policy.guarantees()


@pytest.mark.parametrize("size", SIZES)
def test_no_promise_is_broken_at_any_size(size):
    for promise in promises(size):
        assert promise.promised is not None, promise.theorem
        assert float(promise.observed) <= float(promise.promised), promise.theorem


@pytest.mark.parametrize("size", SIZES)
def test_what_needs_squares_is_withheld_where_there_are_none(size):
    named = [promise.theorem for promise in promises(size)]
    told = 1e-140 < size < 1e154
    assert ("adahedge-second-order" in named) == told
    assert {"adahedge-gap-regret", "adahedge-regret"} <= set(named)


def scaled(size):
    """The bound from the variances, in units of the size: the same for the same game."""
    by_name = {promise.theorem: promise for promise in promises(size)}
    return float(by_name["adahedge-second-order"].promised) / size


def test_within_these_sizes_the_bound_scales_with_the_losses():
    assert scaled(1e-139) == pytest.approx(scaled(1.0), rel=1e-9)
    assert scaled(1e150) == pytest.approx(scaled(1.0), rel=1e-9)


def test_told_all_the_same_it_would_be_too_small_or_none():
    """The broken twin: the variances of such losses are zero or infinite as floats."""
    told = next(p for p in promises(1.0) if p.theorem == "adahedge-second-order").inputs
    variance, spread = float(told["variance"]), float(told["spread"])
    assert adahedge_second_order(4, variance, spread) == scaled(1.0)
    tiny = 1e-162
    assert adahedge_second_order(4, variance * tiny * tiny, spread * tiny) / tiny < 0.9 * scaled(
        1.0
    )
    assert np.isinf(variance * 1e155 * 1e155)


def test_told_from_the_run_it_would_be_too_small(monkeypatch):
    """The same of the promise itself."""
    monkeypatch.setattr("assay.guarantees.experts._LEAST_SPREAD", 0.0)
    assert scaled(1e-162) < 0.9 * scaled(1.0)


def test_losses_that_add_up_to_more_than_numbers_go():
    policy = AdaHedge()
    policy.play(np.full((3, 2), 1e307))
    sentence = (
        "With round 2 the losses add up to more than numbers go. Scale them down. "
        "Everything before it was learned."
    )
    fresh = AdaHedge()
    with pytest.raises(BadData) as refusal:
        fresh.play([[8e307, 7e307], [8e307, 7e307], [0.0, 0.0]])
    assert str(refusal.value) == sentence
    assert fresh.rounds_ == 1
    assert np.isfinite(fresh.record_.loss)
    assert all(promise.promised is not None for promise in fresh.guarantees())
