"""Guarantees about the error of what an online run left behind."""

from __future__ import annotations

from fractions import Fraction

import pytest

from assay.guarantees.assumption import Assumption
from assay.guarantees.error_rates import DRAWN_AFRESH, THIS, error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.theory.generalization.online_to_batch import BOUNDED_ON_SUPPORT
from assay.theory.registry import find_theorem
from assay.theory.tail.progressive import progressive_validation

COUNTS = {"errors": 50, "rows": 1000, "delta": 0.05}


def test_with_probability():
    found = error_guarantee(
        "progressive-validation", COUNTS, certified=DRAWN_AFRESH, observed="0.05"
    )
    assert found.value == progressive_validation(50, 1000, 0.05)
    assert found.statement == f"P[err_D(h) <= {found.promised_text}] >= 1 - 0.05"
    assert found.quantifier == "probability over the examples"
    assert found.textbook[0] == "progressive-validation-azuma"
    assert float(found.textbook[1]) == pytest.approx(0.127404551204099)
    assert found.certified == DRAWN_AFRESH
    assert found.holds
    assert [a.status for a in found.assumptions] == [
        "assumed",
        "by construction",
        "by construction",
    ]
    assert Guarantee.from_json(found.to_json()) == found


def test_in_expectation_nothing_is_observed():
    found = error_guarantee(
        "online-to-batch-random-stopping", {"mistakes": 10, "rows": 100}, observed="0.02"
    )
    assert found.quantifier == "expectation"
    assert found.observed is None
    assert found.holds is None
    assert found.delta == "0"
    assert found.statement == f"E[err_D(h)] <= {found.promised_text}"
    assert found.certified == THIS


@pytest.mark.parametrize(
    ("theorem", "inputs"),
    [
        ("online-to-batch-random-stopping", {"mistakes": 10, "rows": 100}),
        ("online-to-batch-blocks", {"mistakes": 10, "rows": 100, "delta": 0.05}),
    ],
)
def test_a_violated_assumption_promises_nothing(theorem, inputs):
    known = [Assumption(BOUNDED_ON_SUPPORT, "violated", "11 mistakes were made")]
    found = error_guarantee(theorem, inputs, known=known)
    assert found.promised is None
    assert not found.applies
    assert found.statement == "nothing is promised about err_D(h)"


def test_a_rate_is_at_most_one_and_then_vacuous():
    inputs = {"mistakes": 3, "run": 2, "delta": "0.05"}
    found = error_guarantee("online-to-batch-large-gap", inputs)
    assert found.promised == 1
    assert found.vacuous


def test_numbers_are_written_as_text():
    found = error_guarantee("progressive-validation", COUNTS | {"delta": Fraction(1, 40)})
    assert found.inputs == {"errors": 50, "rows": 1000, "delta": "0.025"}


@pytest.mark.parametrize(
    ("theorem", "inputs"),
    [
        ("progressive-validation", COUNTS),
        ("progressive-validation-vote", COUNTS),
        ("suffix-holdout", COUNTS | {"mistakes": 3}),
        ("large-gap-exact", {"run": 200, "mistakes": 3, "delta": 0.05}),
    ],
)
def test_the_number_follows_from_what_is_written(theorem, inputs):
    found = error_guarantee(theorem, inputs)
    entry = find_theorem(theorem)
    assert found.value == entry(**found.to_json()["inputs"])
    assert set(entry.assumes) == {a.name for a in found.assumptions}
