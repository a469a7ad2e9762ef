"""A promise held to a limit: what passes, what does not, and what cannot be asked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import certify, certify_difference
from assay.certificates.issue.distinct_rows import not_in_training
from assay.certificates.issue.gate import _gate, difference_gate, error_gate
from tests.refusals import refuses


@given(st.integers(0, 40), st.sampled_from([0.01, 0.05, "0.0628635", 0.2, 0.9]))
def test_an_error_passes_if_and_only_if_it_is_promised(errors, most):
    certificate = certify(errors=errors, rows=400)
    assert error_gate(certificate, most).passed == (certificate.error <= float(most))


def test_the_limit_itself_passes():
    certificate = certify(errors=50, rows=1000)
    promised = certificate.claims[0].promised_text
    assert error_gate(certificate, promised).passed
    assert not error_gate(certificate, "0.06286340351237974").passed


def test_what_promises_nothing_never_passes():
    assert not error_gate(certify(errors=3, rows=3), 0.999999).passed
    certificate = certify(errors=0, rows=900)
    claim = certificate.claims[0]
    void = type(claim)(
        **{
            **claim.__dict__,
            "promised_text": None,
            "assumptions": (not_in_training(3, 900, "refuse"),),
        }
    )
    assert not _gate(certificate, void, 0.9, None).passed


def test_losses_and_units_are_errors_too():
    rng = np.random.default_rng(0)
    assert error_gate(certify(loss=rng.beta(1, 50, 500)), 0.1).passed
    truth = [0, 1] * 200
    units = certify(y_true=truth, y_pred=truth, unit=[i // 4 for i in range(400)])
    assert error_gate(units, 0.2).passed


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([-0.05, 0, "0.01"]))
def test_a_difference_passes_if_and_only_if_it_is_promised(only_old, only_new, least):
    certificate = certify_difference(only_old=only_old, only_new=only_new, rows=500)
    promised = certificate.claims[0].promised
    assert difference_gate(certificate, least).passed == (promised >= float(least))


def test_that_a_model_is_better():
    sure = certify_difference(only_old=40, only_new=20, rows=1000, promise="better")
    assert difference_gate(sure).passed
    unsure = certify_difference(only_old=21, only_new=20, rows=1000, promise="better")
    assert not difference_gate(unsure).passed


def test_every_model_must_pass():
    truth = [0, 1] * 200
    new = [1 - t if i < 10 else t for i, t in enumerate(truth)]
    old = [1 - t if i < 60 else t for i, t in enumerate(truth)]
    both = certify_difference(y_true=truth, y_pred=new, baseline={"old": old, "same": new})
    gate = difference_gate(both, "0.01")
    assert not gate.passed
    assert gate.claim.promised < 0.01
    assert difference_gate(both, "-0.1").passed


def test_refusals():
    error, difference = (
        certify(errors=1, rows=9),
        certify_difference(only_old=1, only_new=0, rows=9),
    )
    with refuses("max_error must be a number strictly between 0 and 1, but is 1."):
        error_gate(error, 1)
    must = "must be left out for a certificate that promises no error rate"
    with refuses(f"max_error {must}, but is 0.5."):
        error_gate(difference, 0.5)
    with refuses(f"max_error {must}, but is 0.5."):
        error_gate(certify(errors=1, rows=9, next_rows=5), 0.5)
    with refuses(
        "at_least must be left out for a certificate that promises no difference, but is 0."
    ):
        difference_gate(error)
    for odd in (-1, 1, float("nan"), "many", True):
        with pytest.raises(ValueError, match="at_least must be"):
            difference_gate(difference, odd)
