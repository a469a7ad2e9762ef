"""Certificates of next rows and of units, bent and sealed again, do not verify."""

from __future__ import annotations

import copy

import pytest

from assay import certify, verify
from assay.certificates.certificate import Certificate

NEXT = certify(errors=50, rows=1000, next_rows=100)
TRUTH = [0, 1] * 500
GUESS = [1, *TRUTH[1:500], *(1 - label for label in TRUTH[500:530]), *TRUTH[530:]]
UNIT = [i // 5 for i in range(1000)]
UNITS = certify(y_true=TRUTH, y_pred=GUESS, unit=UNIT)


def bent(certificate: Certificate, change) -> Certificate:
    document = copy.deepcopy(dict(certificate.document))
    del document["digest"]
    change(document["claims"][0], document)
    return Certificate.issued(document)


def further(claim, document):
    claim["inputs"]["next_rows"] = 1000


def with_promise(number):
    def change(claim, document):
        claim["promised"] = number

    return change


def fewer_errors(claim, document):
    claim["inputs"]["errors"], claim["observed"] = 40, "0.04"
    with_promise("7")(claim, document)


def more_rows(claim, document):
    claim["inputs"]["rows"], claim["observed"] = 2000, "0.025"
    with_promise("6")(claim, document)


def is_a_rate(claim, document):
    claim["quantity"] = "error"


@pytest.mark.parametrize(
    "change", [further, with_promise("8"), with_promise("8.5"), more_rows, is_a_rate]
)
def test_next_rows_cannot_be_bent(change):
    assert verify(NEXT).ok
    found = verify(bent(NEXT, change))
    assert not found.adds_up, found


def test_fewer_errors_are_seen_where_the_data_are_at_hand():
    issued = certify(y_true=TRUTH, y_pred=GUESS, next_rows=100)
    assert verify(issued, y_true=TRUTH, y_pred=GUESS).ok

    def fewer(claim, document):
        claim["inputs"]["errors"], claim["observed"] = 0, "0"
        with_promise("0")(claim, document)

    assert not verify(bent(issued, fewer), y_true=TRUTH, y_pred=GUESS).ok


def as_many_rows_wholly_right(claim, document):
    claim["inputs"]["units"] = [[0, 5, 400]]


def one_row_each(claim, document):
    errors = sum(e * m for e, _, m in claim["inputs"]["units"])
    claim["inputs"]["units"] = [[0, 1, 1000 - errors], [1, 1, errors]]
    claim["observed"] = f"0.{errors:03}"


@pytest.mark.parametrize("change", [as_many_rows_wholly_right, with_promise("0.05"), fewer_errors])
def test_units_cannot_be_bent(change):
    assert verify(UNITS).ok

    def bend(claim, document):
        claim["inputs"].setdefault("errors", 0)
        if change is not fewer_errors:
            del claim["inputs"]["errors"]
        change(claim, document)

    assert not verify(bent(UNITS, bend)).adds_up


def test_other_units_are_seen_where_the_data_are_at_hand():
    def smaller(claim, document):
        one_row_each(claim, document)
        again = certify(
            y_true=TRUTH, y_pred=GUESS, unit=list(range(1000)), delta=document["delta"]["total"]
        ).document["claims"][0]
        claim |= {name: again[name] for name in ("promised", "textbook")}

    forged = bent(UNITS, smaller)
    assert float(forged.claims[0].promised) < float(UNITS.claims[0].promised)
    assert verify(UNITS, y_true=TRUTH, y_pred=GUESS, unit=UNIT).ok
    assert not verify(forged, y_true=TRUTH, y_pred=GUESS, unit=UNIT).ok
    # Which rows belong together no count tells: without the units, it is said that they were not compared.
    found = verify(forged, y_true=TRUTH, y_pred=GUESS)
    assert found.adds_up
    assert "the units" in found.not_compared


def test_fewer_errors_in_units_are_seen_where_the_data_are_at_hand():
    def none(claim, document):
        claim["inputs"]["units"], claim["observed"] = [[0, 5, 200]], "0"
        again = certify(y_true=TRUTH, y_pred=TRUTH, unit=UNIT).document["claims"][0]
        claim |= {name: again[name] for name in ("promised", "textbook")}

    forged = bent(UNITS, none)
    assert verify(forged).adds_up
    assert not verify(forged, y_true=TRUTH, y_pred=GUESS).adds_up
