"""Weights over sizes of index sets, half equal and half around a guess, and the sum they weigh.

No gamma function is called: neighbouring weights, and neighbouring terms, have rational ratios, so
that a product of doubles follows them with a known error.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction

from assay.theory.rounding import double_above
from assay.theory.tail.integers import hypergeometric_tail, log_level, sixty_digits

_STRENGTH = 40  # how narrowly the guess is believed
_START = 1e-250  # products grow from here to their peak, and so have the whole range of doubles
# Operations per step, each wrong by at most 2^-53, with room to spare.
_ERROR_PER_ROW = 16 * 2.0**-53


class GuessedWeights:
    """The weighted sum over M of C(M, k) / C(m, k) (1 - e)^-(m - M), from below.

    Half of the weight is spread evenly over M = 0 .. m - 1, and half as a beta-binomial of the stated
    strength around the M that would be best if k came out as guessed.

    Parameters
    ----------
    rows : int
        The number m.
    guess : int
        The guessed k, below m.
    level : Fraction
        The failure probability.
    """

    def __init__(self, rows: int, guess: int, level: Fraction) -> None:
        self.rows = rows
        share = (_best(rows, guess, level) + 0.5) / rows
        self.a, self.b = _STRENGTH * share, _STRENGTH * (1 - share)
        self.total = _total(rows, self.a, self.b)
        self.need = double_above(1 / level) * _START * (1 + _ERROR_PER_ROW * (rows + 64))

    def reached(self, size: int, rate: float) -> bool:
        """Whether the sum certainly is 1 / level or more; it grows with the rate."""
        return rate >= 1.0 or self._sum(size, rate) >= self.need

    def log_excess(self, size: int, rate: float) -> float:
        """About how far the sum is beyond that, in logarithms."""
        if rate >= 1.0:
            return math.inf
        return math.log(max(self._sum(size, rate), 1e-308) / self.need)

    def _sum(self, size: int, rate: float) -> float:
        import numpy as np

        m, keep = self.rows, 1 - rate
        M = np.arange(m - 1, size, -1.0)
        ratio = (M - size) / (M * keep)
        first = [(m - size) / m / keep * _START]
        # Products from M = m - 1 downwards; a product past the doubles is past the need as well.
        with np.errstate(over="ignore", under="ignore"):
            even = np.cumprod(np.append(first, ratio))
            # From the weight at M to the one at M - 1.
            ratio *= (M * (m - 1 - M + self.b)) / ((m - M) * (M - 1 + self.a))
            guessed = np.cumprod(np.append(first, ratio))
            return float(even.sum() / (2 * m) + guessed.sum() / (2 * self.total))


@functools.lru_cache(maxsize=64)
def _best(rows: int, guess: int, level: Fraction) -> int:
    """The M whose bound alone would be least for the guessed size; 60 digits, so the same everywhere."""

    @sixty_digits
    def depth(M: int) -> object:
        log_share = hypergeometric_tail(0, guess, rows - M, rows).log_term
        return (log_level(level) + log_share) / (rows - M)

    low, high = guess, rows - 1
    while low < high:
        middle = (low + high) // 2
        if depth(middle) < depth(middle + 1):  # type: ignore[operator]
            low = middle + 1
        else:
            high = middle
    return low


@functools.lru_cache(maxsize=64)
def _total(rows: int, a: float, b: float) -> float:
    """The sum of the weights when the one at M = rows - 1 is one, from above."""
    import numpy as np

    M = np.arange(rows - 1, 0, -1.0)
    weights = np.cumprod((M * (rows - 1 - M + b)) / ((rows - M) * (M - 1 + a)))
    return float(1 + weights.sum()) * (1 + _ERROR_PER_ROW * (rows + 64))
