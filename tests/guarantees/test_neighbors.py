"""Guarantees of nearest neighbours: what is promised, what is not, and why."""

from __future__ import annotations

import pytest

from assay.errors import BadParameter
from assay.guarantees.neighbors import (
    EQUAL_VOTES,
    IN_THE_LIMIT,
    NORM,
    ODD_VOTES,
    consistency_guarantee,
    left_out_guarantee,
    limit_guarantee,
)
from assay.theory.generalization.left_out_neighbors import (
    LOCAL,
    TWO_CLASSES,
    neighbors_leave_one_out,
)
from assay.theory.generalization.neighbors import cover_hart


@pytest.mark.parametrize(
    ("neighbors", "classes", "equal", "covered"),
    [
        (1, 2, True, True),
        (1, 5, False, True),
        (3, 2, True, True),
        (3, 2, False, False),
        (3, 3, True, False),
        (2, 2, True, False),
        (4, 2, True, False),
    ],
)
def test_the_limit_of_cover_and_hart(neighbors, classes, equal, covered):
    promise = limit_guarantee(neighbors, classes, 0.2, equal_votes=equal)
    assert promise.applies == covered
    assert promise.value == (cover_hart(0.2, classes, neighbors) if covered else None)
    assert {a.name: a.status for a in promise.assumptions}[ODD_VOTES] == (
        "checked" if covered else "violated"
    )


def statuses(promise):
    return {a.name: a.status for a in promise.assumptions}


def test_no_limit_without_a_norm_or_with_unequal_votes():
    promise = limit_guarantee(1, 2, 0.2, no_norm="cosines")
    assert (promise.applies, promise.promised) == (False, None)
    assert (statuses(promise)[ODD_VOTES], statuses(promise)[NORM]) == ("checked", "violated")
    assert promise.statement == "nothing is promised about lim err_D"
    for terms, name in (({"no_norm": "cosines"}, NORM), ({"equal_votes": False}, EQUAL_VOTES)):
        consistent = consistency_guarantee(**terms)
        assert not consistent.applies
        assert statuses(consistent)[name] == "violated"
        assert consistent.statement == "nothing is promised about lim err_D"
    assert consistency_guarantee().applies


def test_what_cannot_be_seen_in_the_rows_is_assumed():
    assert statuses(left_out_guarantee(0, 100, 3))[TWO_CLASSES] == "by construction"
    assert statuses(left_out_guarantee(0, 100, 3, majority=True))[TWO_CLASSES] == "assumed"
    assert statuses(left_out_guarantee(0, 100, 3))[LOCAL] == "by construction"
    assert statuses(left_out_guarantee(0, 100, 3, any_function=True))[LOCAL] == "declared"


def test_a_limit_is_never_held_against_a_sample():
    for promise in (limit_guarantee(1, 2, 0.1), limit_guarantee(1, 2), consistency_guarantee()):
        assert promise.observed is None
        assert promise.holds is None
        assert promise.quantifier == IN_THE_LIMIT
        assert promise.to_json()["theorem"] == promise.theorem
    assert limit_guarantee(1, 2).promised is None
    assert limit_guarantee(1, 2).statement == "lim err_D <= R* (2 - R* C / (C - 1))"


def test_a_bayes_error_that_cannot_be():
    with pytest.raises(
        BadParameter, match=r"^bayes_error must be at most 1/2 with 2 classes, but is"
    ):
        limit_guarantee(1, 2, 0.7)


def test_from_leaving_one_out():
    promise = left_out_guarantee(60, 1000, 3, 0.1)
    assert promise.value == neighbors_leave_one_out(60, 1000, 3, 0.1)
    assert (promise.observed, promise.delta, promise.holds) == (0.06, "0.1", True)
    both = left_out_guarantee(60, 1000, 3, 0.1, majority=True)
    assert both.value == neighbors_leave_one_out(60, 1000, 3, 0.1, "majority") < promise.value
    assert left_out_guarantee(0, 4, 3, majority=True).inputs["vote"] == "any"
    assert left_out_guarantee(0, 4, 3).vacuous


def test_a_rule_made_from_the_rows_is_promised_nothing():
    promise = left_out_guarantee(60, 1000, 3, 0.1, seen="it was chosen by these rows")
    assert (promise.applies, promise.promised) == (False, None)
    with pytest.raises(BadParameter, match=r"^errors must be between 0 and the number of rows 5"):
        left_out_guarantee(6, 5, 1)
