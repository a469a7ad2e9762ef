import numpy as np

from assay.record.stagewise import StagewiseRecord


def test_rounds_are_those_that_were_kept():
    none = np.zeros(0)
    empty = StagewiseRecord(3, "squared_error", 0.0, none, none, none, None, None, True, "perfect")
    assert empty.rounds == 0
