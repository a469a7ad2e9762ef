"""Two models on the same rows, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from assay.guarantees.decimals import decimal_text, shown_down, shown_up
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject, subject_of, two_models
from assay.theory.rounding import as_fraction

_GRADED = ("loss-difference", "unit-mean-loss-difference")
_OVER_UNITS = ("unit-mean-difference", "unit-mean-loss-difference")


# How comparisons share delta, and by which theorem they all hold.
_SHARED = {
    "union": ("each with an equal share", "union-bound"),
    "holm": (
        "which share delta by Holm's steps: the first that passes spends an equal share, and the next one shares with "
        "one less",
        "holm-steps",
    ),
    # The page of Holm's steps proves this as well.
    "intersection-union": (
        "and this is told only where all of them pass, so that each may spend all of it",
        "holm-steps",
    ),
}


def difference_seen(claim: Guarantee) -> str:
    """What was seen of the two: on how many rows only one of them was wrong, or how far their losses are apart.

    Examples
    --------
    >>> from assay import certify_difference
    >>> difference_seen(certify_difference(only_old=40, only_new=20, rows=1000).claims[0])
    'Only the old model is wrong on 40 rows, only the new one on 20: 2 points fewer errors.'
    """
    inputs, subject = claim.inputs, _subject(claim)
    old, new = two_models(subject.old, subject.new)
    if claim.observed_text is None:
        return "On how many rows only one of the two models is wrong is not told."
    apart = Fraction(claim.observed_text)
    points = _lower(apart) if subject.quantity in _GRADED else _points(apart)
    verb = "has" if subject.quantity in _GRADED else "makes"
    than = f" than {old}" if subject.old or subject.new else ""
    who = new if subject.new else "the new model"
    if "units" in inputs:
        units = sum(many for _, _, many in inputs["units"])
        return f"On average over {units:,} units, {who} {verb} {points}{than if apart else ''}."
    if subject.quantity in _GRADED:
        rows = inputs["old_losses"]["rows"]
        over = "On average over {:,} units" if subject.quantity in _OVER_UNITS else "Over {:,} rows"
        return f"{over.format(rows)}, {who} {verb} {points}{than if apart else ''}."
    return (
        f"Only {old} is wrong on {inputs['only_old']:,} rows, only {new} on {inputs['only_new']:,}: "
        f"{points}."
    )


def _subject(claim: Guarantee) -> Subject:
    subject = subject_of(claim.of)
    assert subject is not None
    return subject


def _points(difference: Fraction) -> str:
    shown = f"{abs(float(100 * difference)):.3g}"
    noun = "point" if shown == "1" else "points"
    if difference == 0:
        return "as many errors"
    return f"{shown} {noun} {'fewer' if difference > 0 else 'more'} errors"


def _lower(difference: Fraction) -> str:
    if difference == 0:
        return "the same mean loss"
    side = "lower" if difference > 0 else "higher"
    return f"a mean loss that is {side} by {abs(float(difference)):.3g}"


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
    subject, text = _subject(claim), claim.promised_text
    assert text is not None
    graded = subject.quantity in _GRADED
    what = "mean loss" if graded else "error"
    whose = f"The new model's {what}" if not subject.new else f"The {what} of {subject.new!r}"
    other = f"that of {subject.old!r}" if subject.old else "the old one's"
    if subject.new and not subject.old:
        other = "the old model's"
    over = ", averaged over units," if subject.quantity in _OVER_UNITS else ""
    if subject.quantity == "better":
        return f"{whose} is below {other}"
    number = as_fraction(text) if graded else 100 * as_fraction(text)
    if number >= 0:
        side, bound, shown = "below", "at least", shown_down(decimal_text(number), 3)
    else:
        side, bound, shown = "above", "at most", shown_up(decimal_text(-number), 3)
    unit = "" if graded else " point" if shown == "1" else " points"
    return f"{whose}{over} is {side} {other} by {bound} {shown}{unit}"


def difference_shared(delta: Mapping[str, Any]) -> list[str]:
    """How comparisons share delta, where there are several.

    Examples
    --------
    >>> from assay import certify_difference
    >>> difference_shared(certify_difference(only_old=4, only_new=2, rows=9, rivals=3).document["delta"])
    ['3 comparisons were declared, each with an equal share (union-bound).']
    """
    declared = delta["declared_models"]
    if declared == 1:
        return []
    how, theorem = _SHARED[delta["rule"]]
    return [f"{declared:,} comparisons were declared, {how} ({theorem})."]
