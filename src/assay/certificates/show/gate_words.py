"""Whether a model may pass, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from assay.certificates.certificate import Certificate
from assay.certificates.issue.gate import Gate
from assay.certificates.show.words import capital, confidence_text, promised, quantity_of, seen
from assay.guarantees.group_needs import Shortfall, shortfall_text, shortfalls
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Group, subject_of
from assay.theory.claim import OF_GROUPS

# So many groups that fail are named.
_MOST = 20


def gate_sentence(gate: Gate) -> str:
    """Whether what was wanted can be promised.

    Examples
    --------
    >>> from assay import certify
    >>> from assay.certificates.issue.gate import error_gate
    >>> gate_sentence(error_gate(certify(errors=50, rows=1000), "0.05"))
    'an error of at most 0.05 cannot be promised.'
    """
    what = "a difference" if gate.claim.kind == "difference" else "an error"
    if gate.unsure:
        seen, wanted = map(confidence_text, gate.unsure)
        return f"{what} may be promised with {seen} alone, and not with {wanted}."
    can = "can" if gate.passed else "cannot"
    if gate.claim.theorem == "mcnemar-better":
        return f"that the new model is better {can} be promised."
    where = " in every group" if quantity_of(gate.claim) in OF_GROUPS else ""
    return f"{what} of {gate.claim.direction} {gate.limit} {can} be promised{where}."


def shortfall_sentences(gate: Gate, claims: Sequence[Guarantee] = ()) -> list[str]:
    """Which groups miss the limit, and how many rows each would need: of a gate of every group that failed, or beside a
    gate of all rows, of groups that have promises of their own among the `claims`.

    Examples
    --------
    >>> from assay import certify
    >>> from assay.certificates.issue.gate import error_gate
    >>> asked = {"groups": {"sex": ["f"] * 20 + ["m"] * 80}, "every_group": True, "labels": [0, 1]}
    >>> shortfall_sentences(error_gate(certify(y_true=[1] * 100, y_pred=[1] * 100, **asked), 0.1))
    ["sex = 'f' (0 of 20 wrong) needs about 29 rows at this rate of errors."]
    """
    claim, subject = gate.claim, subject_of(gate.claim.of)
    errors, rows, limit = claim.inputs.get("errors"), claim.inputs.get("rows"), gate.limit
    if subject is not None and isinstance(errors, list) and isinstance(rows, list):
        if gate.passed or claim.observed is None:
            return []
        return _named(
            shortfalls(zip(subject.groups, errors, rows, strict=True), limit, claim.delta)
        )
    each = [c for c in claims if quantity_of(c) == "group-error" and c.promised is not None]
    short = [one for c in each for one in shortfalls([_counted(c)], limit, c.delta)]
    if not short:
        return []
    return [f"Of these groups, {limit} cannot be promised each:", *_named(short)]


def _counted(claim: Guarantee) -> tuple[Group, int, int]:
    subject = subject_of(claim.of)
    assert subject is not None
    return subject.groups[0], claim.inputs["errors"], claim.inputs["rows"]


def _named(short: Sequence[Shortfall]) -> list[str]:
    lines = [f"{shortfall_text(one)}." for one in short[:_MOST]]
    more = len(short) - len(lines)
    return lines + ([f"And {more:,} more groups."] if more else [])


def gate_reason(gate: Gate, certificate: Certificate) -> str:
    """The same, with what is promised and what was seen.

    Examples
    --------
    >>> from assay import certify
    >>> from assay.certificates.issue.gate import error_gate
    >>> certificate = certify(errors=50, rows=1000)
    >>> print(gate_reason(error_gate(certificate, "0.05"), certificate))
    An error of at most 0.05 cannot be promised. The chance that a new row is wrong is at most 6.29 %, with 95 % \
confidence. 50 of 1,000 rows are wrong (5 %).
    """
    sure = confidence_text(certificate.document["delta"]["total"])
    sentences = (
        capital(gate_sentence(gate)),
        promised(gate.claim, f", with {sure}"),
        seen(gate.claim, certificate.rows),
    )
    return " ".join(sentences)
