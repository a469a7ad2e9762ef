"""Guarantees from training rows: their words, their numbers, and documents that verify or do not."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from scipy.special import ndtr
from typer.testing import CliRunner

from assay import Certificate, certify, verify
from assay.certificates.format.claim import claim_entry
from assay.certificates.format.document import sealed
from assay.certificates.verify.verify import verify_document
from assay.cli.app import app
from assay.errors import BadData
from assay.guarantees.assumption import Assumption
from assay.guarantees.training import (
    certify_training,
    compression_guarantee,
    holdout_guarantee,
    margin_guarantee,
    mistake_guarantee,
    side_by_side,
    support_guarantee,
)
from assay.theory.generalization.compression import KERNEL_FIXED, LEAST_HINGE
from assay.theory.generalization.pac_bayes import pac_bayes_linear_vote
from assay.theory.tail.binomial import IID
from tests.refusals import refuses


def test_the_numbers_are_the_theorems():
    assert support_guarantee(27, 400).value == pytest.approx(0.1102026119749055)
    assert mistake_guarantee(10, 6, 250).value == pytest.approx(0.1179152945442506)
    assert compression_guarantee(30, 20, 1000).value == pytest.approx(0.1772058331103864)
    assert holdout_guarantee(50, 1000).value == pytest.approx(0.06286340351237974)


def test_who_vouches_for_what():
    found = {a.name: a for a in support_guarantee(27, 400).assumptions}
    assert found[IID].status == "assumed"
    assert found[KERNEL_FIXED].status == found[LEAST_HINGE].status == "declared"
    better = Assumption(LEAST_HINGE, "checked", "duality gap 1e-9")
    checked = support_guarantee(27, 400, known=[better])
    assert better in checked.assumptions
    broken = support_guarantee(27, 400, known=[Assumption(LEAST_HINGE, "violated", "gap 0.3")])
    assert broken.promised is None
    assert not broken.applies


def test_nothing_is_observed_that_could_be_taken_for_an_error():
    for guarantee in (support_guarantee(27, 400), mistake_guarantee(1, 1, 9)):
        assert guarantee.observed is None
        assert guarantee.holds is None


def test_a_bound_that_says_nothing_says_so():
    for guarantee in (
        support_guarantee(400, 400),
        margin_guarantee(np.full(20, 0.01)),
        compression_guarantee(3, 17, 20),
    ):
        assert guarantee.vacuous
        assert "(vacuous)" in str(guarantee)


def test_the_length_of_the_weights_is_chosen_well():
    rng = np.random.default_rng(0)
    margins = np.clip(rng.normal(0.3, 0.15, 2000), -1, 1)
    found = margin_guarantee(margins)
    for norm in np.geomspace(0.5, 100, 60):
        other = pac_bayes_linear_vote(float(ndtr(-norm * margins).mean()), float(norm), 2000, 0.05)
        assert found.value <= other * (1 + 1e-3)
    exact = ndtr(-float(found.inputs["norm"]) * margins)
    assert float(found.inputs["gibbs"]) >= np.mean(exact.astype(np.longdouble))


def test_wider_margins_promise_more():
    values = [margin_guarantee(np.full(500, reach)).value for reach in (0.1, 0.2, 0.4, 0.8)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("margins", [[], [2.0], [float("nan")], [[0.1]]])
def test_margins_that_are_none_are_refused(margins):
    with pytest.raises(BadData, match=r"^Margins must be a row of at least one number, each "):
        margin_guarantee(margins)


# Side by side


def test_all_share_delta_and_the_tightest_is_named():
    both = side_by_side(
        rows=400, support=27, size=27, errors=2, margins=np.full(400, 0.2), holdout=(1, 100)
    )
    assert [g.delta for g in both.guarantees] == ["0.0125"] * 4
    assert both.tightest.theorem == "holdout-exact"
    assert "the tightest is holdout-exact: an error of at most 0.0" in str(both)
    assert str(both).endswith("that any of them fails has probability at most 0.05")
    few = side_by_side(rows=4000, support=27, holdout=(3, 40))
    assert few.tightest.theorem == "svm-support-compression"


def test_where_nothing_is_said_nothing_is_the_tightest():
    both = side_by_side(rows=10, support=10, margins=np.zeros(10))
    assert both.tightest is None
    assert str(both).endswith("none of them says anything about the error")


def test_bad_questions():
    with refuses("the promises asked for must be at least one, but is 0."):
        side_by_side(rows=10)
    with refuses("errors must be left out without mistaken or size, but is 3."):
        side_by_side(rows=10, support=2, errors=3)
    with refuses("the number of margins must be as many as the rows, 10, but is 2."):
        side_by_side(rows=10, margins=[0.1, 0.2])


# Documents


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


def test_shares_may_count_theorems_that_do_not_apply():
    found = side_by_side(rows=400, support=27, holdout=(1, 100), theorems=3)
    assert [g.delta for g in found.guarantees] == ["0.0125", "0.0125"]
    with refuses("theorems must be at least 1, as many as are asked for, but is 0."):
        side_by_side(rows=400, support=27, theorems=0)
