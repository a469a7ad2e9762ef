"""Certificates, plans and verifications in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from assay.certificates.certificate import Certificate
from assay.certificates.show.difference_words import difference_shared
from assay.certificates.show.group_table import MOST, group_rows, is_of_group, left_out, worst_first
from assay.certificates.show.words import (
    at_once,
    class_promised,
    confidence_text,
    percent,
    percent_above,
    percent_below,
    promised,
    quantity_of,
    says_something,
    seen,
)
from assay.certificates.verify.verify import Verification
from assay.guarantees.decimals import decimal_text, shown_up
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.printable import printable
from assay.report.blocks import WIDTH, block, columns
from assay.report.plan_text import plan_text
from assay.theory.claim import OF_GROUP

__all__ = [
    "accounting",
    "certificate_text",
    "confidence_text",
    "percent",
    "percent_above",
    "percent_below",
    "plan_text",
    "verification_text",
]

# A line of a text for people; longer ones are cut.
_LONGEST = 2000
# What is told at length only when asked for: the promise of a choice, and that of every class.
_BRIEF = ("chosen-error", "class-error")
# What stands in a table at all times.
_IN_TABLE = OF_GROUP
# Of more claims than this, equal shares are told once.
_MOST_SHARES = 8
# Of more classes than this, those that were wrong most often.
_MOST_CLASSES = 6


def certificate_text(
    certificate: Certificate, source: str = "", *, verbose: bool = True, estimate: bool = False
) -> str:
    """A certificate as a person reads it: seen, promised, under which conditions.

    With `estimate` Wilson's intervals come last, and say of themselves that they promise nothing.

    Without `verbose` the digits of bounds are left out, classes have a line each, and the promise of a choice among
    learners is left out, since what was chosen then learned from all training rows and is no longer what that promise
    speaks of.

    Examples
    --------
    >>> from assay import certify
    >>> print(certificate_text(certify(errors=50, rows=1000, delta=0.05)))
    Seen      50 of 1,000 rows are wrong (5 %).
    Promised  The chance that a new row is wrong is at most 6.29 %, with 95 % confidence.
    Bound     0.06286340351237975 by holdout-exact; the textbook's (validation-hoeffding) is 0.0887023.
    If        the rows are independent draws from the distribution of use   (assumed)
              the model was fixed before these rows were seen               (not asked)
    """
    lines = [f"Certificate for {source}", ""] if source else []
    claims = _told(certificate, verbose)
    confidence = confidence_text(certificate.document["delta"]["total"])
    if len(claims) == 1 and not any(map(is_of_group, certificate.claims)):
        lines += _claim_lines(claims[0], certificate.rows, f", with {confidence}", verbose)
        lines += _classes(certificate, confidence) if claims[0].promised is not None else []
    else:
        for ends in _by_subject(claims):
            lines += [f"{ends[0].of[0].upper()}{ends[0].of[1:]}"]
            for place, claim in enumerate(ends):
                # What was seen is the same behind both ends of an interval.
                lines += _claim_lines(claim, certificate.rows, "", verbose)[place > 0 :]
            lines += [""]
        if any(map(is_of_group, certificate.claims)):
            lines += [*_groups(certificate), ""]
            claims += worst_first(certificate.claims)
        together = at_once(claims, confidence)
        if not together and any(map(says_something, claims)):
            together = f"What is promised holds with {confidence}."
        lines += block("Together", [together] if together else [], fold=False)
    listed = {
        (a.name, f"{a.status}: {a.evidence}" if a.evidence else a.status): None
        for c in claims
        for a in c.assumptions
    }
    width = max(len(name) for name, _ in listed)
    conditions = [f"{name:<{width}}   ({how})" for name, how in listed]
    if not verbose and max(map(len, conditions)) > WIDTH:
        conditions = [f"{name} ({how})" for name, how in listed]
    lines += block("If", conditions, fold=not verbose)
    lines += block("Delta", accounting(certificate, verbose=verbose), fold=False)
    if estimate:
        from assay.certificates.show.estimates import estimates

        made = estimates(certificate.claims, certificate.document["delta"]["total"])
        lines += block("Estimate", list(map(str, made)), fold=False)
    # Labels, names and evidence are whatever a file says.
    return "\n".join(printable(line.rstrip(), _LONGEST) for line in lines)


def _by_subject(claims: Sequence[Guarantee]) -> list[list[Guarantee]]:
    """Claims one after the other, those of both ends of one thing together."""
    grouped: list[list[Guarantee]] = []
    for claim in claims:
        last = grouped[-1][-1] if grouped else None
        both = last is not None and (last.of, last.observed) == (claim.of, claim.observed)
        if both and last is not None and last.direction != claim.direction:
            grouped[-1].append(claim)
        else:
            grouped.append([claim])
    return grouped


def _told(certificate: Certificate, verbose: bool) -> list[Guarantee]:
    """The claims that are told at length."""
    first, *others = certificate.claims
    hidden = _IN_TABLE if verbose else (*_IN_TABLE, *_BRIEF)
    return [first, *(one for one in others if quantity_of(one) not in hidden)]


def _groups(certificate: Certificate) -> list[str]:
    """A line for each group, the worst first."""
    rows = group_rows(certificate.claims)
    head = ("group", "at most", "seen", "wrong")
    more = left_out(rows)
    return block("Groups", [*columns([head, *rows[:MOST]]), *([more] if more else [])], fold=False)


def _classes(certificate: Certificate, confidence: str) -> list[str]:
    """A line for each class that has a promise of its own, where the others of the certificate are not told."""
    claims = [c for c in certificate.claims[1:] if quantity_of(c) == "class-error"]
    if not claims:
        return []
    worst = sorted(claims, key=lambda c: float(c.observed or 0), reverse=True)[:_MOST_CLASSES]
    lines = [class_promised(one) for one in claims if one in worst]
    left = len(claims) - len(lines)
    if left:
        lines.append(
            f"{left:,} more classes were wrong no more often: see --verbose, or the report."
        )
    together = at_once([certificate.claims[0], *claims], confidence)
    return block("Classes", [*lines, *([together] if together else [])])


def _claim_lines(claim: Guarantee, rows: int, confidence: str, verbose: bool) -> list[str]:
    lines = block("Seen", [seen(claim, rows)], fold=False)
    lines += block("Promised", [promised(claim, confidence)], fold=False)
    if verbose and claim.promised is not None:
        how = f"{claim.promised_text} by {claim.theorem}"
        if claim.textbook is not None:
            how += f"; the textbook's ({claim.textbook[0]}) is {float(claim.textbook[1]):.6g}"
        lines += block("Bound", [f"{how}."], fold=False)
    return lines


def accounting(certificate: Certificate, *, verbose: bool = True) -> list[str]:
    """How delta was shared, where there is anything to say about it."""
    delta, ledger = certificate.document["delta"], certificate.document["ledger"]
    lines = []
    if len(certificate.claims) > 1 or delta["declared_models"] > 1 or ledger is not None:
        claims = _told(certificate, verbose)
        each_share = [shown_up(claim.delta, 3) for claim in claims]
        alike = len(each_share) > _MOST_SHARES and len(set(each_share)) == 1
        shares = f"{each_share[0]} each" if alike else ", ".join(each_share)
        told = [*claims, *filter(is_of_group, certificate.claims)]
        hidden = [one for one in certificate.claims if one not in told]
        spend = "statements above spend" if len(claims) > 1 else "statement above spends"
        spend = "promise of the error spends" if hidden else spend
        lines += [f"delta {delta['total']} is shared; the {spend} {shares}."]
        classes = [Fraction(one.delta) for one in hidden if quantity_of(one) == "class-error"]
        if classes:
            spent = shown_up(str(decimal_text(sum(classes, Fraction(0)))), 3)
            lines[-1] = f"{lines[-1][:-1]}, those of the classes {spent}."
        lines += _groups_spend(certificate)
        for one in hidden:
            if quantity_of(one) == "chosen-error":
                lines += [
                    f"The choice among learners spends {shown_up(one.delta, 3)}; --verbose tells what it promised."
                ]
    if certificate.document["data"]["role"] == "difference":
        lines += difference_shared(delta)
    elif delta["declared_models"] > 1:
        lines += [
            f"{delta['declared_models']} models were declared as candidates, each with an equal share."
        ]
    if ledger is not None:
        bits = delta["holdout_bits_released_before"]
        lines += [f"Look {ledger['entry']} at this holdout, after {bits} bits about it were told."]
    return lines


def _groups_spend(certificate: Certificate) -> list[str]:
    """What the bounds of single groups spend."""
    groups = worst_first(certificate.claims)
    if not groups:
        return []
    each = shown_up(groups[0].delta, 3)
    if len(groups) == 1:
        return [f"The bound of the one group spends {each}."]
    return [f"The bounds of the {len(groups):,} groups spend {each} each."]


def verification_text(verification: Verification) -> str:
    """What was checked, line by line, and the verdict."""
    lines = [
        f"  {'ok     ' if f.ok else 'REFUSED'}  {f.check}: {f.detail}"
        for f in verification.findings
    ]
    lines += [f"  note     {note}" for note in verification.notes]
    return "\n".join([*lines, verification.conclusion])
