"""Whether a model may pass, in plain words."""

from __future__ import annotations

from assay.certificates.certificate import Certificate
from assay.certificates.issue.gate import Gate
from assay.certificates.show.words import capital, confidence_text, promised, seen


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
    can = "can" if gate.passed else "cannot"
    return f"{what} of {gate.claim.direction} {gate.limit} {can} be promised."


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
