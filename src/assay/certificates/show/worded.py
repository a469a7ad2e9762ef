"""The claim of a document with its sentences, which are made from ids and numbers alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.certificates.format.claim import assumptions_in, subject_in
from assay.certificates.format.quantity import certified_by, formula_of
from assay.errors import CertificateRefused
from assay.guarantees.guarantee import Guarantee, is_vacuous
from assay.guarantees.printable import printable
from assay.theory.registry import find_theorem


def worded(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The claim as `Guarantee.from_json` reads it.

    Examples
    --------
    >>> from assay import certify
    >>> worded(certify(errors=50, rows=1000).document["claims"][0])["statement"]
    'P[err_D(h) <= 0.06286340351237975] >= 1 - 0.05'
    """
    theorem, subject, assumptions = (
        find_theorem(claim["theorem"]),
        subject_in(claim),
        assumptions_in(claim),
    )
    terms, inputs, promised = (
        theorem.claim_of(subject.quantity),
        claim["inputs"],
        claim["promised"],
    )
    if terms is None:
        raise CertificateRefused(f"{theorem.id} does not bound {printable(subject, 80)!r}.")
    formula = str(formula_of(subject))
    if promised is None:
        statement = f"nothing is promised about {formula}"
    elif terms.role == "run":
        statement = f"{formula} <= {promised}"
    else:
        statement = f"P[{formula} <= {promised}] >= 1 - {inputs['delta']}"
    beside = {name: claim[name] for name in ("textbook", "witness") if name in claim}
    return {
        "theorem": claim["theorem"],
        "statement": statement,
        "kind": theorem.kind,
        "of": subject,
        "quantifier": terms.quantifier,
        "certified": certified_by(subject, assumptions),
        "inputs": inputs,
        "promised": promised,
        "observed": claim["observed"],
        "vacuous": is_vacuous(theorem.kind, promised, inputs),
        "assumptions": [assumption.to_json() for assumption in assumptions],
        **beside,
    }


def guarantee_in(claim: Mapping[str, Any]) -> Guarantee:
    """The guarantee that a claim of a document states."""
    return Guarantee.from_json(worded(claim))
