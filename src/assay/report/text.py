"""Certificates, plans and verifications in plain words."""

from __future__ import annotations

from fractions import Fraction

from assay.certificates.bite import rows_to_bite
from assay.certificates.certificate import Certificate
from assay.certificates.decimals import decimal_text, shown_down, shown_up
from assay.certificates.guarantee import Guarantee
from assay.certificates.plan import Plan
from assay.certificates.verify import Verification
from assay.theory.rounding import as_fraction


def certificate_text(certificate: Certificate, source: str = "") -> str:
    """A certificate as a person reads it: seen, promised, under which conditions.

    Examples
    --------
    >>> from assay import certify
    >>> print(certificate_text(certify(errors=50, rows=1000, delta=0.05)))
    Seen      50 of 1,000 rows are wrong (5 %).
    Promised  Of new rows, at most 6.287 % will be wrong, with 95 % confidence.
    Bound     0.06286340351237975 by holdout-exact; the textbook's (validation-hoeffding) is 0.0887023.
    If        the rows are independent draws from the distribution of use   (assumed)
              the model was fixed before these rows were seen               (declared)
    """
    lines = [f"Certificate for {source}", ""] if source else []
    claims, confidence = certificate.claims, confidence_text(certificate.document["delta"]["total"])
    if len(claims) == 1:
        lines += _claim_lines(claims[0], certificate.rows, f", with {confidence}")
    else:
        for claim in claims:
            lines += [
                f"{claim.of[0].upper()}{claim.of[1:]}",
                *_claim_lines(claim, certificate.rows, ""),
                "",
            ]
        lines += _block(
            "Together", [f"All {len(claims)} promises hold at once, with {confidence}."]
        )
    listed = {
        (a.name, f"{a.status}: {a.evidence}" if a.evidence else a.status): None
        for c in claims
        for a in c.assumptions
    }
    width = max(len(name) for name, _ in listed)
    lines += _block("If", [f"{name:<{width}}   ({how})" for name, how in listed])
    lines += _accounting(certificate)
    return "\n".join(line.rstrip() for line in lines)


def _claim_lines(claim: Guarantee, rows: int, confidence: str) -> list[str]:
    lines = _block("Seen", [_seen(claim, rows)]) + _block(
        "Promised", [_promised(claim, confidence)]
    )
    if claim.promised is not None:
        how = f"{claim.promised} by {claim.theorem}"
        if claim.textbook is not None:
            how += f"; the textbook's ({claim.textbook[0]}) is {float(claim.textbook[1]):.6g}"
        lines += _block("Bound", [f"{how}."])
    return lines


def _seen(claim: Guarantee, rows: int) -> str:
    inputs = claim.inputs
    if claim.observed is None:
        return f"No more than {inputs['errors']:,} of {inputs['rows']:,} rows are wrong; the count is not told."
    if isinstance(inputs.get("errors"), int):
        share = percent(float(claim.observed))
        return f"{inputs['errors']:,} of {inputs['rows']:,} rows are wrong ({share})."
    return f"The mean loss over {rows:,} rows is {float(claim.observed):.6g}."


def _promised(claim: Guarantee, confidence: str) -> str:
    if claim.promised is None:
        broken = next(a for a in claim.assumptions if a.status == "violated")
        return f"Nothing, because it is not true that {broken.name}."
    if claim.vacuous:
        enough = rows_to_bite(claim)
        more = (
            ""
            if enough is None
            else f" From about {enough:,} rows on, this rate of errors would say something."
        )
        return f"Nothing: the bound is 1, which every model meets.{more}"
    if claim.of == "mean loss":
        return (
            f"The mean loss of new rows will be at most {shown_up(claim.promised, 7)}{confidence}."
        )
    share = percent_above(claim.promised)
    if claim.theorem == "holdout-finite-population":
        return f"Of the whole batch, at most {share} is wrong{confidence}."
    rows = (
        "new rows that are not in the training set"
        if "not in its" in claim.certified
        else "new rows"
    )
    when = ", now and at every later moment" if claim.theorem == "holdout-anytime" else ""
    return f"Of {rows}, at most {share} will be wrong{when}{confidence}."


def _accounting(certificate: Certificate) -> list[str]:
    delta, ledger = certificate.document["delta"], certificate.document["ledger"]
    lines = []
    if len(certificate.claims) > 1 or delta["declared_models"] > 1 or ledger is not None:
        shares = ", ".join(shown_up(share, 3) for _, share in delta["spent"])
        lines += [f"delta {delta['total']} is shared; the statements above spend {shares}."]
    if delta["declared_models"] > 1:
        lines += [
            f"{delta['declared_models']} models were declared as candidates, each with an equal share."
        ]
    if ledger is not None:
        bits = delta["holdout_bits_released_before"]
        lines += [f"Look {ledger['entry']} at this holdout, after {bits} bits about it were told."]
    return _block("Delta", lines)


def verification_text(verification: Verification) -> str:
    """What was checked, line by line, and the verdict."""
    lines = [
        f"  {'ok     ' if f.ok else 'REFUSED'}  {f.check}: {f.detail}"
        for f in verification.findings
    ]
    lines += [f"  note     {note}" for note in verification.notes]
    verdict = "The certificate holds." if verification.ok else "The certificate does NOT hold."
    return "\n".join([*lines, verdict])


def plan_text(plan: Plan) -> str:
    """A plan as a person reads it.

    Examples
    --------
    >>> from assay import plan
    >>> print(plan_text(plan(error=0.05, delta=0.05)))
    Buy 59 labelled rows for the holdout.
    If the model gets none of them wrong, you may promise an error of at most 5 %, with 95 % confidence.
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
            f"{plan.rows:,} training rows are enough.",
            f"The error of what is learned is then {within}, {sure} (by {plan.theorem}).",
        ]
    else:
        wrong = "none" if plan.errors_allowed == 0 else f"at most {plan.errors_allowed:,}"
        lines = [
            f"Buy {plan.rows:,} labelled rows for the holdout.",
            f"If the model gets {wrong} of them wrong, you may promise an error of at most {error}, {sure}.",
        ]
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


def percent(rate: float) -> str:
    """A rate as a percentage with a few significant digits.

    Examples
    --------
    >>> percent(0.05), percent(1 / 3)
    ('5 %', '33.33 %')
    """
    return f"{100 * rate:.4g} %"


def percent_above(promised: str) -> str:
    """A promised rate as a percentage, rounded so that it never reads lower than it is.

    Examples
    --------
    >>> percent_above("0.06286340351237975"), percent_above("0.05"), percent_above("1")
    ('6.287 %', '5 %', '100 %')
    """
    return f"{shown_up(decimal_text(100 * as_fraction(promised)), 4)} %"


def confidence_text(delta: str) -> str:
    """One minus delta as a percentage, rounded so that it never reads surer than it is.

    Examples
    --------
    >>> confidence_text("0.05"), confidence_text("0.00001"), confidence_text("1e-40")
    ('95 % confidence', '99.999 % confidence', 'confidence 1 - 1E-40')
    """
    failing = as_fraction(delta)
    if failing < Fraction(1, 10**7):
        return f"confidence 1 - {shown_up(delta, 3)}"
    return f"{shown_down(decimal_text(100 * (1 - failing)), 9)} % confidence"


def _block(title: str, lines: list[str]) -> list[str]:
    """A title in the margin, and its lines beside it."""
    return [f"{title if i == 0 else '':<10}{line}" for i, line in enumerate(lines)]
