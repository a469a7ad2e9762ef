"""Certificates, plans and verifications in plain words."""

from __future__ import annotations

from assay.certificates.certificate import Certificate
from assay.certificates.issue.plan import Plan
from assay.certificates.show.words import (
    at_once,
    confidence_text,
    percent,
    percent_above,
    promised,
    quantity_of,
    says_something,
    seen,
)
from assay.certificates.verify.verify import Verification
from assay.guarantees.decimals import shown_up
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.printable import printable
from assay.report.blocks import block

__all__ = [
    "accounting",
    "certificate_text",
    "confidence_text",
    "percent",
    "percent_above",
    "plan_text",
    "verification_text",
]

# A line of a text for people; longer ones are cut.
_LONGEST = 2000


def certificate_text(certificate: Certificate, source: str = "", *, verbose: bool = True) -> str:
    """A certificate as a person reads it: seen, promised, under which conditions.

    Without `verbose` the digits of bounds are left out, and so is the promise of a choice among learners, since what
    was chosen then learned from all training rows and is no longer what that promise speaks of.

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
    claims = [c for c in certificate.claims if verbose or quantity_of(c) != "chosen-error"]
    confidence = confidence_text(certificate.document["delta"]["total"])
    if len(claims) == 1:
        lines += _claim_lines(claims[0], certificate.rows, f", with {confidence}", verbose)
    else:
        for claim in claims:
            lines += [
                f"{claim.of[0].upper()}{claim.of[1:]}",
                *_claim_lines(claim, certificate.rows, "", verbose),
                "",
            ]
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
    lines += block("If", [f"{name:<{width}}   ({how})" for name, how in listed], fold=False)
    lines += block("Delta", accounting(certificate, verbose=verbose), fold=False)
    # Labels, names and evidence are whatever a file says.
    return "\n".join(printable(line.rstrip(), _LONGEST) for line in lines)


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
        claims = [c for c in certificate.claims if verbose or quantity_of(c) != "chosen-error"]
        shares = ", ".join(shown_up(claim.delta, 3) for claim in claims)
        spend = "statement above spends" if len(claims) == 1 else "statements above spend"
        lines += [f"delta {delta['total']} is shared; the {spend} {shares}."]
        for hidden in certificate.claims[len(claims) :]:
            lines += [
                f"The choice among learners spends {shown_up(hidden.delta, 3)}; --verbose tells what it promised."
            ]
    if delta["declared_models"] > 1:
        lines += [
            f"{delta['declared_models']} models were declared as candidates, each with an equal share."
        ]
    if ledger is not None:
        bits = delta["holdout_bits_released_before"]
        lines += [f"Look {ledger['entry']} at this holdout, after {bits} bits about it were told."]
    return lines


def verification_text(verification: Verification) -> str:
    """What was checked, line by line, and the verdict."""
    lines = [
        f"  {'ok     ' if f.ok else 'REFUSED'}  {f.check}: {f.detail}"
        for f in verification.findings
    ]
    lines += [f"  note     {note}" for note in verification.notes]
    return "\n".join([*lines, verification.conclusion])


def plan_text(plan: Plan) -> str:
    """A plan as a person reads it.

    Examples
    --------
    >>> from assay import plan
    >>> print(plan_text(plan(error=0.05, delta=0.05)))
    Buy 59 labelled rows for the holdout.
    If the model gets none of them wrong, you may promise an error of at most 5 %, with 95 % confidence.
    A single error among them is one too many: a model whose true error is 1 % makes none with probability 55.3 %.
    To succeed with probability 90 %, it needs 153 rows (at most 3 wrong); one whose true error is 2 % needs 311 (at \
most 9 wrong).
    The textbook bound (validation-hoeffding) would ask for 600 rows.
    """
    sure, error = f"with {confidence_text(plan.delta)}", percent_above(plan.error)
    if plan.purpose == "training":
        within = (
            f"within {error} of the best in the class"
            if plan.inputs.get("agnostic")
            else f"below {error}"
        )
        lines = [
            f"{plan.rows:,} training rows are enough, {plan.provided}.",
            f"The error of what is learned is then {within}, {sure} (by {plan.theorem}).",
        ]
    else:
        wrong = "none" if plan.errors_allowed == 0 else f"at most {plan.errors_allowed:,}"
        lines = [
            f"Buy {plan.rows:,} labelled rows for the holdout.",
            f"If the model gets {wrong} of them wrong, you may promise an error of at most {error}, {sure}.",
        ]
        lines += _instead(plan)
        expected = float(plan.inputs["expected"])
        if plan.power is not None and expected > 0:
            lines += [
                f"A model whose true error is {percent(expected)} succeeds with probability {percent(plan.power)}."
            ]
    if plan.textbook is not None:
        lines += [
            f"The textbook bound ({plan.textbook[0]}) would ask for {plan.textbook[1]:,} rows."
        ]
    return "\n".join(lines)


def _instead(plan: Plan) -> list[str]:
    """What a plan for a model without error hides: how models fare that do err."""
    if not plan.instead:
        return []
    (guess, rows, allowed), *others = plan.instead
    lucky = percent((1 - float(guess)) ** plan.rows)
    first = percent(float(guess))
    power = percent(float(plan.inputs["power"]))
    line = (
        f"To succeed with probability {power}, it needs {rows:,} rows (at most {allowed:,} wrong)"
    )
    for guess, rows, allowed in others:
        line += f"; one whose true error is {percent(float(guess))} needs {rows:,} (at most {allowed:,} wrong)"
    return [
        f"A single error among them is one too many: a model whose true error is {first} makes none with probability "
        f"{lucky}.",
        f"{line}.",
    ]
