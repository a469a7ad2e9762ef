"""How losses come from advice, in whole games and in pieces."""

import numpy as np
import pytest

from assay import AdaHedge, FixedShare, WeightedAverage
from assay.learners.experts import weighing
from tests.expert_games import advice


def test_pieces_make_no_difference(monkeypatch):
    said, told = advice(5)
    whole = WeightedAverage()
    guesses = whole.play(said, told)
    monkeypatch.setattr(weighing, "_CELLS", 3 * said.shape[1])
    pieces = WeightedAverage()
    assert pieces.play(said, told).tobytes() == guesses.tobytes()
    assert pieces.sums_.tobytes() == whole.sums_.tobytes()


def test_a_bad_round_in_a_later_piece_is_named(monkeypatch):
    said, told = np.full((10, 2), 0.5), np.full(10, 0.5)
    said[7, 1] = 3.0
    monkeypatch.setattr(weighing, "_CELLS", 6)
    policy = WeightedAverage()
    with pytest.raises(
        ValueError, match=r"expert 1 in round 8 must lie .* before it was learned\.$"
    ):
        policy.play(said, told)
    assert policy.rounds_ == 7


@pytest.mark.parametrize(
    "make", [AdaHedge, lambda **k: FixedShare(rounds=40, **k), WeightedAverage]
)
def test_tracing_changes_no_bit(make):
    said, told = advice(5)
    plain, traced = make(loss="square"), make(loss="square", trace=True)
    assert plain.play(said, told).tobytes() == traced.play(said, told).tobytes()
    assert plain.sums_.tobytes() == traced.sums_.tobytes()
    trace = traced.record_.trace
    assert trace["loss"][-1] == pytest.approx(plain.record_.loss)
    assert len(trace["loss"]) == len(told)
