"""Two models on the same rows, in plain words."""

from __future__ import annotations

from fractions import Fraction

from assay.guarantees.decimals import decimal_text, shown_down, shown_up
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import subject_of


def difference_seen(claim: Guarantee) -> str:
    """On how many rows only one of the two was wrong.

    Examples
    --------
    >>> from assay import certify_difference
    >>> difference_seen(certify_difference(only_old=40, only_new=20, rows=1000).claims[0])
    'Only the old model is wrong on 40 rows, only the new one on 20: 2 points fewer errors.'
    """
    inputs = claim.inputs
    assert claim.observed_text is not None
    points = _points(Fraction(claim.observed_text))
    if "units" in inputs:
        units = sum(many for _, _, many in inputs["units"])
        return f"On average over {units:,} units, the new model makes {points}."
    return (
        f"Only the old model is wrong on {inputs['only_old']:,} rows, only the new one on {inputs['only_new']:,}: "
        f"{points}."
    )


def _points(difference: Fraction) -> str:
    shown = f"{abs(float(100 * difference)):.3g}"
    noun = "point" if shown == "1" else "points"
    if difference == 0:
        return "as many errors"
    return f"{shown} {noun} {'fewer' if difference > 0 else 'more'} errors"


def difference_promise(claim: Guarantee) -> str:
    """What may be said of the two, without the end of its sentence.

    Examples
    --------
    >>> from assay import certify_difference
    >>> difference_promise(certify_difference(only_old=40, only_new=20, rows=1000).claims[0])
    "The new model's error is below the old one's by at least 0.394 points"
    >>> difference_promise(certify_difference(only_old=20, only_new=20, rows=1000).claims[0])
    "The new model's error is above the old one's by at most 1.73 points"
    """
    subject, text = subject_of(claim.of), claim.promised_text
    assert text is not None
    over = ""
    if subject is not None and subject.quantity == "unit-mean-difference":
        over = ", averaged over units,"
    if subject is not None and subject.quantity == "better":
        return "The new model's error is below the old one's"
    points = 100 * Fraction(text)
    if points >= 0:
        least = shown_down(decimal_text(points), 3)
        return f"The new model's error{over} is below the old one's by at least {least} points"
    most = shown_up(decimal_text(-points), 3)
    return f"The new model's error{over} is above the old one's by at most {most} points"
