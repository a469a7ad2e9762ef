"""The frozen reader of format 1: what it reads, and what it refuses."""

import copy
import json
import re
from pathlib import Path

import pytest

from assay.certificates.format.claim import subject_in, worded
from assay.certificates.format.document import inner, sealed
from assay.certificates.format.format_1 import read_subject
from assay.certificates.verify.verify import verify_document
from assay.errors import CertificateRefused
from assay.guarantees.subject import Subject
from assay.theory.registry import find_theorem

GOLDEN = Path(__file__).parent / "golden"
OLD = Path(__file__).parents[2] / "goldens" / "cedf297" / "certificates"
FILES = sorted([*GOLDEN.glob("*format-1.json"), *OLD.glob("*.json")])
EXACT, RUN = find_theorem("holdout-exact"), find_theorem("perceptron-margin-mistakes")


def read(path):
    return json.loads(path.read_text())


@pytest.mark.parametrize("label", ["spam", "it's", 'say "hi"', "a\nb", "\u202e", "", 7, -3, True])
def test_labels_are_read_back(label):
    assert read_subject(EXACT, f"error of class {label!r}").label == label
    rate = read_subject(EXACT, f"false-positive rate: {label!r} taken for 'x'")
    assert (rate.label, rate.other, rate.side) == (label, "x", "positive")
    assert read_subject(RUN, f"mistakes of {label!r} against the rest").label == label


@pytest.mark.parametrize(
    "of",
    [
        "",
        "errors",
        "error ",
        "error of class spam",
        "error of class 'spam",
        'error of class "spam"',  # another spelling of 'spam'
        "error of class 07",
        "error of class 'a' 'b'",
        "error of class ['a']",
        "error of class '\\x61'",
        "error of class 'a'\n",
        "error of class '" + "a" * 20_000 + "'",
        "false-positive rate: 'a' taken for b",
        "mistakes of the best",
        "regret against God",
        "errors among the next 0 rows",
        "errors among the next 05 rows",
    ],
)
def test_free_text_is_no_quantity(of):
    entries = (EXACT, RUN, find_theorem("next-rows-exact"), find_theorem("ogd-anytime-regret"))
    assert all(read_subject(entry, of) is None for entry in entries)


def test_the_theorem_decides_what_is_meant():
    assert read_subject(EXACT, "error").quantity == "error"
    batch = find_theorem("holdout-finite-population")
    assert read_subject(batch, "error").quantity == "batch-error"
    assert read_subject(find_theorem("bounded-betting"), "error of class 1") is None
    assert read_subject(find_theorem("margin-perceptron-updates"), "mistakes") is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_read_says_the_same(path):
    document = read(path)
    if path.stem == "certify-population":
        with pytest.raises(CertificateRefused, match="its statement should read"):
            inner(document)
        return
    for old, new in zip(document["claims"], inner(document)["claims"], strict=True):
        assert worded(new) == old
        assert isinstance(subject_in(new), Subject)
        assert all("id" in entry for entry in new["assumptions"])


def reworded(word, text):
    document = read(GOLDEN / "format-1.json")
    document["claims"][0][word] = text
    return sealed(document)


@pytest.mark.parametrize(
    ("word", "text", "reason"),
    [
        ("statement", "P[err_D(h) <= 0.01] >= 1 - 0.05", "its statement should read"),
        ("quantifier", "always", "its quantifier should read 'probability over the holdout'"),
        ("certified", "all models", "its certified should read 'this classifier'"),
        ("kind", "mistakes", "holdout-exact bounds error, not mistakes"),
        ("of", "error of all models", "does not bound 'error of all models'"),
        ("vacuous", True, "it is called vacuous wrongly"),
    ],
)
def test_a_sentence_that_is_not_the_one_is_refused(word, text, reason):
    document = reworded(word, text)
    with pytest.raises(CertificateRefused, match=re.escape(reason)):
        inner(document)
    verification = verify_document(document)
    assert verification.verdict == "does not add up"
    assert reason in verification.reason


def test_a_condition_in_other_words_does_not_stand_for_the_known_one():
    document = read(GOLDEN / "format-1.json")
    document["claims"][0]["assumptions"][0]["name"] = "the rows are independent"
    assert "independent-draws" in verify_document(sealed(document)).reason


def test_other_conditions_only_weaken():
    document = read(GOLDEN / "format-1.json")
    more = {"name": "the moon is full", "status": "assumed"}
    document["claims"][0]["assumptions"].append(more)
    assert verify_document(sealed(document))
    known = copy.deepcopy(document)
    known["claims"][0]["assumptions"][-1]["status"] = "checked"
    assert "the moon is full" in verify_document(sealed(known)).reason


@pytest.mark.parametrize(
    ("evidence", "status", "holds"),
    [
        ("0 of 1000 row digests occur in the training set", "checked", True),
        ("0 of 1,000 row digests occur in the training set", "checked", True),
        ("3 of 1003 row digests occur in the training set and were left out", "checked", False),
        ("3 of 1000 row digests occur in the training set", "checked", False),
        ("it was looked into", "checked", False),
        ("", "checked", False),
        (
            "a sample of 10 of the 90 rows that were learned was compared: "
            "0 of 1000 row digests occur in the training set",
            "assumed",
            True,
        ),
        (
            "a sample of 10 of the 90 rows that were learned was compared: "
            "0 of 1000 row digests occur in the training set",
            "checked",
            False,
        ),
        (
            "all 90 rows that were learned were compared: "
            "0 of 1000 row digests occur in the training set",
            "checked",
            True,
        ),
    ],
)
def test_rows_of_the_training_set(evidence, status, holds):
    document = read(GOLDEN / "format-1.json")
    assert document["data"]["rows"] == 1000
    name = "no row of the holdout is in the training set"
    entry = {"name": name, "status": status, "evidence": evidence}
    document["claims"][0]["assumptions"].append(entry)
    assert bool(verify_document(sealed(document))) is holds
