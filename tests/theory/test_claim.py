"""What a certificate may say by a theorem is written on the theorem."""

import copy
import json
import pickle
import re
from dataclasses import replace

import pytest

from assay.theory.claim import (
    BUILT,
    DRAWN,
    FIRST,
    LABELLED,
    Claim,
    Condition,
    conditions,
    run_claim,
    training_claim,
)
from assay.theory.registry import _check_claims, claimable, find_theorem, theorem, theorems

HOLDOUT = {
    "bounded-betting",
    "empirical-bernstein",
    "holdout-anytime",
    "holdout-exact",
    "holdout-finite-population",
    "holdout-kl",
    "validation-hoeffding",
}


def ids(*roles):
    return {entry.id for entry in claimable(*roles)}


def test_each_role_has_its_theorems():
    assert ids("holdout") >= HOLDOUT
    assert ids("class") == (HOLDOUT | {"error-at-least"}) - {
        "bounded-betting",
        "empirical-bernstein",
        "holdout-finite-population",
    }
    assert ids("stream") == {"progressive-anytime", "progressive-validation"}
    assert ids("choice") == {"occam-exact"}
    assert len(ids("training")) == 10
    assert not ids("holdout") & (ids("stream") | ids("training") | ids("run"))


@pytest.mark.parametrize(
    "theorem", ["large-gap-exact", "finite-class-exact", "holdout-exact-two-sided", "no-free-lunch"]
)
def test_what_no_code_issues_has_no_role(theorem):
    assert find_theorem(theorem).claims == ()


def test_what_is_bounded_from_below_is_what_should_be_large():
    assert find_theorem("online-disjunction-lower").claims == ()
    below = {
        entry.kind
        for entry in theorems()
        for claim in entry.claims
        if claim.direction == "at least"
    }
    assert below == {"rate", "difference"}


def test_how_rows_are_drawn_is_never_computed_and_never_brought_about():
    for entry in claimable("holdout", "class", "stream", "training", "choice"):
        for claim in entry.claims:
            drawn = claim.known[0]
            assert not drawn.allows("checked"), entry.id
            assert not drawn.allows("by construction"), entry.id
            assert drawn.allows("violated"), entry.id


def test_that_labels_are_like_that_is_never_brought_about():
    assert not LABELLED.allows("by construction")
    assert FIRST.allows("not asked")
    assert not DRAWN.allows("proved")


def test_what_holds_on_every_run_always_holds():
    for entry in claimable("run"):
        assert entry.holds == "always"
        assert entry.claim("run").quantifier == "always"


def test_inputs_are_the_parameters_of_the_function():
    assert find_theorem("mistake-compression").parameters() == {
        "mistaken": True,
        "rows": True,
        "delta": True,
        "errors": False,
    }
    assert find_theorem("winnow-margin-order").parameters() == {}


def test_a_claim_must_speak_of_every_assumption():
    entry = find_theorem("holdout-exact")
    with pytest.raises(RuntimeError, match="each of its 2 assumptions"):
        _check_claims(replace(entry, claims=(Claim("holdout", ("error",), "always", (DRAWN,)),)))
    with pytest.raises(RuntimeError, match="two claims in one role"):
        _check_claims(replace(entry, claims=(run_claim("mistakes", DRAWN, BUILT),) * 2))


def test_what_is_unknown_of_a_role_is_none():
    entry = find_theorem("holdout-exact")
    assert entry.claim("run") is None
    assert entry.claim_of("regret") is None
    assert entry.known("run") == {}


# Conditions: a sentence for people, an id for files


def test_it_is_its_sentence():
    drawn = Condition(
        "independent-draws", "the rows are independent draws from the distribution of use"
    )
    assert drawn == "the rows are independent draws from the distribution of use"
    assert json.loads(json.dumps([drawn])) == [str(drawn)]
    for again in (copy.deepcopy(drawn), pickle.loads(pickle.dumps(drawn))):
        assert (again, again.id) == (drawn, "independent-draws")


def test_every_assumption_of_every_theorem_has_an_id():
    listed = [condition for entry in theorems() for condition in entry.assumes]
    assert len(listed) > 200
    assert all(isinstance(condition, Condition) for condition in listed)
    assert {condition.id: str(condition) for condition in listed} == {
        id: str(condition) for id, condition in conditions().items() if condition in listed
    }


def test_ids_are_kebab_and_sentences_are_not_said_twice():
    known = conditions()
    assert all(re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", id) for id in known)
    assert len({str(condition) for condition in known.values()}) == len(known)


def test_one_id_has_one_sentence():
    with pytest.raises(RuntimeError, match="two conditions are called 'independent-draws'"):
        Condition("independent-draws", "the rows are drawn by hand")


def test_a_theorem_for_certificates_needs_ids():
    with pytest.raises(RuntimeError, match="an assumption of 'nameless' has no id: 'all is well'"):

        @theorem(
            kind="error",
            holds="probability",
            statement="p",
            assumes=("all is well",),
            claim=training_claim(BUILT),
        )
        def nameless(rows):
            """Nothing.

            Theorem  None.
            Needs    rows.
            Gives    nothing.
            Source   nobody.
            """
