"""Verify: recompute every number of a certificate from the file alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from assay.certificates.format.claim import assumptions_in, role_of, subject_in
from assay.certificates.format.document import inner, read_document, read_in_memory
from assay.certificates.verify.claim_checks import check_claim
from assay.certificates.verify.document_checks import (
    ISSUER,
    LEDGER,
    check_counts,
    check_delta,
    check_seal,
    check_size,
    not_compared,
)
from assay.errors import AssayError, BadParameter, CertificateRefused, require
from assay.guarantees.guarantee import is_vacuous
from assay.guarantees.printable import printable
from assay.theory.claim import NUMERIC
from assay.theory.registry import find_theorem

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate
    from assay.certificates.ledger.ledger import Ledger
    from assay.evidence.evidence import Evidence
    from assay.evidence.judged import Judged
    from assay.evidence.paired import Paired
    from assay.evidence.scored import Scored

# So many claims are decided in whole numbers alone; those after them by enclosures, where the numbers are long.
_AT_LENGTH = 5
# So many reasons are enough to refuse a certificate.
_SHOWN = 10


# What a document may be so odd as to bring about.
_ODD = (
    AssayError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    AssertionError,
    MemoryError,
    RecursionError,
)

Verdict = Literal["holds", "promises nothing", "does not add up"]
"""What a verification comes to: everything checked holds, and something is promised; everything holds, and
nothing is promised, since an assumption is violated or every bound says nothing; something is wrong."""


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
    """Everything that was checked of one certificate; true when all of it holds and something is promised.

    Attributes
    ----------
    findings : tuple of Finding
        What was checked, in order.
    notes : tuple of str
        What is valid but worth knowing, such as a number larger than it need be.
    nothing : str
        Why nothing is promised, although everything adds up; empty when something is.
    not_compared : tuple of str
        What the certificate was not compared with.
    alone : bool
        Whether it was compared with nothing but itself.
    """

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    nothing: str = ""
    not_compared: tuple[str, ...] = ()
    alone: bool = True

    @property
    def adds_up(self) -> bool:
        """Whether every check holds, also where nothing is promised."""
        return all(finding.ok for finding in self.findings)

    @property
    def verdict(self) -> Verdict:
        """``"holds"``, ``"promises nothing"`` or ``"does not add up"``."""
        if not self.adds_up:
            return "does not add up"
        return "promises nothing" if self.nothing else "holds"

    @property
    def ok(self) -> bool:
        """Whether the certificate holds: every check does, and something is promised."""
        return self.verdict == "holds"

    def __bool__(self) -> bool:
        return self.ok

    @property
    def reason(self) -> str:
        """Why the certificate is refused, or why it promises nothing; empty when it holds."""
        wrong = [f"{f.check}: {f.detail}" for f in self.findings if not f.ok]
        more = [f"and {len(wrong) - _SHOWN:,} more"] if len(wrong) > _SHOWN else []
        return "; ".join([*wrong[:_SHOWN], *more]) or self.nothing

    @property
    def conclusion(self) -> str:
        """What was not compared, and the verdict in a sentence."""
        if not self.adds_up:
            return "The certificate does NOT add up."
        lines = [f"Not compared: {', '.join(self.not_compared)}."]
        if self.alone:
            lines.append("The arithmetic is right, for the counts it states.")
        if self.nothing:
            lines.append(f"The certificate adds up, and promises nothing: {self.nothing}.")
        else:
            lines.append("The certificate holds.")
        return "\n".join(lines)

    def __str__(self) -> str:
        lines = [str(finding) for finding in self.findings]
        lines += [f"note {note}" for note in self.notes]
        return "\n".join([*lines, self.conclusion])


def verify(
    certificate: Certificate | str | os.PathLike[str],
    *,
    y_true: Any = None,
    y_pred: Any = None,
    score: Any = None,
    loss: Any = None,
    unit: Any = None,
    baseline: Any = None,
    judge: Any = None,
    labels: Any = None,
    baseline_loss: Any = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    groups: Any = None,
) -> Verification:
    """Check a certificate without the model and without the data.

    Every promised number is recomputed from the inputs in the file; the exact ones are decided
    again in whole numbers. Also checked: the shape and the seal of the document, that every theorem has a
    place in such a certificate and is given its own inputs, that every sentence is the one that goes with
    the number, that the failure probabilities add up to no more than the total, that all counts agree with each
    other, that each assumption can be known as is said, and that nothing is promised where one is violated.
    What it cannot know without them: whether the counts are those of any data. Who issued it, it never knows.

    Parameters
    ----------
    certificate : path or Certificate
        The certificate's JSON file.
    y_true, y_pred : array-like, optional
        The truth and the predictions, to be counted again and compared by their digests. For the
        certificate of a stream the truth alone will do: it holds no digest of the predictions.
    score : array-like, optional
        The scores, for a certificate about them; with `y_true`.
    loss : array-like, optional
        The losses instead.
    unit : array-like, optional
        What each row belongs to, for a certificate about units; with `y_true` and `y_pred`, or with `loss`.
    baseline, baseline_loss : array-like, or mapping, optional
        What the older model predicted, for a certificate about two, with `y_true` and `y_pred`; or its losses, with
        `loss`. Models that have names there are given by these, as in `certify_difference`.
    judge, labels : array-like, and mapping or array-like, optional
        For the certificate of a judged batch, what the judge said of each item (verdicts, or `score`) and the labels
        that people gave; with `y_pred` where labels are the truth, and `loss` in their place where they are losses.
        Beside `score` for another certificate, labels are all there are, where a table of scores has a column for one
        that the truth lacks.
    ledger : Ledger or path, optional
        The ledger the certificate was charged to; its chain and the entry are checked too.
    groups : column, mapping or frame, optional
        What divides the rows into groups, as `certify` was given it; with `y_true` and `y_pred`.

    Returns
    -------
    Verification
        True in a condition when everything holds and something is promised; prints as a list of what was
        checked, with the verdict and what was not compared.

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
    said = (judge, score, labels, loss, y_pred)
    if judge is not None or (any(p is not None for p in said) and is_judged(certificate)):
        others = {"y_true": y_true, "unit": unit, "baseline": baseline, "ledger": ledger}
        others |= {"baseline_loss": baseline_loss, "groups": groups}
        for name, part in others.items():
            require(part is None, name, "left out for a judged batch", "given")
        return _verify_judged(certificate, *said)
    compared = (y_true, y_pred, score, loss, unit, baseline, baseline_loss, groups)
    if all(part is None for part in compared):
        return verify_evidence(certificate, ledger=ledger)
    alone = y_true is None or y_pred is None or baseline is not None
    require(groups is None or not alone, "groups", "given with y_true and y_pred", "given")
    if baseline is not None or baseline_loss is not None:
        from assay.certificates.issue.paired_input import read_again

        seen = read_again(y_true, y_pred, baseline, loss, baseline_loss, unit)
        return verify_paired(certificate, seen, ledger=ledger)
    from assay.certificates.issue.unit_losses import from_unit_losses
    from assay.evidence.evidence import from_labels, from_losses, from_quantities, from_truth

    if score is not None:
        evidence = _scored(certificate, y_true, y_pred, score, labels, groups)
    elif y_true is not None and y_pred is not None and about_quantities(certificate):
        parts = (y_true, y_pred) if unit is None else (y_true, y_pred, unit)
        evidence = from_quantities([parts])
    elif y_true is not None and y_pred is None and _is_stream(certificate):
        evidence = from_truth([y_true])
    elif loss is not None and unit is not None:
        evidence = from_unit_losses([(loss, unit)])
    elif unit is not None or y_true is not None or y_pred is not None:
        evidence = from_labels(y_true, y_pred, unit=unit, groups=groups, unseen="wrong")
    else:
        evidence = from_losses([loss])
    return verify_evidence(certificate, evidence=evidence, ledger=ledger)


def _scored(
    certificate: Certificate | str | os.PathLike[str],
    truth: Any,
    pred: Any,
    score: Any,
    labels: Any,
    groups: Any,
) -> Evidence:
    """Scores beside the truth, of the label that the certificate speaks of."""
    from assay.evidence.evidence import from_labels, from_scores
    from assay.evidence.scores import is_table

    require(truth is not None, "y_true", "given with score", truth)
    label = label_of_scores(certificate)
    settled = labels is not None or (label is not None and not is_table(score))
    unseen: Literal["refuse", "wrong"] = "wrong" if settled else "refuse"
    seen = from_scores([(truth, score)], labels=labels, positive=label, unseen=unseen)
    if pred is None:
        return seen
    paired = from_labels(truth, pred, groups=groups, unseen="wrong")
    return replace(paired, scores=seen.scores)


def verify_paired(
    certificate: Certificate | str | os.PathLike[str],
    seen: Sequence[Paired],
    *,
    ledger: Ledger | str | os.PathLike[str] | None = None,
) -> Verification:
    """`verify` for models on the same rows, with what all of them gave."""
    from assay.certificates.ledger.ledger import opened
    from assay.certificates.verify.difference_checks import check_paired

    with opened(ledger) as book:
        alone = verify_evidence(certificate, ledger=book)
        if not alone.adds_up:
            return alone
        compared = _checked("data", check_paired, _read(certificate), seen, book)
    return _beside(alone, compared)


def _verify_judged(
    certificate: Certificate | str | os.PathLike[str],
    judge: Any,
    score: Any,
    labels: Any,
    loss: Any,
    y_pred: Any,
) -> Verification:
    """`verify` for a batch that a judge has gone through, with its verdicts or scores and the labels."""
    from assay.evidence.judged import from_verdicts
    from assay.evidence.scored import from_scores

    require((judge is None) != (score is None), "judge", "given, or score in its place", judge)
    require((labels is None) != (loss is None), "labels", "given, or loss in its place", labels)

    def read(wrong: Any) -> Judged | Scored:
        if judge is None:
            return from_scores(score, labels, loss=loss, y_pred=y_pred, wrong=wrong)
        require(loss is None, "loss", "left out with judge", "given")
        return from_verdicts(judge, labels, y_pred, wrong)

    return verify_seen(certificate, read, predicted=y_pred is not None, losses=loss is not None)


def verify_seen(
    certificate: Certificate | str | os.PathLike[str],
    read: Callable[[Any], Judged | Scored],
    *,
    predicted: bool,
    losses: bool = False,
) -> Verification:
    """The same for what `read` gathers, told which label the certificate says means wrong."""
    from assay.certificates.verify.judged_checks import check_seen, unreadable, wrong_label

    alone = verify_evidence(certificate)
    if not alone.adds_up:
        return alone
    document = _read(certificate)
    fault = unreadable(document, predicted, losses)
    if fault is not None:
        return _beside(alone, Finding("data", False, fault))
    try:
        seen = read(wrong_label(document))
    except BadParameter as refusal:  # such as labels of which none can be the one that means wrong
        return _beside(alone, Finding("data", False, printable(refusal)))
    return _beside(alone, _checked("data", check_seen, document, seen))


def _beside(alone: Verification, compared: Finding) -> Verification:
    """What the file shows alone, and beside it what data of another kind than evidence show."""
    left = [what for what in alone.not_compared if what in (ISSUER, LEDGER)]
    return replace(
        alone,
        findings=(*alone.findings, compared),
        not_compared=tuple(left) if compared.ok else (),
        alone=False,
    )


def _read(certificate: Certificate | str | os.PathLike[str]) -> Mapping[str, Any]:
    """The document of a certificate, refused unless it has the shape of one."""
    if isinstance(certificate, str | os.PathLike):
        return read_document(certificate)
    return read_in_memory(certificate.document)


def stream_data(certificate: Certificate | str | os.PathLike[str]) -> Mapping[str, Any] | None:
    """What the certificate of a stream says about its data; None for that of a holdout.

    Raises
    ------
    CertificateRefused
        If the file is no certificate.
    """
    data: Mapping[str, Any] = _read(certificate)["data"]
    return data if data["role"] == "stream" else None


def models_named(certificate: Certificate | str | os.PathLike[str]) -> tuple[str, tuple[str, ...]]:
    """Which side of a certificate of several models has names, ``"old"``, ``"new"`` or neither, and those names.

    Raises
    ------
    CertificateRefused
        If the file is no certificate, or of no models on the same rows.
    """
    document = _read(certificate)
    if document["data"]["role"] != "difference":
        raise CertificateRefused("The certificate is about one model, and compares it with none.")
    for side in ("new", "old"):
        names = tuple(claim[side] for claim in document["claims"] if side in claim)
        if names:
            return side, names
    return "", ()


def about_quantities(certificate: Certificate | str | os.PathLike[str]) -> bool:
    """Whether a certificate speaks of predictions that are numbers; not if it is none."""
    try:
        claims = _read(certificate)["claims"]
    except CertificateRefused:
        return False
    return claims[0].get("quantity") in NUMERIC


def about_losses(certificate: Certificate | str | os.PathLike[str]) -> bool:
    """Whether a certificate speaks of graded losses; not if it is none."""
    try:
        claims = _read(certificate)["claims"]
    except CertificateRefused:
        return False
    return bool(claims[0].get("quantity") == "mean-loss")


def label_of_scores(certificate: Certificate | str | os.PathLike[str]) -> Any:
    """The label that the scores of a certificate speak of; None where it names none."""
    try:
        claims = _read(certificate)["claims"]
        subjects = [subject_in(claim) for claim in claims if role_of(claim) == "score"]
    except _ODD:
        return None
    return next((subject.label for subject in subjects if subject.label is not None), None)


def grouped_by(certificate: Certificate | str | os.PathLike[str]) -> list[tuple[str, ...]]:
    """The columns by which a certificate divides rows into groups; none if it is no certificate."""
    try:
        claims = _read(certificate)["claims"]
        if not any("group" in claim or "groups" in claim for claim in claims):
            return []
        from assay.certificates.verify.group_checks import columns_of_groups

        return columns_of_groups(claims)
    except _ODD:
        return []


def is_judged(certificate: Certificate | str | os.PathLike[str]) -> bool:
    """Whether a certificate is about a batch that a judge has gone through; not if it is none."""
    try:
        return bool(_read(certificate)["data"]["role"] == "judged")
    except CertificateRefused:
        return False


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
    try:
        document = _read(certificate)
    except CertificateRefused as refusal:
        return Verification((Finding("document", False, printable(refusal)),))
    if ledger is None:
        return verify_document(document, evidence=evidence)
    from assay.certificates.ledger.ledger import opened

    with opened(ledger) as book:
        return verify_document(document, evidence=evidence, ledger=book)


def verify_document(
    document: Mapping[str, Any], *, evidence: Evidence | None = None, ledger: Ledger | None = None
) -> Verification:
    """`verify` for a document that has been read and has the right shape."""
    findings = [
        Finding("document", True, "follows the schema"),
        _checked("seal", check_seal, document),
    ]
    size = _checked("size", check_size, document)
    if not size.ok:
        return Verification((*findings, size))
    try:
        document = inner(document)
    except _ODD as error:
        return Verification((*findings, Finding("words", False, printable(error, 2000))))
    notes: list[str] = []
    findings += _claims_checked(document, notes)
    findings.append(_checked("counts", check_counts, document))
    findings.append(_checked("delta", check_delta, document))
    if evidence is not None or ledger is not None:
        findings += _compared(document, evidence, ledger)
    if not all(finding.ok for finding in findings):
        return Verification(tuple(findings), tuple(notes))
    return Verification(
        tuple(findings),
        (*notes, *_asked_of_nobody(document)),
        nothing_promised(document),
        not_compared(document, evidence, ledger),
        alone=evidence is None and ledger is None,
    )


def _compared(
    document: Mapping[str, Any], evidence: Evidence | None, ledger: Ledger | None
) -> Iterator[Finding]:
    from assay.certificates.verify.data_checks import check_data, check_ledger

    if evidence is not None:
        yield _checked("data", check_data, document, evidence, ledger)
    if ledger is not None:
        yield _checked("ledger", check_ledger, document, ledger)


def _claims_checked(document: Mapping[str, Any], notes: list[str]) -> Iterator[Finding]:
    for place, claim in enumerate(document["claims"], start=1):
        name = f"claim {place} ({_spoken_of(claim)})"
        at_length = place <= _AT_LENGTH
        parts = (name, claim, document["data"], notes)
        yield _checked(name, partial(check_claim, at_length=at_length), *parts)


def _spoken_of(claim: Mapping[str, Any]) -> str:
    """What a claim is about, in words; its quantity alone where the fields are not those of it."""
    try:
        return printable(subject_in(claim), 80)
    except _ODD:
        return str(claim["quantity"])


def nothing_promised(document: Mapping[str, Any]) -> str:
    """Why a document that adds up promises nothing; empty when it promises something.

    What always holds on a run, and what a choice had promised before its learner was fitted again, do not
    stand for the error that the certificate is about.
    """
    main = [c for c in document["claims"] if role_of(c) not in ("run", "choice")]
    if any(_says_something(claim) for claim in main):
        return ""
    void = [a for c in main for a in assumptions_in(c) if a.status == "violated"]
    if void:
        return f"it is not true that {printable(void[0].name)}"
    return "its bound is one that every model meets"


def _says_something(claim: Mapping[str, Any]) -> bool:
    promised, kind = claim["promised"], find_theorem(claim["theorem"]).kind
    return promised is not None and not is_vacuous(kind, promised, claim["inputs"])


def _asked_of_nobody(document: Mapping[str, Any]) -> list[str]:
    """Conditions on which the numbers rest and about which nobody was asked, each once."""
    listed = [a for claim in document["claims"] for a in assumptions_in(claim)]
    untrue = {a.id for a in listed if a.status == "violated"}
    names = dict.fromkeys(a.name for a in listed if a.status == "not asked" and a.id not in untrue)
    return [f"nobody was asked whether {printable(name)}" for name in names]


def _checked(name: str, check: Callable[..., tuple[bool, str]], *parts: Any) -> Finding:
    """One finding; a document so odd that a check cannot be made does not pass it."""
    try:
        ok, detail = check(*parts)
    except _ODD as error:
        return Finding(name, False, f"it does not fit: {printable(error)}")
    return Finding(name, ok, printable(detail, 2000))
