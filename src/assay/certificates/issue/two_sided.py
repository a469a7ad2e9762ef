"""The other end of an interval: what is usually promised from one side, from the other as well."""

from __future__ import annotations

from assay.certificates.format.quantity import meant
from assay.certificates.issue.claims import claim_by
from assay.evidence.evidence import Evidence
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.theory.registry import find_theorem

# By which theorem the other end is promised.
_OTHER_ENDS = {
    "holdout-exact": "error-at-least",
    "rate-at-least": "rate-at-most",
    "f1-at-least": "f1-at-most",
    "mean-rate-at-least": "mean-rate-at-most",
    "macro-f1-at-least": "macro-f1-at-most",
    "concordance-at-least": "concordance-at-most",
}


def other_end(claim: Guarantee, evidence: Evidence, share: str) -> Guarantee:
    """The other end of what a claim bounds, from the same counts, with this share of delta.

    Examples
    --------
    >>> from assay import certify
    >>> seen = Evidence(rows=1000, errors=50)
    >>> print(other_end(certify(errors=50, rows=1000).claims[0], seen, "0.05"))
    error: at least 0.0391635, observed 0.05, failing with probability at most 0.05, by error-at-least
    """
    theorem = find_theorem(_OTHER_ENDS[claim.theorem])
    assert meant(theorem, claim.of) is not None
    known: tuple[Assumption, ...] = claim.assumptions
    inputs = dict(claim.inputs) | {"delta": share}
    return claim_by(theorem, claim.of, inputs, claim.observed_text, known)
