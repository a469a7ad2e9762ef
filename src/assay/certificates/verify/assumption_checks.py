"""Whether the conditions of a claim may be known as it says, and their evidence agrees with the counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.certificates.format.claim import assumptions_in
from assay.evidence.training_overlap import TrainingOverlap
from assay.guarantees.added_conditions import KNOWN_BEFORE, NOT_IN_TRAINING, SCALED
from assay.guarantees.assumption import Assumption
from assay.guarantees.printable import printable
from assay.theory.claim import BUILT, Claim, Known
from assay.theory.registry import Theorem

_ADDED = {
    NOT_IN_TRAINING.id: Known("checked", ("assumed",)),
    KNOWN_BEFORE.id: Known("declared", ("assumed", "not asked")),
    SCALED.id: BUILT,
}
# Any other condition can only weaken a promise, so nothing is to be said for it.
_WEAKENING = Known("declared", ("assumed", "not asked"))


def assumption_faults(
    theorem: Theorem, terms: Claim, claim: Mapping[str, Any], data: Mapping[str, Any]
) -> Iterator[str]:
    """What is wrong with the conditions that a claim lists."""
    listed = assumptions_in(claim)
    ids = [assumption.id or assumption.name for assumption in listed]
    known = {
        condition.id: rule  # type: ignore[attr-defined]
        for condition, rule in zip(theorem.assumes, terms.known, strict=True)
    }
    missing = [id for id in known if id not in ids]
    if missing:
        yield f"the assumption {missing[0]!r} is not listed"
    if len(set(ids)) != len(ids):
        yield "an assumption is listed twice"
    for assumption in listed:
        rule = known.get(assumption.id) or _ADDED.get(assumption.id) or _WEAKENING
        if not rule.allows(assumption.status):
            yield f"that {printable(assumption.name)} cannot be known to be so: {assumption.status}"
        if assumption.id == NOT_IN_TRAINING.id:
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
    overlap, status = assumption.evidence, assumption.status
    if not isinstance(overlap, TrainingOverlap):
        return "it is not said how many rows occur in the training set"
    if overlap.left_out:
        # Rows that repeat another of the holdout are left out as well.
        fits = status == "checked" and 0 < overlap.repeated <= overlap.rows - rows
        fits = fits and not overlap.by_sample
    else:
        # That none of a sample was found is no proof that there is none.
        unfound = "assumed" if overlap.by_sample else "checked"
        fits = status == ("violated" if overlap.repeated else unfound)
        fits = fits and overlap.repeated <= overlap.rows
    if not fits or overlap.rows < rows or overlap.compared > overlap.learned:
        return f"'{overlap}' does not fit {rows} rows, {status}"
    return None
