"""Guarantees of boosting: which theorem, what is promised, what is said where nothing is."""

from __future__ import annotations

import numpy as np
import pytest

from assay.guarantees.boosting import (
    _raised,
    adaboost_guarantee,
    majority_boost_guarantees,
    margin_guarantee,
    stump_guarantee,
)
from assay.record.boosting import BoostingRecord, MajorityBoostRecord
from assay.theory.boosting.adaboost import adaboost_training_error
from assay.theory.boosting.votes import boosting_vote_margins

ERRORS = np.array([0.3, 0.3, 0.3])
VOTES = np.full(3, 0.4236489301936018)


def record(**changes):
    given = {
        "rows": 100,
        "errors": ERRORS,
        "votes": VOTES,
        "training_errors": 12,
        "training_error": 0.12,
        "even": True,
        "stopped": "rounds",
    }
    return BoostingRecord(**given | changes)


def test_errors_are_never_rounded_down():
    for error in (0.1, 1 / 3, 0.49999999999999994, 1e-17, 0.9999999999999999):
        assert float(_raised(error)) >= error
    assert _raised(1 / 3) == "0.333333333334"
    assert _raised(0.9999999999999999) == "1"


def test_the_plain_case():
    promise = adaboost_guarantee(record())
    assert promise.theorem == "adaboost-training-error"
    assert promise.value == pytest.approx(adaboost_training_error([0.3] * 3), rel=1e-10)
    assert (promise.observed, promise.holds, promise.quantifier) == (0.12, True, "always")
    assert promise.textbook is not None
    assert float(promise.textbook[1]) == pytest.approx(0.786628, rel=1e-6)
    assert promise.statement == f"err_S <= {promise.promised_text}"


@pytest.mark.parametrize(
    ("changes", "of"),
    [
        ({"rate": 0.5}, "training error"),
        ({"classes": 3}, "training error"),
        ({"even": False}, "weighted training error"),
    ],
)
def test_other_cases_rest_on_the_general_theorem(changes, of):
    promise = adaboost_guarantee(record(**changes))
    assert promise.theorem == "boosting-vote-margins"
    assert promise.value == pytest.approx(boosting_vote_margins(ERRORS, VOTES), rel=1e-10)
    assert promise.of == of


def test_a_share_is_at_most_one():
    promise = adaboost_guarantee(record(errors=np.full(3, 0.6), votes=np.ones(3), classes=3))
    assert promise.promised == 1
    assert margin_guarantee(record(), 0.9, 0.5).promised == 1


def test_a_perfect_hypothesis():
    perfect = record(
        errors=np.array([0.2, 0.0]),
        votes=np.array([0.7, 1.2]),
        training_errors=0,
        stopped="perfect",
        classes=5,
        rate=0.5,
    )
    promise = adaboost_guarantee(perfect)
    assert (promise.promised, promise.holds) == (0, True)
    assert not margin_guarantee(perfect, 0.1, 0.0).applies


def test_a_broken_run_is_seen():
    assert adaboost_guarantee(record(training_errors=80)).holds is False
    assert margin_guarantee(record(), 0.0, 0.9).holds is False


def test_majority_boost():
    good = MajorityBoostRecord(10, np.full(17, 0.8), 17, 0, 0, 5, edge=0.25)
    wrong, soon = majority_boost_guarantees(good)
    assert (wrong.promised, wrong.observed, wrong.holds) == (0, 0, True)
    assert (soon.promised, soon.observed, soon.holds) == (17, 5, True)
    few = MajorityBoostRecord(10, np.full(3, 0.8), 3, 0, 2, 0, edge=0.25)
    [only] = majority_boost_guarantees(few)
    assert (only.promised, only.holds) == (6, True)
    stopped = MajorityBoostRecord(10, np.array([0.8, 0.8, 0.8, 0.6]), 3, 4, 2, 0, edge=0.25)
    assert majority_boost_guarantees(stopped)[0].applies
    bad = MajorityBoostRecord(10, np.array([0.6]), 1, 1, 4, 0, edge=0.25)
    for promise in majority_boost_guarantees(bad):
        assert not promise.applies
        assert promise.promised is None
        assert promise.assumptions[0].status == "violated"


def test_stumps():
    terms = {"stumps": 9, "features": 57, "weighted": False}
    promise = stump_guarantee(errors=300, size=15, rows=4000, delta="0.05", **terms)
    assert (promise.kind, promise.delta, promise.observed) == ("error", "0.05", None)
    assert promise.quantifier == "probability over the examples"
