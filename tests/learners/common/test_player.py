from __future__ import annotations

import numpy as np
import pytest

from assay.learners.common.player import SIGNS, NotANumber, Player
from assay.learners.common.rows import Rows


class Counting(Player):
    """Moves on every negative label; cannot play a row that holds 13."""

    def _pass(self, rows, signs, updated):
        moves = 0
        for t, x in enumerate(rows.dense):
            if 13.0 in x:
                return moves, moves, t
            if signs[t] < 0:
                self.weights += x
                updated[moves] = t
                moves += 1
        return moves, moves, len(rows)

    def _marks(self):
        return {"first": float(self.weights[0])}


def player(**changes):
    made = Counting(2, np.dtype(float), constant=True)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


X = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
SIGNED = np.array([-1.0, 1.0, -1.0])


def test_a_block_is_noted():
    one = player()
    assert one.play(Rows.of(X), SIGNED) == 2
    assert (one.rounds, one.mistakes, one.updates) == (3, 2, 2)
    record = one.record(trace=False)
    assert (record.rounds, record.mistakes, record.updates, record.kept) == (3, 2, 2, 2)
    assert record.radius == pytest.approx(3.0)  # (2, 2, 1)
    assert record.trace is None


def test_the_trace_is_the_state_after_every_update():
    one = player(tracing=True)
    one.play(Rows.of(X), SIGNED)
    one.play(Rows.of(X), SIGNED)
    trace = one.record(trace=True).trace
    assert trace["round"].tolist() == [0, 2, 3, 5]
    assert trace["first"].tolist() == [1, 3, 4, 6]


def test_a_trace_of_nothing_has_its_columns():
    trace = player(tracing=True).record(trace=True).trace
    assert {name: column.tolist() for name, column in trace.items()} == {"round": [], "first": []}


@pytest.mark.parametrize("tracing", [False, True])
def test_what_came_before_a_bad_row_is_learned(tracing):
    one = player(tracing=tracing)
    bad = np.vstack([X, [[13.0, 0.0]], X])
    with pytest.raises(NotANumber) as stopped:
        one.play(Rows.of(bad), np.full(7, -1.0))
    assert stopped.value.place == 3
    assert one.weights.tolist() == [3.0, 3.0]
    assert (one.rounds, one.updates, one.hindsight.kept) == (3, 3, 3)


def test_one_example_is_a_block_of_one():
    blocks, ones = player(), player()
    for x, sign in zip(X, SIGNED, strict=True):
        blocks.play(Rows.of(x[None]), np.array([sign]))
        ones.play_one(x, bool(sign > 0))
    assert np.array_equal(blocks.weights, ones.weights)
    assert blocks.record(trace=False) == ones.record(trace=False)


def test_refusals_name_what_is_wrong():
    one = player()
    rows = Rows.of(np.array([[np.nan, 1.0], [1.0, -np.inf], [1.0, 1.0]]))
    assert str(one.refusal(rows, 0, None)) == (
        "Input X contains NaN or infinity: row 0, column 0 holds NaN."
    )
    assert str(one.refusal(rows, 1, ["a", "b"])) == (
        "Input X contains NaN or infinity: row 1, column 1 ('b') holds infinity."
    )
    assert str(one.refusal(rows, 2, None)) == (
        "Row 2 of X is too large to be learned from: its score overflows."
    )


def test_widening_keeps_the_weights():
    one = player()
    one.weights[:] = [3.0, 4.0]
    one.widen(4)
    assert one.weights.tolist() == [3.0, 4.0, 0.0, 0.0]
    assert one.width == 4


def test_scores_and_signs():
    one = player()
    one.weights[:], one.bias[:] = [1.0, -2.0], 0.5
    assert one.score(np.array([3.0, 1.0])) == 1.5
    assert [sign.dtype.char for sign in SIGNS["f"]] == ["f", "f"]
    assert [float(sign[0]) for sign in SIGNS["d"]] == [-1.0, 1.0]


def test_a_player_says_how_it_plays():
    with pytest.raises(NotImplementedError):
        Player(2, np.dtype(float), constant=True).play(Rows.of(X), SIGNED)
