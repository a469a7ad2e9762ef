"""Guarantees of support vector machines."""

from __future__ import annotations

import math

import pytest

from assay.guarantees.guarantee import Guarantee
from assay.guarantees.margin import (
    dimension_guarantee,
    dual_excess_guarantee,
    duality_guarantees,
    loo_guarantees,
    margin_guarantees,
)
from assay.record.margin import MarginRecord
from assay.theory.registry import find_theorem

RECORD = MarginRecord(3, 2, 0, 4.5, 4.25, 1e-3, 2.0, 0.9, 5, 1, slack=0.125, floor=2.0)


def by_theorem(guarantees):
    return {guarantee.theorem: guarantee for guarantee in guarantees}


def test_leaving_one_out_always_and_the_error_on_average():
    always, average = loo_guarantees(3, 12, 2, residual=1e-4, tolerance=1e-3)
    assert (always.promised, always.holds, always.quantifier) == (0.25, True, "always")
    assert (average.promised, average.holds, average.quantifier) == (0.25, None, "expectation")
    assert [a.status for a in average.assumptions] == ["checked", "assumed", "declared"]
    assert loo_guarantees(3, 12, 4, residual=1e-4, tolerance=1e-3)[0].holds is False


def test_nothing_is_promised_of_a_machine_that_was_not_found():
    for guarantee in loo_guarantees(3, 12, None, residual=0.1, tolerance=1e-3):
        assert guarantee.promised is None
        assert not guarantee.applies


def test_the_excess_is_the_gap_with_its_rounding_and_never_negative():
    excess, slackness = duality_guarantees(RECORD)
    assert excess.value == pytest.approx(0.25, rel=1e-12)
    assert excess.value >= 0.25
    assert (slackness.observed, slackness.holds) == (0.125, True)
    rounded = MarginRecord(3, 2, 0, 4.5, 4.25, 1e-3, 2.0, 0.9, 5, 1, rounding=0.5)
    assert duality_guarantees(rounded)[0].value == pytest.approx(0.75, rel=1e-12)
    above = MarginRecord(3, 2, 0, 4.5, 4.5000001, 1e-3, 2.0, 0.9, 5, 1)
    assert 0 <= duality_guarantees(above)[0].value < 1e-13


def test_slackness_beyond_the_gap_does_not_hold():
    broken = MarginRecord(3, 2, 0, 4.5, 4.25, 1e-3, 2.0, 0.9, 5, 1, slack=0.26)
    assert duality_guarantees(broken)[1].holds is False


def test_a_hard_margin_has_no_losses_and_must_separate():
    found = MarginRecord(2, 2, 0, 0.5, 0.5, 0.0, 1.0, 1.0, 1, 1, rounding=0.125)
    excess, _ = duality_guarantees(found, hard=True)
    assert excess.inputs["hinge"] == "0"
    assert "C" not in excess.inputs
    assert excess.value == pytest.approx(0.125, rel=1e-12)
    missed = MarginRecord(2, 2, 0, 0.5, 0.5, 0.0, 1.0, -0.1, 1, 1)
    excess, _ = duality_guarantees(missed, hard=True)
    assert not excess.applies
    assert excess.promised is None


def test_other_losses_have_the_gap_of_their_conjugates():
    found = dual_excess_guarantee(RECORD)
    assert found.theorem == "penalised-duality"
    assert found.value == pytest.approx(0.25, rel=1e-12)
    assert found.value >= 0.25
    assert [a.status for a in found.assumptions] == ["by construction"] * 2


def test_margin_distance_and_risk_stand_beside_what_was_seen():
    found = by_theorem(margin_guarantees(RECORD, price=2.0, bias=0.3))
    assert set(found) == {"svm-margin", "point-plane-distance", "svm-regularization-equivalence"}
    assert all(guarantee.holds for guarantee in found.values())
    assert found["svm-margin"].value == pytest.approx(0.5, rel=1e-9)
    assert found["point-plane-distance"].value == pytest.approx(0.45, rel=1e-9)
    assert found["svm-regularization-equivalence"].value == pytest.approx(4.5, rel=1e-9)
    assert float(found["svm-regularization-equivalence"].observed) == 4.5


def test_every_number_can_be_evaluated_again():
    for guarantee in [
        *margin_guarantees(RECORD, price=2.0, bias=-7.0),
        *duality_guarantees(RECORD),
    ]:
        again = find_theorem(guarantee.theorem)(**guarantee.inputs)
        again = getattr(again, "distance", getattr(again, "risk", again))
        assert float(again) == pytest.approx(guarantee.value, rel=1e-9)
        assert Guarantee.from_json(guarantee.to_json()) == guarantee


def test_a_margin_above_what_the_floor_allows_does_not_hold():
    wide = MarginRecord(3, 2, 0, 4.5, 4.25, 1e-3, 2.0, 0.9, 5, 1, floor=5.0)
    assert by_theorem(margin_guarantees(wide))["svm-margin"].holds is False


def test_what_is_not_known_is_not_told():
    zero = MarginRecord(3, 0, 0, 3.0, 0.0, 1e-3, 0.0, 0.0, 5, 1)
    assert margin_guarantees(zero) == []
    crossed = MarginRecord(3, 2, 0, 4.5, 4.25, 1e-3, 2.0, -0.5, 5, 1, floor=4.25)
    margin, distance = margin_guarantees(crossed, price=math.inf)
    assert margin.observed is None
    assert distance.holds
    assert float(distance.observed) == 0.25


@pytest.mark.parametrize("bias", [None, 0.0, 1.5, -40.0])
def test_a_bias_costs_the_dimension_as_little_as_can_be(bias):
    found = dimension_guarantee(2.0, 3.0, "10 rows", bias=bias, features=4)
    plain = ("vc-halfspaces-homogeneous", "4") if bias is None else ("vc-halfspaces-affine", "5")
    assert found.textbook == plain
    bias = bias or 0.0
    assert int(found.promised) == math.floor((6 + abs(bias)) ** 2 * (1 + 1e-9))
    assert found.assumptions[0].status == "checked"
    for constant in (0.1, 1.0, 10.0):
        other = (4 + (bias / constant) ** 2) * (9 + constant**2)
        assert int(found.promised) <= other * (1 + 1e-9)


def test_a_kernel_has_no_halfspaces_to_compare_with():
    assert dimension_guarantee(2.0, 1.0, "10 rows").textbook is None


def test_the_separator_is_told_unless_it_is_too_long():
    short = dimension_guarantee(2.0, 1.0, "10 rows", witness=[2.0, 0.0])
    assert short.witness == ("2", "0")
    assert dimension_guarantee(2.0, 1.0, "10 rows", witness=[0.1] * 2000).witness is None


def test_a_machine_whose_conditions_fail_by_the_whole_margin_is_promised_nothing_by_its_support():
    for guarantee in loo_guarantees(0, 40, 20, residual=2.0, tolerance=2.0):
        assert guarantee.promised is None
        assert guarantee.assumptions[0].status == "violated"
