"""What may be asked of a certificate together, and what each question costs."""

from __future__ import annotations

import math

import pytest

from assay import Ledger, certify, verify
from assay.certificates.ledger.charges import ways_of_units
from assay.errors import BadParameter, CertificateRefused
from tests.refusals import refuses

TRUTH = [0, 1] * 200
GUESS = [1, *TRUTH[1:390], *(1 - label for label in TRUTH[390:])]
UNIT = [i // 4 for i in range(400)]


def test_the_next_rows_take_the_place_of_the_error():
    certificate = certify(errors=50, rows=1000, next_rows=100)
    (claim,) = certificate.claims
    assert (claim.theorem, claim.promised, claim.observed) == ("next-rows-exact", 9, 0.05)
    assert claim.of == "errors among the next 100 rows"
    assert claim.statement == "P[errors(h, next 100) <= 9] >= 1 - 0.05"
    with pytest.raises(CertificateRefused, match="promises a count and no error rate"):
        assert certificate.error


def test_the_next_rows_share_delta_with_classes():
    certificate = certify(y_true=TRUTH, y_pred=GUESS, next_rows=100, rates=["class"])
    assert [c.delta for c in certificate.claims] == ["0.025", "0.0125", "0.0125"]
    assert verify(certificate, y_true=TRUTH, y_pred=GUESS).ok


def test_units_are_counted_and_verify():
    certificate = certify(y_true=TRUTH, y_pred=GUESS, unit=UNIT)
    (claim,) = certificate.claims
    assert claim.theorem == "unit-mean-betting"
    assert claim.inputs["units"] == [[0, 4, 96], [1, 4, 1], [2, 4, 1], [4, 4, 2]]
    assert float(claim.observed) == pytest.approx((1 / 4 + 2 / 4 + 2) / 100)
    assert certificate.error == float(claim.promised)
    assert verify(certificate, y_true=TRUTH, y_pred=GUESS, unit=UNIT).ok


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            {"unit": UNIT, "rates": ["class"]},
            "rates must be left out with units, but is ['class']. Rows of one unit depend on each other. Metrics of "
            "the rows of units are promised with over='rows'.",
        ),
        (
            {"unit": UNIT, "next_rows": 5},
            "next_rows must be left out with units, but is 5. Rows of one unit depend on each other.",
        ),
        (
            {"unit": UNIT, "population": 5000},
            "population must be left out with units, but is 5000. Rows of one unit depend on each other.",
        ),
        ({"unit": UNIT, "method": "kl"}, "method must be left out with units, but is 'kl'."),
        (
            {"next_rows": 5, "population": 5000},
            "population must be left out with next_rows, but is 5000.",
        ),
        (
            {"next_rows": 5, "method": "kl"},
            "method must be 'exact' for the next rows, but is 'kl'.",
        ),
        ({"next_rows": 0}, "next_rows must be a whole number of at least 1, but is 0."),
        (
            {"next_rows": 5, "answer": "pass-fail", "max_error": 0.1},
            "A pass/fail answer is given for the error alone, by the exact method.",
        ),
        (
            {"unit": UNIT, "answer": "pass-fail", "max_error": 0.1},
            "A pass/fail answer is given for the error alone, by the exact method.",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_and_not_charged(asked, sentence):
    ledger = Ledger(":memory:")
    with refuses(sentence):
        certify(y_true=TRUTH, y_pred=GUESS, ledger=ledger, **asked)
    assert ledger.entries() == []


def test_losses_have_no_next_rows():
    with pytest.raises(BadParameter, match=r"^next_rows must be left out for graded losses"):
        certify(loss=[0.5, 0.25], next_rows=5)


# That the model came first.


def first_of(certificate):
    return next(a for a in certificate.claims[0].assumptions if a.name.startswith("the model was"))


def test_nobody_is_taken_to_have_said_what_nobody_was_asked():
    assert first_of(certify(errors=5, rows=100)).status == "not asked"
    assert first_of(certify(errors=5, rows=100, fixed_before=True)).status == "declared"
    assert first_of(certify(loss=[0.5, 0.25])).status == "not asked"
    found = verify(certify(errors=5, rows=100))
    assert found.ok
    assert found.notes == (
        "nobody was asked whether the model was fixed before these rows were seen",
    )


def test_with_a_ledger_it_is_declared_and_says_what_is_paid_for():
    ledger = Ledger(":memory:")
    told = [first_of(certify(errors=5, rows=100, ledger=ledger, holdout="h")) for _ in range(3)]
    assert [a.status for a in told] == ["declared"] * 3
    assert [a.evidence for a in told] == [
        "the ledger knows no look before",
        "what 1 earlier look told is paid for",
        "what 2 earlier looks told is paid for",
    ]


# What a look at units costs: every histogram that could have been told.


def test_units_are_charged_for_every_histogram():
    ledger = Ledger(":memory:")
    certificate = certify(y_true=TRUTH, y_pred=GUESS, unit=UNIT, ledger=ledger)
    ways = math.comb(104, 4)
    assert int(ledger.entries()[0].answers, 16) == ways
    assert verify(certificate, ledger=ledger).ok
    mixed = [[0, 1, 2], [1, 1, 1], [2, 2, 2]]
    # Three units of one row tell how many are wrong, two of two rows one of six pairs.
    assert ways_of_units(mixed) == 4 * 6


# What is lost where numbers are predicted, by its name.


def test_the_mean_of_a_named_loss():
    truth, guess = ([row % many / 1 for row in range(100)] for many in (11, 7))
    numbers = {"y_true": truth, "y_pred": guess, "range": (0, 20)}
    plain, absolute, squared = (
        certify(**numbers, **asked).claims[0]
        for asked in ({}, {"loss": "absolute"}, {"loss": "squared"})
    )
    assert plain == absolute
    quantities = [claim.of.quantity for claim in (absolute, squared)]
    assert quantities == ["mean-absolute-error", "mean-squared-error"]
    assert squared.observed < absolute.observed
    why = "range must be given with loss='squared': two numbers between which every true number lies, or one row could "
    with refuses(why + "be off by more than all others together, and no mean could be promised."):
        certify(y_true=truth, y_pred=guess, loss="squared")
    with refuses("loss must be a column, 'absolute' or 'squared', but is 'huber'."):
        certify(**numbers, loss="huber")
