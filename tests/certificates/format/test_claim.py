"""Claims of documents: what is written is read back, with the same words."""

import json
from pathlib import Path

import numpy as np
import pytest

from assay import Certificate, certify, verify
from assay.certificates.format.claim import (
    claim_entry,
    guarantee_in,
    subject_entry,
    subject_in,
    worded,
)
from assay.certificates.issue.certify import certify_evidence
from assay.certificates.issue.claims import choice_claim
from assay.certificates.issue.evidence_sources import from_counts
from assay.certificates.issue.stream import certify_stream
from assay.errors import BadParameter, CertificateRefused
from assay.evidence.training_overlap import TrainingOverlap
from assay.guarantees.assumption import Assumption
from assay.guarantees.mistakes import mistake_guarantee
from assay.guarantees.subject import Subject
from assay.theory.mistake.perceptron import SEPARABLE, UPDATES_ON_MISTAKES


@pytest.mark.parametrize(
    "subject",
    [
        Subject("error"),
        Subject("batch-error"),
        Subject("chosen-error"),
        Subject("mistakes"),
        Subject("regret", "it's", delayed=True),
        Subject("updates", 1.5),
        Subject("class-error", 10**30),
        Subject("class-error", -7),
        Subject("class-error", True),
        Subject("class-error", "", "\u202e", "positive"),
        Subject("class-error", 0, 1, "negative"),
    ],
)
def test_a_subject_is_read_back(subject):
    entry = json.loads(json.dumps(subject_entry(subject))) | {"inputs": {}}
    again = subject_in(entry)
    assert again == subject
    assert again.__getnewargs__() == subject.__getnewargs__()
    assert type(again.label) is type(subject.label)


@pytest.mark.parametrize(
    "label", [{"float": "1"}, {"float": "1.50"}, {"float": "nan"}, {"int": "7"}, {"int": "0" * 30}]
)
def test_a_label_has_one_spelling(label):
    entry = {"quantity": "class-error", "label": label, "inputs": {}}
    with pytest.raises(CertificateRefused, match="A label is spelt"):
        subject_in(entry)


def test_what_no_certificate_speaks_of_is_not_written():
    known = (Assumption(SEPARABLE, "checked"), Assumption(UPDATES_ON_MISTAKES, "by construction"))
    inputs = {"radius": 1.0, "margin": 0.1}
    odd = mistake_guarantee(
        "perceptron-margin-mistakes", inputs, 3, of="mistakes of God", assumptions=known
    )
    with pytest.raises(BadParameter, match="No certificate speaks of 'mistakes of God'"):
        claim_entry(odd)
    bare = mistake_guarantee(
        "perceptron-margin-mistakes",
        inputs,
        3,
        of="mistakes",
        assumptions=(*known, Assumption("all is well", "declared")),
    )
    with pytest.raises(BadParameter, match="'all is well' has none"):
        claim_entry(bare)


TRUTH = np.array(["ham", "spam"] * 100)
GUESS = np.where(np.arange(200) % 19 == 0, "spam", TRUTH)


class Model:
    def predict(self, X):
        return X[:, 0] > 0


def left_out():
    X = np.random.default_rng(0).normal(size=(300, 2))
    return certify(Model(), X, X[:, 0] > 0.1, train=X[:20], overlap="drop")


def of_each_class():
    known = (Assumption(SEPARABLE, "checked"), Assumption(UPDATES_ON_MISTAKES, "by construction"))
    promises = [
        mistake_guarantee(
            "perceptron-margin-mistakes",
            {"radius": 1.0, "margin": 0.1},
            3,
            of=Subject("mistakes", label, delayed=True),
            assumptions=known,
        )
        for label in ("a", 2, 2.5)
    ]
    return certify_stream(rows=300, errors=20, guarantees=promises)


MADE = {
    "classes": certify(y_true=TRUTH, y_pred=GUESS, rates=["class"]),
    "rates": certify(y_true=TRUTH, y_pred=GUESS, rates=["false-negative"]),
    "next rows": certify(errors=50, rows=1000, next_rows=100),
    "batch": certify(errors=50, rows=1000, population=2000),
    "units": certify(y_true=TRUTH, y_pred=GUESS, unit=np.arange(200) // 4),
    "losses": certify(loss=[0.1, 0.3] * 30),
    "choice": certify_evidence(from_counts(20, 400), choice=choice_claim(8, 90, 4, "0.005")),
    "left out": left_out(),
    "each class": of_each_class(),
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_written_verifies_and_is_read_back(name, tmp_path):
    path = tmp_path / "a.cert.json"
    MADE[name].save(path)
    again = Certificate.load(path)
    assert verify(path).ok, verify(path).reason
    assert again.claims == MADE[name].claims
    entries = [claim_entry(claim) for claim in again.claims]
    assert entries == again.document["claims"]


def test_rows_left_out_are_counted_in_the_document():
    [claim] = left_out().document["claims"]
    entry = next(a for a in claim["assumptions"] if a["id"] == "not-in-training")
    assert entry["overlap"] == {"repeated": 20, "rows": 300, "left_out": True}
    assumption = next(a for a in left_out().claims[0].assumptions if a.id == "not-in-training")
    assert assumption.evidence == TrainingOverlap(20, 300, left_out=True)


GOLDEN = sorted((Path(__file__).parent / "golden").glob("*format-2.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_files_of_format_2_stay_readable(path):
    certificate = Certificate.load(path)
    assert certificate.document["format"] == 2
    assert verify(path).ok, verify(path).reason
    assert [claim_entry(claim) for claim in certificate.claims] == certificate.document["claims"]


# The sentences


def exact_claim(**changes):
    return certify(errors=50, rows=1000).document["claims"][0] | changes


def test_the_sentences_of_a_claim():
    words = worded(exact_claim())
    assert words["statement"] == "P[err_D(h) <= 0.06286340351237975] >= 1 - 0.05"
    assert (words["kind"], words["of"], words["vacuous"]) == ("error", "error", False)
    assert (words["quantifier"], words["certified"]) == (
        "probability over the holdout",
        "this classifier",
    )
    assert worded(exact_claim(promised=None))["statement"] == "nothing is promised about err_D(h)"
    assert worded(exact_claim(promised="1"))["vacuous"]


def test_a_guarantee_is_what_was_issued():
    issued = certify_stream(rows=100, errors=5)
    assert guarantee_in(issued.document["claims"][0]) == issued.claims[0]


def test_what_a_theorem_does_not_bound_has_no_words():
    with pytest.raises(CertificateRefused, match="holdout-exact does not bound 'regret'"):
        worded(exact_claim(quantity="regret"))
