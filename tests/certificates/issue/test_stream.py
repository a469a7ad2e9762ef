"""The certificate of a stream: issued, verified, and refused after any change that matters."""

import copy
import json
import re
from pathlib import Path

import numpy as np
import pytest

from assay import Certificate, Perceptron, certify, verify
from assay.certificates.format.claim import claim_entry
from assay.certificates.format.document import parse_document, sealed
from assay.certificates.format.quantity import AS_PLAYED, DRAWN_AFRESH, ON_ITS_ROW
from assay.certificates.issue.stream import KNOWN_BEFORE, certify_stream
from assay.certificates.verify.verify import verify_document
from assay.errors import BadParameter
from assay.evidence.digest import digest_labels
from assay.guarantees.assumption import Assumption
from assay.play.online import progressive_guarantee
from assay.theory.registry import theorems
from assay.theory.tail.progressive_anytime import progressive_anytime

GOLDEN = Path(__file__).parents[1] / "format" / "golden"


def issued(noise=0.05, **terms):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 5))
    X[:, 0] += np.sign(X[:, 0])  # a margin of one, but for the noise
    y = (X[:, 0] > 0) ^ (rng.random(1000) < noise)
    model = Perceptron().partial_fit(X, y, classes=[False, True])
    made = {"rows": 1000, "errors": model.record_.mistakes, "guarantees": model.guarantees()}
    return certify_stream(**made | terms)


#: What `verify` names of a certificate from counts alone, whose rows nobody compared.
NOT_ASKED = (
    "nobody was asked whether the rows are independent draws from the distribution of use",
    "nobody was asked whether every row was predicted before its truth was used",
)
NOISY, SEPARABLE = issued(), issued(noise=0.0)


@pytest.mark.parametrize("certificate", [NOISY, SEPARABLE], ids=["noisy", "separable"])
def test_what_was_issued_is_accepted(tmp_path, certificate):
    certificate.save(tmp_path / "a.cert.json")
    found = verify(tmp_path / "a.cert.json")
    assert found.ok, found.reason
    assert found.notes == NOT_ASKED
    assert Certificate.load(tmp_path / "a.cert.json").document == certificate.document


def test_what_it_says():
    first, *others = NOISY.claims
    errors = first.inputs["errors"]
    assert (first.of, first.certified) == (AS_PLAYED, ON_ITS_ROW)
    assert first.quantifier == "probability over the whole stream, at every moment at once"
    assert NOISY.error == progressive_anytime(errors, 1000, 0.05)
    assert NOISY.observed == errors / 1000
    assert [a.status for a in first.assumptions] == ["not asked", "not asked"]
    assert {c.theorem for c in others} == {"perceptron-hinge-mistakes"}
    for claim in others:
        assert (claim.delta, claim.quantifier, claim.certified) == ("0", "always", "this run")
        assert claim.statement == f"M <= {claim.promised_text}"
        assert claim.observed == errors
        assert claim.holds
    assert NOISY.document["delta"]["spent"][1:] == [["perceptron-hinge-mistakes", "0"]]
    assert NOISY.document["data"]["role"] == "stream"


def test_the_margin_bound_is_claimed_where_there_is_a_margin():
    assert "perceptron-margin-mistakes" in {c.theorem for c in SEPARABLE.claims}


def test_only_what_is_certain_and_applies_is_claimed():
    from assay.guarantees.mistakes import mistake_guarantee
    from assay.theory.mistake.perceptron import SEPARABLE as HAS_MARGIN

    broken = mistake_guarantee(
        "perceptron-margin-mistakes",
        {"radius": 1.0, "margin": 0.5},
        9,
        of="mistakes",
        assumptions=(Assumption(HAS_MARGIN, "violated"),),
    )
    holdout = certify(errors=1, rows=9).claims[0]
    errors = NOISY.claims[0].inputs["errors"]
    made = certify_stream(rows=1000, errors=errors, guarantees=[broken, holdout, *NOISY.claims[1:]])
    assert len(made.claims) == len(NOISY.claims)
    assert verify(made).ok


def test_a_violated_condition_voids_the_promise_about_the_error():
    void = certify_stream(rows=10, errors=1, known=[Assumption(KNOWN_BEFORE, "violated")])
    assert void.claims[0].promised is None
    assert verify(void).verdict == "promises nothing"
    assert "it is not true that the labels and categories were known" in verify(void).reason


def test_every_moment_has_its_certificate():
    # Errors cannot be more than rows; a stream of one row is a stream.
    assert verify(certify_stream(rows=1, errors=1)).verdict == "promises nothing"
    assert certify_stream(rows=1, errors=1).claims[0].vacuous
    with pytest.raises(
        BadParameter, match=r"rows must be a whole number of at least 1, but is 0\."
    ):
        certify_stream(rows=0, errors=0)
    with pytest.raises(
        BadParameter, match=re.escape("errors must be at most the number of rows 3")
    ):
        certify_stream(rows=3, errors=4)


def first(document):
    return document["claims"][0]


def mistakes(document):
    return next(c for c in document["claims"] if c["theorem"] == "perceptron-hinge-mistakes")


def promise(claim, number):
    claim["promised"] = number


def spent(document):
    document["delta"]["spent"] = [
        [c["theorem"], c["inputs"].get("delta", "0")] for c in document["claims"]
    ]


def as_holdout(document):
    """The forgery that matters most: a changing learner passed off as one fixed classifier."""
    exact = certify(errors=first(document)["inputs"]["errors"], rows=1000).to_json()
    document["claims"][0] = exact["claims"][0]
    spent(document)


FORGERIES = {
    "smaller error": lambda d: promise(first(d), "0.09"),
    "fewer errors": lambda d: first(d)["inputs"].update(errors=1),
    "more rows": lambda d: (first(d)["inputs"].update(rows=9000), d["data"].update(rows=9000)),
    "rows of the data": lambda d: d["data"].update(rows=999),
    "larger delta": lambda d: first(d)["inputs"].update(delta="0.06"),
    "no delta": lambda d: first(d)["inputs"].pop("delta"),
    "a sentence beside it": lambda d: first(d).update(certified="this classifier"),
    "another rate": lambda d: first(d).update(quantity="error"),
    "a class": lambda d: first(d).update(label="spam"),
    "a fixed model": as_holdout,
    "the anytime bound of a fixed model": lambda d: first(d).update(theorem="holdout-anytime"),
    "a size fixed in advance": lambda d: first(d).update(theorem="progressive-validation"),
    "a holdout": lambda d: d["data"].update(role="holdout"),
    "predicted later": lambda d: first(d)["assumptions"].pop(),
    "fewer mistakes allowed": lambda d: promise(mistakes(d), "5"),
    "one mistake less": lambda d: promise(mistakes(d), str(int(mistakes(d)["promised"]) - 1)),
    "mistakes with a delta": lambda d: (mistakes(d)["inputs"].update(delta="0.01"), spent(d)),
    "mistakes of the future": lambda d: mistakes(d).update(quantity="next-rows-errors"),
    "updates": lambda d: mistakes(d).update(quantity="updates"),
    "never delayed": lambda d: mistakes(d).update(delayed=False),
    "a larger radius": lambda d: mistakes(d)["inputs"].update(radius="99"),
    "an input too many": lambda d: mistakes(d)["inputs"].update(luck="1"),
    "an input missing": lambda d: mistakes(d)["inputs"].pop("norm"),
    "more seen than promised": lambda d: mistakes(d).update(observed="999"),
    "more mistakes than rows": lambda d: (
        promise(mistakes(d), "5000"),
        mistakes(d).update(observed="1001"),
    ),
    "half a mistake": lambda d: mistakes(d).update(observed="3.5"),
    "nothing seen": lambda d: mistakes(d).update(observed=None),
    "another kind": lambda d: mistakes(d).update(quantity="regret"),
    "textbook": lambda d: mistakes(d).update(
        textbook={"theorem": "perceptron-margin-mistakes", "promised": "9"}
    ),
    "assumption left out": lambda d: mistakes(d)["assumptions"].clear(),
    "assumption violated": lambda d: mistakes(d)["assumptions"][0].update(status="violated"),
    "no number": lambda d: mistakes(d).update(promised=None),
    "a theorem with probability, said to be certain": lambda d: (
        mistakes(d).update(theorem="progressive-validation-azuma"),
        spent(d),
    ),
    "the same twice": lambda d: (d["claims"].append(mistakes(d)), spent(d)),
    "no error": lambda d: (d["claims"].pop(0), spent(d)),
    "two errors": lambda d: (d["claims"].append(first(d)), spent(d)),
    "spent": lambda d: d["delta"].update(spent=[["progressive-anytime", "0.01"]]),
    "total": lambda d: d["delta"].update(total="0.04"),
    "more models": lambda d: d["delta"].update(declared_models=2),
    "row digest": lambda d: d["data"].update(row_digest="0" * 64),
    "rows before missing": lambda d: d["data"].pop("rows_before"),
    "format of a count": lambda d: d["data"].update(rows="1000"),
    "role": lambda d: d["data"].update(role="river"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_sealed_again_is_refused(tmp_path, name):
    forged = copy.deepcopy(NOISY.to_json())
    FORGERIES[name](forged)
    assert forged != NOISY.to_json()
    path = tmp_path / "forged.cert.json"
    path.write_text(json.dumps(sealed(forged)))
    assert not verify(path).ok


def test_claims_of_a_stream_do_not_stand_in_a_holdout_certificate():
    forged = certify(errors=50, rows=1000).to_json()
    forged["claims"].append(NOISY.to_json()["claims"][1])
    spent(forged)
    assert not verify_document(sealed(forged)).ok
    forged = certify(errors=50, rows=1000).to_json()
    forged["data"]["rows_before"] = 5
    assert "a holdout has no rows before it" in verify_document(sealed(forged)).reason


@pytest.mark.parametrize(
    "theorem", [t.id for t in theorems() if t.holds != "always" or t.kind != "mistakes"]
)
def test_no_other_theorem_can_be_claimed_to_be_certain(theorem):
    forged = copy.deepcopy(NOISY.to_json())
    mistakes(forged)["theorem"] = theorem
    spent(forged)
    assert not verify_document(sealed(forged)).ok


def test_a_larger_number_is_noted():
    changed = copy.deepcopy(NOISY.to_json())
    promise(mistakes(changed), "500")
    found = verify_document(sealed(changed))
    assert found.ok
    assert found.notes[0] == "claim 2 (mistakes): 500 is valid but larger than it need be"
    assert found.notes[1:] == NOT_ASKED


def test_a_run_of_known_length_may_be_certified_too():
    sequence = progressive_guarantee(50, 1000, "0.05")
    assert (sequence.of, sequence.certified) == (AS_PLAYED, DRAWN_AFRESH)
    document = certify_stream(rows=1000, errors=50).to_json()
    document["claims"] = [claim_entry(sequence)]
    spent(document)
    found = verify_document(sealed(document))
    assert found.ok, found.reason
    document["data"] = certify(errors=50, rows=1000).to_json()["data"]
    assert (
        "has no place in the certificate of a holdout" in verify_document(sealed(document)).reason
    )


def test_rows_before_the_stream_count_as_played():
    claims = NOISY.claims[1:]
    made = certify_stream(rows=10, errors=1, guarantees=claims, rows_before=990)
    assert verify(made).ok
    assert (
        "more mistakes than the 110 rows"
        in verify(certify_stream(rows=10, errors=1, guarantees=claims, rows_before=100)).reason
    )


def test_any_single_changed_digit_is_refused(tmp_path):
    path = tmp_path / "a.cert.json"
    NOISY.save(path)
    text = path.read_text()
    for place in (m.start() for m in re.finditer(r"\d", text)):
        digit = "7" if text[place] != "7" else "3"
        path.write_text(text[:place] + digit + text[place + 1 :])
        assert not verify(path).ok, text[max(place - 40, 0) : place + 10]


def test_a_certificate_of_format_1_is_verified_for_ever():
    text = (GOLDEN / "stream-format-1.json").read_bytes()
    found = verify_document(parse_document(text))
    assert found.ok, found.reason
    assert found.notes == ()


# With the truth at hand


def test_the_truth_alone_is_compared():
    y = np.array(["ham", "spam"] * 50)
    made = certify_stream(rows=100, errors=3, data=digest_labels(y), target="kind")
    assert made.document["data"]["target"] == "kind"
    found = verify(made, y_true=y)
    assert found.ok
    assert str(found.findings[-1]) == (
        "ok   data: all 100 rows have the truth that was certified; "
        "not compared: the predictions, the features"
    )
    assert (
        verify(made, y_true=y[::-1]).reason == "data: the truth is not the one that was certified"
    )
    assert verify(made, y_true=y[:7]).reason == "data: the data have 7 rows, and the stream had 100"
    for wrong in range(6):
        guess = np.where(np.arange(100) < wrong, y[::-1], y)
        found = verify(made, y_true=y, y_pred=guess)
        assert found.ok == (wrong == 3)
    assert found.reason == f"data: the data show 5 for '{AS_PLAYED}', not 3"


def test_without_a_digest_only_rows_are_counted():
    found = verify(certify_stream(rows=4, errors=0), y_true=[0, 1, 0, 1])
    assert found.findings[-1].detail == (
        "all 4 rows have been counted; not compared: the truth, the predictions, the features"
    )


def test_a_holdout_that_names_a_target_is_refused():
    document = certify(errors=1, rows=10).to_json()
    document["data"]["target"] = "kind"
    assert "counts: a holdout names no target" in verify_document(sealed(document)).reason
