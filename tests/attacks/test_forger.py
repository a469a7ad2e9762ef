"""Whatever a forger changes and seals again is refused, or is no less true than what it says.

An independent checker decides: `forged_truth`, with numbers by mpmath and a table of roles of its own.
"""

import json
from fractions import Fraction

import pandas as pd
import pytest

from assay.certificates.format.document import parse_document, sealed
from assay.certificates.verify.verify import verify_document
from assay.errors import CertificateRefused
from assay.evidence.evidence import from_labels, from_pairs, from_quantities, from_scores
from tests.attacks.forged_certificates import (
    FACTS,
    GUESS,
    NUMBERS,
    RANKED,
    TRUTH,
    WITH_DATA,
    WITH_GROUPS,
    WITH_NUMBERS,
    WITH_SCORES,
    forged,
    pool,
)
from tests.attacks.forged_truth import falsehoods
from tests.attacks.group_forgeries import GROUPS, PLACE, group_facts
from tests.naive.pairs import pairs

SCORES = sorted(
    abs(Fraction(float(y)) - Fraction(float(p))) for y, p in zip(*NUMBERS.values(), strict=True)
)


CROSSED = {"place": PLACE, "both": pd.DataFrame(GROUPS)}
GIVEN = dict.fromkeys(WITH_GROUPS, GROUPS) | {"crossed groups": CROSSED, "groups and rates": PLACE}


def counted_pairs():
    """Of the pairs that the description gives: those ranked rightly or by their coin, none as a half, and all."""
    drawn = pairs((TRUTH == "spam").tolist())
    ranked = [(RANKED[one] - RANKED[other], coin) for one, other, coin in drawn]
    return sum(off > 0 or (off == 0 and coin) for off, coin in ranked), 0, len(drawn)


def verified(name, document):
    """What `assay verify` says of the file, with the data at hand where there are any."""
    try:
        read = parse_document(json.dumps(sealed(document)))
    except CertificateRefused:
        return None
    evidence = from_pairs([(TRUTH, GUESS)]) if name in WITH_DATA else None
    if name in WITH_GROUPS:
        evidence = from_labels(TRUTH, GUESS, groups=GIVEN[name])
    if name in WITH_SCORES:
        evidence = from_scores([(TRUTH, RANKED)])
    if name in WITH_NUMBERS:
        evidence = from_quantities([tuple(NUMBERS.values())])
    return verify_document(read, evidence=evidence)


def facts_of(name):
    if name in WITH_NUMBERS:
        return {"rows": 400, "scores": SCORES}
    if name in WITH_SCORES:
        return {"rows": 400, "pairs": {"area under the ROC curve of 'spam'": counted_pairs()}}
    if name in WITH_GROUPS:
        return FACTS | {"groups": group_facts(TRUTH, GUESS)}
    return FACTS if name in WITH_DATA else None


def test_what_was_issued_holds_and_is_true():
    for name, document in pool().items():
        found = verified(name, document)
        assert found, f"{name}: {found.reason}"
        assert list(falsehoods(document, facts_of(name))) == [], name


def assert_no_forgery_passes(seeds):
    passed = 0
    for seed in seeds:
        name, document, done = forged(seed)
        found = verified(name, document)
        if found is None or not found:
            continue
        passed += 1
        false = next(falsehoods(document, facts_of(name)), None)
        assert false is None, f"seed {seed}: {name} after {done} passes, but {false}"
    return passed


def test_no_forgery_passes_for_more_than_the_truth():
    # Some changes are harmless, such as a larger number; if none passed, the test would try nothing.
    assert assert_no_forgery_passes(range(250)) > 5


@pytest.mark.guarantees
def test_nor_does_any_of_many_more():
    assert assert_no_forgery_passes(range(250, 10_000)) > 400
