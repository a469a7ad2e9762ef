"""The record of rows left out."""

from __future__ import annotations

import math

from assay.record.out_of_bag import OutOfBagRecord


def test_the_estimate():
    record = OutOfBagRecord(10, 100, 100, 80, 20.0, 33, 0.3, 9, 0.1)
    assert record.estimate == 0.25
    assert math.isnan(OutOfBagRecord(1, 5, 5, 0, 0.0, 0, 0.0, 0, 0.0).estimate)
