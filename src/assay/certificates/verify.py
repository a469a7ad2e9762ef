"""Verify: recompute every number of a certificate from the file alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.certificates.certificate import Certificate
from assay.certificates.claim_checks import check_claim
from assay.certificates.document import read_document
from assay.certificates.document_checks import (
    check_counts,
    check_data,
    check_delta,
    check_ledger,
    check_seal,
)
from assay.certificates.evidence import Evidence, from_losses, from_pairs, from_truth
from assay.certificates.ledger import Ledger, opened
from assay.errors import AssayError, CertificateRefused


@dataclass(frozen=True)
class Finding:
    """One thing that was checked: what, whether it holds, and why not."""

    check: str
    ok: bool
    detail: str = ""

    def __str__(self) -> str:
        return f"{'ok ' if self.ok else 'BAD'}  {self.check}" + (
            f": {self.detail}" if self.detail else ""
        )


@dataclass(frozen=True)
class Verification:
    """Everything that was checked of one certificate; true when all of it holds.

    Attributes
    ----------
    findings : tuple of Finding
        What was checked, in order.
    notes : tuple of str
        What is valid but worth knowing, such as a number larger than it need be.
    """

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every check holds."""
        return all(finding.ok for finding in self.findings)

    def __bool__(self) -> bool:
        return self.ok

    @property
    def reason(self) -> str:
        """Why the certificate is refused; empty when it is not."""
        return "; ".join(f"{f.check}: {f.detail}" for f in self.findings if not f.ok)

    def __str__(self) -> str:
        lines = [str(finding) for finding in self.findings] + [
            f"note {note}" for note in self.notes
        ]
        return "\n".join(lines)


def verify(
    certificate: Certificate | str | os.PathLike[str],
    *,
    y_true: Any = None,
    y_pred: Any = None,
    loss: Any = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
) -> Verification:
    """Check a certificate without the model and without the data.

    Every promised number is recomputed from the inputs in the file; the exact ones are decided
    again in whole numbers. Also checked: the shape and the seal of the document, that the failure
    probabilities add up to no more than the total, that what is said to have been observed agrees with
    the counts, and that nothing is promised where an assumption is violated.

    Parameters
    ----------
    certificate : path or Certificate
        The certificate's JSON file.
    y_true, y_pred : array-like, optional
        The truth and the predictions, to be counted again and compared by their digests. For the
        certificate of a stream the truth alone will do: it holds no digest of the predictions.
    loss : array-like, optional
        The losses instead.
    ledger : Ledger or path, optional
        The ledger the certificate was charged to; its chain and the entry are checked too.

    Returns
    -------
    Verification
        True in a condition when everything holds; prints as a list of what was checked.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from assay import certify, verify
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "spam.cert.json"
    ...     certify(errors=50, rows=1000, delta=0.05).save(path)
    ...     honest = verify(path).ok
    ...     _ = path.write_text(path.read_text().replace("0.0628", "0.0528"))
    ...     forged = verify(path).ok
    >>> honest, forged
    (True, False)
    """
    evidence = None
    if y_true is not None and y_pred is None and _is_stream(certificate):
        evidence = from_truth([y_true])
    elif y_true is not None or y_pred is not None:
        evidence = from_pairs([(y_true, y_pred)], unseen="wrong")
    elif loss is not None:
        evidence = from_losses([loss])
    return verify_evidence(certificate, evidence=evidence, ledger=ledger)


def stream_data(certificate: Certificate | str | os.PathLike[str]) -> Mapping[str, Any] | None:
    """What the certificate of a stream says about its data; None for that of a holdout.

    Raises
    ------
    CertificateRefused
        If the file is no certificate.
    """
    if isinstance(certificate, Certificate):
        document: Mapping[str, Any] = certificate.document
    else:
        document = read_document(certificate)
    data: Mapping[str, Any] = document["data"]
    return data if data["role"] == "stream" else None


def _is_stream(certificate: Certificate | str | os.PathLike[str]) -> bool:
    try:
        return stream_data(certificate) is not None
    except CertificateRefused:
        return False


def verify_evidence(
    certificate: Certificate | str | os.PathLike[str],
    *,
    evidence: Evidence | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
) -> Verification:
    """`verify` with evidence that was gathered elsewhere, such as from a file in chunks."""
    with opened(ledger) as book:
        if isinstance(certificate, Certificate):
            return verify_document(certificate.document, evidence=evidence, ledger=book)
        try:
            document = read_document(certificate)
        except CertificateRefused as refusal:
            return Verification((Finding("document", False, str(refusal)),))
        return verify_document(document, evidence=evidence, ledger=book)


def verify_document(
    document: Mapping[str, Any], *, evidence: Evidence | None = None, ledger: Ledger | None = None
) -> Verification:
    """`verify` for a document that has been read and has the right shape."""
    notes: list[str] = []
    findings = [
        Finding("document", True, "follows the schema"),
        _checked("seal", check_seal, document),
    ]
    for place, claim in enumerate(document["claims"], start=1):
        name = f"claim {place} ({claim['of'][:80]})"
        findings.append(_checked(name, check_claim, name, claim, notes))
    findings.append(_checked("counts", check_counts, document))
    findings.append(_checked("delta", check_delta, document))
    if evidence is not None:
        findings.append(_checked("data", check_data, document, evidence, ledger))
    if ledger is not None:
        findings.append(_checked("ledger", check_ledger, document, ledger))
    return Verification(tuple(findings), tuple(notes))


def _checked(name: str, check: Callable[..., tuple[bool, str]], *parts: Any) -> Finding:
    """One finding; a document so odd that a check cannot be made does not pass it."""
    try:
        return Finding(name, *check(*parts))
    except (
        AssayError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
    ) as error:
        return Finding(name, False, f"it does not fit: {error}")
