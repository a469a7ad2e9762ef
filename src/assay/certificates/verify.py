"""Verify: recompute every number of a certificate from the file alone."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from assay.certificates.claims import LOSS_SCALE, decode_inputs
from assay.certificates.decimals import decimal_ratio
from assay.certificates.document import digest_of, read_document
from assay.certificates.evidence import Evidence
from assay.certificates.integer_verifier import confirm
from assay.certificates.ledger import Ledger
from assay.errors import AssayError, BadData, CertificateRefused, LedgerBroken
from assay.theory.registry import Theorem, find_theorem

# C libraries may differ in the last places of log and exp.
_ULPS = 4
_LOOSE = 1e-12


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
    path: str | os.PathLike[str],
    *,
    evidence: Evidence | None = None,
    ledger: Ledger | None = None,
) -> Verification:
    """Check a certificate without the model and without the data.

    Every promised number is recomputed from the inputs in the file; the exact ones are decided
    again in whole numbers. Also checked: the shape and the seal of the document, that the failure
    probabilities add up to no more than the total, that what is said to have been observed agrees with
    the counts, and that nothing is promised where an assumption is violated.

    Parameters
    ----------
    path : str or path
        The certificate's JSON file.
    evidence : Evidence, optional
        Counts and digests recomputed from the data, to be compared with the document's.
    ledger : Ledger, optional
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
    try:
        document = read_document(path)
    except CertificateRefused as refusal:
        return Verification((Finding("document", False, str(refusal)),))
    return verify_document(document, evidence=evidence, ledger=ledger)


def verify_document(
    document: Mapping[str, Any], *, evidence: Evidence | None = None, ledger: Ledger | None = None
) -> Verification:
    """`verify` for a document that has been read and has the right shape."""
    notes: list[str] = []
    findings = [Finding("document", True, "follows the schema"), _seal(document)]
    for place, claim in enumerate(document["claims"], start=1):
        findings.extend(_claim(f"claim {place} ({claim['of']})", claim, notes))
    findings.append(_counts(document))
    findings.append(_delta(document))
    if evidence is not None:
        findings.append(_data(document, evidence))
    if ledger is not None:
        findings.append(_ledger(document, ledger))
    return Verification(tuple(findings), tuple(notes))


def _seal(document: Mapping[str, Any]) -> Finding:
    same = digest_of(dict(document)) == document["digest"]
    return Finding(
        "seal", same, "unbroken" if same else "the document was changed after it was issued"
    )


def _claim(name: str, claim: Mapping[str, Any], notes: list[str]) -> Iterator[Finding]:
    try:
        theorem = find_theorem(claim["theorem"])
    except AssayError as error:
        yield Finding(name, False, str(error))
        return
    wrong = next(_word_faults(theorem, claim), None)
    if wrong is None and claim["promised"] is not None:
        try:
            wrong = _number_fault(name, theorem, claim, notes)
        except (AssayError, ValueError, KeyError, TypeError, AttributeError) as error:
            wrong = f"its inputs do not fit the theorem: {error}"
    yield Finding(name, wrong is None, wrong or _said(claim))


def _said(claim: Mapping[str, Any]) -> str:
    return str(claim["statement"]) + f", by {claim['theorem']}"


def _word_faults(theorem: Theorem, claim: Mapping[str, Any]) -> Iterator[str]:
    """What the words of a claim say against each other, before any number is computed."""
    promised, assumptions = claim["promised"], claim["assumptions"]
    if theorem.function is None:
        yield f"{theorem.id} has no number to promise"
    if claim["kind"] != theorem.kind:
        yield f"{theorem.id} bounds {theorem.kind}, not {claim['kind']}"
    missing = set(theorem.assumes) - {a["name"] for a in assumptions}
    if missing:
        yield f"the assumption '{min(missing)}' is not listed"
    violated = [a["name"] for a in assumptions if a["status"] == "violated"]
    if violated and promised is not None:
        yield f"a number is promised although it is not true that {violated[0]}"
    if promised is None and not violated:
        yield "no number is promised, and no assumption is violated"
    if claim["vacuous"] != (promised is not None and Fraction(promised) >= 1):
        yield (
            "it is called vacuous wrongly"
            if claim["vacuous"]
            else "it is vacuous and does not say so"
        )
    if promised is None:
        return
    if not claim["statement"].endswith(f" <= {promised}] >= 1 - {claim['inputs'].get('delta')}"):
        yield "the statement says something else than the numbers"


def _number_fault(
    name: str, theorem: Theorem, claim: Mapping[str, Any], notes: list[str]
) -> str | None:
    inputs, promised = claim["inputs"], Fraction(claim["promised"])
    fault = _observed_fault(claim)
    if fault is not None:
        return fault
    decided = confirm(theorem.id, inputs, promised)
    if decided is not None:
        sound, tight = decided
        if not sound:
            return f"{claim['promised']} is less than {theorem.id} allows for these inputs"
    else:
        again = min(float(theorem(**decode_inputs(inputs))), 1.0)
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
    if "rows" in inputs and isinstance(inputs.get("errors"), int):
        right = decimal_ratio(inputs["errors"], inputs["rows"])
        return (
            None
            if observed == right
            else f"{observed} is said to be observed, but the counts give {right}"
        )
    if "losses" in inputs:
        mean = float(decode_inputs(inputs)["losses"].mean())
        near = mean - 1.01 / LOSS_SCALE <= float(observed) <= mean + 1e-12
        return (
            None if near else f"{observed} is said to be observed, but the losses average {mean!r}"
        )
    total = (
        Fraction(inputs["errors"]) / inputs["rows"]
        if "errors" in inputs
        else Fraction(inputs["mean"])
    )
    near = abs(float(total) - float(observed)) <= 1.01e-3 / inputs["rows"] + 1e-15
    return (
        None if near else f"{observed} is said to be observed, but the inputs give {float(total)!r}"
    )


def _counts(document: Mapping[str, Any]) -> Finding:
    """Claims about parts must fit into the whole."""
    rows, first = document["data"]["rows"], document["claims"][0]["inputs"]
    whole = first.get("rows", first.get("losses", {}).get("rows"))
    if whole != rows:
        return Finding(
            "counts", False, f"the data have {rows} rows, but the first claim rests on {whole}"
        )
    parts = [c["inputs"] for c in document["claims"][1:]]
    classes = [c["inputs"] for c in document["claims"] if c["of"].startswith("error of class")]
    for part in parts:
        if part["rows"] > rows or part["errors"] > first["errors"]:
            return Finding(
                "counts", False, "a claim about some of the rows counts more than there are"
            )
    for key, most in (("rows", rows), ("errors", first.get("errors"))):
        if classes and sum(part[key] for part in classes) != most:
            return Finding("counts", False, f"the {key} of the classes do not add up to {most}")
    return Finding("counts", True, f"{rows} rows")


def _delta(document: Mapping[str, Any]) -> Finding:
    """What is spent, times all that has to share it, may not exceed the total."""
    delta, ledger = document["delta"], document["ledger"]
    claimed = [[c["theorem"], c["inputs"].get("delta", "0")] for c in document["claims"]]
    if delta["spent"] != claimed:
        return Finding("delta", False, "what is listed as spent is not what the claims spend")
    spent = sum((Fraction(share) for _, share in claimed), Fraction(0))
    needed = spent * delta["declared_models"]
    bits = "0"
    if ledger is not None:
        before = int(ledger["answers_before"], 16)
        needed *= ledger["entry"] * (ledger["entry"] + 1) * before
        bits = f"{math.log2(before):.3f}"
    if delta["holdout_bits_released_before"] != bits:
        return Finding("delta", False, f"{bits} bits were released before, not the number stated")
    total = Fraction(delta["total"])
    if not 0 < total < 1 or needed > total:
        return Finding("delta", False, f"the claims spend more than the total {delta['total']}")
    return Finding("delta", True, f"{len(claimed)} claim(s) share {delta['total']}")


def _data(document: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The data at hand must be the data certified, digest by digest and count by count."""
    predictions = document["subject"]["predictions"]
    expected = {
        "truth": (document["data"]["sha256"], evidence.data),
        "predictions": (predictions and predictions["sha256"], evidence.predictions),
    }
    for what, (stated, found) in expected.items():
        if stated is not None and found is not None and f"sha256:{stated}" != found:
            return Finding("data", False, f"the {what} are not those that were certified")
    inputs = document["claims"][0]["inputs"]
    told = document["claims"][0]["observed"] is not None
    if evidence.rows != document["data"]["rows"]:
        return Finding("data", False, f"the data have {evidence.rows} rows")
    if told and "errors" in inputs and evidence.errors not in (None, inputs["errors"]):
        return Finding("data", False, f"the data show {evidence.errors} errors")
    return Finding("data", True, "digests and counts agree")


def _ledger(document: Mapping[str, Any], ledger: Ledger) -> Finding:
    stated = document["ledger"]
    if stated is None:
        return Finding("ledger", False, "the certificate was not charged to any ledger")
    try:
        ledger.check()
    except LedgerBroken as error:
        return Finding("ledger", False, str(error))
    for entry in ledger.entries(stated["holdout"]):
        if entry.digest == stated["digest"]:
            same = (
                entry.number == stated["entry"]
                and entry.answers_before == stated["answers_before"]
                and entry.delta == document["delta"]["total"]
            )
            detail = f"entry {entry.number}" if same else "the ledger's entry says something else"
            return Finding("ledger", same, detail)
    return Finding("ledger", False, "the entry named in the certificate is not in this ledger")


def refuse_unless_verified(path: str | os.PathLike[str]) -> None:
    """Raise `CertificateRefused`, with the reasons, unless a certificate verifies."""
    if not os.path.exists(path):
        raise BadData(f"{path} does not exist.")
    found = verify(path)
    if not found:
        raise CertificateRefused(f"{path} does not verify: {found.reason}.")
