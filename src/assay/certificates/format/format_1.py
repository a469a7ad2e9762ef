"""The frozen reader of format 1, in which quantities and conditions were sentences.

It turns such a document into the newest form, and refuses a sentence that is not exactly the one that goes with the
ids and numbers. Nowhere else is a sentence compared or searched.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from assay.certificates.format.claim import subject_entry, worded
from assay.errors import CertificateRefused
from assay.guarantees import added_conditions
from assay.guarantees.printable import printable
from assay.guarantees.subject import Label, Subject
from assay.theory.claim import Condition, Quantity
from assay.theory.registry import Theorem, find_theorem

# A longer name of a quantity could only be there to keep a reader busy.
_LONGEST = 10_000

_LABEL = (
    r"""('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|-?\d{1,40}|-?\d+\.\d+(?:e[+-]?\d+)?|True|False)"""
)
_CLASS = re.compile(f"error of class {_LABEL}")
_BINARY = re.compile(f"false-(positive|negative) rate: {_LABEL} taken for {_LABEL}")
_NEXT = re.compile(r"errors among the next ([1-9]\d{0,17}) rows")
_RUN = re.compile(
    f"(mistakes|updates|regret)(?: of {_LABEL} against the rest)?(, at the time of learning)?"
)

# The words that need no label, and what they may mean; the theorem decides which.
_PLAIN: dict[str, tuple[Quantity, ...]] = {
    "error": ("error", "batch-error"),
    "mean loss": ("mean-loss",),
    "mean error of the hypotheses as they were played": ("mean-error-as-played",),
    "error of the learner that was chosen, as it was when it was chosen": ("chosen-error",),
    "mean error over units": ("unit-mean-error",),
}

_ADDED = {
    str(condition): condition.id
    for condition in vars(added_conditions).values()
    if isinstance(condition, Condition)
}

_OVERLAP = re.compile(
    r"(?:(?:all (\d{1,18}) rows that were learned were|"
    r"a sample of (\d{1,18}) of the (\d{1,18}) rows that were learned was) compared: )?"
    r"([\d,]{1,24}) of ([\d,]{1,24}) row digests occur in the training set( and were left out)?"
)


def from_format_1(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document in the newest form."""
    claims = []
    for place, claim in enumerate(document["claims"], start=1):
        try:
            claims.append(_read_exactly(claim))
        except CertificateRefused as refusal:
            of = printable(claim["of"], 80)
            raise CertificateRefused(f"claim {place} ({of}): {refusal}") from None
    return {**document, "claims": claims}


def _read_exactly(claim: Mapping[str, Any]) -> dict[str, Any]:
    read = read_claim(claim)
    fault = _word_fault(claim, read)
    if fault is not None:
        raise CertificateRefused(fault)
    return read


def read_claim(claim: Mapping[str, Any]) -> dict[str, Any]:
    """A claim with ids in place of its sentences."""
    theorem = find_theorem(claim["theorem"])
    subject = read_subject(theorem, claim["of"])
    if subject is None:
        what = (
            "what a certificate promises"
            if not theorem.claims
            else repr(printable(claim["of"], 80))
        )
        raise CertificateRefused(f"{theorem.id} does not bound {what}")
    following = claim["inputs"].get("next_rows", 0)
    if subject.next_rows != following:
        raise CertificateRefused(
            f"it speaks of the next {subject.next_rows} rows, and rests on the next {following}"
        )
    ids = _ADDED | {str(condition): condition.id for condition in theorem.assumes}  # type: ignore[attr-defined]
    numbers = ("inputs", "promised", "observed", "textbook", "witness")
    return {
        "theorem": claim["theorem"],
        **subject_entry(subject),
        **{name: claim[name] for name in numbers if name in claim},
        "assumptions": [_assumption(entry, ids) for entry in claim["assumptions"]],
    }


def _word_fault(claim: Mapping[str, Any], read: Mapping[str, Any]) -> str | None:
    """Which sentence of a claim is not the one that its ids and numbers give."""
    right = worded(read)
    if claim["kind"] != right["kind"]:
        return f"{claim['theorem']} bounds {right['kind']}, not {printable(claim['kind'], 40)}"
    if claim["vacuous"] != right["vacuous"]:
        return (
            "it is called vacuous wrongly"
            if claim["vacuous"]
            else "it is vacuous and does not say so"
        )
    for word in ("statement", "quantifier", "certified"):
        if claim[word] != right[word]:
            return f"its {word} should read '{right[word]}'"
    return None


def _assumption(entry: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    name, evidence = entry["name"], entry.get("evidence", "")
    read: dict[str, Any] = {"id": ids[name]} if name in ids else {"name": name}
    read["status"] = entry["status"]
    counts = _OVERLAP.fullmatch(evidence) if name == added_conditions.NOT_IN_TRAINING else None
    if counts is None:
        return read | ({"evidence": evidence} if evidence else {})
    every, some, learned, repeated, rows, left_out = counts.groups()
    overlap: dict[str, Any] = {
        "repeated": int(repeated.replace(",", "")),
        "rows": int(rows.replace(",", "")),
        "left_out": left_out is not None,
    }
    if every or some:
        overlap |= {"compared": int(every or some), "learned": int(every or learned)}
    return read | {"overlap": overlap}


def read_subject(theorem: Theorem, of: str) -> Subject | None:
    """What the words say; None for what the theorem does not bound.

    Examples
    --------
    >>> exact = find_theorem("holdout-exact")
    >>> read_subject(exact, "error of class 'spam'").label
    'spam'
    >>> read_subject(exact, "error of all future models") is None
    True
    """
    if of in _PLAIN:
        meant = (q for q in _PLAIN[of] if theorem.claim_of(q) is not None)
        return next(map(Subject, meant), None)
    if len(of) > _LONGEST:
        return None
    subject = _labelled(of)
    # One spelling only: two names of one class could be claimed twice.
    if subject is None or subject != of or theorem.claim_of(subject.quantity) is None:
        return None
    return subject


def _labelled(of: str) -> Subject | None:
    if match := _CLASS.fullmatch(of):
        return Subject("class-error", _read(match[1]))
    if match := _BINARY.fullmatch(of):
        return Subject("class-error", _read(match[2]), _read(match[3]), match[1])
    if match := _NEXT.fullmatch(of):
        return Subject("next-rows-errors", next_rows=int(match[1]))
    if match := _RUN.fullmatch(of):
        label = None if match[2] is None else _read(match[2])
        quantity: Quantity = match[1]  # type: ignore[assignment]
        return Subject(quantity, label, delayed=match[3] is not None)
    return None


def _read(text: str) -> Label | None:
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
    return value if isinstance(value, str | int | float | bool) else None
