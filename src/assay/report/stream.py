"""A stream in plain words: what was seen, what is promised, what always holds."""

from __future__ import annotations

import textwrap

from assay.certificates.certificate import Certificate
from assay.certificates.issue.stream import SCALED
from assay.certificates.show.words import confidence_text, promised
from assay.evidence.order_check import OrderCheck
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.printable import printable
from assay.report.text import percent
from assay.theory.tail.binomial import IID
from assay.theory.tail.progressive_anytime import PREDICTED_FIRST

_SCALED = [
    "Every feature was centred and scaled by the rows up to each; the bounds are about the rows as",
    "they were after that.",
]


_NEW_ROWS = [
    "Of them nothing is promised, since nobody declared that the rows are independent draws from one",
    "distribution.",
]
_KEEP = "If equal rows are separate draws, declare it: --overlap keep, or overlap='keep'."


def stream_text(certificate: Certificate, source: str, learner: str) -> str:
    """The certificate of a stream as a person reads it.

    Examples
    --------
    >>> from assay.certificates.issue.stream import certify_stream
    >>> print(stream_text(certify_stream(rows=1000, errors=50), "mails.csv", "perceptron"))
    Stream of mails.csv, learned by perceptron
    <BLANKLINE>
    Seen      50 of 1,000 rows were predicted wrongly (5 %), each before its truth was used.
    Promised  Each time it predicted, its chance of being wrong on that next row was at most 7.61 % on average,
              with 95 % confidence, at whatever moment one stops.
    Bound     0.07601625964605369 by progressive-anytime.
    If        every row was predicted before its truth was used   (not asked: rows were not compared)
    New rows  Of them nothing is promised, since nobody declared that the rows are independent draws from one
              distribution.
    """
    lines = [f"Stream of {source}, learned by {learner}", ""]
    before = certificate.document["data"]["rows_before"]
    first, *others = certificate.claims
    refuted = [claim for claim in others if claim.kind == "error"]
    lines += _error(first, certificate)
    lines += [line for claim in others if claim.kind != "error" for line in _certain(claim)]
    if any(a.name == SCALED for claim in certificate.claims for a in claim.assumptions):
        lines += _block("Scaled", _SCALED)
    if before:
        lines += _block(
            "Before", [f"{before:,} rows were learned earlier; mistakes include theirs."]
        )
    unasked = any(
        a.name == IID and a.status == "not asked" for c in certificate.claims for a in c.assumptions
    )
    listed = {
        (a.name, f"{a.status}: {a.evidence}" if a.evidence else a.status): None
        for claim in certificate.claims
        for a in claim.assumptions
        if not (unasked and a.name == IID)
    }
    width = max(len(name) for name, _ in listed)
    lines += _block("If", [f"{name:<{width}}   ({how})" for name, how in listed])
    if first.promised is not None and refuted:
        lines += _block("New rows", textwrap.wrap(_refuted(refuted[0]), 97))
    elif first.promised is not None and unasked:
        lines += _block("New rows", _NEW_ROWS)
    return "\n".join(printable(line, 2000) for line in lines)


def _refuted(claim: Guarantee) -> str:
    """Why nothing is promised of new rows, though somebody declared that they are like these."""
    broken = next(a for a in claim.assumptions if a.status == "violated")
    if not isinstance(broken.evidence, OrderCheck):
        return (
            f"Of them nothing is promised: {broken.evidence}, so rows may depend on one another. Say --unit none "
            "if every row is a draw of its own."
        )
    return (
        f"Of them nothing is promised: {broken.evidence}. If the order of the rows is not the order in which they were "
        "drawn, say --order none."
    )


def bound_text(guarantee: Guarantee) -> str:
    """One bound that always holds, in a line.

    Examples
    --------
    >>> from assay.guarantees.mistakes import mistake_guarantee
    >>> bound_text(mistake_guarantee(
    ...     "perceptron-margin-mistakes", {"radius": 1.0, "margin": 0.1}, 37, of="mistakes", assumptions=()
    ... ))
    '37 mistakes, at most 100 by perceptron-margin-mistakes'
    """
    promised, observed = _number(guarantee.promised_text), _number(guarantee.observed_text)
    return f"{observed} {guarantee.of}, at most {promised} by {guarantee.theorem}"


def _number(text: str | None) -> str:
    if text is None:
        return "no number"
    return f"{int(text):,}" if text.isdigit() else f"{float(text):,.6g}"


def _error(claim: Guarantee, certificate: Certificate) -> list[str]:
    inputs, sure = claim.inputs, confidence_text(certificate.document["delta"]["total"])
    share = percent(float(claim.observed or 0))
    seen = f"{inputs['errors']:,} of {inputs['rows']:,} rows were predicted wrongly ({share})"
    if claim.promised is None:
        broken = next(a for a in claim.assumptions if a.status == "violated")
        why = f"No promise: it is not true that {broken.name}"
        why += f": {broken.evidence}. {_KEEP}" if broken.name == PREDICTED_FIRST else "."
        return _block("Seen", [f"{seen}."]) + _block("Promised", textwrap.wrap(why, 100))
    lines = _block("Seen", [f"{seen}, each before its truth was used."])
    if claim.vacuous:
        return lines + _block("Promised", ["Nothing yet: the bound is 1. More rows are needed."])
    promise = promised(claim, f", with {sure}")
    return (
        lines
        + _block("Promised", textwrap.wrap(promise, 97))
        + _block("Bound", [f"{claim.promised_text} by {claim.theorem}."])
    )


def _certain(claim: Guarantee) -> list[str]:
    return _block("Always", [f"{bound_text(claim)}."])


def _block(title: str, lines: list[str]) -> list[str]:
    return [f"{title if i == 0 else '':<10}{line}" for i, line in enumerate(lines)]
