"""The mixture of sixty-four bets behind the theorems about units, and the smallest mean that it excludes.

Each unit brings a share a in [0, 1] and a weight s in [0, 1]; the gambler who risks j / 64 multiplies what he owns by
1 - (j / 64)(a - t s), and all of them together own W(t), which grows with t. Two ways to decide W(t) >= target:
in decimals of sixty digits, and, where units are of very many different kinds, in floating point with a bound
on all that it can lose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from assay.theory.tail.integers import log_level, sixty_digits
from assay.theory.tail.search import smallest_double

BETS = 64
MOST_UNITS = 10**9  # 2 to that power still is a number in sixty digits
# Sixty digits lose far less than this in all roundings together.
_SLACK = Decimal("1e-40")
# With more different kinds of units than this, decimals take longer than a blink.
_DECIMAL_KINDS = 256
_AT_ONCE = 4096  # kinds whose logarithms are held in memory

Kinds = Sequence[tuple[Fraction, Fraction, int]]
"""Shares a, weights s, and how many units have them."""


def excluded_from(kinds: Kinds, level: Fraction, decimal_kinds: int = _DECIMAL_KINDS) -> float:
    """The smallest double t in (0, 1] at which the gamblers certainly own 1 / level; 1 where there is none.

    Of more than `decimal_kinds` kinds of units it is one a hair above.

    Examples
    --------
    >>> one = Fraction(1)
    >>> round(excluded_from([(Fraction(0), one, 150), (Fraction(1, 2), one, 50)], Fraction(1, 20)), 9)
    0.168610825
    """
    high = _Logs(kinds, level).root()
    if len(kinds) > decimal_kinds:
        return high

    def rich(theta: float) -> bool:
        return theta >= 1.0 or _wealth_reaches(1 / level, kinds, theta)

    return smallest_double(rich, 0.0, 1.0, high)


@sixty_digits
def _wealth_reaches(target: Fraction, kinds: Kinds, theta: float) -> bool:
    """Whether the gamblers together certainly own the target if the mean is theta."""
    at, wealth = Decimal(theta), Decimal(0)
    terms = [(_decimal(a), _decimal(s) * at, many) for a, s, many in kinds]
    for j in range(1, BETS + 1):
        bet = Decimal(j) / BETS
        own = Decimal(1)
        for share, mean, many in terms:
            own *= (1 - bet * share + bet * mean) ** many
        wealth += own
    return wealth * (1 - _SLACK) >= _decimal(target) * BETS


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / value.denominator


class _Logs:
    """The logarithm of the wealth in floating point, never above the truth."""

    def __init__(self, kinds: Kinds, level: Fraction) -> None:
        import numpy as np

        self._share = np.array([float(a) for a, _, _ in kinds])
        self._weight = np.array([float(s) for _, s, _ in kinds])
        self._many = np.array([many for *_, many in kinds], dtype=np.float64)
        self._bets = np.arange(1, BETS + 1)[:, None] / BETS
        need = float(np.log(BETS) - float(log_level(level)))
        self._need = need + 1e-12 * (1 + abs(need))

    def above(self, theta: float) -> float:
        """By how much the logarithm of the wealth certainly exceeds what is needed; no more than it does."""
        import numpy as np

        logs, sizes = np.zeros(BETS), np.zeros(BETS)
        gap = self._weight * theta - self._share
        with np.errstate(divide="ignore", invalid="ignore"):
            for first in range(0, gap.size, _AT_ONCE):
                part = slice(first, first + _AT_ONCE)
                change = self._bets * gap[part]
                log = np.log1p(change)
                # A change is off by less than 2^-50, its logarithm by that over the factor and a few units more.
                logs += (log - 2.0**-50 / (1 + change)) @ self._many[part]
                sizes += np.abs(log) @ self._many[part]
            logs -= (2.0**-50 + 2.0**-52 * gap.size) * sizes  # and what the sums can lose
        logs = logs[np.isfinite(logs)]  # whoever lost everything owns nothing
        if not logs.size:
            return -np.inf
        most = logs.max()
        return float(most + np.log(np.exp(logs - most).sum()) - self._need)

    def root(self) -> float:
        """A double at which the wealth certainly suffices, a hair above the smallest; 1 where none does."""
        low, high = 0.0, 1.0
        at_low, at_high, side = self.above(low), self.above(high), 0
        if not at_high >= 0:
            return 1.0
        for _ in range(100):
            if high - low <= 2e-15 * high:
                break
            # False position; an end that stays twice counts half (Illinois).
            middle = (
                low - at_low * (high - low) / (at_high - at_low) if math.isfinite(at_low) else low
            )
            if not low < middle < high:
                middle = low + (high - low) / 2
            value = self.above(middle)
            if value >= 0:
                high, at_high = middle, value
                at_low, side = (at_low / 2 if side > 0 else at_low), 1
            else:
                low, at_low = middle, value
                at_high, side = (at_high / 2 if side < 0 else at_high), -1
        return high
