"""Numbers as decimal text: what a document carries, so that no parser can change a digit."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from assay.theory.needs import inside_unit
from assay.theory.rounding import Number, as_fraction

_DIGITS = 17  # enough to name a double uniquely


def decimal_above(value: float) -> str:
    """A short decimal that is not below a double and still reads back as it.

    Examples
    --------
    >>> decimal_above(0.5), decimal_above(0.06286340351237975)
    ('0.5', '0.06286340351237975')
    """
    text = Decimal(repr(value))
    digits = _DIGITS
    while Fraction(text) < Fraction(value) or float(text) != value:
        text = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(value))
        digits += 1
    return _plain(text)


def decimal_below(value: float) -> str:
    """A short decimal that is not above a double and still reads back as it.

    Examples
    --------
    >>> decimal_below(0.1), decimal_below(-0.5)
    ('0.1', '-0.5')
    """
    above = decimal_above(-value)
    return above.removeprefix("-") if above.startswith("-") or above == "0" else f"-{above}"


def decimal_ratio(top: int, bottom: int) -> str:
    """The nearest decimal of 17 digits to a ratio of whole numbers.

    Examples
    --------
    >>> decimal_ratio(50, 1000), decimal_ratio(1, 3)
    ('0.05', '0.33333333333333333')
    """
    return _divided(Fraction(top, bottom), ROUND_HALF_EVEN)


def decimal_text(value: Number) -> str:
    """The decimal a number prints as; text is passed through in its shortest form.

    Examples
    --------
    >>> decimal_text(0.05), decimal_text("0.050"), decimal_text(Fraction(1, 8))
    ('0.05', '0.05', '0.125')
    """
    exact = as_fraction(value)
    return _divided(exact, ROUND_HALF_EVEN)


def delta_text(delta: Number) -> str:
    """A probability of failure as decimal text: as written, or rounded down where it does not end.

    Examples
    --------
    >>> delta_text(0.05), delta_text("1/20"), delta_text(Fraction(1, 3))
    ('0.05', '0.05', '0.33333333333333333')
    """
    return _divided(inside_unit("delta", delta).low, ROUND_FLOOR)


def shown_up(text: str, digits: int = 6) -> str:
    """A number shortened for people so that it never reads lower than it is.

    Examples
    --------
    >>> shown_up("0.06286340351237975"), shown_up("0.05")
    ('0.0628635', '0.05')
    """
    return _plain(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(text))


def shown_down(text: str, digits: int = 6) -> str:
    """A number shortened for people so that it never reads higher than it is."""
    return _plain(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(text))


def _divided(value: Fraction, rounding: str) -> str:
    """A fraction as a decimal: all of it where it ends within reason, else 17 digits."""
    context = Context(prec=50, rounding=rounding, Emin=-999_999, Emax=999_999)
    long = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    if Fraction(long) != value:
        context.prec = _DIGITS
        long = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return _plain(long)


def _plain(value: Decimal) -> str:
    """Without trailing zeros, and without an exponent while the text stays readable."""
    if value == value.to_integral_value() and abs(value) < 10**16:
        return str(int(value))
    shortest = value.normalize(Context(prec=max(_DIGITS, len(value.as_tuple().digits))))
    return f"{shortest:f}" if shortest.adjusted() >= -30 else str(shortest)
