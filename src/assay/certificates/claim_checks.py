"""What is checked of a single claim: its words, its number, and what it says was observed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from assay.certificates.assumption import Assumption
from assay.certificates.claims import LOSS_SCALE, decode_inputs, statement
from assay.certificates.decimals import decimal_ratio
from assay.certificates.guarantee import is_vacuous
from assay.certificates.integer_verifier import confirm
from assay.certificates.quantity import certified_by, formula_of, meant
from assay.certificates.run_checks import KINDS, check_run_claim
from assay.theory.registry import Theorem, find_theorem
from assay.theory.rounding import as_fraction

# C libraries may differ in the last places of log and exp.
_ULPS = 4
_LOOSE = 1e-12


def check_claim(name: str, claim: Mapping[str, Any], notes: list[str]) -> tuple[bool, str]:
    """Whether a claim says what its theorem gives for its inputs; what is loose goes into the notes."""
    theorem = find_theorem(claim["theorem"])
    if theorem.holds == "always" and theorem.kind in KINDS:
        wrong = check_run_claim(name, theorem, claim, notes)
    else:
        wrong = next(_word_faults(theorem, claim), None)
        if wrong is None and claim["promised"] is not None:
            wrong = _number_fault(name, theorem, claim, notes)
    return wrong is None, wrong or f"{claim['statement']}, by {claim['theorem']}"


def _word_faults(theorem: Theorem, claim: Mapping[str, Any]) -> Iterator[str]:
    """What the words of a claim say against each other, before any number is computed."""
    promised, delta = claim["promised"], claim["inputs"].get("delta")
    assumptions = [Assumption.from_json(entry) for entry in claim["assumptions"]]
    if not theorem.claims:
        yield f"{theorem.id} does not bound what a certificate promises"
    if claim["kind"] != theorem.kind:
        yield f"{theorem.id} bounds {theorem.kind}, not {claim['kind']}"
    found = meant(theorem, claim["of"])
    if found is None:
        yield f"{theorem.id} does not bound {claim['of'][:80]!r}"
    if found is None or delta is None:
        yield "it is not said of what, or at which delta, the number holds"
        return
    quantity, terms = found
    missing = set(theorem.assumes) - {a.name for a in assumptions}
    if missing:
        yield f"the assumption '{min(missing)}' is not listed"
    violated = [a.name for a in assumptions if a.status == "violated"]
    if violated and promised is not None:
        yield f"a number is promised although it is not true that {violated[0]}"
    if promised is None and not violated:
        yield "no number is promised, and no assumption is violated"
    if claim["vacuous"] != is_vacuous(claim["kind"], promised, claim["inputs"]):
        yield (
            "it is called vacuous wrongly"
            if claim["vacuous"]
            else "it is vacuous and does not say so"
        )
    right = {
        "statement": statement(str(formula_of(claim["of"], quantity)), promised, delta),
        "quantifier": terms.quantifier,
        "certified": certified_by(claim["of"], assumptions),
    }
    for word, text in right.items():
        if claim[word] != text:
            yield f"its {word} should read '{text}'"


def _number_fault(
    name: str, theorem: Theorem, claim: Mapping[str, Any], notes: list[str]
) -> str | None:
    inputs, promised = claim["inputs"], as_fraction(claim["promised"])
    fault = _observed_fault(claim)
    if fault is not None:
        return fault
    decided = confirm(theorem.id, inputs, promised)
    if decided is not None:
        sound, tight = decided
        if not sound:
            return f"{claim['promised']} is less than {theorem.id} allows for these inputs"
    else:
        again = float(theorem(**decode_inputs(inputs)))
        again = min(again, 1.0) if theorem.kind == "error" else again
        if promised < Fraction(again - _ULPS * math.ulp(again)):
            return f"{theorem.id} gives {again!r} for these inputs, but {claim['promised']} is promised"
        tight = promised <= Fraction(again) * (1 + Fraction(_LOOSE)) + Fraction(
            _ULPS * math.ulp(again)
        )
    if not tight:
        notes.append(f"{name}: {claim['promised']} is valid but larger than it need be")
    return _textbook_fault(theorem, claim)


def _textbook_fault(theorem: Theorem, claim: Mapping[str, Any]) -> str | None:
    beside = claim.get("textbook")
    if beside is None:
        return None
    again = theorem.textbook(**decode_inputs(claim["inputs"]))
    if again is None or beside["theorem"] != theorem.textbook_id:
        return f"{beside['theorem']} is not the textbook form of {theorem.id}"
    if abs(float(beside["promised"]) - again) > _ULPS * math.ulp(again):
        return f"{beside['theorem']} gives {again!r}, but {beside['promised']} stands beside it"
    return None


def _observed_fault(claim: Mapping[str, Any]) -> str | None:
    inputs, observed = claim["inputs"], claim["observed"]
    if observed is None:
        return None
    if find_theorem(claim["theorem"]).claim("training"):
        return "what is observed on training rows stands in its inputs, and nowhere else"
    said = f"{observed} is said to be observed, but"
    if "rows" in inputs and isinstance(inputs.get("errors"), int):
        right = decimal_ratio(inputs["errors"], inputs["rows"])
        return None if observed == right else f"{said} the counts give {right}"
    if "losses" in inputs:
        mean = float(decode_inputs(inputs)["losses"].mean())
        near = mean - 1.01 / LOSS_SCALE <= float(observed) <= mean + 1e-12
        return None if near else f"{said} the losses average {mean!r}"
    if "errors" in inputs:
        mean = float(as_fraction(inputs["errors"]) / inputs["rows"])
    else:
        mean = float(as_fraction(inputs["mean"]))
    near = abs(mean - float(observed)) <= 1e-15
    return None if near else f"{said} the inputs give {mean!r}"
