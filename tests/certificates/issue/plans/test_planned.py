"""What a plan says of itself: text, plain data, and the chance of other numbers of rows."""

import json
import pickle

import pytest

from assay import plan
from assay.errors import BadParameter
from assay.report.plan_text import plan_text
from tests.refusals import refuses

PLANS = {
    "holdout": {"error": 0.05, "expected": 0.02},
    "difference": {"better_by": 0, "only_old_rate": 0.04, "only_new_rate": 0.02},
    "metric": {"recall": 0.9, "expected": 0.95, "prevalence": 0.2},
    "gate": {"gate": (0.01, 0.05)},
    "units": {"error": 0.1, "expected": 0.05, "unit_rows": 4, "correlation": 0.3},
    "groups": {"error": 0.1, "expected": 0.05, "groups": {"a": 0.7, "b": 0.3}},
    "judges": {"error": 0.11, "judge": {"flagged": (1000, 0.8), "passed": (9000, 0.01)}},
    "training": {"error": 0.1, "bits": 20},
}


@pytest.mark.parametrize("purpose", PLANS)
def test_every_plan_is_text_data_and_a_sentence(purpose):
    found = plan(**PLANS[purpose])
    assert found.purpose == purpose
    assert json.loads(json.dumps(found.to_json()))["rows"] == found.rows
    assert f"{found.rows:,}" in plan_text(found)
    assert found.theorem in str(found)
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize("purpose", [p for p in PLANS if p != "training"])
def test_more_rows_are_likelier_to_suffice(purpose):
    found = plan(**PLANS[purpose])
    wanted = 0.99 if purpose == "gate" else 0.9
    assert found.power >= wanted
    assert found.power_at(found.rows) == pytest.approx(found.power, abs=1e-12)
    assert (
        found.power_at(max(found.rows // 3, 1))
        < 0.75
        < wanted
        < found.power_at(2 * found.rows) + 0.01
    )


def test_a_training_set_has_no_power():
    with refuses("A plan of training rows is for the worst case, and has no power.", BadParameter):
        plan(**PLANS["training"]).power_at(100)


def test_what_a_plan_is_of():
    with refuses(
        "A plan takes one of error, better_by, precision, recall, specificity, f1, gate, but was given nothing.",
        BadParameter,
    ):
        plan()
    with pytest.raises(BadParameter, match="but was given error, gate"):
        plan(error=0.1, gate=(0.01, 0.05))
    with refuses(
        "judge must be left out where the plan is for a difference, but is [(5, 0.1)].",
        BadParameter,
    ):
        plan(better_by=0, only_old_rate=0.04, only_new_rate=0.02, judge=[(5, 0.1)])
    with refuses(
        "correlation must be left out where the plan is for a class of rules, but is 0.1.",
        BadParameter,
    ):
        plan(error=0.1, bits=20, correlation=0.1)
