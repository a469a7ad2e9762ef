"""A gate: may a model pass, by what its certificate promises?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from assay.certificates.certificate import Certificate
from assay.errors import require
from assay.guarantees.decimals import delta_text
from assay.guarantees.guarantee import Guarantee
from assay.theory.needs import inside_unit, real
from assay.theory.rounding import Number, as_fraction


@dataclass(frozen=True)
class Gate:
    """A limit, and the promise that was held to it.

    Attributes
    ----------
    claim : Guarantee
        What is promised.
    limit : str
        The number it is held to, as decimal text.
    passed : bool
        Whether the promise says something, and stays within the limit.
    unsure : tuple of str
        The probability with which the certificate may fail, and that with which it was allowed to, where it is larger:
        the promise then passes no limit. Empty otherwise.
    """

    claim: Guarantee
    limit: str
    passed: bool
    unsure: tuple[str, ...] = ()


def error_gate(certificate: Certificate, max_error: Number, *, delta: Number | None = None) -> Gate:
    """Hold the error that is promised to the largest that is allowed.

    Parameters
    ----------
    certificate : Certificate
        Its first claim is held to the limit: an error rate, or a mean loss.
    max_error : number or decimal text
        The limit, strictly between 0 and 1.
    delta : number or decimal text, optional
        The largest probability with which the certificate may fail; any, where it was issued just now.

    Examples
    --------
    >>> from assay import certify
    >>> error_gate(certify(errors=50, rows=1000), 0.07).passed
    True
    """
    inside_unit("max_error", max_error)
    claim = certificate.claims[0]
    is_error = claim.kind == "error" and "next_rows" not in claim.inputs
    must = "left out for a certificate that promises no error rate"
    require(is_error, "max_error", must, max_error)
    return _gate(certificate, claim, max_error, delta)


def difference_gate(
    certificate: Certificate, at_least: Number = 0, *, delta: Number | None = None
) -> Gate:
    """Hold every difference that is promised to the smallest that is wanted.

    Parameters
    ----------
    certificate : Certificate
        Each of its claims is held to the limit: by how much a new model is better.
    at_least : number or decimal text, default=0
        The limit; one below zero lets a new model pass that is a little worse.
    delta : number or decimal text, optional
        As in `error_gate`.

    Examples
    --------
    >>> from assay import certify_difference
    >>> difference_gate(certify_difference(only_old=40, only_new=20, rows=1000)).passed
    True
    """
    gates = difference_gates(certificate, at_least, delta=delta)
    return next((gate for gate in gates if not gate.passed), gates[0])


def difference_gates(
    certificate: Certificate, at_least: Number = 0, *, delta: Number | None = None
) -> list[Gate]:
    """The same for every model that a certificate compares."""
    real("at_least", at_least)
    inside = -1 < as_fraction(at_least) < 1
    require(inside, "at_least", "a number strictly between -1 and 1", at_least)
    must = "left out for a certificate that promises no difference"
    claims = certificate.claims
    differences = all(claim.kind == "difference" for claim in claims)
    require(differences, "at_least", must, at_least)
    return [_gate(certificate, claim, at_least, delta) for claim in claims]


def _gate(certificate: Certificate, claim: Guarantee, limit: Number, delta: Number | None) -> Gate:
    text, bound = claim.promised_text, as_fraction(limit)
    if text is None or claim.vacuous:
        return Gate(claim, str(limit), False)
    # What is promised of a batch is a count of its items.
    value = Fraction(text) / (claim.items or 1)
    within = value >= bound if claim.direction == "at least" else value <= bound
    unsure = _unsure(certificate, delta) if within and delta is not None else ()
    return Gate(claim, str(limit), within and not unsure, unsure)


def _unsure(certificate: Certificate, delta: Number) -> tuple[str, ...]:
    """How sure a certificate is and how sure it should be, where it may fail more often than is allowed."""
    allowed, total = delta_text(delta), str(certificate.document["delta"]["total"])
    return (total, allowed) if Fraction(total) > Fraction(allowed) else ()
