"""A claim as it stands in a document: ids, fields and numbers, and no sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.errors import BadParameter, CertificateRefused
from assay.evidence.training_overlap import TrainingOverlap
from assay.guarantees.added_conditions import NOT_IN_TRAINING
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.printable import printable
from assay.guarantees.subject import Label, Subject, subject_of
from assay.theory.claim import Role
from assay.theory.registry import find_condition, find_theorem

_ON_RUNS = ("mistakes", "updates", "regret")
# Whole numbers of more characters are refused where a document is read.
_LONGEST = 18


def claim_entry(guarantee: Guarantee) -> dict[str, Any]:
    """What a document says of a guarantee; its sentences are made again by whoever reads it.

    Examples
    --------
    >>> from assay import certify
    >>> entry = claim_entry(certify(errors=50, rows=1000).claims[0])
    >>> entry["quantity"], entry["assumptions"][0]
    ('error', {'id': 'independent-draws', 'status': 'assumed'})
    """
    stated, subject = guarantee.to_json(), subject_of(guarantee.of)
    if subject is None:
        raise BadParameter(f"No certificate speaks of {printable(guarantee.of, 80)!r}.")
    numbers = ("inputs", "promised", "observed", "textbook", "witness")
    return {
        "theorem": stated["theorem"],
        **subject_entry(subject),
        **{name: stated[name] for name in numbers if name in stated},
        "assumptions": [_assumption_entry(assumption) for assumption in guarantee.assumptions],
    }


def subject_entry(subject: Subject) -> dict[str, Any]:
    """The id of a quantity and its fields; how many rows to come it speaks of stands in the inputs."""
    fields: dict[str, Any] = {"quantity": subject.quantity}
    if subject.label is not None:
        fields["label"] = _label_entry(subject.label)
    if subject.side and subject.other is not None:
        fields |= {"side": subject.side, "other": _label_entry(subject.other)}
    return fields | ({"delayed": True} if subject.delayed else {})


def _label_entry(label: Label) -> Any:
    """A label in JSON; what a document cannot hold as a number is text under the name of its type."""
    if isinstance(label, float):
        return {"float": repr(label)}
    if type(label) is int and len(str(label)) > _LONGEST:
        return {"int": str(label)}
    return label


def _label_in(entry: Any) -> Label:
    if not isinstance(entry, dict):
        label: Label = entry
        return label
    [(kind, text)] = entry.items()
    number = float(text) if kind == "float" else int(text)
    # One spelling only, and equal to itself: two names of one class could be claimed twice.
    if _label_entry(number) != entry or not math.isfinite(number):
        raise CertificateRefused(f"A label is spelt {printable(text, 40)!r}.")
    return number


def subject_in(claim: Mapping[str, Any]) -> Subject:
    """What a claim of a document is about; refuses fields that do not belong to its quantity."""
    quantity, sided = claim["quantity"], {"side", "other"} & set(claim)
    needed: set[str] = {"label", *sided} if quantity == "class-error" else set()
    allowed = needed | ({"label", "delayed"} if quantity in _ON_RUNS else set())
    fields = {name for name in ("label", "other", "side", "delayed") if name in claim}
    if not needed <= fields <= allowed or len(sided) == 1:
        raise CertificateRefused(f"{quantity} is not what these fields belong to.")
    more = 0
    if quantity == "next-rows-errors":
        more = claim["inputs"].get("next_rows", 0)
        if type(more) is not int or more < 1:
            raise CertificateRefused("It is not said how many rows to come it speaks of.")
    label, other = (_label_in(claim[n]) if n in claim else None for n in ("label", "other"))
    return Subject(quantity, label, other, claim.get("side", ""), "delayed" in claim, more)


def _assumption_entry(assumption: Assumption) -> dict[str, Any]:
    if not assumption.id:
        raise BadParameter(
            f"A certificate names a condition by its id, and {printable(assumption.name, 80)!r} has none. "
            "Make it a Condition."
        )
    entry: dict[str, Any] = {"id": assumption.id, "status": assumption.status}
    overlap = assumption.evidence
    if isinstance(overlap, TrainingOverlap):
        known = (
            {"compared": overlap.compared, "learned": overlap.learned} if overlap.learned else {}
        )
        counts = {"repeated": overlap.repeated, "rows": overlap.rows, "left_out": overlap.left_out}
        return entry | {"overlap": counts | known}
    return entry | ({"evidence": str(overlap)} if overlap else {})


def assumptions_in(claim: Mapping[str, Any]) -> tuple[Assumption, ...]:
    """The conditions that a claim of a document lists; refuses an id that stands for none."""
    return tuple(_assumption_in(entry) for entry in claim["assumptions"])


def _assumption_in(entry: Mapping[str, Any]) -> Assumption:
    # A bare name only stands in what was read from format 1, which could list any sentence.
    name = entry["name"] if "name" in entry else find_condition(entry["id"])
    if "overlap" not in entry:
        return Assumption(name, entry["status"], entry.get("evidence", ""))
    if name != NOT_IN_TRAINING:
        raise CertificateRefused(f"{entry['id']} is not about rows of the training set.")
    return Assumption(name, entry["status"], TrainingOverlap(**entry["overlap"]))


def role_of(claim: Mapping[str, Any]) -> Role | None:
    """Where a claim stands, by its theorem and its quantity; None where it stands nowhere."""
    terms = find_theorem(claim["theorem"]).claim_of(claim["quantity"])
    return None if terms is None else terms.role
