from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from assay.record.online import Comparator, OnlineRecord


def test_a_record_of_nothing_has_no_rounds():
    record = OnlineRecord()
    assert (record.rounds, record.mistakes, record.updates, record.passes) == (0, 0, 0, None)
    assert (record.clean, record.radius, record.margin, record.trace) == (False, 0.0, None, None)


def test_a_record_does_not_change():
    record = OnlineRecord(rounds=5, mistakes=2)
    with pytest.raises(FrozenInstanceError):
        record.mistakes = 1
    wider = record.with_margin(0.25)
    assert (record.margin, wider.margin, wider.rounds, wider.mistakes) == (None, 0.25, 5, 2)


def test_a_comparator_does_not_change():
    comparator = Comparator(np.array([1.0, 0.0]), 1.0, 0.0, 1.0)
    with pytest.raises(FrozenInstanceError):
        comparator.loss = 1.0
