"""One claim in plain words: what was seen, what is promised, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from assay.certificates.format.quantity import on_new_rows, outside
from assay.certificates.show.difference_words import difference_promise, difference_seen
from assay.certificates.show.group_words import group_promise, group_seen, group_untold
from assay.certificates.show.judged_words import (
    is_about_batch,
    is_judged,
    judged_promise,
    judged_seen,
)
from assay.certificates.show.quantity_words import numeric_promise, numeric_seen
from assay.certificates.show.score_words import score_promise, score_seen
from assay.certificates.show.unit_words import UNIT_ERRORS, units_promise, units_seen
from assay.errors import AssayError
from assay.evidence.training_overlap import TrainingOverlap
from assay.guarantees.decimals import decimal_text, shown_down, shown_up
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.measures import MEASURES
from assay.guarantees.nonvacuous import rows_to_bite
from assay.guarantees.subject import subject_of
from assay.theory.claim import LOSSES, NUMERIC, OF_GROUP, OF_GROUPS, OF_PROBABILITIES, Quantity
from assay.theory.rounding import Number, as_fraction

_RATES = ("error", "training-error", "rate")
# Theorems about training errors that count examples instead of giving their share.
_COUNTED = {"boosting-training-error"}
# A distance in the unit of the numbers, which a sentence shows in the same way.
_DISTANCE = "absolute-error-quantile"
# Of a percentage, wherever one is shown.
_DIGITS = 3


def quantity_of(claim: Guarantee) -> Quantity | None:
    """The id of what a guarantee is about; None for what no certificate speaks of."""
    subject = subject_of(claim.of)
    return None if subject is None else subject.quantity


def is_rate(claim: Guarantee) -> bool:
    """Whether a claim speaks of a share of rows, which people read in per cent.

    Examples
    --------
    >>> from assay import certify
    >>> is_rate(certify(errors=1, rows=9).claims[0]), is_rate(certify(loss=[0.25, 0.5]).claims[0])
    (True, False)
    """
    counted = claim.theorem in _COUNTED or is_about_next_rows(claim) or is_about_batch(claim)
    return claim.kind in _RATES and not counted and quantity_of(claim) not in LOSSES


def is_about_next_rows(claim: Guarantee) -> bool:
    """Whether a claim counts errors among rows to come."""
    return "next_rows" in claim.inputs


def says_something(claim: Guarantee) -> bool:
    """Whether a claim promises anything that not every model meets."""
    return claim.promised is not None and not claim.vacuous


def at_once(claims: Sequence[Guarantee], confidence: str) -> str:
    """How many promises hold together; nothing where fewer than two say something.

    Examples
    --------
    >>> from assay import certify
    >>> three = certify(y_true=[0, 1] * 50, y_pred=[0, 1] * 50, rates=["class"]).claims
    >>> at_once(three, "95 % confidence")
    'All 3 promises hold at once, with 95 % confidence.'
    """
    promises = sum(map(says_something, claims))
    if promises < 2:
        return ""
    which = "All" if promises == len(claims) else "The"
    others = len(claims) - promises
    left = (
        ""
        if not others
        else f"; the other{'s' if others > 1 else ''} promise{'' if others > 1 else 's'} nothing"
    )
    return f"{which} {promises:,} promises hold at once, with {confidence}{left}."


def seen(claim: Guarantee, rows: int) -> str:
    """What was seen, as a sentence.

    Examples
    --------
    >>> from assay import certify
    >>> seen(certify(errors=50, rows=1000).claims[0], 1000)
    '50 of 1,000 rows are wrong (5 %).'
    """
    inputs, subject = claim.inputs, subject_of(claim.of)
    if subject is not None and subject.quantity in (*OF_GROUP, *OF_GROUPS):
        told = claim.observed is not None
        return group_seen(claim, subject, percent) if told else group_untold(claim)
    if "units" in inputs and claim.kind != "difference" and claim.observed is not None:
        return units_seen(claim, percent(float(claim.observed)))
    if subject is not None and subject.quantity in MEASURES and claim.observed is not None:
        return _metric_words(MEASURES[subject.quantity].seen, claim)
    if claim.kind == "difference":
        return difference_seen(claim)
    if is_judged(claim):
        return judged_seen(claim)
    if subject is not None and subject.quantity in NUMERIC and claim.observed is not None:
        return numeric_seen(claim, subject, rows, percent(float(claim.observed)))
    if subject is not None and subject.quantity in OF_PROBABILITIES and claim.observed is not None:
        return score_seen(claim, subject, rows)
    counted = isinstance(inputs.get("errors"), int) and isinstance(inputs.get("rows"), int)
    if quantity_of(claim) == "chosen-error":
        share = percent(inputs["errors"] / inputs["rows"])
        return f"{inputs['errors']:,} of the {inputs['rows']:,} training rows that judged it were wrong ({share})."
    if claim.observed is None and not counted:
        return f"{capital(claim.of)}: not observed."
    if claim.observed is None:
        return f"No more than {inputs['errors']:,} of {inputs['rows']:,} rows are wrong; the count is not told."
    if (is_rate(claim) or is_about_next_rows(claim)) and counted:
        share = percent(float(claim.observed))
        return f"{inputs['errors']:,} of {inputs['rows']:,} rows{_of_class(claim)} are wrong ({share})."
    if quantity_of(claim) == "mean-loss":
        return f"The mean loss over {rows:,} rows is {float(claim.observed):.6g}."
    return f"{capital(claim.of)}: {observed_number(claim)}."


def _metric_words(template: str, claim: Guarantee) -> str:
    """A sentence about a metric, with its label, its counts and what was seen."""
    subject, inputs = subject_of(claim.of), claim.inputs
    counted = next((value for value in inputs.values() if isinstance(value, list)), [])
    share = "" if claim.observed is None else percent(float(claim.observed))
    label = None if subject is None else subject.label
    return template.format(**inputs, label=label, classes=len(counted), share=share)


def _of_class(claim: Guarantee) -> str:
    """Of which rows a rate speaks, where it is not of all."""
    subject = subject_of(claim.of)
    if subject is None or subject.quantity != "class-error":
        return ""
    return f" of class {subject.label!r}"


def class_promised(claim: Guarantee) -> str:
    """What is promised of the rows of one class, and what was seen of them.

    Examples
    --------
    >>> from assay import certify
    >>> mails = ["ham"] * 80 + ["spam"] * 20
    >>> class_promised(certify(y_true=mails, y_pred=["ham"] * 81 + ["spam"] * 19, rates=["class"]).claims[2])
    "At most 28 % of new rows of class 'spam' are taken for another (1 of 20 was)."
    """
    subject, errors, rows = subject_of(claim.of), claim.inputs["errors"], claim.inputs["rows"]
    assert subject is not None
    were = f"{errors:,} of {rows:,} {'was' if errors == 1 else 'were'}"
    if not says_something(claim):
        return f"Nothing is promised of rows of class {subject.label!r} ({were} taken for another)."
    most = promised_number(claim)
    return f"At most {most} of new rows of class {subject.label!r} are taken for another ({were})."


def promised(claim: Guarantee, confidence: str) -> str:
    """What is promised, or why nothing is, as a sentence that may be taken at its word.

    Parameters
    ----------
    claim : Guarantee
        The claim.
    confidence : str
        What ends the sentence, such as ``", with 95 % confidence"``.

    Examples
    --------
    >>> from assay import certify
    >>> promised(certify(errors=50, rows=1000).claims[0], ", with 95 % confidence")
    'The chance that a new row is wrong is at most 6.29 %, with 95 % confidence.'
    >>> promised(certify(errors=50, rows=1000, next_rows=100).claims[0], ", with 95 % confidence")
    'At most 9 of the next 100 rows will be wrong, with 95 % confidence.'
    """
    if claim.promised is None:
        return because_nothing(claim)
    if claim.vacuous and claim.kind == "regret":
        return f"Nothing: at most {promised_number(claim)} is as much as there is to lose."
    if claim.vacuous:
        return _vacuous(claim)
    sentence = promise(claim)
    if claim.theorem == "holdout-anytime":
        # The number is of this moment; what holds at every moment is that moment's own number.
        sentence += "; the bounds of all moments, each with its own number, hold at once"
    elif quantity_of(claim) == "mean-error-as-played":
        return f"{sentence}{confidence}, at whatever moment one stops."
    return f"{sentence}{confidence}."


def promise(claim: Guarantee) -> str:
    """The promise of a claim that says something, without the end of its sentence."""
    assert claim.promised_text is not None
    subject = subject_of(claim.of)
    if subject is not None and subject.quantity in MEASURES:
        words = _metric_words(MEASURES[subject.quantity].promise, claim)
        return f"{words} is {claim.direction} {_share_promised(claim)}"
    if claim.kind == "difference":
        return difference_promise(claim)
    if subject is not None and subject.quantity in NUMERIC:
        share = percent_above(claim.promised_text) if is_rate(claim) else ""
        return numeric_promise(claim, subject, share)
    if subject is not None and subject.quantity in OF_PROBABILITIES:
        return score_promise(claim, subject)
    if subject is not None and subject.quantity in (*OF_GROUP, *OF_GROUPS):
        return group_promise(subject, promised_number(claim))
    if quantity_of(claim) == "mean-loss":
        return f"The expected loss of a new row is at most {shown_up(claim.promised_text, 7)}"
    if is_about_next_rows(claim):
        following = claim.inputs["next_rows"]
        if int(claim.promised_text) == 0:
            return (
                f"None of the next {following:,} rows will be wrong"
                if following > 1
                else "The next row will not be wrong"
            )
        return f"At most {int(claim.promised_text):,} of the next {following:,} rows will be wrong"
    if is_judged(claim):
        share = percent_above(as_fraction(claim.promised_text) / (claim.items or 1))
        said = judged_promise(claim, share)
        if said is not None:
            return said
    if not is_rate(claim):
        return f"{capital(claim.of)}: at most {promised_number(claim)}"
    share = percent_above(claim.promised_text)
    if claim.theorem == "holdout-finite-population":
        batch = claim.inputs["population"]
        wrong = int(as_fraction(claim.promised_text) * batch)
        share = percent_above(Fraction(wrong, batch))
        return f"At most {wrong:,} of the {batch:,} rows of the whole batch are wrong ({share})"
    if quantity_of(claim) == "mean-error-as-played":
        return as_played(claim, share)
    if claim.kind == "training-error":
        return f"At most {share} of the training rows are wrong"
    if quantity_of(claim) in UNIT_ERRORS:
        return units_promise(claim, share)
    return f"The chance that {_which_row(claim)} is {claim.direction} {_share_promised(claim)}"


def _share_promised(claim: Guarantee) -> str:
    """A promised share in per cent, rounded so that it never promises more than it does."""
    assert claim.promised_text is not None
    shown = percent_below if claim.direction == "at least" else percent_above
    return shown(claim.promised_text)


def _which_row(claim: Guarantee) -> str:
    """A new row, and what may befall it."""
    row = "a new row"
    if outside(claim.assumptions):
        row += " that is not in the training set"
    if quantity_of(claim) == "chosen-error":
        return f"the learner, as it was when it was chosen, is wrong on {row}"
    subject = subject_of(claim.of)
    if subject is not None and subject.side:
        return f"{row} of class {subject.label!r} is taken for {subject.other!r}"
    return f"{row}{_of_class(claim)} is wrong"


def _vacuous(claim: Guarantee) -> str:
    """Why a bound that every model meets says nothing."""
    if is_about_next_rows(claim):
        return f"Nothing: the bound is all of the next {claim.inputs['next_rows']:,} rows, which every model meets."
    if is_about_batch(claim):
        return "Nothing: the bound is all items of the batch."
    if claim.kind == "difference":
        return "Nothing: these rows do not show which of the two models is better."
    if claim.direction == "at least":
        return "Nothing: the bound is the least that any model has."
    enough = rows_enough(claim)
    more = (
        ""
        if enough is None
        else f" From about {enough:,} rows on, this rate of errors would say something."
    )
    return f"Nothing: the bound is 1, which every model meets.{more}"


def as_played(claim: Guarantee, share: str) -> str:
    """What is promised about a learner that changed while it was judged.

    Of new rows nothing follows unless all rows were drawn from one distribution: an electricity price that was
    predicted well each next half-hour is not predicted well by those hypotheses at any other time.

    Examples
    --------
    >>> from assay.certificates.issue.stream import certify_stream
    >>> as_played(certify_stream(rows=1000, errors=50).claims[0], "7.7 %")
    'Each time it predicted, its chance of being wrong on that next row was at most 7.7 % on average'
    """
    if on_new_rows(claim.assumptions):
        return f"The hypotheses of this run are wrong on a new row with a chance of at most {share} on average"
    return f"Each time it predicted, its chance of being wrong on that next row was at most {share} on average"


def because_nothing(claim: Guarantee) -> str:
    """Why a claim without a number has none."""
    return f"No promise: {why_nothing(claim)}"


def why_nothing(claim: Guarantee) -> str:
    """The reason for that: what was found against a condition, or that the theorem gives no number.

    Examples
    --------
    >>> from assay import certify
    >>> from assay.certificates.issue.distinct_rows import not_in_training
    >>> from dataclasses import replace
    >>> claim = certify(errors=5, rows=100).claims[0]
    >>> why_nothing(replace(claim, assumptions=(not_in_training(12, 100, "refuse"),)))
    '12 of 100 holdout rows also occur in training.'
    """
    broken = next((a for a in claim.assumptions if a.status == "violated"), None)
    if broken is None:
        return f"{claim.theorem} gives no finite number here."
    if isinstance(broken.evidence, TrainingOverlap):
        overlap = broken.evidence
        occur = "occurs" if overlap.repeated == 1 else "occur"
        return f"{overlap.repeated:,} of {overlap.rows:,} holdout rows also {occur} in training."
    why = f" ({broken.evidence})" if broken.evidence else ""
    return f"it is not true that {broken.name}{why}."


def rows_enough(claim: Guarantee) -> int | None:
    """The rows from which a vacuous claim would say something, where that is known."""
    try:
        return rows_to_bite(claim)
    except (AssayError, KeyError):
        # The theorem needs more than a count of errors, and what more rows would do to that is not known.
        return None


def promised_number(claim: Guarantee) -> str:
    """The promised number for people, rounded so that it never promises more; a dash where there is none.

    Examples
    --------
    >>> from assay import certify
    >>> promised_number(certify(errors=50, rows=1000).claims[0])
    '6.29 %'
    """
    if claim.promised_text is None:
        return "–"
    if quantity_of(claim) == _DISTANCE:
        return f"±{shown_up(claim.promised_text, 4)}"
    if quantity_of(claim) == "group-gap":
        return _in_points(percent_above(claim.promised_text))
    if is_rate(claim):
        return _share_promised(claim)
    shown = shown_down if claim.direction == "at least" else shown_up
    return readable(shown(claim.promised_text, _digits(claim.promised_text)))


def observed_number(claim: Guarantee) -> str:
    """The observed number for people; a dash where there is none."""
    if claim.observed_text is None:
        return "–"
    value = float(claim.observed_text)
    if quantity_of(claim) == _DISTANCE:
        return f"±{shown_up(claim.observed_text, 4)}"
    if quantity_of(claim) == "group-gap":
        return _in_points(percent(value))
    if is_rate(claim) or is_about_next_rows(claim) or quantity_of(claim) in MEASURES:
        return percent(value)
    return readable(claim.observed_text) if value.is_integer() else f"{value:,.6g}"


def _in_points(share: str) -> str:
    """A difference of two shares."""
    return share.removesuffix(" %") + (" point" if share == "1 %" else " points")


def readable(number: str) -> str:
    """A decimal with its thousands marked.

    Examples
    --------
    >>> readable("5607"), readable("0.25"), readable("-0.25")
    ('5,607', '0.25', '-0.25')
    """
    integer, point, rest = number.removeprefix("-").partition(".")
    sign = "-" if number.startswith("-") else ""
    return f"{sign}{int(integer):,}{point}{rest}" if integer.isdigit() else number


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def percent(rate: float) -> str:
    """A rate as a percentage of three digits, or as many as it takes not to read as all.

    Examples
    --------
    >>> percent(0.05), percent(1 / 3), percent(0.99961)
    ('5 %', '33.3 %', '99.96 %')
    """
    digits = _DIGITS
    while rate < 1 and float(f"{100 * rate:.{digits}g}") == 100 and digits < 17:
        digits += 1
    return f"{100 * rate:.{digits}g} %"


def percent_above(promised: Number) -> str:
    """A promised rate as a percentage like `percent`, rounded so that it never reads lower than it is.

    Examples
    --------
    >>> percent_above("0.06286340351237975"), percent_above("0.05"), percent_above("0.99961"), percent_above("1")
    ('6.29 %', '5 %', '99.97 %', '100 %')
    """
    rate, digits = as_fraction(promised), _DIGITS
    exact = decimal_text(100 * rate)
    # A promise must not read as none.
    while rate < 1 and shown_up(exact, digits) == "100" and digits < 17:
        digits += 1
    return f"{shown_up(exact, digits)} %"


def percent_below(promised: Number) -> str:
    """A promised rate as a percentage like `percent`, rounded so that it never reads higher than it is.

    Examples
    --------
    >>> percent_below("0.8580107484090549"), percent_below("0.9"), percent_below("0.99999")
    ('85.8 %', '90 %', '99.9 %')
    """
    return f"{shown_down(decimal_text(100 * as_fraction(promised)), _DIGITS)} %"


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
