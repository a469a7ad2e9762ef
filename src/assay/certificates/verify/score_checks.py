"""What is checked of scores in a certificate: by themselves, and beside the scores where they are at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.certificates.format.claim import subject_in
from assay.certificates.verify.document_checks import rows_of
from assay.guarantees.printable import printable

if TYPE_CHECKING:
    from assay.evidence.evidence import Evidence


def scores_fault(
    document: Mapping[str, Any],
    claims: Sequence[Mapping[str, Any]],
    counted: Sequence[Mapping[str, Any]] = (),
) -> str | None:
    """Why claims about scores cannot be about the rows of the document; None when they can.

    `counted` are the claims about classes and metrics, which tell how many rows have a label.
    """
    rows = document["data"]["rows"]
    if not claims:
        return "it names scores of which nothing is claimed"
    subjects = [subject_in(claim) for claim in claims]
    if len({subject.quantity for subject in subjects}) != len(subjects):
        return "the same thing is claimed twice"
    labels = {(type(s.label), s.label) for s in subjects if s.label is not None}
    if len(labels) > 1:
        return "its scores speak of several labels"
    for subject, claim in zip(subjects, claims, strict=True):
        inputs = claim["inputs"]
        if subject.quantity != "auc":
            if rows_of(inputs) != rows:
                return f"the data have {rows} rows, but a claim rests on {rows_of(inputs)}"
            continue
        pairs = inputs["pairs"]
        if 2 * pairs > rows:
            return f"{pairs} disjoint pairs do not fit {rows} rows"
        having = _rows_with(subject, counted)
        if having is not None and pairs != min(having, rows - having):
            of = printable(repr(subject.label), 60)
            return f"{pairs} pairs do not fit {having} of {rows} rows that are {of}"
    return None


def _rows_with(subject: Any, counted: Sequence[Mapping[str, Any]]) -> int | None:
    """How many rows have the label, where other claims tell it."""
    for claim in counted:
        other, inputs = subject_in(claim), claim["inputs"]
        if (type(other.label), other.label) != (type(subject.label), subject.label):
            continue
        if other.quantity in ("class-error", "recall"):
            return int(inputs["rows"])
        if other.quantity == "f1":
            return int(inputs["true_positives"] + inputs["false_negatives"])
    return None


def score_data_fault(claim: Mapping[str, Any], evidence: Evidence) -> str | None:
    """The pairs that scores rank, or what probabilities lose, made again from them."""
    from assay.certificates.issue.claims import loss_inputs
    from assay.certificates.issue.score_claims import losses_of, pairs_of
    from assay.evidence.losses import record_losses

    subject, scores = subject_in(claim), evidence.scores
    if scores is None:
        return "the certificate is about scores: give them too"
    labels = [(type(label), label) for label in scores.labels]
    if subject.label is not None and (type(subject.label), subject.label) not in labels:
        return f"the data hold no label {printable(repr(subject.label), 80)}"
    if scores.label is not None and subject.label != scores.label:
        return f"the scores speak of {scores.label!r}, and the claim of another label"
    if subject.quantity == "auc":
        again: Mapping[str, Any] = pairs_of(subject, scores)
    else:
        again = loss_inputs(record_losses([losses_of(subject, scores)]), claim["theorem"])
    same = all(claim["inputs"].get(name) == value for name, value in again.items())
    return None if same else f"the data show something else for '{printable(subject, 80)}'"
