"""A mean that a nonnegative quantity certainly has, with no bound on how large the quantity may be: forty bets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from assay.errors import require
from assay.theory.needs import nonnegative, positive
from assay.theory.rounding import ln
from assay.theory.tail.integers import sixty_digits

if TYPE_CHECKING:
    from assay.types import Floats

#: How many gamblers there are, and how finely the shares that they risk are written down.
BETS, _GRID = 40, 2**30
#: Histograms of more different values are not read, and none of more rounds.
MOST_VALUES = 4096
MOST_ROUNDS = 10**9
# What floating point can lose in a logarithm: four roundings on the way to it, and two in taking it. Twice that is
# kept clear of by whoever promises, so that whoever checks on another machine agrees.
_PER_TERM = 2.0**-50
_LOG_SLACK = 1e-13
# No mean is looked for below the largest value over two to this power.
_HALVINGS = 400

Histogram = Sequence[Sequence[Any]]
"""Pairs: a value, and how often it was met."""


@cache
@sixty_digits
def bets() -> tuple[float, ...]:
    """The shares of what they own that the gamblers risk: a geometric grid from 1/512 to 63/64, rounded down.

    Examples
    --------
    >>> len(bets()), bets()[0] * 512, bets()[-1] * 64
    (40, 1.0, 63.0)
    """
    steps = (Decimal(504) ** (Decimal(j) / (BETS - 1)) for j in range(BETS - 1))
    return (*(int(step * _GRID / 512) / _GRID for step in steps), 63 / 64)


class NonnegativeMean:
    """Values that are nonnegative, and the gamblers who bet that their mean is larger than some m.

    Examples
    --------
    >>> mean = NonnegativeMean([(5, 60), (0, 940)], Fraction(1, 20))
    >>> round(mean.at_least(), 12), mean.excludes(Fraction("0.197")), mean.excludes(Fraction("0.198"))
    (0.197405622251, True, False)
    """

    def __init__(self, histogram: Histogram, level: Fraction) -> None:
        import numpy as np

        pairs = _read(histogram)
        self._values: Floats = np.array([value for value, _ in pairs])
        self._counts: Floats = np.array([many for _, many in pairs])
        self._rounds = float(self._counts.sum())
        self._bets: Floats = np.array(bets())[:, None]
        self._need = ln(1 / level).up() + math.log(BETS) * (1 + 2**-50)

    def at_least(self) -> float:
        """The largest mean such that it and all smaller ones are certainly excluded, or a hair less; 0 for none."""
        high = float(self._values.max())
        low, at_high = high, -math.inf
        for _ in range(_HALVINGS):
            low /= 2
            if low == 0.0 or (at_low := self._surplus(low, 2.0)) >= 0:
                break
            high, at_high = low, at_low
        else:
            return 0.0
        if low == 0.0:
            return 0.0
        side = 0
        for _ in range(200):
            if high - low <= 1e-15 * high:
                break
            # False position; an end that stays twice counts half (Illinois). Halving where an end is infinite.
            middle = low + (high - low) / 2
            if math.isfinite(at_low) and math.isfinite(at_high):
                middle = low + (high - low) * at_low / (at_low - at_high)
            if not low < middle < high:
                middle = low + (high - low) / 2
                if middle in (low, high):
                    break
            value = self._surplus(middle, 2.0)
            if value >= 0:
                low, at_low = middle, value
                at_high, side = (at_high / 2 if side > 0 else at_high), 1
            else:
                high, at_high = middle, value
                at_low, side = (at_low / 2 if side < 0 else at_low), -1
        return low

    def excludes(self, mean: Fraction) -> bool:
        """Whether it is certain that a mean, and every smaller one, would have made the gamblers that rich."""
        if mean <= 0:
            return mean < 0
        at = float(mean)
        # A double above it: where that is excluded, all below are.
        at = at if Fraction(at) >= mean else math.nextafter(at, math.inf)
        return self._surplus(at, 1.0) >= 0

    def _surplus(self, mean: float, slack: float) -> float:
        """By how much all gamblers together certainly own more than 1 / delta if the mean is that, in logarithms."""
        import numpy as np

        with np.errstate(over="ignore"):
            logs = np.log((1.0 - self._bets) + self._bets * (self._values / mean))
        if not np.isfinite(logs).all():
            return math.inf  # a value is more than any double times the mean
        sizes = np.abs(logs) @ self._counts
        lost = _PER_TERM * self._rounds + sizes * (_PER_TERM + 2.0**-53 * self._counts.size)
        own = logs @ self._counts - slack * lost
        most = float(own.max())
        total = most + math.log(float(np.exp(own - most).sum()))
        return total - self._need - slack * _LOG_SLACK * (1.0 + abs(self._need))


def _read(histogram: Any) -> list[tuple[float, float]]:
    """Values with their counts as doubles; refuses what is no histogram."""
    must = "a sequence of (value, number of rounds)"
    listed = isinstance(histogram, Iterable) and not isinstance(histogram, str | bytes | dict)
    require(listed, "returns", must, histogram)
    pairs, total = [], Fraction(0)
    for place, entry in enumerate(histogram):
        name = f"returns[{place}]"
        require(place < MOST_VALUES, "returns", f"at most {MOST_VALUES:,} values", "more")
        pair = isinstance(entry, Sequence) and not isinstance(entry, str) and len(entry) == 2
        require(pair, name, must, entry)
        value, many = nonnegative(f"{name}[0]", entry[0]), positive(f"{name}[1]", entry[1])
        total += many.low
        pairs.append((float(value.low), float(many.low)))
    require(bool(pairs), "returns", "at least one round", "empty")
    require(total <= MOST_ROUNDS, "returns", f"of at most {MOST_ROUNDS:,} rounds", float(total))
    largest = max(value for value, _ in pairs)
    require(largest < 1e300, "returns", "numbers below 1e300", largest)
    return pairs
