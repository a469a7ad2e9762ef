import copy

import pytest

from assay.certificates.format.claim import claim_entry
from assay.certificates.verify.claim_checks import check_claim
from assay.guarantees.assumption import Assumption
from assay.guarantees.build import LONGEST_WITNESS
from assay.guarantees.mistakes import mistake_guarantee
from assay.theory.mistake.perceptron import SEPARABLE, UPDATES_ON_MISTAKES
from assay.theory.registry import find_theorem

THEOREM = find_theorem("perceptron-margin-mistakes")


def fault_of(claim, notes=None):
    ok, detail = check_claim("claim 2", claim, {"rows": 1000}, [] if notes is None else notes)
    return None if ok else detail


def claim(status="checked", **changes):
    known = (Assumption(SEPARABLE, status), Assumption(UPDATES_ON_MISTAKES, "by construction"))
    inputs = {"radius": 1.0, "margin": 0.1}
    made = mistake_guarantee(THEOREM.id, inputs, 37, of="mistakes", assumptions=known)
    return copy.deepcopy(claim_entry(made)) | changes


def fault(**changes):
    return fault_of(claim(**changes))


def test_what_holds():
    assert fault() is None
    assert fault_of(claim("violated")) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"promised": "99"}, "gives 100 for these inputs, but 99 is"),
        ({"observed": "101"}, "101 was observed, which is more than what always holds"),
        ({"observed": "36.5"}, "36.5 is said to be observed, which is no count"),
        ({"observed": None}, "what was observed is not told"),
        ({"quantity": "error"}, "perceptron-margin-mistakes does not bound 'error'"),
        ({"quantity": "updates"}, "perceptron-margin-mistakes does not bound 'updates'"),
        ({"textbook": {}}, "a textbook's number stands beside it"),
        ({"assumptions": []}, "is not listed"),
        ({"promised": None}, "no number is promised, and no assumption is violated"),
        ({"inputs": {"radius": "1", "margin": "0.1", "delta": "0.05"}}, "takes no input 'delta'"),
    ],
)
def test_what_does_not(changes, reason):
    assert reason in fault(**changes)


def test_a_number_where_an_assumption_is_violated():
    odd = claim("violated", promised="100")
    assert "a number is promised although" in fault_of(odd)


def test_a_larger_number_is_noted():
    notes = []
    larger = claim(promised="120")
    assert fault_of(larger, notes) is None
    assert notes == ["claim 2: 120 is valid but larger than it need be"]


def test_regret_may_be_negative():
    theorem = find_theorem("ogd-hinge-regret")
    inputs = {"norm": 1.0, "radius": 1.0, "rounds": 100}
    known = tuple(Assumption(name, "checked") for name in theorem.assumes)
    made = claim_entry(
        mistake_guarantee(theorem.id, inputs, 0, of="regret", assumptions=known, letter="regret")
    )
    assert fault_of(made | {"observed": "-3.25"}) is None
    assert "more than what always holds" in fault_of(made | {"observed": "10.5"})


HINGE = find_theorem("perceptron-hinge-mistakes")


def hinge_claim(witness, norm):
    known = (Assumption(UPDATES_ON_MISTAKES, "by construction"),)
    inputs = {"radius": 1.0, "norm": norm, "hinge_loss": 2.0}
    return claim_entry(
        mistake_guarantee(HINGE.id, inputs, 5, of="mistakes", assumptions=known, witness=witness)
    )


def test_a_witness_must_be_as_short_as_the_promise_needs_it():
    assert fault_of(hinge_claim([3.0, -4.0], 5.0)) is None
    assert hinge_claim([3.0, -4.0], 5.0)["witness"] == ["3", "-4"]
    wrong = fault_of(hinge_claim([3.0, -4.0], 4.9))
    assert wrong == "its witness is longer than the norm that the promise is computed from"
    assert fault(witness=["0.0", "0"]) == "its witness is zero, which separates nothing"
    assert fault(witness=["0.5", "-1e-3"]) is None


def test_a_witness_of_a_thousand_features_is_left_out():
    assert "witness" not in hinge_claim([0.0] * (LONGEST_WITNESS + 1), 5.0)
    assert len(hinge_claim([0.0] * LONGEST_WITNESS, 5.0)["witness"]) == LONGEST_WITNESS
