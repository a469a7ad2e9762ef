"""How many units make a promise about their mean likely, where rows of a unit err together."""

from __future__ import annotations

import math
from collections.abc import Callable

from assay.errors import require
from assay.theory.tail.search import smallest_whole
from assay.theory.tail.unit_bets import BETS

MOST_UNIT_ROWS = 10_000
# Beyond so many a plan takes longer than a moment.
_MOST_UNITS = 10**6
# So many purchases are simulated, always the same; fewer where units are large.
_DRAWS, _MOST_CELLS = 10_000, 2_000_000


def unit_power(
    error: float, correlation: float, unit_rows: int, at_most: float, delta: float, units: int
) -> float:
    """How likely so many units promise that their mean error is at most so much, by `unit_mean_betting`.

    The error of a unit is drawn from the beta distribution with this mean at which two rows of a unit have the given
    correlation; what units show is drawn 10,000 times, always by the same seed.

    Examples
    --------
    >>> round(unit_power(0.02, 0.3, 8, 0.05, 0.05, 280), 1)
    0.9
    """
    import numpy as np

    chances = np.array(_chances(error, correlation, unit_rows))
    draws = min(_DRAWS, _MOST_CELLS // (unit_rows + 1))
    seen = np.random.default_rng(0).multinomial(units, chances, draws)
    bets = np.arange(1, BETS + 1) / BETS
    shares = np.arange(unit_rows + 1) / unit_rows
    with np.errstate(divide="ignore"):
        logs = np.log1p(-bets * (shares[:, None] - at_most))
    wealth = seen @ np.maximum(logs, -1e6)
    most = wealth.max(axis=1)
    total = most + np.log(np.exp(wealth - most[:, None]).mean(axis=1))
    return float(np.mean(total >= -math.log(delta)))


def _chances(error: float, correlation: float, unit_rows: int) -> list[float]:
    """How likely a unit has so many wrong rows, from none to all."""
    import numpy as np
    from scipy import stats

    wrong = np.arange(unit_rows + 1)
    if correlation >= 1 or error <= 0:
        chances = np.where(wrong == 0, 1 - error, np.where(wrong == unit_rows, error, 0.0))
    elif correlation <= 0:
        chances = stats.binom.pmf(wrong, unit_rows, error)
    else:
        spread = (1 - correlation) / correlation
        chances = stats.betabinom.pmf(wrong, unit_rows, error * spread, (1 - error) * spread)
    listed: list[float] = (chances / chances.sum()).tolist()
    return listed


def units_needed(power_of: Callable[[int], float], power: float, given: object) -> int:
    """The fewest units that reach the power, with two standard errors of its simulation to spare.

    Examples
    --------
    >>> units_needed(lambda units: 1 - 0.5**units, 0.9, 0.01)
    4
    """
    wanted = power + 2 * math.sqrt(power * (1 - power) / _DRAWS)
    top = 1
    while not power_of(top) >= wanted:
        top *= 2
        require(top <= _MOST_UNITS, "expected", "further from what shall be promised", given)
    return smallest_whole(lambda units: power_of(units) >= wanted, 0, top)
