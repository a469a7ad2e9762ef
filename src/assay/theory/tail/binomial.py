"""The exact holdout certificate: the binomial tail, inverted and rounded outward."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist

from assay.theory.claim import DRAWN, FIRST, Condition, holdout_claims
from assay.theory.needs import counts, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number
from assay.theory.tail.hoeffding import validation_hoeffding
from assay.theory.tail.integer_verifier import confirm_counts
from assay.theory.tail.integers import Tail, binomial_at_most, binomial_tail, log_level
from assay.theory.tail.search import smallest_double

IID = Condition("independent-draws", "the rows are independent draws from the distribution of use")
FIXED_BEFORE = Condition("fixed-before", "the model was fixed before these rows were seen")

# Up to this many rows an undecided comparison is settled in whole numbers.
_EXACT_ROWS = 10_000


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(h)\le\sup\{p:\Pr[\mathrm{Bin}(n,p)\le k]\ge\delta\}",
    assumes=(IID, FIXED_BEFORE),
    textbook=("validation-hoeffding", validation_hoeffding),
    claim=holdout_claims(DRAWN, FIRST, quantities=("error", "beyond")),
    checker=confirm_counts,
)
def holdout_exact(errors: int, rows: int, delta: Number) -> float:
    """The smallest error rate that a holdout can promise.

    Theorem  If h errs on k of n independent rows it was not fitted to, its error rate is below
             every p with P[Bin(n, p) <= k] <= delta, with probability at least 1 - delta. No
             valid bound that grows with k is smaller (Buehler).
    Needs    errors k: whole, 0 <= k <= n.  rows n: whole, >= 1.  delta: strictly between 0 and
             1, as small as one likes; a fraction or decimal text where a double underflows.
    Gives    the smallest double p with P[Bin(n, p) <= k] <= delta, decided without rounding.
    Source   Clopper & Pearson, The use of confidence or fiducial limits (Biometrika 1934);
             Langford, Tutorial on practical prediction theory for classification (JMLR 2005);
             Buehler, Confidence intervals for the product of two binomial
             parameters (1957).

    Examples
    --------
    >>> holdout_exact(errors=50, rows=1000, delta=0.05)
    0.06286340351237975
    >>> holdout_exact(errors=0, rows=59, delta=0.05) <= 0.05
    True
    """
    k, n = counts(errors, rows)
    return upper_rate(k, n, inside_unit("delta", delta).low)


@theorem(
    kind="error",
    statement=r"p_-\le\mathrm{err}_D(h)\le p_+,\quad\Pr[\mathrm{Bin}(n,p_-)\ge k]\le\tfrac\delta2,\ "
    r"\Pr[\mathrm{Bin}(n,p_+)\le k]\le\tfrac\delta2",
    assumes=(IID, FIXED_BEFORE),
)
def holdout_exact_two_sided(errors: int, rows: int, delta: Number) -> tuple[float, float]:
    """Both ends of the exact interval for an error rate.

    Theorem  With probability at least 1 - delta the error rate lies between the two rates at
             which k errors or more, and k errors or fewer, each have probability delta / 2.
    Needs    errors k: whole, 0 <= k <= n.  rows n: whole, >= 1.  delta: strictly between 0 and 1.
    Gives    the lower end, rounded down, and the upper end, rounded up.
    Source   Clopper & Pearson, The use of confidence or fiducial limits (Biometrika 1934).

    Examples
    --------
    >>> low, high = holdout_exact_two_sided(errors=50, rows=1000, delta=0.1)
    >>> round(low, 6), round(high, 6)
    (0.039164, 0.062863)
    """
    k, n = counts(errors, rows)
    level = inside_unit("delta", delta).low / 2
    return lower_rate(k, n, level), upper_rate(k, n, level)


def upper_rate(errors: int, rows: int, level: Fraction) -> float:
    """The smallest double p with P[Bin(rows, p) <= errors] <= level."""
    if errors == rows:
        return 1.0
    log_delta = log_level(level)
    low = errors / rows * (1 - 2**-50)
    # At p = k / n and below, the tail is larger than any level this search is for; a level near
    # one (allowed, if odd) is searched from zero instead.
    low = low if errors and level < Fraction(1, 4) else 0.0

    def settled(rate: float) -> bool:
        return rate >= 1.0 or _at_most(errors, rows, Fraction(rate), level, log_delta)

    return smallest_double(settled, low, 1.0, _guess(errors, rows, log_delta))


def lower_rate(errors: int, rows: int, level: Fraction) -> float:
    """The largest double p with P[Bin(rows, p) >= errors] <= level."""
    if errors == 0:
        return 0.0
    log_delta = log_level(level)

    def too_often(rate: float) -> bool:
        return not _enough(errors, rows, rate, level, log_delta)

    # At and above k / n the chance of k errors or more is at least one half.
    high = min(errors / rows * (1 + 2**-50), 1.0) if 2 * level < 1 else 1.0
    guess = 1.0 - _guess(rows - errors, rows, log_delta)
    return math.nextafter(smallest_double(too_often, 0.0, high, guess), 0.0)


def _enough(errors: int, rows: int, rate: float, level: Fraction, log_delta: Decimal) -> bool:
    """Whether P[Bin(rows, rate) >= errors] <= level; by symmetry an upper tail is a lower one."""
    if rate <= 0.0 or rate >= 1.0:
        return rate <= 0.0
    return _at_most(rows - errors, rows, 1 - Fraction(rate), level, log_delta)


def tail_at_most(errors: int, rows: int, rate: Fraction, level: Fraction) -> bool:
    """Whether P[Bin(rows, rate) <= errors] <= level is certain."""
    if errors >= rows:
        return level >= 1
    if not 0 < rate < 1:
        return rate == 1
    return _at_most(errors, rows, rate, level, log_level(level))


def _at_most(errors: int, rows: int, rate: Fraction, level: Fraction, log_delta: Decimal) -> bool:
    if 2 * level < 1 and rows * rate <= errors:
        return False  # the median is at most the mean rounded up; far below it the sum is long
    decided = binomial_tail(errors, rows, rate, quick=True).at_most(log_delta)
    if decided is None:
        decided = binomial_tail(errors, rows, rate).at_most(log_delta)
    if decided is not None:
        return decided
    # Closer than forty digits: equality, in practice. Beyond whole numbers, stay on the safe side.
    return rows <= _EXACT_ROWS and binomial_at_most(errors, rows, rate, level)


def _guess(errors: int, rows: int, log_delta: Decimal) -> float:
    """Newton's method on the logarithm of the tail, whose slope is -(n - k) / ((1 - p) ratio).

    A guess only: the search that follows decides. It gives up where doubles end.
    """
    need = -float(log_delta)
    if errors == 0:
        return -math.expm1(-need / rows)
    rate = _in_doubles(errors, rows, log_delta, _score_guess(errors, rows, log_delta))
    for _ in range(50):
        many = errors > 10_000
        tail: Tail = binomial_tail(errors, rows, Fraction(rate), rough=many, quick=not many)
        slope = (rows - errors) / ((1 - rate) * float(tail.ratio_low))
        step = (float(tail.log) - float(log_delta)) / slope
        rate = min(max(rate + step, rate / 2), (1 + rate) / 2)
        if abs(step) < 1e-9 * rate or rate >= 1.0:
            break
    return rate


def _in_doubles(errors: int, rows: int, log_delta: Decimal, rate: float) -> float:
    """The same method on a tail that is summed in doubles: good to a dozen digits, it saves most of the long ones."""
    level, rest = float(log_delta), rows - errors
    choose = math.lgamma(rows + 1) - math.lgamma(errors + 1) - math.lgamma(rest + 1)
    for _ in range(20):
        if not 0.0 < rate < 1.0:
            break
        ratio = _ratio_in_doubles(errors, rest, (1 - rate) / rate)
        tail = choose + errors * math.log(rate) + rest * math.log1p(-rate) + math.log(ratio)
        step = (tail - level) * (1 - rate) * ratio / rest
        if not abs(step) < rate:  # far from the answer, or where doubles end
            break
        rate = min(rate + step, (1 + rate) / 2)
        if abs(step) < 1e-11 * rate:
            break
    return rate


def _ratio_in_doubles(errors: int, rest: int, odds: float) -> float:
    """The sum of the terms of a binomial tail, each divided by the last."""
    term = total = 1.0
    above = rest + 1
    for below in range(errors, 0, -1):
        term *= below * odds / above
        total += term
        above += 1
        if term < 1e-17 * total:
            break
    return total


def _score_guess(errors: int, rows: int, log_delta: Decimal) -> float:
    """Where a normal tail would put the bound: Wilson's score, good enough to start from."""
    delta = math.exp(max(float(log_delta), -700.0))
    z = -NormalDist().inv_cdf(min(delta, 1 - 2**-53))
    spread = z * math.sqrt(errors * (rows - errors) / rows + z * z / 4)
    return (errors + z * z / 2 + spread) / (rows + z * z)
