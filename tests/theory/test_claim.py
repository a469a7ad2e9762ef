"""What a certificate may say by a theorem is written on the theorem."""

import pytest

from assay.theory.claim import BUILT, DRAWN, FIRST, LABELLED, Claim, run_claim
from assay.theory.registry import _check_claims, claimable, find_theorem, theorems

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
    assert ids("class") == HOLDOUT - {
        "bounded-betting",
        "empirical-bernstein",
        "holdout-finite-population",
    }
    assert ids("stream") == {"progressive-anytime", "progressive-validation"}
    assert ids("choice") == {"occam-exact"}
    assert len(ids("training")) == 9
    assert not ids("holdout") & (ids("stream") | ids("training") | ids("run"))


@pytest.mark.parametrize(
    "theorem", ["large-gap-exact", "finite-class-exact", "holdout-exact-two-sided", "no-free-lunch"]
)
def test_what_no_code_issues_has_no_role(theorem):
    assert find_theorem(theorem).claims == ()


def test_a_bound_from_below_is_no_promise():
    assert find_theorem("online-disjunction-lower").claims == ()
    assert {claim.direction for entry in theorems() for claim in entry.claims} == {"at most"}


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
        _check_claims(entry, (Claim("holdout", ("error",), "always", (DRAWN,)),))
    with pytest.raises(RuntimeError, match="two claims in one role"):
        _check_claims(entry, (run_claim("mistakes", DRAWN, BUILT),) * 2)


def test_what_is_unknown_of_a_role_is_none():
    entry = find_theorem("holdout-exact")
    assert entry.claim("run") is None
    assert entry.claim_of("regret") is None
    assert entry.known("run") == {}
