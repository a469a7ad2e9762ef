"""Rows of a gate: a good model shall pass it, and a bad one fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from assay.certificates.issue.plans.holdout import holdout_plan
from assay.certificates.issue.plans.planned import Plan
from assay.errors import require
from assay.guarantees.decimals import decimal_text
from assay.theory.needs import inside_unit
from assay.theory.rounding import Number


def gate_plan(gate: Any, delta: Number | None, power: Fraction) -> Plan:
    """Rows and errors allowed: a model of the first error passes with the power, one of the second fails.

    It fails with probability 1 - delta; without a delta, with the power too. That is a promise of the second error.
    """
    pair = isinstance(gate, Sequence) and not isinstance(gate, str) and len(gate) == 2
    require(pair, "gate", "two errors: one that shall pass and one that shall fail", gate)
    good, bad = (inside_unit("gate", error).low for error in gate)
    require(good < bad, "gate", "two errors, the smaller one first", gate)
    require(power < 1, "power", "below one", float(power))
    level = decimal_text(1 - power) if delta is None else str(delta)
    planned = holdout_plan(str(gate[1]), level, expected=str(gate[0]), power=power)
    inputs = {"good": str(gate[0]), "bad": str(gate[1]), "delta": level, "power": str(float(power))}
    return replace(planned, purpose="gate", inputs=inputs, textbook=None)
