"""A certificate is accepted as issued, and refused after any change that matters."""

import copy
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from assay import Ledger, certify, verify
from assay.certificates.document import sealed
from assay.certificates.evidence import from_pairs
from assay.certificates.verify import refuse_unless_verified, verify_document
from assay.errors import BadData, CertificateRefused

TRUTH = np.array(["ham", "spam"] * 200)
GUESS = np.where(np.arange(400) % 19 == 0, "spam", TRUTH)
LOSSES = np.random.default_rng(0).beta(2, 8, size=300)


def issued():
    ledger = Ledger(":memory:")
    ledger.charge("h", answers=401, delta="0.05")
    return {
        "counts": certify(errors=50, rows=1000, delta=0.05),
        "classes": certify(
            y_true=TRUTH, y_pred=GUESS, rates=["class", "false-positive", "false-negative"]
        ),
        "anytime": certify(errors=50, rows=1000, method="anytime"),
        "kl": certify(errors=50, rows=1000, method="kl"),
        "hoeffding": certify(errors=50, rows=1000, method="hoeffding"),
        "batch": certify(errors=50, rows=1000, population=2000),
        "declared": certify(errors=50, rows=1000, models=20),
        "betting": certify(loss=LOSSES),
        "bernstein": certify(loss=LOSSES, method="bernstein"),
        "loss-kl": certify(loss=LOSSES, method="kl"),
        "ledger": certify(errors=5, rows=400, ledger=ledger, holdout="h"),
        "gate": certify(errors=5, rows=400, answer="pass-fail", max_error="0.06"),
        "vacuous": certify(errors=4, rows=4),
    }


ISSUED = issued()


@pytest.mark.parametrize("name", ISSUED)
def test_what_was_issued_is_accepted_without_notes(tmp_path, name):
    path = tmp_path / "a.cert.json"
    ISSUED[name].save(path)
    found = verify(path)
    assert found.ok, found.reason
    assert found.notes == ()


def numbers(text):
    """Every digit of the file outside the base64 losses and the digests of data nobody has."""
    return [m.start() for m in re.finditer(r"\d", text)]


def test_any_single_changed_digit_is_refused(tmp_path):
    path = tmp_path / "a.cert.json"
    ISSUED["classes"].save(path)
    text = path.read_text()
    for place in numbers(text):
        digit = "7" if text[place] != "7" else "3"
        path.write_text(text[:place] + digit + text[place + 1 :])
        assert not verify(path).ok, text[max(place - 40, 0) : place + 10]


# A forger who seals the document again must still fail on every number a promise rests on.
FORGERIES = {
    "smaller promise": lambda d: _promise(d, "0.0628634035123"),
    "fewer errors": lambda d: d["claims"][0]["inputs"].update(errors=49),
    "more rows": lambda d: (
        d["claims"][0]["inputs"].update(rows=2000),
        d["data"].update(rows=2000),
    ),
    "larger delta in the claim": lambda d: d["claims"][0]["inputs"].update(delta="0.06"),
    "smaller total": lambda d: d["delta"].update(total="0.04"),
    "total of one": lambda d: d["delta"].update(total="1"),
    "observed": lambda d: d["claims"][0].update(observed="0.04"),
    "rows of the data": lambda d: d["data"].update(rows=999),
    "more models": lambda d: d["delta"].update(declared_models=2),
    "bits": lambda d: d["delta"].update(holdout_bits_released_before="3"),
    "spent": lambda d: d["delta"].update(spent=[["holdout-exact", "0.01"]]),
    "another theorem": lambda d: d["claims"][0].update(theorem="holdout-kl"),
    "unknown theorem": lambda d: d["claims"][0].update(theorem="holdout-magic"),
    "order only": lambda d: d["claims"][0].update(theorem="winnow-margin-order"),
    "another kind": lambda d: d["claims"][0].update(kind="regret"),
    "statement": lambda d: d["claims"][0].update(statement="P[err_D(h) <= 0.01] >= 1 - 0.05"),
    "textbook": lambda d: d["claims"][0]["textbook"].update(promised="0.07"),
    "textbook name": lambda d: d["claims"][0]["textbook"].update(theorem="occam-bits"),
    "vacuous": lambda d: d["claims"][0].update(vacuous=True),
    "assumption left out": lambda d: d["claims"][0]["assumptions"].pop(),
    "assumption violated": lambda d: d["claims"][0]["assumptions"][0].update(status="violated"),
    "no number": lambda d: d["claims"][0].update(promised=None),
    "negative errors": lambda d: d["claims"][0]["inputs"].update(errors=-1),
    "text for a count": lambda d: d["claims"][0]["inputs"].update(errors="50"),
    "missing input": lambda d: d["claims"][0]["inputs"].pop("rows"),
    "extra input": lambda d: d["claims"][0]["inputs"].update(luck=1),
}


def _promise(document, number):
    claim = document["claims"][0]
    claim["statement"] = claim["statement"].replace(claim["promised"], number)
    claim["promised"] = number


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_sealed_again_is_refused(name):
    forged = copy.deepcopy(ISSUED["counts"].to_json())
    FORGERIES[name](forged)
    assert not verify_document(sealed(forged)).ok


@pytest.mark.parametrize(
    "name", ["kl", "anytime", "hoeffding", "betting", "bernstein", "loss-kl", "batch"]
)
def test_a_smaller_number_is_refused_and_a_larger_one_noted(name):
    number = float(ISSUED[name].document["claims"][0]["promised"])
    for factor, ok in ((0.999, False), (1.01, True)):
        changed = copy.deepcopy(ISSUED[name].to_json())
        _promise(changed, repr(number * factor))
        found = verify_document(sealed(changed))
        assert found.ok is ok, found.reason
        assert bool(found.notes) is ok


def test_classes_must_add_up():
    changed = copy.deepcopy(ISSUED["classes"].to_json())
    changed["claims"].pop(1)
    changed["delta"]["spent"].pop(1)
    found = verify_document(sealed(changed))
    assert "do not add up" in found.reason


def test_losses_in_the_file_are_counted(tmp_path):
    changed = copy.deepcopy(ISSUED["betting"].to_json())
    changed["claims"][0]["inputs"]["losses"]["rows"] = 299
    assert not verify_document(sealed(changed)).ok
    changed["claims"][0]["inputs"]["losses"] = {"encoding": "trust", "rows": 1, "data": ""}
    assert not verify_document(sealed(changed)).ok


def test_the_data_at_hand_are_compared_with_those_certified(tmp_path):
    path = tmp_path / "a.cert.json"
    certify(y_true=TRUTH, y_pred=GUESS).save(path)
    assert verify(path, evidence=from_pairs([(TRUTH, GUESS)])).ok
    other = verify(path, evidence=from_pairs([(TRUTH, TRUTH)]))
    assert other.reason == "data: the predictions are not those that were certified"
    flipped = verify(path, evidence=from_pairs([(TRUTH[::-1], GUESS)]))
    assert flipped.reason == "data: the truth are not those that were certified"


def test_truncated_and_future_files_are_refused_with_the_reason(tmp_path):
    path = tmp_path / "a.cert.json"
    ISSUED["counts"].save(path)
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    assert "is damaged or not a certificate" in verify(path).reason
    path.write_text(json.dumps(json.loads(text) | {"format": 2}))
    assert "has format 2, but this version of assay reads up to format 1" in verify(path).reason
    with pytest.raises(CertificateRefused, match="does not verify"):
        refuse_unless_verified(path)
    with pytest.raises(BadData, match="does not exist"):
        refuse_unless_verified(tmp_path / "missing.json")


def test_exact_claims_are_verified_without_numpy_scipy_or_a_learner(tmp_path):
    path = tmp_path / "a.cert.json"
    ISSUED["classes"].save(path)
    code = (
        "import sys, assay; assert assay.verify(sys.argv[1]).ok;"
        "heavy = {'numpy', 'scipy', 'pyarrow', 'sklearn', 'numba'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
