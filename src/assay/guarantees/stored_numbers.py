"""Guarantees of a model that is so many stored numbers: there are only so many such models."""

from __future__ import annotations

from fractions import Fraction

from assay.errors import require
from assay.guarantees.assumption import Assumption
from assay.guarantees.build import guarantee
from assay.guarantees.decimals import decimal_text, delta_text
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.optimality import loss_guarantee
from assay.record.stored_numbers import StoredNumbersRecord
from assay.theory.claim import OVER_EXAMPLES
from assay.theory.generalization.occam import FIXED_LANGUAGE
from assay.theory.needs import count, inside_unit
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.exact_twins import CODE_FIXED
from assay.theory.tail.hoeffding import INDEPENDENT_DRAWS

_ROWS = "occam-float64"
_THOUSANDTHS = 1000
_COIN = Fraction(1, 2)


def record_guarantees(record: StoredNumbersRecord, delta: Number = 0.05) -> list[Guarantee]:
    """What the length of a recorded model says about its error, and its loss about its training error.

    Examples
    --------
    >>> print(record_guarantees(StoredNumbersRecord(10, 5000, 250))[0])
    error: at most 0.194296, observed 0.05, failing with probability at most 0.05, by occam-exact
    """
    stored = stored_guarantees(
        record.numbers, record.rows, record.errors, delta, bits=record.bits, code=record.code
    )
    return stored if record.training is None else [*stored, loss_guarantee(record.training)]


def stored_guarantees(
    numbers: int,
    rows: int | None,
    errors: int | None,
    delta: Number = 0.05,
    *,
    bits: int | None = None,
    code: str = "",
    within: Number = 0.05,
) -> list[Guarantee]:
    """What the length of a model's description says about its error.

    The first is about the error, by the exact form of Occam's razor; where the errors on the training rows are
    not known, about how far the error can be above their share. Then how many rows are enough for an error near
    their share, whatever the model is; and, where the first is no better than a coin, how many are enough for a
    bound below one half (``occam-float64``).

    Parameters
    ----------
    numbers : int
        How many numbers the model is.
    rows : int or None
        The training rows; None where the same ones may have been learned more than once, so that nobody knows how
        many independent ones there were. Then there is no promise about the error.
    errors : int or None
        How many of them the model gets wrong, if that is known.
    delta : number
        The probability that a promise fails, for each of them.
    bits : int, optional
        The length of the model in a prefix-free code; 64 for each number when not given.
    code : str
        The code in a few words.
    within : number
        How near the error shall be to the share of errors.

    Examples
    --------
    >>> error, enough = stored_guarantees(10, 5000, 250)
    >>> print(error)
    error: at most 0.194296, observed 0.05, failing with probability at most 0.05, by occam-exact
    >>> enough.of, enough.promised
    ('rows for an error within 0.05 of the share of errors', 89461)
    """
    size = 64 * count("numbers", numbers, at_least=1) if bits is None else count("bits", bits)
    near = decimal_text(within)
    enough = _enough(numbers, near, delta, f"an error within {near} of the share of errors")
    if rows is None:
        require(errors is None, "errors", "None where the rows are not known", errors)
        return [enough]
    if errors is not None:
        few = count("errors", errors) <= count("rows", rows, at_least=1)
        require(few, "errors", f"at most the number of rows {rows}", errors)
    words = code or f"{numbers} numbers of 64 bits each, labels being known"
    first = _error(max(size, 1), rows, errors, delta_text(delta), words)
    guarantees = [first, enough]
    if errors is not None and (first.value or 0) >= _COIN:
        # The largest distance at which the share of errors and the distance together stay below one half.
        apart = (_COIN - Fraction(errors, rows)) * _THOUSANDTHS // 1 - 1
        if apart > 0:
            most = decimal_text(Fraction(apart, _THOUSANDTHS))
            guarantees.append(_enough(numbers, most, delta, "a bound on the error below one half"))
    return guarantees


def _error(bits: int, rows: int, errors: int | None, delta: str, code: str) -> Guarantee:
    fixed = Assumption(CODE_FIXED, "declared", f"{bits} bits: {code}")
    language = Assumption(FIXED_LANGUAGE, "declared", f"{bits} bits: {code}")
    once = "" if errors is not None else "no row was learned twice"
    known = (Assumption(INDEPENDENT_DRAWS, "assumed", once), fixed, language)
    inputs = {"rows": rows, "bits": bits, "delta": delta}
    if errors is None:
        return error_guarantee(
            "regularized-occam",
            {"errors": 0, **inputs, "code": "prefix-free"},
            of="error beyond the share of errors on the training rows",
            formula="err_D(h) - err_S(h)",
            known=known,
        )
    seen = (errors, rows)
    return error_guarantee("occam-exact", {"errors": errors, **inputs}, observed=seen, known=known)


def _enough(numbers: int, near: str, delta: Number, what: str) -> Guarantee:
    """So many rows are enough for any model of so many numbers."""
    inside_unit("within", near)
    drawn, shape = find_theorem(_ROWS).assumes
    return guarantee(
        _ROWS,
        {"weights": numbers, "error": near, "delta": delta_text(delta), "case": "agnostic"},
        of=f"rows for {what}",
        formula=f"|err_D(h) - err_S(h)| <= {near}",
        form="P[{formula}] >= 1 - {delta} from {promised} rows on",
        known=(Assumption(drawn, "assumed"), Assumption(shape, "declared")),
        number=int,
        quantifier=OVER_EXAMPLES,
        certified=f"every model of {numbers} numbers",
    )
