"""Guarantees from rows left out: inputs rounded up, delta shared, a certificate that verifies."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest

from assay import verify
from assay.certificates.certificate import Certificate
from assay.certificates.issue.training import certify_training
from assay.guarantees.assumption import Assumption
from assay.guarantees.bags import left_out_guarantee, out_of_bag_guarantees, square_guarantee
from assay.record.out_of_bag import OutOfBagRecord
from assay.theory.generalization.out_of_bag import (
    BAG_ALONE,
    IN_RANGE,
    out_of_bag_member,
    out_of_bag_vote,
)

RECORD = OutOfBagRecord(100, 20_000, 20_000, 20_000, 800, 7200, 0.12, 2600, 0.02)


def test_both_promises_and_what_they_spend():
    member, vote = out_of_bag_guarantees(RECORD, 0.1)
    assert (member.delta, vote.delta) == ("0.05", "0.1")
    assert member.value == pytest.approx(out_of_bag_member(0.12, 7200, 20_000, 0.05), rel=1e-8)
    wanted = out_of_bag_vote(0.12, 7200, 20_000, 0.1, tandem=0.02, left_out_by_both=2600)
    assert vote.value == pytest.approx(wanted, rel=1e-8)
    assert vote.observed is member.observed is None
    assert {a.status for a in vote.assumptions} == {"assumed", "by construction"}


def test_means_are_rounded_up():
    for loss in (0.0, 1 / 3, 0.1, 1.0):
        member, _ = out_of_bag_guarantees(dataclasses.replace(RECORD, loss=loss))
        told = Fraction(member.inputs["loss"])
        assert Fraction(loss) <= told <= 1
        assert told <= Fraction(loss) * (1 + Fraction(1, 10**9))


def test_without_pairs_and_without_rows():
    [_, vote] = out_of_bag_guarantees(dataclasses.replace(RECORD, left_out_by_both=0), 0.1)
    assert "tandem" not in vote.inputs
    assert vote.value == pytest.approx(out_of_bag_vote(0.12, 7200, 20_000, 0.1), rel=1e-8)
    nothing = dataclasses.replace(RECORD, left_out=0)
    assert out_of_bag_guarantees(nothing) == square_guarantee(nothing, 0.0, 1.0) == []


def test_a_violated_assumption_leaves_no_number():
    known = (Assumption(BAG_ALONE, "violated", "bins"),)
    for promise in out_of_bag_guarantees(RECORD, known=known):
        assert promise.promised is None
        assert str(promise).startswith("error")
        assert "no promise" in str(promise)


def test_the_share_that_a_bag_leaves_out():
    share = left_out_guarantee(100, 50)
    assert share.value == pytest.approx(0.99**50)
    assert (share.holds, share.quantifier) == (None, "expectation")


def test_a_share_of_the_squared_range():
    record = dataclasses.replace(RECORD, loss=0.5, left_out_by_both=0)
    known = (Assumption(IN_RANGE, "declared"),)
    [promise] = square_guarantee(record, -1.0, 4.0, 0.05, known=known)
    assert promise.of == "mean squared error, divided by 25.0"
    assert promise.value == pytest.approx(out_of_bag_member(0.02, 7200, 20_000, 0.05), rel=1e-8)
    [most] = square_guarantee(dataclasses.replace(record, loss=99.0), 0.0, 1.0)
    assert most.vacuous


def test_the_certificate_verifies_and_a_forged_one_does_not():
    certificate = certify_training(out_of_bag_guarantees(RECORD)[1:], rows=20_000)
    assert verify(certificate).ok
    assert certificate.error == pytest.approx(0.125185, abs=1e-6)
    [claim] = certificate.document["claims"]
    body = {k: v for k, v in certificate.document.items() if k != "digest"}
    for name, value in (("tandem", "0.03"), ("left_out_by_both", 1000), ("left_out", 3000)):
        forged = claim | {"inputs": claim["inputs"] | {name: value}}
        assert not verify(Certificate.issued(body | {"claims": [forged]})).ok
    less = {"promised": "0.1"}
    assert not verify(Certificate.issued(body | {"claims": [claim | less]})).ok
