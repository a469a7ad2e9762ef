"""Finding the smallest double, or whole number, at which a monotone condition starts to hold."""

from __future__ import annotations

import math
from collections.abc import Callable


def smallest_double(holds: Callable[[float], bool], low: float, high: float, guess: float) -> float:
    """The smallest double in (low, high] at which `holds` is true.

    `holds` must be false at `low` and everywhere below the answer, true everywhere above it and
    at `high`.
    The search starts at `guess` and gallops, so a good guess costs two or three evaluations.

    Examples
    --------
    >>> smallest_double(lambda x: x * x >= 2.0, 0.0, 2.0, 1.4142)
    1.4142135623730951
    """
    guess = min(max(guess, math.nextafter(low, math.inf)), high)
    step = 1
    if holds(guess):
        good, bad = guess, _moved(guess, -step)
        while bad > low and holds(bad):
            step *= 4
            good, bad = bad, _moved(bad, -step)
        bad = max(bad, low)
    else:
        bad, good = guess, _moved(guess, step)
        while good < high and not holds(good):
            step *= 4
            bad, good = good, _moved(good, step)
        good = min(good, high)
    while (middle := bad + (good - bad) / 2) not in (bad, good):
        bad, good = (bad, middle) if holds(middle) else (middle, good)
    return good


def smallest_whole(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The smallest whole number above `low` at which `holds` is true, which it is at `high`, by bisection.

    Examples
    --------
    >>> smallest_whole(lambda n: n * n >= 200, 0, 200)
    15
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _moved(x: float, ulps: int) -> float:
    """The double some steps away from a positive one; exact for one step."""
    if abs(ulps) == 1:
        return math.nextafter(x, math.copysign(math.inf, ulps))
    return x + ulps * math.ulp(x)
