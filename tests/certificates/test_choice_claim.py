"""The promise of a choice: it stands behind the holdout's, is paid for, and no forgery of it is let through."""

import copy
import json

import pytest

from assay import Ledger, certify, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.claim import claim_entry
from assay.certificates.format.document import digest_of
from assay.certificates.issue.certify import certify_evidence
from assay.certificates.issue.claims import choice_claim
from assay.errors import AssayError, BadParameter
from assay.evidence.evidence import from_pairs
from assay.theory.tail.exact_twins import occam_exact

Y = ["ham", "spam"] * 100
SAID = ["spam", *Y[1:]]
CLAIM = choice_claim(5, 80, 3, "0.005")


@pytest.fixture
def good():
    return certify_evidence(from_pairs([(Y, SAID)]), delta="0.05", choice=CLAIM).to_json()


def sealed(document):
    """As somebody would who knows how documents are sealed."""
    body = {key: value for key, value in document.items() if key != "digest"}
    return body | {"digest": digest_of(body)}


def passes(document, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(sealed(document)))
    try:
        return verify(path).ok
    except AssayError:
        return False


def test_it_verifies_and_spends_its_own_share(good, tmp_path):
    assert passes(good, tmp_path)
    holdout, chosen = Certificate.from_json(json.dumps(good)).claims
    assert (holdout.delta, chosen.delta) == ("0.045", "0.005")
    assert float(chosen.promised) == occam_exact(5, 80, 3, "0.005")
    alone = certify(errors=1, rows=200, delta="0.045").claims[0]
    assert holdout.promised == alone.promised


def test_with_rates_of_classes(tmp_path):
    evidence = from_pairs([(Y, SAID)])
    made = certify_evidence(evidence, delta="0.05", rates=["class"], choice=CLAIM)
    assert passes(made.to_json(), tmp_path)
    assert sum(float(claim.delta) for claim in made.claims) <= 0.05


def alone(claims, document):
    claims[:] = claims[1:]


def twice(claims, document):
    claims.append(copy.deepcopy(claims[1]))


def first(claims, document):
    claims.reverse()


def other_theorem(claims, document):
    claims[1] |= {key: claims[0][key] for key in ("theorem", "inputs", "promised")}


def textbook_theorem(claims, document):
    claims[1]["theorem"] = "occam-prefix-free"


def of_the_holdout(claims, document):
    claims[1]["quantity"] = "error"


def other_predictor(claims, document):
    claims[1]["quantity"] = "batch-error"


def fewer_errors(claims, document):
    claims[1]["inputs"]["errors"] = 0


def more_rows(claims, document):
    claims[1]["inputs"]["rows"] = 8000


def shorter_name(claims, document):
    claims[1]["inputs"]["bits"] = 0


def negative_name(claims, document):
    claims[1]["inputs"]["bits"] = -9


def better_promise(claims, document):
    claims[1]["promised"] = "0.01"


def overspent(claims, document):
    claims[1] = claim_entry(choice_claim(5, 80, 3, "0.01"))


def in_a_stream(claims, document):
    document["data"]["role"] = "stream"


def in_training(claims, document):
    document["data"]["role"] = "training"


def known_assumption(claims, document):
    claims[1]["assumptions"] = []


FORGERIES = (
    alone, twice, first, other_theorem, textbook_theorem, of_the_holdout, other_predictor, fewer_errors, more_rows,
    shorter_name, negative_name, better_promise, overspent, in_a_stream, in_training, known_assumption,
)  # fmt: skip


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_forgeries_are_refused(good, forge, tmp_path):
    forge(good["claims"], good)
    assert not passes(good, tmp_path)


def test_a_choice_is_not_made_many_times_nor_with_a_ledger():
    evidence = from_pairs([(Y, SAID)])
    with pytest.raises(BadParameter, match="models must be 1 with a choice"):
        certify_evidence(evidence, delta="0.05", models=2, choice=CLAIM)
    with pytest.raises(BadParameter, match="choice must be left out with a ledger"):
        certify_evidence(evidence, delta="0.05", ledger=Ledger(":memory:"), choice=CLAIM)


def test_a_choice_that_costs_all_of_delta_leaves_nothing():
    with pytest.raises(AssayError):
        certify_evidence(from_pairs([(Y, SAID)]), delta="0.005", choice=CLAIM)
