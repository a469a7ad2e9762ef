"""Arithmetic whose error can only loosen a bound.

A formula is written once, in its textbook form, over `Enclosure` values: pairs of rationals between
which the true number lies. Sums, products and quotients are exact (fractions of Python integers);
roots, logarithms and exponentials widen by more than the C library can be wrong. The bound that
leaves a theorem is the upper end, rounded up to a double (`up`) or to a count (`floor`, `ceil`).

A float stands for the decimal number it prints as: ``0.1`` is one tenth. That is what its author
meant, it is what a certificate can carry as text, and it makes ``10 / 0.1`` exactly 100.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import SupportsFloat, TypeAlias

# Mainstream C libraries keep log, exp and pow within one unit in the last place; we allow four.
_LIBRARY_ULPS = 4
_COUNT_SLACK = Fraction(1, 10**12)
# Roots are taken in integers with this many bits after the point.
_ROOT_BITS = 128
# Below exp(-100000) only zero can be told from below; above exp(10^7) the integers grow unwieldy.
_LEAST_EXPONENT, _LARGEST_EXPONENT = -(10**5), 10**7
# Decimal text may carry any exponent; a power of ten beyond this one is a mistake or an attack.
_LARGEST_POWER_OF_TEN = 10**5

Number: TypeAlias = "int | float | str | Fraction | SupportsFloat"
"""What a formula accepts: integers of any size, floats, decimal text, fractions, NumPy scalars."""


@dataclass(frozen=True)
class Enclosure:
    """A real number known to lie in the closed interval [low, high]."""

    low: Fraction
    high: Fraction

    def __add__(self, other: Enclosure | Number) -> Enclosure:
        o = exact(other)
        return Enclosure(self.low + o.low, self.high + o.high)

    __radd__ = __add__

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.high, -self.low)

    def __sub__(self, other: Enclosure | Number) -> Enclosure:
        return self + (-exact(other))

    def __rsub__(self, other: Enclosure | Number) -> Enclosure:
        return exact(other) + (-self)

    def __mul__(self, other: Enclosure | Number) -> Enclosure:
        o = exact(other)
        if self.low.numerator >= 0 and o.low.numerator >= 0:
            low = self.low * o.low
            if self.low is self.high and o.low is o.high:  # two numbers without any width
                return Enclosure(low, low)
            return Enclosure(low, self.high * o.high)
        corners = (self.low * o.low, self.low * o.high, self.high * o.low, self.high * o.high)
        return Enclosure(min(corners), max(corners))

    __rmul__ = __mul__

    def __truediv__(self, other: Enclosure | Number) -> Enclosure:
        o = exact(other)
        if o.low <= 0 <= o.high:
            raise ZeroDivisionError("division by an enclosure that contains zero")
        return self * Enclosure(1 / o.high, 1 / o.low)

    def __rtruediv__(self, other: Enclosure | Number) -> Enclosure:
        return exact(other) / self

    def __pow__(self, power: int) -> Enclosure:
        """An integer power."""
        if power < 0:
            return 1 / self**-power
        ends = (self.low**power, self.high**power)
        if power > 0 and power % 2 == 0 and self.low < 0 < self.high:
            return Enclosure(Fraction(0), max(ends))
        return Enclosure(min(ends), max(ends))

    def up(self) -> float:
        """The smallest double that is certainly not below the number; infinity beyond doubles."""
        return double_above(self.high)

    def down(self) -> float:
        """The largest double that is certainly not above the number."""
        return double_below(self.low)

    def floor(self) -> int:
        """The largest count an upper bound of this size allows.

        A radius or margin measured in floating point may put a bound of exactly 3 a hair below it;
        a bound that is not whole may therefore be exceeded by one part in 10^12, or by a thousandth.
        """
        if self.high.denominator == 1:
            return int(self.high)
        return math.floor(self.high + min(abs(self.high) * _COUNT_SLACK, Fraction(1, 1000)))

    def ceil(self) -> int:
        """The smallest whole number that is certainly enough."""
        return math.ceil(self.high)

    def enclose(
        self, other: Enclosure, pick: Callable[[Fraction, Fraction], Fraction]
    ) -> Enclosure:
        """Apply a monotone choice (`min` or `max`) end by end."""
        return Enclosure(pick(self.low, other.low), pick(self.high, other.high))


_LN_TWO = Enclosure(
    Fraction("0.69314718055994530941723212145817656807550013436025"),
    Fraction("0.69314718055994530941723212145817656807550013436026"),
)


def exact(value: Enclosure | Number) -> Enclosure:
    """The enclosure of a given number, without any width.

    Examples
    --------
    >>> (exact(10) / exact(0.1)).ceil()
    100
    """
    if isinstance(value, Enclosure):
        return value
    fraction = as_fraction(value)
    return Enclosure(fraction, fraction)


def as_fraction(value: Number) -> Fraction:
    """The rational that a number prints as.

    Examples
    --------
    >>> as_fraction(0.05)
    Fraction(1, 20)
    """
    if type(value) is Fraction:
        return value
    if isinstance(value, Rational):
        # NumPy integers call themselves rational too, and would overflow inside a fraction.
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, str):
        _, mark, exponent = value.lower().partition("e")
        if mark and abs(int(exponent)) > _LARGEST_POWER_OF_TEN:
            raise ValueError("a power of ten beyond anything a formula needs")
        return Fraction(value)
    return _printed(float(value))


@functools.lru_cache(maxsize=1024)  # levels and rates come again and again
def _printed(value: float) -> Fraction:
    return Fraction(repr(value))


def double_above(value: Fraction) -> float:
    """The smallest double at or above a rational."""
    try:
        nearest = value.numerator / value.denominator
    except OverflowError:
        return math.inf if value > 0 else -math.nextafter(math.inf, 0.0)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def double_below(value: Fraction) -> float:
    """The largest double at or below a rational."""
    return -double_above(-value) + 0.0  # adding zero turns -0.0 into 0.0


def sqrt(value: Enclosure | Number) -> Enclosure:
    """Square root; exact when the number is a perfect square of a rational.

    Examples
    --------
    >>> sqrt(100).up(), sqrt(2).down() < 2**0.5 <= sqrt(2).up()
    (10.0, True)
    """
    x = exact(value)
    return Enclosure(_root(x.low, above=False), _root(x.high, above=True))


def _root(value: Fraction, *, above: bool) -> Fraction:
    if value < 0:
        raise ValueError("square root of a negative number")
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    # Small numbers need more bits than fit after the point, hence the denominator's length.
    bits = _ROOT_BITS + value.denominator.bit_length()
    scaled = (value.numerator << (2 * bits)) // value.denominator
    return Fraction(math.isqrt(scaled) + above, 1 << bits)


def ln(value: Enclosure | Number) -> Enclosure:
    """Natural logarithm of a positive number, integers of any size included.

    Examples
    --------
    >>> ln(1).up()
    0.0
    >>> round(ln(2**5000).up(), 6)
    3465.735903
    """
    x = exact(value)
    if x.low <= 0:
        raise ValueError("logarithm of a number that is not above zero")
    return Enclosure(_ln(x.low).low, _ln(x.high).high)


@functools.lru_cache(maxsize=256)  # a theorem that is searched takes the same logarithms each time
def _ln(value: Fraction) -> Enclosure:
    top, bottom = value.numerator, value.denominator
    if top == bottom:
        return exact(0)
    if 2 * abs(top - bottom) < bottom:
        # log1p keeps full relative precision near one, where the plain logarithm cancels.
        offset = value - 1
        ends = (math.log1p(double_below(offset)), math.log1p(double_above(offset)))
        wide, zero = _widened(*ends), Fraction(0)
        # On either side of one the logarithm stays on its side of zero.
        if offset > 0:
            return Enclosure(max(wide.low, zero), wide.high)
        return Enclosure(wide.low, min(wide.high, zero))
    # Split off powers of two, so that the rest is near one whatever the size of the number.
    twos = top.bit_length() - bottom.bit_length()
    rest = Fraction(top << max(-twos, 0), bottom << max(twos, 0))  # between one half and two
    if rest >= Fraction(4, 3):
        rest, twos = rest / 2, twos + 1
    return _ln(rest) + twos * _LN_TWO


def log2(value: Enclosure | Number) -> Enclosure:
    """Logarithm to base 2; exact for powers of two."""
    x = exact(value)
    if x.low == x.high and (power := _power_of_two(x.low)) is not None:
        return exact(power)
    return ln(x) / ln(2)


def _power_of_two(value: Fraction) -> int | None:
    if value <= 0:
        return None
    top, bottom = value.numerator, value.denominator
    if top & (top - 1) or bottom & (bottom - 1):
        return None
    return top.bit_length() - bottom.bit_length()


def exp(value: Enclosure | Number) -> Enclosure:
    """Exponential function.

    Examples
    --------
    >>> exp(0).up(), exp(1).down() < 2.718281828459045 <= exp(1).up()
    (1.0, True)
    """
    x = exact(value)
    return Enclosure(_exp(x.low).low, _exp(x.high).high)


def _exp(value: Fraction) -> Enclosure:
    if value == 0:
        return exact(1)
    if value < _LEAST_EXPONENT:
        return Enclosure(Fraction(0), _exp(Fraction(_LEAST_EXPONENT)).high)
    if value > _LARGEST_EXPONENT:
        raise OverflowError("exponential of a number too large to write out")
    # Split off powers of two so that neither overflow nor underflow can lose the number.
    twos = round(value / Fraction(math.log(2.0)))
    rest = exact(value) - twos * _LN_TWO
    ends = _widened(math.exp(double_below(rest.low)), math.exp(double_above(rest.high)))
    wide = ends * (Fraction(2) ** twos)
    # On either side of zero the exponential stays on its side of one.
    one = Fraction(1)
    return (
        Enclosure(max(wide.low, one), wide.high)
        if value > 0
        else Enclosure(wide.low, min(wide.high, one))
    )


def power(base: Enclosure | Number, exponent: Enclosure | Number) -> Enclosure:
    """A positive number to any real power."""
    return exp(exact(exponent) * ln(base))


def _widened(low: float, high: float) -> Enclosure:
    return Enclosure(
        Fraction(low - _LIBRARY_ULPS * math.ulp(low)),
        Fraction(high + _LIBRARY_ULPS * math.ulp(high)),
    )
