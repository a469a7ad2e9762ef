"""Whether the conditions of a claim may be known as it says, and their evidence agrees with the counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.certificates.format.conditions import KNOWN_BEFORE, SCALED
from assay.evidence.evidence import LEFT_OUT, NOT_IN_TRAINING
from assay.guarantees.assumption import Assumption
from assay.guarantees.printable import printable
from assay.theory.claim import BUILT, Claim, Known
from assay.theory.registry import Theorem

# Conditions that no theorem names: the code that issues a certificate adds them.
_ADDED: dict[str, Known] = {
    NOT_IN_TRAINING: Known("checked", ("assumed",)),
    KNOWN_BEFORE: Known("declared", ("assumed", "not asked")),
    SCALED: BUILT,
}
# Any other condition can only weaken a promise, so nothing is to be said for it.
_WEAKENING = Known("declared", ("assumed", "not asked"))

_COMPARED = r"(?:all \d+ rows that were learned were|(a sample) of \d+ of the \d+ rows that were learned was)"
_OVERLAP = re.compile(
    rf"(?:{_COMPARED} compared: )?([\d,]+) of ([\d,]+) row digests occur in the training set"
    rf"( and {re.escape(LEFT_OUT)})?"
)


def assumption_faults(
    theorem: Theorem, terms: Claim, claim: Mapping[str, Any], data: Mapping[str, Any]
) -> Iterator[str]:
    """What is wrong with the conditions that a claim lists."""
    listed = [Assumption.from_json(entry) for entry in claim["assumptions"]]
    names = [assumption.name for assumption in listed]
    missing = [name for name in theorem.assumes if name not in names]
    if missing:
        yield f"the assumption '{missing[0]}' is not listed"
    if len(set(names)) != len(names):
        yield "an assumption is listed twice"
    known = dict(zip(theorem.assumes, terms.known, strict=True))
    for assumption in listed:
        rule = known.get(assumption.name) or _ADDED.get(assumption.name) or _WEAKENING
        if not rule.allows(assumption.status):
            yield f"that {printable(assumption.name)} cannot be known to be so: {assumption.status}"
        if assumption.name == NOT_IN_TRAINING:
            fault = _overlap_fault(assumption, data["rows"])
            if fault is not None:
                yield fault
    yield from _promise_faults(claim["promised"], listed)


def _promise_faults(promised: str | None, listed: Sequence[Assumption]) -> Iterator[str]:
    violated = [a.name for a in listed if a.status == "violated"]
    if violated and promised is not None:
        yield f"a number is promised although it is not true that {printable(violated[0])}"
    if promised is None and not violated:
        yield "no number is promised, and no assumption is violated"


def _overlap_fault(assumption: Assumption, rows: int) -> str | None:
    """Whether what is said of repeated rows fits the rows that were certified."""
    found = _OVERLAP.fullmatch(assumption.evidence)
    if found is None:
        return "it is not said how many rows occur in the training set"
    repeated, whole = (int(part.replace(",", "")) for part in found.groups()[1:3])
    if found[4] is not None:
        fits = assumption.status == "checked" and 0 < repeated <= whole - rows and not found[1]
    else:
        # That none of a sample was found is no proof that there is none.
        unfound = "assumed" if found[1] else "checked"
        fits = assumption.status == ("violated" if repeated else unfound) and repeated <= whole
    # Rows that repeat another of the holdout are left out as well.
    if not fits or whole < rows:
        return f"'{assumption.evidence}' does not fit {rows} rows, {assumption.status}"
    return None
