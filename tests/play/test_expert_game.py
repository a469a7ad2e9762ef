"""The games of advice and allocation give each side what it may know, and play as the policy itself does."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import AdaHedge, Hedge, WeightedAverage
from assay.errors import BadData, BadParameter
from assay.play.expert_game import play_allocation, play_experts

LOSSES = np.random.default_rng(1).random((50, 3))


class Fixed:
    """Advice and outcomes from tables; notes what it was told."""

    def __init__(self, advice, outcomes):
        self.rounds, self.seen = iter(zip(advice, outcomes, strict=True)), []

    def advise(self):
        advice, self.outcome = next(self.rounds, (None, None))
        return advice

    def answer(self, advice, prediction):
        self.seen.append(prediction)
        return self.outcome


def test_round_by_round_is_the_same_as_all_at_once():
    advice, outcomes = LOSSES, LOSSES[:, 0]
    opponent, policy, whole = Fixed(advice, outcomes), WeightedAverage(), WeightedAverage()
    record = play_experts(policy, opponent, rounds=10**6)
    assert opponent.seen == whole.play(advice, outcomes).tolist()
    assert record.loss == whole.record_.loss
    assert record.rounds == 50


def test_so_many_rounds_and_no_more():
    opponent = Fixed(LOSSES, LOSSES[:, 0])
    assert play_experts(WeightedAverage(), opponent, rounds=7).rounds == 7
    assert play_experts(WeightedAverage(), opponent, rounds=100).rounds == 43


@pytest.mark.parametrize("policy", [Hedge(), AdaHedge()])
def test_a_function_that_reads_a_table_is_that_table(policy):
    from sklearn.base import clone

    asked = []

    def opponent(past):
        np.testing.assert_allclose(past.totals, LOSSES[: past.rounds].sum(axis=0))
        assert past.weights.sum() == pytest.approx(1)
        asked.append(past.weights)
        return LOSSES[past.rounds]

    one, all_at_once = clone(policy), clone(policy)
    found = play_allocation(one, opponent, rounds=50, experts=3)
    wanted = play_allocation(all_at_once, LOSSES)
    assert found.loss == wanted.loss
    assert found.expert_losses.tolist() == wanted.expert_losses.tolist()
    # The weights shown are those that the round was played with.
    paid = sum(float(w @ row) for w, row in zip(asked, LOSSES, strict=True))
    assert paid == pytest.approx(found.loss)


def test_a_game_goes_on_where_it_stopped():
    policy, whole = Hedge(), Hedge()
    play_allocation(policy, LOSSES[:20])
    play_allocation(policy, lambda past: LOSSES[past.rounds], rounds=30)
    assert play_allocation(whole, LOSSES).loss == policy.record_.loss


def test_losses_out_of_range_are_refused_by_the_policy():
    with pytest.raises(BadData, match=r"The loss of expert 1 in round 1 must lie between 0 and 1"):
        play_allocation(Hedge(), lambda past: [0.0, 2.0], rounds=3, experts=2)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: play_allocation(Hedge(), LOSSES, rounds=5),
            "rounds is for opponents that are functions; a table has its own.",
        ),
        (
            lambda: play_allocation(Hedge(), lambda past: [0, 1], rounds=0),
            "rounds must be a whole number of at least 1, but is 0.",
        ),
        (
            lambda: play_allocation(Hedge(), lambda past: [0, 1], rounds=5),
            "experts must be given before the first round, but is None.",
        ),
        (
            lambda: play_experts(WeightedAverage(), Fixed(LOSSES, LOSSES[:, 0]), rounds=True),
            "rounds must be a whole number of at least 1, but is True.",
        ),
    ],
)
def test_refusals(call, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        call()
