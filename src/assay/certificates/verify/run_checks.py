"""What is checked of the number of a claim that holds on every run, and of the vector that shows it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from assay.theory.registry import Theorem
from assay.theory.rounding import as_fraction

# C libraries may differ in the last places of log and exp.
_ULPS = 4
_LOOSE = Fraction(1, 10**12)
# The weights of a witness are doubles.
_WEIGHT = re.compile(r"-?\d{1,40}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,3})?")


def run_fault(
    name: str, theorem: Theorem, claim: Mapping[str, Any], notes: list[str]
) -> str | None:
    """Why the number does not follow from the inputs, or what was observed contradicts it; None when neither."""
    if "textbook" in claim:
        return "a textbook's number stands beside it, which no such claim has"
    wrong = _witness_fault(claim)
    if wrong is not None or claim["promised"] is None:
        return wrong
    return _number_fault(name, theorem, claim, notes)


def _witness_fault(claim: Mapping[str, Any]) -> str | None:
    """Whether the vector that is shown has the length that the promise is computed from."""
    if "witness" not in claim:
        return None
    if not all(map(_WEIGHT.fullmatch, claim["witness"])):
        return "its witness holds a weight that is no double"
    square = sum((as_fraction(weight) ** 2 for weight in claim["witness"]), Fraction(0))
    inputs = claim["inputs"]
    if "norm" in inputs and square > as_fraction(inputs["norm"]) ** 2 * (1 + _LOOSE):
        return "its witness is longer than the norm that the promise is computed from"
    if "margin" in inputs and square == 0:
        return "its witness is zero, which separates nothing"
    return None


def _number_fault(
    name: str, theorem: Theorem, claim: Mapping[str, Any], notes: list[str]
) -> str | None:
    promised, observed = as_fraction(claim["promised"]), claim["observed"]
    value = theorem(**claim["inputs"])
    again = as_fraction(value) if isinstance(value, int) else Fraction(float(value))
    slack = Fraction(0) if isinstance(value, int) else Fraction(_ULPS * math.ulp(float(value)))
    if promised < again - slack:
        return f"{theorem.id} gives {value!r} for these inputs, but {claim['promised']} is promised"
    if promised > again * (1 + _LOOSE) + slack:
        notes.append(f"{name}: {claim['promised']} is valid but larger than it need be")
    if observed is None:
        return "what was observed is not told"
    seen = as_fraction(observed)
    if theorem.kind == "mistakes" and (seen.denominator != 1 or seen < 0):
        return f"{observed} is said to be observed, which is no count"
    if seen > promised:
        return (
            f"{observed} was observed, which is more than what always holds: an assumption is false"
        )
    return None
