"""One claim in plain words: what was seen, what is promised, and how sure that is."""

from __future__ import annotations

from fractions import Fraction

from assay.certificates.bite import rows_to_bite
from assay.certificates.claims import AS_PLAYED, CHOSEN
from assay.certificates.decimals import decimal_text, shown_down, shown_up
from assay.certificates.guarantee import Guarantee
from assay.certificates.quantity import DRAWN_AFRESH
from assay.errors import AssayError
from assay.theory.rounding import Number, as_fraction

_RATES = ("error", "training-error")
# Theorems about training errors that count examples instead of giving their share.
_COUNTED = {"boosting-training-error"}


def is_rate(claim: Guarantee) -> bool:
    """Whether a claim speaks of a share of rows, which people read in per cent.

    Examples
    --------
    >>> from assay import certify
    >>> is_rate(certify(errors=1, rows=9).claims[0]), is_rate(certify(loss=[0.25, 0.5]).claims[0])
    (True, False)
    """
    return claim.kind in _RATES and claim.theorem not in _COUNTED and claim.of != "mean loss"


def seen(claim: Guarantee, rows: int) -> str:
    """What was seen, as a sentence.

    Examples
    --------
    >>> from assay import certify
    >>> seen(certify(errors=50, rows=1000).claims[0], 1000)
    '50 of 1,000 rows are wrong (5 %).'
    """
    inputs = claim.inputs
    counted = isinstance(inputs.get("errors"), int) and isinstance(inputs.get("rows"), int)
    if claim.of == CHOSEN:
        share = percent(inputs["errors"] / inputs["rows"])
        return f"{inputs['errors']:,} of the {inputs['rows']:,} training rows that judged it were wrong ({share})."
    if claim.observed is None and not counted:
        return f"{capital(claim.of)}: not observed."
    if claim.observed is None:
        return f"No more than {inputs['errors']:,} of {inputs['rows']:,} rows are wrong; the count is not told."
    if is_rate(claim) and counted:
        share = percent(float(claim.observed))
        return f"{inputs['errors']:,} of {inputs['rows']:,} rows are wrong ({share})."
    if claim.of == "mean loss":
        return f"The mean loss over {rows:,} rows is {float(claim.observed):.6g}."
    return f"{capital(claim.of)}: {observed_number(claim)}."


def promised(claim: Guarantee, confidence: str, digits: int = 4) -> str:
    """What is promised, or why nothing is, as a sentence.

    Parameters
    ----------
    claim : Guarantee
        The claim.
    confidence : str
        What ends the sentence, such as ``", with 95 % confidence"``.
    digits : int
        How many digits of a percentage are shown; it is rounded up.

    Examples
    --------
    >>> from assay import certify
    >>> promised(certify(errors=50, rows=1000).claims[0], ", with 95 % confidence")
    'Of new rows, at most 6.287 % will be wrong, with 95 % confidence.'
    """
    if claim.promised is None:
        return because_nothing(claim)
    if claim.vacuous and claim.kind == "regret":
        return f"Nothing: at most {promised_number(claim)} is as much as there is to lose."
    if claim.vacuous:
        enough = rows_enough(claim)
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
    if not is_rate(claim):
        return f"{capital(claim.of)}: at most {promised_number(claim)}{confidence}."
    if claim.of == CHOSEN:
        share = percent_above(claim.promised, digits)
        return f"Had it not learned from all training rows, at most {share} of new rows would be wrong{confidence}."
    share = percent_above(claim.promised, digits)
    if claim.theorem == "holdout-finite-population":
        return f"Of the whole batch, at most {share} is wrong{confidence}."
    if claim.of == AS_PLAYED:
        return as_played(claim, share, confidence)
    if claim.kind == "training-error":
        return f"Of the training rows, at most {share} are wrong{confidence}."
    rows = (
        "new rows that are not in the training set"
        if "not in its" in claim.certified
        else "new rows"
    )
    when = ", now and at every later moment" if claim.theorem == "holdout-anytime" else ""
    return f"Of {rows}, at most {share} will be wrong{when}{confidence}."


def as_played(claim: Guarantee, share: str, confidence: str) -> str:
    """What is promised about a learner that changed while it was judged.

    Of new rows nothing follows unless all rows were drawn from one distribution: an electricity price that was
    predicted well each next half-hour is not predicted well by those hypotheses at any other time.

    Examples
    --------
    >>> from assay.certificates.stream import certify_stream
    >>> as_played(certify_stream(rows=1000, errors=50).claims[0], "7.7 %", ", with 95 % confidence")
    'Each time it predicted, its chance of being wrong on that next row was at most 7.7 % on average, with 95 % \
confidence, at whatever moment one stops.'
    """
    said = f"Each time it predicted, its chance of being wrong on that next row was at most {share} on average"
    if claim.certified == DRAWN_AFRESH:
        said = f"The hypotheses of this run are wrong on a new row with a chance of at most {share} on average"
    return f"{said}{confidence}, at whatever moment one stops."


def because_nothing(claim: Guarantee) -> str:
    """Why a claim without a number has none."""
    broken = next((a for a in claim.assumptions if a.status == "violated"), None)
    if broken is None:
        return f"Nothing: {claim.theorem} gives no finite number here."
    return f"Nothing, because it is not true that {broken.name}."


def rows_enough(claim: Guarantee) -> int | None:
    """The rows from which a vacuous claim would say something, where that is known."""
    try:
        return rows_to_bite(claim)
    except (AssayError, KeyError):
        # The theorem needs more than a count of errors, and what more rows would do to that is not known.
        return None


def promised_number(claim: Guarantee) -> str:
    """The promised number for people, rounded up; a dash where there is none.

    Examples
    --------
    >>> from assay import certify
    >>> promised_number(certify(errors=50, rows=1000).claims[0])
    '6.287 %'
    """
    if claim.promised is None:
        return "–"
    return (
        percent_above(claim.promised)
        if is_rate(claim)
        else readable(shown_up(claim.promised, _digits(claim.promised)))
    )


def observed_number(claim: Guarantee) -> str:
    """The observed number for people; a dash where there is none."""
    if claim.observed is None:
        return "–"
    value = float(claim.observed)
    if is_rate(claim):
        return percent(value)
    return readable(claim.observed) if value.is_integer() else f"{value:,.6g}"


def readable(number: str) -> str:
    """A decimal with its thousands marked.

    Examples
    --------
    >>> readable("5607"), readable("0.25")
    ('5,607', '0.25')
    """
    whole, point, rest = number.partition(".")
    return f"{int(whole):,}{point}{rest}" if whole.lstrip("-").isdigit() else number


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def percent(rate: float) -> str:
    """A rate as a percentage with a few significant digits.

    Examples
    --------
    >>> percent(0.05), percent(1 / 3)
    ('5 %', '33.33 %')
    """
    return f"{100 * rate:.4g} %"


def percent_above(promised: Number, digits: int = 4) -> str:
    """A promised rate as a percentage, rounded so that it never reads lower than it is.

    Examples
    --------
    >>> percent_above("0.06286340351237975"), percent_above("0.05"), percent_above("1")
    ('6.287 %', '5 %', '100 %')
    """
    return f"{shown_up(decimal_text(100 * as_fraction(promised)), digits)} %"


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


def _digits(number: str) -> int:
    """Six digits, or all of a whole number that people can still read."""
    return max(6, len(number)) if number.isdigit() and len(number) <= 15 else 6
