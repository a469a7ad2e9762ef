import numpy as np
import pytest

from assay.guarantees.assumption import Assumption
from assay.guarantees.bandits import (
    estimate_guarantee,
    gaps_of,
    pseudo_regret,
    regret_guarantee,
    second_order_guarantee,
)
from assay.record.bandit import EXP3Record
from assay.theory.regret.exp3 import exp3_second_order

RECORD = EXP3Record(
    rounds=100,
    loss=40.0,
    plays=np.array([60, 40]),
    seen_losses=np.array([20.0, 20.0]),
    estimates=np.array([30.0, 50.0]),
    variances=np.array([5.0, 5.0]),
    squared_estimates=70.0,
    learning_rate=0.1,
)


def test_an_expectation_is_not_compared_with_a_run():
    promise = regret_guarantee(
        "exp3-regret", {"rounds": 100, "arms": 2}, 1e9, of="regret", assumptions=()
    )
    assert promise.holds is None
    assert promise.statement.startswith("E[R] <= ")
    assert promise.certified == "this policy"
    sure = regret_guarantee(
        "exp3-ix-regret",
        {"rounds": 100, "arms": 2, "delta": "0.05"},
        1e9,
        of="regret",
        assumptions=(),
    )
    assert sure.holds is False
    assert "failing with probability at most 0.05" in str(sure)


def test_nothing_is_promised_where_an_assumption_is_false():
    promise = regret_guarantee(
        "exp3-regret",
        {"rounds": 100, "arms": 2},
        1.0,
        of="regret",
        assumptions=(Assumption("every loss lies between 0 and 1", "violated"),),
    )
    assert promise.promised is None
    assert promise.statement == "nothing is promised about E[R]"


def test_the_receipt_is_that_of_the_theorem():
    receipt = second_order_guarantee(RECORD)
    assert receipt.observed == 10
    assert receipt.holds
    assert receipt.value == pytest.approx(exp3_second_order(2, 0.1, 70), rel=1e-12)
    assert receipt.value >= exp3_second_order(2, 0.1, 70)


def test_squares_of_estimates():
    promise = estimate_guarantee(RECORD)
    assert (promise.promised, promise.observed) == (200, 70)
    assert promise.holds is None


def test_gaps_are_exact():
    assert gaps_of([0.3, 0.1, 0.2]) == ["0.2", "0", "0.1"]
    assert pseudo_regret(RECORD, [0.3, 0.1]) == pytest.approx(12)
