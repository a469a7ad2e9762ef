"""Where a mixture of supermartingales first reaches 1 / delta: the search behind progressive bounds."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from assay.errors import require
from assay.theory.needs import count, inside_unit, nonnegative
from assay.theory.rounding import Number
from assay.theory.tail.integers import MOST_ROWS, log_level, sixty_digits
from assay.theory.tail.search import smallest_double

# What sixty digits may be wrong by, with numbers up to 1e14 on the way, is far below this.
_SLACK = Decimal("1e-40")
# Terms that are smaller than the largest by this much, in logarithms, are left out: none is negative.
_NEGLIGIBLE = 50.0


def read_run(errors: Number, rows: int, delta: Number) -> tuple[Fraction, int, Fraction]:
    """The sum of the losses, the number of rows, and the level; refuses what no run can have.

    Examples
    --------
    >>> read_run(1.5, 10, 0.05)
    (Fraction(3, 2), 10, Fraction(1, 20))
    """
    n = count("rows", rows, at_least=1)
    require(n <= MOST_ROWS, "rows", f"at most {MOST_ROWS}", rows)
    total, level = nonnegative("errors", errors).low, inside_unit("delta", delta).low
    require(total <= n, "errors", f"at most the number of rows {n}", errors)
    return total, n, level


def mixture_bound(
    exponents: Sequence[float],
    weights: Sequence[Fraction],
    total: Fraction,
    rows: int,
    level: Fraction,
) -> float:
    r"""The smallest double p at which the mixture certainly is 1 / level or more.

    The mixture is :math:`\sum_jw_je^{-\lambda_jS}(1-p(1-e^{-\lambda_j}))^{-n}`, with exponents
    :math:`\lambda_j>0` and weights :math:`w_j>0` that sum to at most one.

    Examples
    --------
    >>> round(mixture_bound([0.5], [Fraction(1)], Fraction(50), 1000, Fraction(1, 20)), 6)
    0.070164
    """
    if total == rows:
        return 1.0
    mixture = _Mixture(tuple(exponents), tuple(weights), total, rows, level)
    mean = float(total / rows)
    return smallest_double(mixture.reaches, mean * (1 - 2**-50), 1.0, mixture.guess(mean))


class _Mixture:
    """The terms of one mixture, in sixty digits and in floating point."""

    @sixty_digits
    def __init__(
        self,
        exponents: tuple[float, ...],
        weights: tuple[Fraction, ...],
        total: Fraction,
        rows: int,
        level: Fraction,
    ) -> None:
        self.rows, self.need = rows, -log_level(level) + _SLACK
        losses = _decimal(total)
        self.falls, log_weights = _falls(exponents), _logs(weights)
        self.starts = [
            log - Decimal(step) * losses for log, step in zip(log_weights, exponents, strict=True)
        ]
        self._in_floats = [
            (float(start), math.expm1(-step))
            for start, step in zip(self.starts, exponents, strict=True)
        ]

    @sixty_digits
    def reaches(self, rate: float) -> bool:
        """Whether the sum certainly is 1 / level or more at a rate; it grows with the rate."""
        if rate >= 1.0:
            return True
        about = self._log_terms(rate)
        least, p, sum_ = max(about) - _NEGLIGIBLE, Decimal(rate), Decimal(0)
        for start, fall, size in zip(self.starts, self.falls, about, strict=True):
            if size > least:
                above = start - self.rows * (1 - p * fall).ln() - self.need
                # One term that is large enough decides, and is spared an overflow.
                if above >= 0:
                    return True
                sum_ += above.exp()
        return sum_ >= 1

    def _log_terms(self, rate: float) -> list[float]:
        return [start - self.rows * math.log1p(rate * fall) for start, fall in self._in_floats]

    def guess(self, low: float) -> float:
        """Newton's method on the logarithm of the sum, which is convex; the search decides."""
        need = float(self.need)
        rate = min(low + 4 * math.sqrt(need * (low + need / self.rows) / self.rows), (1 + low) / 2)
        for _ in range(60):
            if rate >= 1.0:
                break
            logs = self._log_terms(rate)
            top = max(logs)
            shares = [math.exp(log - top) for log in logs]
            total = math.fsum(shares)
            slopes = (-self.rows * fall / (1 + rate * fall) for _, fall in self._in_floats)
            slope = math.fsum(s * d for s, d in zip(shares, slopes, strict=True)) / total
            step = (top + math.log(total) - need) / slope
            rate = min(max(rate - step, (rate + low) / 2), (1 + rate) / 2)
            if abs(step) < 1e-15 * rate:
                break
        return rate


@functools.lru_cache(maxsize=64)
@sixty_digits
def _falls(exponents: tuple[float, ...]) -> tuple[Decimal, ...]:
    return tuple(1 - (-Decimal(step)).exp() for step in exponents)


@functools.lru_cache(maxsize=64)
@sixty_digits
def _logs(weights: tuple[Fraction, ...]) -> tuple[Decimal, ...]:
    return tuple(_decimal(weight).ln() for weight in weights)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
