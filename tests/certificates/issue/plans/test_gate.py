"""Plans of gates: a good model passes and a bad one fails, through the gate of the certificate."""

import numpy as np
import pytest

from assay import certify, plan
from assay.errors import BadParameter
from assay.theory.tail.power import gate_rows
from tests.power import assert_no_power, assert_power
from tests.refusals import refuses


@pytest.mark.parametrize(
    ("gate", "power"), [((0.01, 0.05), 0.99), ((0.1, 0.3), 0.9), ((0.02, 0.03), 0.8)]
)
def test_it_is_the_smallest_gate(gate, power):
    found = plan(gate=gate, power=power)
    assert (found.rows, found.errors_allowed) == gate_rows(*gate, power)
    assert found.power >= power
    assert found.delta == str(round(1 - power, 12))


def test_a_gate_is_ninety_nine_times_of_a_hundred():
    found = plan(gate=(0.01, 0.05))
    assert (found.rows, found.errors_allowed, found.delta) == (344, 8, "0.01")
    assert plan(gate=("0.01", "0.05")).rows == 344


def test_to_pass_is_to_promise_the_second_error():
    found = plan(gate=(0.01, 0.05))
    passes = certify(errors=found.errors_allowed, rows=found.rows, delta=found.delta).error
    fails = certify(errors=found.errors_allowed + 1, rows=found.rows, delta=found.delta).error
    assert passes <= 0.05 < fails


def test_another_delta():
    assert (
        plan(gate=(0.01, 0.05), delta=0.05).rows < 344 < plan(gate=(0.01, 0.05), delta=0.001).rows
    )


def passed(error, rows, allowed, runs, seed=0):
    return int((np.random.default_rng(seed).binomial(rows, error, runs) <= allowed).sum())


def test_models_pass_as_often_as_planned():
    found = plan(gate=(0.02, 0.06), power=0.9)
    assert_power(passed(0.02, found.rows, found.errors_allowed, 4000), 4000, found.power)
    assert passed(0.06, found.rows, found.errors_allowed, 4000) < 480
    half = plan(gate=(0.02, 0.06), power=0.9).power_at(found.rows // 2)
    assert half < 0.75
    assert_no_power(int(4000 * half), 4000, found.power)


def test_refusals():
    with refuses(
        "gate must be two errors, the smaller one first, but is (0.05, 0.01).", BadParameter
    ):
        plan(gate=(0.05, 0.01))
    with refuses(
        "gate must be two errors: one that shall pass and one that shall fail, but is 0.05.",
        BadParameter,
    ):
        plan(gate=0.05)
    with refuses(
        "expected must be left out where the plan is for a gate, but is 0.1.", BadParameter
    ):
        plan(gate=(0.01, 0.05), expected=0.1)
