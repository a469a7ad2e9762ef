"""Rows that come in units, in plain words: the mean over units, all their rows, and units as a whole."""

from __future__ import annotations

from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject, subject_of

UNIT_ERRORS = ("unit-mean-error", "unit-row-error", "unit-any-error")


def units_seen(claim: Guarantee, share: str) -> str:
    """What was seen, as a sentence; `share` is the observed one in per cent.

    Examples
    --------
    >>> from assay import certify
    >>> rows = {"y_true": [0, 1] * 50, "y_pred": [0, 1] * 45 + [0, 0] * 5, "unit": [i // 4 for i in range(100)]}
    >>> for over in ({}, {"over": "rows", "most_rows": 4}, {"over": "whole-units"}):
    ...     print(units_seen(certify(**rows, **over).claims[0], "5 %"))
    Of the rows of one unit, 5 % are wrong on average over 25 units.
    5 of 100 rows of 25 units are wrong (5 %).
    3 of 25 units have a wrong row (5 %).
    """
    subject, kinds = subject_of(claim.of), claim.inputs["units"]
    units = sum(many for *_, many in kinds)
    rows, wrong = (sum(kind[place] * kind[2] for kind in kinds) for place in (1, 0))
    what = _what(subject, "are wrong", "are off by more than {}")
    match "" if subject is None else subject.quantity:
        case "unit-mean-error" | "unit-mean-beyond":
            return f"Of the rows of one unit, {share} {what} on average over {units:,} units."
        case "unit-row-error" | "unit-row-beyond":
            return f"{wrong:,} of {rows:,} rows of {units:,} units {what} ({share})."
        case "unit-any-error" | "unit-any-beyond":
            broken = sum(many for errors, _, many in kinds if errors)
            row = _what(subject, "a wrong row", "a row that is off by more than {}")
            return f"{broken:,} of {units:,} units have {row} ({share})."
    of = f"{claim.of[:1].upper()}{claim.of[1:]}"
    return f"{of}: {share}, over {rows:,} rows of {units:,} units."


def units_promise(claim: Guarantee, share: str) -> str:
    """What is promised of new units, without the end of its sentence; `share` is the promised one in per cent.

    Examples
    --------
    >>> from assay import certify
    >>> rows = {"y_true": [0, 1] * 50, "y_pred": [0, 1] * 45 + [0, 0] * 5, "unit": [i // 4 for i in range(100)]}
    >>> for over in ({}, {"over": "rows", "most_rows": 4}, {"over": "whole-units"}):
    ...     print(units_promise(certify(**rows, **over).claims[0], "14.9 %"))
    The chance that a row of a new unit is wrong, averaged over units, is at most 14.9 %
    Of all rows of new units, the share that is wrong is at most 14.9 % in the long run
    The chance that a new unit has a wrong row is at most 14.9 %
    """
    subject = subject_of(claim.of)
    what = _what(subject, "is wrong", "is off by more than {}")
    match "" if subject is None else subject.quantity:
        case "unit-row-error" | "unit-row-beyond":
            return f"Of all rows of new units, the share that {what} is at most {share} in the long run"
        case "unit-any-error" | "unit-any-beyond":
            row = _what(subject, "a wrong row", "a row that is off by more than {}")
            return f"The chance that a new unit has {row} is at most {share}"
    return f"The chance that a row of a new unit {what}, averaged over units, is at most {share}"


def _what(subject: Subject | None, wrong: str, beyond: str) -> str:
    """What befalls a row: that it is wrong, or off by more than was declared."""
    return beyond.format(subject.numbers[0]) if subject is not None and subject.numbers else wrong
