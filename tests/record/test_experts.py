import numpy as np

from assay.record.experts import ExpertRecord


def test_regret_against_the_best():
    record = ExpertRecord(10, 4.0, np.array([5.0, 1.0, 3.0]), names=("a", "b", "c"))
    assert record.regrets.tolist() == [-1.0, 3.0, 1.0]
    assert (record.best, record.best_loss, record.regret) == (1, 1.0, 3.0)
    assert record.name(record.best) == "b"


def test_sleepers_are_compared_while_they_were_awake():
    record = ExpertRecord(
        10, 4.0, np.array([0.0, 3.0]), awake=np.array([1, 10]), paid=np.array([0.5, 4.0])
    )
    assert record.regrets.tolist() == [0.5, 1.0]
    assert (record.best, record.regret) == (1, 1.0)
    assert record.name(0) == "0"


def test_regret_may_be_below_zero():
    record = ExpertRecord(2, 0.5, np.array([1.0, 2.0]))
    assert record.regret == -0.5
