"""Forgeries that once passed, with data and ledger at hand; each was sealed again by the package's own code."""

import copy

import numpy as np
import pytest

from assay import Ledger, certify, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import canonical, parse_document, sealed
from assay.certificates.issue.stream import certify_stream
from assay.certificates.verify.verify import verify_document
from assay.guarantees.decimals import decimal_above, decimal_ratio
from assay.theory.registry import find_theorem
from tests.attacks.forged_truth import falsehoods

TRUTH = np.arange(1000) % 2
GUESS = np.where(np.arange(1000) < 50, 1 - TRUTH, TRUTH)


def claimed(claim, theorem, inputs, **changes):
    """The claim made by another theorem, with the number that it gives, and its own conditions."""
    entry = find_theorem(theorem)
    value = entry(**{name: inputs[name] for name in entry.parameters() if name in inputs})
    number = decimal_above(float(value))
    claim |= {
        "theorem": theorem,
        "inputs": inputs,
        "promised": number,
        "assumptions": [{"id": known.id, "status": "declared"} for known in entry.assumes],
    }
    claim.pop("textbook", None)
    claim |= changes


@pytest.mark.parametrize("extra", [{}, {"errors": 50, "rows": 1000}])
def test_a_run_without_mistakes_cannot_stand_in_for_a_holdout(extra):
    ledger = Ledger(":memory:")
    document = certify(y_true=TRUTH, y_pred=GUESS, ledger=ledger).to_json()
    inputs = {"run": 1_000_000, "hypotheses": 1, "delta": "0.025"} | extra
    claimed(document["claims"][0], "large-gap-exact", inputs)
    document["delta"]["spent"] = [["large-gap-exact", "0.025"]]
    assert float(document["claims"][0]["promised"]) < 4e-6
    found = verify(Certificate(sealed(document)), y_true=TRUTH, y_pred=GUESS, ledger=ledger)
    assert found.verdict == "does not add up"
    assert "large-gap-exact does not bound what a certificate promises" in found.reason


@pytest.mark.parametrize(
    "theorem", ["finite-class-exact", "occam-exact", "holdout-exact-two-sided"]
)
def test_no_other_theorem_stands_in_for_a_holdout_either(theorem):
    document = certify(errors=50, rows=1000).to_json()
    document["claims"][0]["theorem"] = theorem
    document["delta"]["spent"] = [[theorem, "0.05"]]
    if theorem == "occam-exact":
        document["claims"][0]["inputs"]["bits"] = 1
    found = verify_document(sealed(document))
    assert found.verdict == "does not add up"


def test_a_bound_from_below_is_no_promise():
    document = certify_stream(rows=1000, errors=3).to_json()
    entry = find_theorem("online-disjunction-lower")
    lower = {
        "theorem": entry.id,
        "quantity": "mistakes",
        "inputs": {"features": 3},
        "promised": "3",
        "observed": "3",
        "assumptions": [{"id": known.id, "status": "declared"} for known in entry.assumes],
    }
    document["claims"].append(lower)
    document["delta"]["spent"].append([entry.id, "0"])
    assert verify_document(sealed(document)).verdict == "does not add up"


def frauds():
    """10,000 payments, 92 of them frauds, of which 58 are missed: 63 %, promised at most 72.8 %."""
    truth = np.where(np.arange(10_000) < 92, "fraud", "fair")
    guess = np.where(np.arange(10_000) < 58, "fair", truth)
    return truth, guess


def test_the_rows_of_a_class_are_compared_with_the_data():
    truth, guess = frauds()
    certificate = certify(y_true=truth, y_pred=guess, rates=["false-negative"])
    assert certificate.claims[1].value == pytest.approx(0.728, abs=0.002)
    assert verify(certificate, y_true=truth, y_pred=guess)
    document = certificate.to_json()
    claim = document["claims"][1]
    inputs = claim["inputs"] | {"rows": 4200}
    claimed(claim, "holdout-exact", inputs, observed=decimal_ratio(58, 4200))
    assert float(claim["promised"]) < 0.0184
    found = verify(Certificate(sealed(document)), y_true=truth, y_pred=guess)
    assert found.reason == (
        "data: the data show 58 of 92 rows for 'false-negative rate: 'fraud' taken for 'fair'', "
        "not 58 of 4200"
    )


@pytest.mark.parametrize("rates", [["class"], ["false-positive", "false-negative"]])
def test_without_data_the_classes_must_add_up(rates):
    truth, guess = frauds()
    document = certify(y_true=truth, y_pred=guess, rates=rates).to_json()
    claim = next(c for c in document["claims"] if c.get("label") == "fraud")
    inputs = claim["inputs"] | {"rows": 4200}
    claimed(claim, "holdout-exact", inputs, observed=decimal_ratio(58, 4200))
    found = verify_document(sealed(document))
    assert "the rows of the classes do not add up to 10000" in found.reason


def test_a_class_that_the_data_do_not_hold_is_refused():
    truth, guess = frauds()
    issued = canonical(certify(y_true=truth, y_pred=guess, rates=["class"]).to_json())
    document = parse_document(issued.replace(b'"fair"', b'"scam"'))
    found = verify(Certificate(sealed(document)), y_true=truth, y_pred=guess)
    assert "the truth holds no label 'scam'" in found.reason


def test_a_batch_is_spoken_of_as_a_batch():
    certificate = certify(errors=50, rows=1000, population=2000)
    assert certificate.claims[0].statement.startswith("P[err_batch(h) <= 0.0")
    document = copy.deepcopy(certificate.to_json())
    document["claims"][0]["quantity"] = "error"
    reason = "holdout-finite-population does not bound 'error'"
    assert reason in verify_document(sealed(document)).reason


@pytest.mark.parametrize("status", ["by construction", "checked"])
def test_nobody_can_know_how_rows_are_drawn(status):
    for certificate in (certify(errors=50, rows=1000), certify_stream(rows=1000, errors=50)):
        document = certificate.to_json()
        document["claims"][0]["assumptions"][0]["status"] = status
        found = verify_document(sealed(document))
        assert f"cannot be known to be so: {status}" in found.reason


@pytest.mark.parametrize("status", ["by construction", "checked"])
def test_nobody_can_know_that_groups_or_classes_were_named_first(status):
    place = np.arange(len(TRUTH)) % 3
    for certificate, condition in (
        (certify(y_true=TRUTH, y_pred=GUESS, groups=place), "groups-declared"),
        (certify(y_true=TRUTH, y_pred=GUESS, rates=["macro-f1"]), "classes-first"),
    ):
        document = certificate.to_json()
        listed = [known for claim in document["claims"] for known in claim["assumptions"]]
        settled = [known for known in listed if known["id"] == condition]
        assert settled
        for known in settled:
            known["status"] = status
        found = verify_document(sealed(document))
        assert f"cannot be known to be so: {status}" in found.reason


def test_what_nobody_was_asked_holds_and_is_named():
    document = certify(errors=50, rows=1000).to_json()
    document["claims"][0]["assumptions"][1]["status"] = "not asked"
    found = verify_document(sealed(document))
    assert found.verdict == "holds"
    assert found.notes == (
        "nobody was asked whether the model was fixed before these rows were seen",
    )


def test_a_condition_that_the_theorem_does_not_name_is_not_known_by_computing():
    for status, ok in (("checked", False), ("by construction", False), ("declared", True)):
        document = certify(errors=50, rows=1000).to_json()
        document["claims"][0]["assumptions"].append({"id": "unit-length", "status": status})
        assert verify_document(sealed(document)).adds_up is ok


def test_what_is_said_of_repeated_rows_fits_the_counts():
    class Model:
        def predict(self, X):
            return X[:, 0] > 0

    rng = np.random.default_rng(0)
    X, seen = rng.normal(size=(300, 2)), rng.normal(size=(200, 2))
    document = certify(Model(), X, X[:, 0] > 0.1, train=seen).to_json()
    assert verify_document(document)
    checked = next(a for a in document["claims"][0]["assumptions"] if a["status"] == "checked")
    for rows in (30, 299):
        checked["overlap"]["rows"] = rows
        assert verify_document(sealed(document)).verdict == "does not add up"


def test_the_mistakes_of_a_run_are_the_errors_of_the_stream():
    from tests.attacks.forged_certificates import pool

    document = copy.deepcopy(pool()["perceptron"])
    claim = document["claims"][1]
    assert claim["quantity"] == "mistakes"
    claim["observed"] = "1"
    assert list(falsehoods(document))
    found = verify_document(sealed(document))
    assert "1 mistakes are said to be observed, but the stream counts" in found.reason
    document = copy.deepcopy(pool()["gradient"])
    document["claims"][1]["inputs"]["rounds"] = 5
    assert "rests on 5 rounds" in verify_document(sealed(document)).reason


@pytest.mark.parametrize("quantity", ["mistakes of all learners", "regret against God", "luck"])
def test_what_a_run_is_claimed_of_is_no_free_text(quantity):
    from tests.attacks.forged_certificates import pool

    document = copy.deepcopy(pool()["perceptron"])
    document["claims"][1]["quantity"] = quantity
    assert verify_document(sealed(document)).verdict == "does not add up"


def test_digests_agree_only_where_there_are_digests():
    counted = certify(errors=50, rows=1000)
    found = verify(counted, y_true=TRUTH, y_pred=GUESS)
    assert found.findings[-1].detail == "counts agree; it holds no digests"
    assert found.not_compared[:2] == (
        "the truth, of which it holds no digest",
        "the predictions, of which it holds no digest",
    )
    found = verify(certify(y_true=TRUTH, y_pred=GUESS), y_true=TRUTH, y_pred=GUESS)
    assert found.findings[-1].detail == "digests and counts agree"
    assert found.not_compared == ("a ledger, for it names none", "who issued it")
    assert "arithmetic" not in found.conclusion
