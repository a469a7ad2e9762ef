"""Records of boosting."""

from __future__ import annotations

import numpy as np

from assay.record.boosting import BoostingRecord, MajorityBoostRecord


def test_edges_and_rounds():
    record = BoostingRecord(8, np.array([0.25, 0.4]), np.array([0.5, 0.2]), 2, 0.25, True, "rounds")
    assert record.rounds == 2
    np.testing.assert_allclose(record.edges, [0.25, 0.1])
    assert record.trace is None


def test_the_least_edge_is_that_of_the_rounds_that_vote():
    record = MajorityBoostRecord(10, np.array([0.7, 0.65, 0.7, 0.5]), 3, 4, 0, 3)
    assert record.least_edge == 0.15
