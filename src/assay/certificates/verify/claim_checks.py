"""What is checked of a single claim: its theorem's role, its inputs, its words, its conditions and its number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from assay.certificates.format.claim import subject_in
from assay.certificates.issue.claims import LOSS_SCALE, decode_inputs
from assay.certificates.show.worded import worded
from assay.certificates.verify.assumption_checks import assumption_faults
from assay.certificates.verify.input_checks import input_fault
from assay.certificates.verify.integer_verifier import confirm
from assay.certificates.verify.run_checks import run_fault
from assay.guarantees.decimals import decimal_ratio
from assay.guarantees.printable import printable
from assay.theory.claim import Claim, Role
from assay.theory.registry import Theorem, find_theorem
from assay.theory.rounding import as_fraction

# C libraries may differ in the last places of log and exp.
_ULPS = 4
_LOOSE = 1e-12


def check_claim(
    name: str,
    claim: Mapping[str, Any],
    data: Mapping[str, Any],
    notes: list[str],
    *,
    at_length: bool = True,
) -> tuple[bool, str]:
    """Whether a claim says what its theorem gives for its inputs; what is loose goes into the notes.

    `at_length` allows whole numbers of many digits, which are slower than enclosures.
    """
    theorem = find_theorem(claim["theorem"])
    if not theorem.claims:
        return False, f"{theorem.id} does not bound what a certificate promises"
    terms = theorem.claim_of(claim["quantity"])
    if terms is None:
        return False, f"{theorem.id} does not bound {printable(subject_in(claim), 80)!r}"
    wrong = next(_faults(theorem, terms, claim, data), None)
    if wrong is None and terms.role == "run":
        wrong = run_fault(name, theorem, claim, notes)
    elif wrong is None:
        wrong = _observed_fault(terms, claim)
        if wrong is None and claim["promised"] is not None:
            wrong = _number_fault(name, theorem, terms, claim, notes, at_length)
    return wrong is None, wrong or f"{worded(claim)['statement']}, by {claim['theorem']}"


def _faults(
    theorem: Theorem, terms: Claim, claim: Mapping[str, Any], data: Mapping[str, Any]
) -> Iterator[str]:
    """What is wrong with a claim before any number is computed."""
    fault = input_fault(theorem, terms, claim["inputs"])
    if fault is not None:
        yield fault
    if terms.direction != "at most":
        yield f"{theorem.id} is no upper bound"
    yield from assumption_faults(theorem, terms, claim, data)
    if "witness" in claim and terms.role != "run":
        yield "it shows a vector, which its theorem does not speak of"


def _number_fault(
    name: str,
    theorem: Theorem,
    terms: Claim,
    claim: Mapping[str, Any],
    notes: list[str],
    at_length: bool,
) -> str | None:
    inputs, promised = claim["inputs"], as_fraction(claim["promised"])
    decided = confirm(theorem.id, inputs, promised, at_length=at_length)
    if decided is not None:
        sound, tight = decided
        if not sound:
            return f"{claim['promised']} is less than {theorem.id} allows for these inputs"
    else:
        again = float(theorem(**decode_inputs(inputs)))
        again = min(again, 1.0) if theorem.kind == "error" and not terms.whole else again
        if promised < Fraction(again - _ULPS * math.ulp(again)):
            return f"{theorem.id} gives {again!r} for these inputs, but {claim['promised']} is promised"
        tight = promised <= Fraction(again) * (1 + Fraction(_LOOSE)) + Fraction(
            _ULPS * math.ulp(again)
        )
    if terms.whole and promised.denominator != 1:
        return f"{claim['promised']} is promised, which is no count"
    if not tight:
        notes.append(f"{name}: {claim['promised']} is valid but larger than it need be")
    return _textbook_fault(theorem, claim)


def _textbook_fault(theorem: Theorem, claim: Mapping[str, Any]) -> str | None:
    beside = claim.get("textbook")
    if beside is None:
        return None
    again = theorem.textbook(**decode_inputs(claim["inputs"]))
    if again is None or beside["theorem"] != theorem.textbook_id:
        return f"{printable(beside['theorem'], 80)} is not the textbook form of {theorem.id}"
    if abs(float(beside["promised"]) - again) > _ULPS * math.ulp(again):
        return f"{beside['theorem']} gives {again!r}, but {beside['promised']} stands beside it"
    return None


# Where nothing is told but that a rate is met, or where what was seen stands in the inputs alone.
_UNTOLD: tuple[Role, ...] = ("training", "choice")


def _observed_fault(terms: Claim, claim: Mapping[str, Any]) -> str | None:
    inputs, observed = claim["inputs"], claim["observed"]
    if terms.role in _UNTOLD:
        told = "what is observed on training rows stands in its inputs, and nowhere else"
        return None if observed is None else told
    if observed is None:
        # Only the error of a holdout may be promised without telling its count.
        return None if terms.role == "holdout" else "what was observed is not told"
    said = f"{observed} is said to be observed, but"
    if "units" in inputs:
        right = _unit_mean(inputs["units"])
        return None if observed == right else f"{said} the units give {right}"
    if "rows" in inputs and isinstance(inputs.get("errors"), int):
        right = decimal_ratio(inputs["errors"], max(inputs["rows"], 1))
        return None if observed == right else f"{said} the counts give {right}"
    if "losses" in inputs:
        mean = float(decode_inputs(inputs)["losses"].mean())
        near = mean - 1.01 / LOSS_SCALE <= float(observed) <= mean + 1e-12
        return None if near else f"{said} the losses average {mean!r}"
    if "errors" in inputs:
        mean = float(as_fraction(inputs["errors"]) / max(inputs["rows"], 1))
    else:
        mean = float(as_fraction(inputs["mean"]))
    near = abs(mean - float(observed)) <= 1e-15
    return None if near else f"{said} the inputs give {mean!r}"


def _unit_mean(units: list[list[int]]) -> str:
    """The mean over units of the share of rows that are wrong."""
    total = sum((Fraction(errors, rows) * count for errors, rows, count in units), Fraction(0))
    mean = total / sum(count for _, _, count in units)
    return decimal_ratio(mean.numerator, mean.denominator)
