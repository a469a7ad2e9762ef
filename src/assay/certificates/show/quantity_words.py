"""What was seen and what is promised of predicted numbers, in plain words and in the unit of the numbers."""

from __future__ import annotations

from decimal import Context, Decimal

from assay.certificates.show.unit_words import units_promise
from assay.guarantees.decimals import decimal_text, shown_up
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject
from assay.theory.rounding import as_fraction

_PLAIN = Context(prec=60)


def numeric_seen(claim: Guarantee, subject: Subject, rows: int, share: str) -> str:
    """What was seen, as a sentence; `share` is the observed rate in per cent.

    Examples
    --------
    >>> from assay import certify
    >>> claim = certify(y_true=range(100), y_pred=[0] * 100, coverage=0.9).claims[0]
    >>> numeric_seen(claim, claim.of, 100, "")
    '90 % of the 100 rows are within ±89 of the prediction.'
    """
    match subject.quantity:
        case "absolute-error-quantile":
            off = shown_up(str(claim.observed_text), 4)
            return (
                f"{coverage_of(subject)} of the {rows:,} rows are within ±{off} of the prediction."
            )
        case "beyond":
            return f"{claim.inputs['errors']:,} of {rows:,} rows are off by more than {subject.numbers[0]} ({share})."
        case _:
            mean = float(in_units(str(claim.observed_text), subject))
            return f"The mean {_which(subject)} error over {rows:,} rows is {mean:.4g}."


def numeric_promise(claim: Guarantee, subject: Subject, share: str, digits: int = 4) -> str:
    """The promise without the end of its sentence; `share` is the promised rate in per cent.

    Examples
    --------
    >>> from assay import certify
    >>> claim = certify(y_true=range(100), y_pred=[0] * 100, coverage=0.9).claims[0]
    >>> numeric_promise(claim, claim.of, "", 4)
    'At least 90 % of new rows are within ±95 of the prediction'
    """
    number = str(claim.promised_text)
    match subject.quantity:
        case "absolute-error-quantile":
            off = shown_up(number, digits)
            return (
                f"At least {coverage_of(subject)} of new rows are within ±{off} of the prediction"
            )
        case "beyond":
            return f"The chance that a new row is off by more than {subject.numbers[0]} is at most {share}"
        case "unit-mean-beyond" | "unit-row-beyond" | "unit-any-beyond":
            return units_promise(claim, share)
        case _:
            low, high = subject.numbers
            most = shown_up(in_units(number, subject), digits)
            return (
                f"The mean {_which(subject)} error on new rows is at most {most}, if predictions are clipped to the "
                f"range from {low} to {high}"
            )


def coverage_of(subject: Subject) -> str:
    """The share of rows that a promise speaks of, in per cent.

    Examples
    --------
    >>> coverage_of(Subject("absolute-error-quantile", numbers=("0.1",)))
    '90 %'
    """
    share = _PLAIN.multiply(_PLAIN.subtract(Decimal(1), Decimal(subject.numbers[0])), Decimal(100))
    return f"{share.normalize(_PLAIN):f} %"


def in_units(share: str, subject: Subject) -> str:
    """A share of a declared range, or of its square, in the unit of the numbers.

    Examples
    --------
    >>> in_units("0.25", Subject("mean-absolute-error", numbers=("-10", "10")))
    '5'
    """
    low, high = map(as_fraction, subject.numbers)
    width = high - low
    return decimal_text(as_fraction(share) * (width**2 if _squared(subject) else width))


def _squared(subject: Subject) -> bool:
    return subject.quantity == "mean-squared-error"


def _which(subject: Subject) -> str:
    return "squared" if _squared(subject) else "absolute"
