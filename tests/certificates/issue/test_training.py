"""Certificates from training rows: documents that verify, and forgeries that do not."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from assay import Certificate, DecisionTreeClassifier, certify, verify
from assay.certificates.format.claim import claim_entry
from assay.certificates.format.document import sealed
from assay.certificates.issue.training import certify_training
from assay.certificates.verify.verify import verify_document
from assay.cli.app import app
from assay.guarantees.training import holdout_guarantee, side_by_side, support_guarantee
from tests.refusals import refuses


def document(**changes):
    parts = {"support": 27, "mistaken": 20, "size": 27, "errors": 2, "margins": np.full(400, 0.5)}
    both = side_by_side(rows=400, **parts)
    return certify_training(both.guarantees, rows=400, **changes).to_json()


def test_a_certificate_of_training_rows_verifies(tmp_path):
    path = tmp_path / "machine.cert.json"
    certify_training([support_guarantee(27, 400)], rows=400).save(path)
    assert verify(path).ok, verify(path).reason
    assert Certificate.load(path).error == support_guarantee(27, 400).value
    assert verify_document(document()).ok, verify_document(document()).reason
    done = CliRunner().invoke(app, ["verify", str(path)])
    assert done.exit_code == 0, done.output
    assert "400 training rows" in done.output


def test_its_rows_can_be_compared(tmp_path):
    y = np.tile([0, 1], 200)
    certificate = certify_training([support_guarantee(27, 400)], rows=400)
    assert verify(certificate, y_true=y, y_pred=y).ok
    assert not verify(certificate, y_true=y[:-1], y_pred=y[:-1]).ok


FORGERIES = {
    "a smaller promise": lambda d: promise(d["claims"][0], "0.05"),
    "fewer support vectors": lambda d: d["claims"][0]["inputs"].update(support=400),
    "other rows": lambda d: d["claims"][0]["inputs"].update(rows=4000),
    "other rows altogether": lambda d: d["data"].update(rows=4000),
    "an observed error": lambda d: d["claims"][0].update(observed="0.01"),
    "a holdout's theorem": lambda d: d["claims"][0].update(theorem="holdout-exact"),
    "called a holdout": lambda d: d["data"].update(role="holdout"),
    "called a stream": lambda d: d["data"].update(role="stream"),
    "a missing assumption": lambda d: d["claims"][0]["assumptions"].pop(),
    "the same claim twice": lambda d: d["claims"].append(copy.deepcopy(d["claims"][0])),
    "more spent": lambda d: d["claims"][0]["inputs"].update(delta="0.5"),
    "a target": lambda d: d["data"].update(target="y"),
    "models declared": lambda d: d["delta"].update(declared_models=2),
    "another quantity": lambda d: d["claims"][0].update(quantity="mistakes"),
    "a wider margin": lambda d: d["claims"][3]["inputs"].update(gibbs="0.9"),
}


def promise(claim, number):
    claim["promised"] = number


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_forgeries_are_caught(forge):
    forged = copy.deepcopy(document())
    forge(forged)
    forged["delta"]["spent"] = [[c["theorem"], c["inputs"]["delta"]] for c in forged["claims"]]
    assert not verify_document(sealed(forged)).ok


def test_a_holdout_certificate_may_not_rest_on_training_rows():
    forged = certify(errors=50, rows=400).to_json()
    forged["claims"] = [claim_entry(support_guarantee(27, 400))]
    forged["delta"]["spent"] = [["svm-support-compression", "0.05"]]
    found = verify_document(sealed(forged))
    assert "has no place in the certificate of a holdout" in found.reason


def test_documents_are_plain_and_carry_every_input():
    claim = json.loads(json.dumps(document()))["claims"][3]
    assert claim["theorem"] == "pac-bayes-linear-vote"
    assert set(claim["inputs"]) == {"gibbs", "norm", "rows", "delta"}


def test_what_cannot_be_certified():
    with refuses("the number of promises about training rows must be at least 1, but is 0."):
        certify_training([holdout_guarantee(1, 10)], rows=10)
    with refuses("what the promises spend together must be at most 0.01, but is 0.05."):
        certify_training([support_guarantee(2, 10)], rows=10, delta=0.01)


def test_a_tree_s_certificate(tmp_path):
    X = np.random.default_rng(0).integers(0, 2, (400, 5))
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, X[:, 0] | X[:, 1])
    certificate = tree.training_certificate(X, X[:, 0] | X[:, 1], drawn="at random")
    certificate.save(tmp_path / "tree.json")
    report = verify(tmp_path / "tree.json")
    assert report.ok
    [claim] = certificate.claims
    assert claim.theorem == "occam-exact"
    assert claim.quantifier == "probability over the examples"
    assert claim.observed is None
