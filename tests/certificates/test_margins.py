"""Guarantees of support vector machines."""

from __future__ import annotations

from assay.certificates.margins import duality_guarantee, loo_guarantees
from assay.record.margin import MarginRecord


def test_leaving_one_out_always_and_the_error_on_average():
    always, average = loo_guarantees(3, 12, 2, residual=1e-4, tolerance=1e-3)
    assert (always.promised, always.holds, always.quantifier) == ("0.25", True, "always")
    assert (average.promised, average.holds, average.quantifier) == ("0.25", None, "expectation")
    assert [a.status for a in average.assumptions] == ["checked", "assumed", "declared"]
    assert loo_guarantees(3, 12, 4, residual=1e-4, tolerance=1e-3)[0].holds is False


def test_nothing_is_promised_of_a_machine_that_was_not_found():
    for guarantee in loo_guarantees(3, 12, None, residual=0.1, tolerance=1e-3):
        assert guarantee.promised is None
        assert not guarantee.applies


def test_the_excess_is_the_gap_and_never_negative():
    record = MarginRecord(3, 2, 0, 4.5, 4.25, 1e-3, 2.0, 0.9, 5, 1)
    assert duality_guarantee(record).value == 0.25
    above = MarginRecord(3, 2, 0, 4.5, 4.5000001, 1e-3, 2.0, 0.9, 5, 1)
    assert duality_guarantee(above).value == 0.0
