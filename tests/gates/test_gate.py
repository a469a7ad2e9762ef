"""Gates outside of pytest: what they raise, and that trying again does not pass a model that is not good enough."""

import numpy as np
import pytest

from assay import certify, certify_difference
from assay.errors import BadParameter
from assay.gates.gate import AssayGate, GateFailed, GateRun
from tests.soundness import assert_sound, assert_unsound

LIMIT, ROWS = 0.05, 200


def passed(gate, errors):
    try:
        gate(errors=errors, rows=ROWS, max_error=LIMIT, holdout="it" if gate._run.ledger else None)
    except GateFailed:
        return False
    return True


def false_passes(run_of, rng, runs=150, tries=12):
    """In how many runs a model passes whose error is above the limit, if it may try again until it does."""
    count = 0
    for number in range(runs):
        run = run_of(number)
        for _ in range(tries):
            # A rerun sets the test up anew; its gate is at the same place.
            if passed(AssayGate(run() if callable(run) else run, "t"), rng.binomial(ROWS, 0.0501)):
                count += 1
                break
    return count


def test_reruns_break_no_promise():
    rng = np.random.default_rng(0)
    assert_sound(false_passes(lambda number: GateRun(), rng), 150, 0.05)


def test_reruns_that_are_paid_for_break_no_promise(tmp_path):
    rng = np.random.default_rng(1)
    runs = [GateRun(ledger=tmp_path / f"{number}.ledger") for number in range(40)]
    assert_sound(false_passes(runs.__getitem__, rng, 40, 5), 40, 0.05)


def test_reruns_that_nobody_counts_would():
    """The broken twin: each try is a run of its own."""
    rng = np.random.default_rng(2)
    assert_unsound(false_passes(lambda number: GateRun, rng), 150, 0.05)


def test_a_look_that_failed_is_kept_too():
    gate = AssayGate(GateRun(), "test_it.py::test_it")
    with pytest.raises(GateFailed, match="cannot be promised"):
        gate(errors=30, rows=100, max_error=0.05)
    gate(errors=3, rows=100, max_error=0.1, delta="0.01")
    assert [(look.passed, look.spent) for look in gate.looks] == [(False, "0.05"), (True, "0.01")]


def test_a_void_certificate_does_not_pass():
    gate = AssayGate(GateRun(), "t")
    with pytest.raises(GateFailed, match="promises nothing"):
        gate.certificate(certify(errors=9, rows=9), max_error=0.9)
    with pytest.raises(BadParameter, match="max_error must be left out"):
        gate.certificate(certify(errors=1, rows=99, next_rows=9), max_error=0.5)


def test_a_certificate_that_is_hardly_sure_does_not_pass():
    gate = AssayGate(GateRun(), "t")
    lax = certify(errors=40, rows=300, delta="0.99")
    sentence = "may be promised with 1 % confidence alone, and not with 95 % confidence"
    with pytest.raises(GateFailed, match=f"An error {sentence}"):
        gate.certificate(lax, max_error=0.12)
    assert gate.certificate(lax, max_error=0.12, delta=0.99) is lax
    better = certify_difference(only_old=11, only_new=10, rows=100, delta="0.9")
    with pytest.raises(GateFailed, match=f"A difference {sentence.replace('1 %', '10 %')}"):
        gate.certificate(better, at_least=0)


def test_what_ends_a_test_must_end_it():
    gate = AssayGate(GateRun(), "t", fail=lambda sentence: None)
    with pytest.raises(AssertionError, match="cannot be promised"):
        gate(errors=30, rows=100, max_error=0.05)
