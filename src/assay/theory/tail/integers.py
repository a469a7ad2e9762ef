"""Deciding a tail probability beyond doubt, with nothing but the standard library.

Every bound of this folder has the form "the smallest rate at which seeing so few errors would be
too unlikely". A library routine proposes the number; what makes it a promise is the decision
``P[X <= k] <= level`` made here. Two ways, which agree wherever both are feasible:

* `binomial_at_most` and `hypergeometric_at_most` sum the tail in whole numbers: exact, no rounding;
* `Tail` encloses it: the term at k by logarithms to 60 digits with a proven remainder, and
  the ratio of the whole sum to that term in fixed-point integers with a proven error. It costs a
  few thousand small operations where the exact sum would need numbers of millions of digits.
"""

from __future__ import annotations

import decimal
import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# Logarithms of factorials up to this many rows are below 1e14, so sixty digits err by less than
# 1e-43; anything closer than the slack is left undecided.
MOST_ROWS = 10**12
_SLACK = Decimal("1e-40")
_CONTEXT = decimal.Context(
    prec=60,
    rounding=decimal.ROUND_HALF_EVEN,
    Emax=10**9,
    Emin=-(10**9),
    traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
)
_LONG = 512  # integers of more bits are cut before their logarithm is taken
_POINT = 160  # bits after the point in the ratio sums
_SMALL = 200  # below this, factorials are exact; above it Stirling's series errs by less than 1e-50
_MANY_ERRORS = 10_000  # from here on sums are long, and a coarser enclosure decides as well
_FEW_EXPECTED = 500  # up to so many expected errors the beta integral's power series is short

# Terms 1/12, -1/360, ... of Stirling's series: B_2j / (2j (2j - 1)), j = 1..12.
_BERNOULLI = [Fraction(1, 6), Fraction(-1, 30), Fraction(1, 42), Fraction(-1, 30), Fraction(5, 66)]
_BERNOULLI += [Fraction(-691, 2730), Fraction(7, 6), Fraction(-3617, 510), Fraction(43867, 798)]
_BERNOULLI += [Fraction(-174611, 330), Fraction(854513, 138), Fraction(-236364091, 2730)]
_STIRLING = [b / (2 * j * (2 * j - 1)) for j, b in enumerate(_BERNOULLI, start=1)]
_HALF_LN_TWO_PI = Decimal("0.91893853320467274178032973640561763986139747363778341281715154048")
_LN_TWO = Decimal("0.693147180559945309417232121458176568075500134360255254120680009493")


def sixty_digits(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function in sixty-digit decimals, whatever context its caller works in."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with decimal.localcontext(_CONTEXT):
            return function(*args, **kwargs)

    return run


def binomial_at_most(errors: int, rows: int, rate: Fraction, level: Fraction) -> bool:
    """Whether P[Binomial(rows, rate) <= errors] <= level, in whole numbers only.

    Examples
    --------
    >>> binomial_at_most(0, 59, Fraction(1, 20), Fraction(1, 20))
    True
    >>> binomial_at_most(0, 58, Fraction(1, 20), Fraction(1, 20))
    False
    """
    a, b = rate.numerator, rate.denominator
    c = b - a
    # Sum over i of C(n, i) a^i c^(k - i) by Horner's rule, times c^(n - k), against level * b^n.
    total = term = 1
    for i in range(errors):
        term = term * (a * (rows - i)) // (i + 1)
        total = total * c + term
    return bool(total * c ** (rows - errors) * level.denominator <= level.numerator * b**rows)


def hypergeometric_at_most(
    errors: int, rows: int, bad: int, population: int, level: Fraction
) -> bool:
    """Whether drawing `rows` of a population with `bad` errors shows at most `errors` of them
    with probability at most `level`; in whole numbers only.

    Examples
    --------
    >>> hypergeometric_at_most(0, 100, 5, 200, Fraction(1, 20))
    True
    >>> hypergeometric_at_most(0, 100, 4, 200, Fraction(1, 20))
    False
    """
    good = population - bad
    total = sum(
        math.comb(bad, i) * math.comb(good, rows - i)
        for i in range(max(0, rows - good), min(errors, bad) + 1)
    )
    return total * level.denominator <= level.numerator * math.comb(population, rows)


@dataclass(frozen=True)
class Tail:
    """A tail sum as ``exp(log_term)`` times a ratio between two rationals.

    Attributes
    ----------
    log_term : Decimal
        Logarithm of the last term of the sum.
    ratio_low, ratio_high : Fraction
        The whole sum divided by that term lies between them.
    """

    log_term: Decimal
    ratio_low: Fraction
    ratio_high: Fraction

    @property
    @sixty_digits
    def log(self) -> Decimal:
        """The logarithm of the tail, as finely as it was enclosed."""
        return self.log_term + _log(self.ratio_high)

    @sixty_digits
    def at_most(self, log_level: Decimal) -> bool | None:
        """Whether the tail is at most ``exp(log_level)``; None when too close to tell."""
        if self.log_term + _log(self.ratio_high) + _SLACK <= log_level:
            return True
        too_much = self.log_term + _log(self.ratio_low) - _SLACK > log_level
        return False if too_much else None


@sixty_digits
def log_level(level: Fraction) -> Decimal:
    """The logarithm of a probability as small as one likes."""
    return _log(level)


@sixty_digits
def binomial_tail(
    errors: int, rows: int, rate: Fraction, *, rough: bool = False, quick: bool = False
) -> Tail:
    """Enclose P[Binomial(rows, rate) <= errors] for 0 < rate < 1 and errors < rows.

    The enclosure is about 1e-40 wide; 1e-25 where errors are many, since one step of a double then
    moves the tail by far more; 1e-18 if `quick`, which decides nearly always, in half the time; and 1e-12 if
    `rough`, which is shorter still and good for a guess.
    """
    a, b = rate.numerator, rate.denominator
    c = b - a
    log_term = _log_choose(rows, errors)
    log_term += errors * _log(rate) + (rows - errors) * _log(1 - rate)
    # The term at i - 1 is the term at i times i (1 - p) / ((n - i + 1) p), for i from k down to 1.
    steps = zip(range(errors * c, 0, -c), itertools.count((rows - errors + 1) * a, a), strict=False)
    many = errors > _MANY_ERRORS
    point, rest = (112, 1 << 18) if many else (80, 1 << 16) if quick else (_POINT, 1)
    point, rest = (80, 1 << 38) if rough else (point, rest)
    return Tail(log_term, *_ratio_sum(steps, point, rest))


@sixty_digits
def hypergeometric_tail(errors: int, rows: int, bad: int, population: int) -> Tail:
    """Enclose the chance of at most `errors` bad rows among `rows` drawn without replacement."""
    good = population - bad
    log_term = _log_choose(bad, errors) + _log_choose(good, rows - errors)
    log_term -= _log_choose(population, rows)
    lowest = max(0, rows - good)
    steps = (
        (i * (good - rows + i), (bad - i + 1) * (rows - i + 1)) for i in range(errors, lowest, -1)
    )
    return Tail(log_term, *_ratio_sum(steps))


def _ratio_sum(
    steps: Iterator[tuple[int, int]], point: int = _POINT, rest: int = 1
) -> tuple[Fraction, Fraction]:
    """Enclose 1 + r_1 + r_1 r_2 + ... for ratios r_j given as pairs of integers.

    The ratios must decrease, or all be at most a half. Every term is rounded down, so it misses
    at most one unit of the last place per step and the growth of earlier misses, which the
    largest term bounds. The sum ends when all that remains is below twice `rest` units.
    """
    unit = 1 << point
    term = total = largest = unit
    near_the_end = rest << 8
    count = 1
    for top, bottom in steps:
        if term < near_the_end and top < bottom and term * top <= (bottom - top) * rest:
            break  # the remaining terms lie below a geometric series of ratio top / bottom
        term = term * top // bottom
        total += term
        count += 1
        if term > largest:
            largest = term
    missed = 2 * rest + count * count * (1 + (largest >> point))
    return Fraction(total, unit), Fraction(total + missed, unit)


# The functions below run inside `sixty_digits`.


def _log(value: Fraction) -> Decimal:
    top, bottom = value.numerator, value.denominator
    if 8 * abs(top - bottom) < bottom:
        # Divide first where the two logarithms would cancel.
        return (Decimal(top) / Decimal(bottom)).ln()
    return _log_integer(top) - _log_integer(bottom)


@functools.lru_cache(maxsize=1024)
def _log_integer(value: int) -> Decimal:
    if value & (value - 1) == 0 and value:
        return (value.bit_length() - 1) * _LN_TWO  # as the denominator of every double is
    # Cutting a long integer to 512 bits changes it by one part in 2^511: far beyond sixty digits.
    cut = max(value.bit_length() - _LONG, 0)
    return (+Decimal(value >> cut)).ln() + cut * _LN_TWO


def _log_choose(n: int, k: int) -> Decimal:
    return _log_factorial(n) - (_log_factorial(k) + _log_factorial(n - k))


@functools.lru_cache(maxsize=4096)
def _log_factorial(n: int) -> Decimal:
    if n < _SMALL:
        return _log_integer(math.factorial(n))
    x = Decimal(n)
    value = (x + Decimal("0.5")) * x.ln() - x + _HALF_LN_TWO_PI
    for j, coefficient in enumerate(_STIRLING):
        term = coefficient / n ** (2 * j + 1)
        value += Decimal(term.numerator) / Decimal(term.denominator)
    return value


@sixty_digits
def log_beta_below(errors: int, rows: int, rate: Fraction) -> Decimal:
    """ln of the integral of t^(k-1/2) (1-t)^(n-k-1/2) from 0 to `rate`, from below.

    For rates above k / n; each of three expansions is short where the others are long.
    """
    a2, b2 = 2 * errors + 1, 2 * (rows - errors) + 1  # twice the parameters a and b
    p, q, denominator = rate.numerator, rate.denominator - rate.numerator, rate.denominator
    log_p, log_q = _log(rate), _log(1 - rate)
    if 2 * p <= denominator and rows * p <= _FEW_EXPECTED * denominator:
        # p^a q^b / a times the sum of products of (n + 1 + i) p / (a + 1 + i)
        steps = (
            (2 * (rows + 1 + i) * p, (a2 + 2 + 2 * i) * denominator) for i in itertools.count()
        )
        low, _ = _ratio_sum(steps, point=96)
        return (a2 * log_p + b2 * log_q) / 2 - _log(Fraction(a2, 2)) + _log(low)
    if 2 * p > denominator:
        # what lies above: p^a q^b / b times the sum of products of (n + 1 + i) q / (b + 1 + i)
        steps = (
            (2 * (rows + 1 + i) * q, (b2 + 2 + 2 * i) * denominator) for i in itertools.count()
        )
        log_term = (a2 * log_p + b2 * log_q) / 2
    else:
        # what lies above, by parts k times; the last product bounds the integral that is left,
        # where t^(-1/2) is at most p^(-1/2)
        steps = (((a2 - 2 - 2 * i) * q, (b2 + 2 + 2 * i) * p) for i in range(errors))
        log_term = ((a2 - 2) * log_p + b2 * log_q) / 2
    _, high = _ratio_sum(steps, point=96, rest=1 << 30)
    log_above = log_term - _log(Fraction(b2, 2)) + _log(high)
    log_all = log_beta_half(errors, rows)
    share = 1 - (log_above - log_all).exp()
    return log_all + share.ln() if share > 0 else Decimal("-Infinity")


@sixty_digits
def log_beta_half(errors: int, rows: int) -> Decimal:
    """ln B(k + 1/2, n - k + 1/2): gamma functions of half integers are factorials and pi."""
    rest = rows - errors
    log_pi = 2 * _HALF_LN_TWO_PI - _LN_TWO
    value = _log_factorial(2 * errors) + _log_factorial(2 * rest) + log_pi
    value -= _log_factorial(errors) + _log_factorial(rest) + _log_factorial(rows)
    return value - 2 * rows * _LN_TWO


@sixty_digits
def log_odds_of_mixture(log_mixture: Decimal, errors: int, rows: int, rate: Fraction) -> float:
    """ln of mixture / (p^k (1 - p)^(n - k)); large terms cancel, hence the many digits."""
    return float(log_mixture - errors * _log(rate) - (rows - errors) * _log(1 - rate))
