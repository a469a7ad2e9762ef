"""Whatever a forger changes of a judged batch and seals again is refused, or is true of the counts it states."""

import copy
import json
import random

import pytest

from assay.certificates.format.document import parse_document, sealed
from assay.certificates.verify.verify import verify_document
from assay.errors import AssayError, CertificateRefused
from tests.attacks.forged_certificates import MUTATIONS
from tests.attacks.forged_judged import (
    JUDGED_MUTATIONS,
    falsehoods_of_judged,
    judged_pool,
    made_to_fit,
)
from tests.attacks.forged_truth import falsehoods


def forged(seed):
    dice = random.Random(seed)
    name = dice.choice(sorted(judged_pool()))
    document, done = copy.deepcopy(judged_pool()[name]), []
    for _ in range(dice.choice((1, 1, 2, 3))):
        change = dice.choice(JUDGED_MUTATIONS * 2 + MUTATIONS)
        try:
            change(dice, document)
        except (IndexError, KeyError, TypeError, ValueError):
            continue
        done.append(change.__name__)
    if dice.random() < 0.75:
        try:
            made_to_fit(document)
        except (AssayError, ArithmeticError, KeyError, TypeError, ValueError):
            done.append("and nothing fits")
    return name, document, done


def verified(document):
    try:
        return verify_document(parse_document(json.dumps(sealed(document))))
    except CertificateRefused:
        return None


def said_falsely(document):
    judged = document["data"]["role"] == "judged" or any(
        claim["theorem"].startswith("judged") for claim in document["claims"]
    )
    return falsehoods_of_judged(document) if judged else falsehoods(document)


def assert_no_forgery_passes(seeds):
    passed = 0
    for seed in seeds:
        name, document, done = forged(seed)
        found = verified(document)
        if found is None or not found:
            continue
        passed += 1
        false = next(iter(said_falsely(document)), None)
        assert false is None, f"seed {seed}: {name} after {done} passes, but {false}"
    return passed


def test_what_was_issued_holds_and_is_true():
    for name, document in judged_pool().items():
        found = verified(document)
        assert found, f"{name}: {found.reason}"
        assert list(falsehoods_of_judged(document)) == [], name


def test_the_judge_of_forgeries_finds_a_number_that_is_too_small():
    for name, document in judged_pool().items():
        made = copy.deepcopy(document)
        claim = made["claims"][0]
        whole = claim["theorem"] == "judged-strata"
        less = int(claim["promised"]) - 1 if whole else float(claim["promised"]) - 0.002
        claim["promised"] = repr(less)
        assert any("does not follow" in one for one in falsehoods_of_judged(made)), name
        assert not verified(made), name


def test_no_forgery_passes_for_more_than_the_truth():
    assert assert_no_forgery_passes(range(300)) > 20


@pytest.mark.guarantees
def test_nor_does_any_of_many_more():
    assert assert_no_forgery_passes(range(300, 10_000)) > 400
