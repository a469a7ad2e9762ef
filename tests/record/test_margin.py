"""The record of a support vector machine."""

from __future__ import annotations

import math

from assay.record.margin import MarginRecord


def record(**values):
    known = {"rows": 3, "support": 2, "bounded": 0, "primal": 2.5, "dual": 2.0, "residual": 0.1}
    known |= {"norm": 2.0, "least": 0.9, "steps": 4, "passes": 1}
    return MarginRecord(**(known | values))


def test_gap_margin_and_width():
    assert record().gap == 0.5
    assert record(dual=2.6).gap == 0.0
    assert record(rounding=0.25).excess == 0.75
    assert record().margin == 0.45
    assert record(least=-0.1).margin is None
    assert record(norm=0.0).margin is None
    assert record().width == 0.5
    assert record(norm=0.0).width == math.inf
