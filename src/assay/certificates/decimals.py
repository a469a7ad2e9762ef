"""Numbers as decimal text: what a document carries, so that no parser can change a digit."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

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


def decimal_ratio(top: int, bottom: int) -> str:
    """The nearest decimal of 17 digits to a ratio of whole numbers.

    Examples
    --------
    >>> decimal_ratio(50, 1000), decimal_ratio(1, 3)
    ('0.05', '0.33333333333333333')
    """
    context = Context(prec=_DIGITS, rounding=ROUND_HALF_EVEN)
    return _plain(context.divide(Decimal(top), Decimal(bottom)))


def decimal_text(value: float | str | int | Fraction) -> str:
    """The decimal a number prints as; text is passed through in its shortest form.

    Examples
    --------
    >>> decimal_text(0.05), decimal_text("0.050"), decimal_text(Fraction(1, 8))
    ('0.05', '0.05', '0.125')
    """
    if isinstance(value, Fraction):
        return decimal_ratio(value.numerator, value.denominator)
    return _plain(Decimal(value if isinstance(value, str) else repr(value)))


def _plain(value: Decimal) -> str:
    """Without trailing zeros, and without an exponent while the text stays readable."""
    if value == value.to_integral_value() and abs(value) < 10**16:
        return str(int(value))
    shortest = value.normalize(Context(prec=max(_DIGITS, len(value.as_tuple().digits))))
    return f"{shortest:f}" if shortest.adjusted() >= -30 else str(shortest)
