"""What is checked of a claim that holds on every run: the number, the words, and what was observed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from assay.theory.registry import Theorem
from assay.theory.rounding import as_fraction

KINDS = ("mistakes", "regret")
"""What a run can be promised always; an identity or a dimension is not about a run."""

QUANTIFIER, CERTIFIED = "always", "this run"

# C libraries may differ in the last places of log and exp.
_ULPS = 4
_LOOSE = Fraction(1, 10**12)


def check_run_claim(
    name: str, theorem: Theorem, claim: Mapping[str, Any], notes: list[str]
) -> str | None:
    """Why a claim does not say what its theorem gives for its inputs; None when it does."""
    wrong = next(_word_faults(theorem, claim), None) or _witness_fault(claim)
    if wrong is not None or claim["promised"] is None:
        return wrong
    return _number_fault(name, theorem, claim, notes)


def _word_faults(theorem: Theorem, claim: Mapping[str, Any]) -> Iterator[str]:
    promised = claim["promised"]
    if theorem.function is None:
        yield f"{theorem.id} has no number to promise"
    if claim["kind"] != theorem.kind:
        yield f"{theorem.id} bounds {theorem.kind}, not {claim['kind']}"
    if "delta" in claim["inputs"]:
        yield "it holds always, and yet spends some of delta"
    missing = set(theorem.assumes) - {a["name"] for a in claim["assumptions"]}
    if missing:
        yield f"the assumption '{min(missing)}' is not listed"
    violated = [a["name"] for a in claim["assumptions"] if a["status"] == "violated"]
    if violated and promised is not None:
        yield f"a number is promised although it is not true that {violated[0]}"
    if promised is None and not violated:
        yield "no number is promised, and no assumption is violated"
    if claim["vacuous"]:
        yield "it is called vacuous wrongly"
    if "textbook" in claim:
        yield "a textbook's number stands beside it, which no such claim has"
    for word, text in (("quantifier", QUANTIFIER), ("certified", CERTIFIED)):
        if claim[word] != text:
            yield f"its {word} should read '{text}'"
    said = "nothing is promised about X" if promised is None else f"X <= {promised}"
    if not re.fullmatch(re.escape(said).replace("X", "[A-Za-z]+"), claim["statement"]):
        yield "its statement says something else than the number"


def _witness_fault(claim: Mapping[str, Any]) -> str | None:
    """Whether the vector that is shown has the length that the promise is computed from."""
    if "witness" not in claim:
        return None
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
    if theorem.kind == "mistakes" and seen.denominator != 1:
        return f"{observed} is said to be observed, which is no count"
    if seen > promised:
        return (
            f"{observed} was observed, which is more than what always holds: an assumption is false"
        )
    return None
