"""How many rows make a promise likely: plans by exact binomial probabilities, under a guess of the truth.

A plan promises nothing: floating point will do. The rows it names are enough under the guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from assay.errors import require
from assay.theory.needs import inside_unit, nonnegative
from assay.theory.rounding import Number
from assay.theory.tail.binomial import tail_at_most
from assay.theory.tail.integers import MOST_ROWS
from assay.theory.tail.search import smallest_whole

# Beyond these a plan takes longer than a moment.
_MOST_PLANNED = 10**7
# So many standard deviations about the mean hold all probability that doubles can tell from one.
_SPREADS = 9.0
# Power rises in small saws; so many rows below the answer of a bisection are tried one by one.
_TRIED = 64


def rate_power(rate: float, at_least: float, rows: int, delta: float, share: float = 1.0) -> float:
    """How likely so many rows promise a rate by `rate_at_least`, if each counts for it with chance `share`.

    Examples
    --------
    >>> round(rate_power(2 / 3, 0.5, rows=996, delta=0.05, share=0.06), 5)
    0.80002
    """
    import numpy as np
    from scipy import stats

    spread = _SPREADS * math.sqrt(rows * share * (1 - share)) + 1
    low, high = (
        max(math.floor(rows * share - spread), 0),
        min(math.ceil(rows * share + spread), rows),
    )
    counted = np.arange(low, high + 1)
    passing = stats.binom.isf(delta, counted, at_least) + 1  # P[Bin(m, p0) >= that] <= delta
    chance = stats.binom.sf(passing - 1, counted, rate)
    return float(np.sum(stats.binom.pmf(counted, rows, share) * np.where(counted > 0, chance, 0.0)))


def rate_rows(
    rate: Number, at_least: Number, power: Number, delta: Number, share: Number = 1
) -> int:
    """Rows at which a rate is promised to be at least so much with the given power.

    Parameters
    ----------
    rate : number
        A guess of the true rate, above `at_least`.
    at_least : number
        What shall be promised.
    power : number
        The chance that it is.
    delta : number
        The failure probability of the promise.
    share : number, default=1
        The chance that a row counts: for precision that it is flagged, for recall that it is positive.

    Examples
    --------
    >>> rate_rows(rate=0.95, at_least=0.9, power=0.8, delta=0.05)
    179
    """
    p, least = (float(inside_unit(n, v).low) for n, v in (("rate", rate), ("at_least", at_least)))
    wanted, level = float(inside_unit("power", power).low), float(inside_unit("delta", delta).low)
    counts = float(nonnegative("share", share).low)
    require(0 < counts <= 1, "share", "above 0 and at most 1", share)
    require(p > least, "rate", f"above at_least {least!r}", rate)
    return enough_rows(lambda n: rate_power(p, least, n, level, counts) >= wanted, "rate", rate)


def difference_power(
    only_old_rate: float, only_new_rate: float, delta: float, better_by: float, rows: int
) -> float:
    """How likely so many rows promise that the new model is better by a margin, which may be negative.

    With a margin of zero it is promised by `mcnemar_better`, with any other by `paired_difference`.

    Examples
    --------
    >>> round(difference_power(0.04, 0.02, 0.05, 0.0, 996), 5)
    0.80002
    >>> round(difference_power(0.02, 0.02, 0.05, -0.01, 2000), 3)
    0.444
    """
    share, theta = only_old_rate + only_new_rate, only_old_rate / (only_old_rate + only_new_rate)
    if better_by == 0:
        return rate_power(theta, 0.5, rows, delta, share)
    import numpy as np
    from scipy import stats

    spread = _SPREADS * math.sqrt(rows * share * (1 - share)) + 1
    low = max(math.floor(rows * share - spread), 0)
    m = np.arange(low, min(math.ceil(rows * share + spread), rows) + 1)
    # The end of the exact interval for how often the models differ that the margin has to do with.
    tenth = delta / 10
    with np.errstate(divide="ignore", invalid="ignore"):
        if better_by > 0:
            end = np.where(m > 0, stats.beta.ppf(tenth, m, rows - m + 1), 0.0)
        else:
            end = np.where(m < rows, stats.beta.isf(tenth, m + 1, rows - m), 1.0)
        least = (1 + better_by / end) / 2  # theta must be at least so much
    passing = stats.binom.isf(0.8 * delta, m, np.clip(least, 0, 1)) + 1
    chance = np.where(least >= 1, 0.0, stats.binom.sf(passing - 1, m, theta))
    return float(np.sum(stats.binom.pmf(m, rows, share) * np.where(least <= 0, 1.0, chance)))


def difference_rows(
    only_old_rate: Number, only_new_rate: Number, power: Number, delta: Number
) -> int:
    """Rows at which `mcnemar_better` calls the new model better with the given power.

    The two rates guess how often only the old model is wrong, and only the new one.

    Examples
    --------
    >>> difference_rows(0.04, 0.02, power=0.8, delta=0.05)
    996
    """
    old, new = (
        nonnegative("only_old_rate", only_old_rate).low,
        nonnegative("only_new_rate", only_new_rate).low,
    )
    require(new < old, "only_new_rate", f"below only_old_rate {only_old_rate}", only_new_rate)
    require(old + new <= 1, "only_old_rate", "at most 1 together with only_new_rate", only_old_rate)
    wanted, level = float(inside_unit("power", power).low), float(inside_unit("delta", delta).low)
    theta, share = float(old / (old + new)), float(old + new)
    return enough_rows(
        lambda n: rate_power(theta, 0.5, n, level, share) >= wanted, "only_old_rate", only_old_rate
    )


def f1_rows(
    precision: Number,
    recall: Number,
    prevalence: Number,
    at_least: Number,
    power: Number,
    delta: Number,
) -> int:
    """Rows at which `f1_at_least` promises so much with the given power, under a guess of the three rates.

    Examples
    --------
    >>> f1_rows(precision=0.9, recall=0.9, prevalence=0.2, at_least=0.85, power=0.8, delta=0.05)
    838
    """
    flagged, hit, positive = (
        inside_unit(name, value).low
        for name, value in (
            ("precision", precision),
            ("recall", recall),
            ("prevalence", prevalence),
        )
    )
    least = inside_unit("at_least", at_least).low
    right = hit * positive
    counted = right / flagged + positive - right  # every row that is no true negative
    require(counted <= 1, "prevalence", "small enough for such a precision and recall", prevalence)
    return rate_rows(right / counted, least / (2 - least), power, delta, share=counted)


def gate_rows(good: Number, bad: Number, power: Number) -> tuple[int, int]:
    """Rows and errors allowed: a model of one error passes the gate and one of another fails, each with the power.

    Examples
    --------
    >>> gate_rows(good=0.01, bad=0.05, power=0.99)
    (344, 8)
    """
    low, high = inside_unit("good", good).low, inside_unit("bad", bad).low
    level = 1 - inside_unit("power", power).low
    require(low < high, "good", f"below bad {bad}", good)

    def fails(rows: int, errors: int) -> bool:
        return tail_at_most(errors, rows, high, level)

    def passes(rows: int, errors: int) -> bool:
        """P[more errors] <= level, which is a lower tail of the rows that are right."""
        return tail_at_most(rows - errors - 1, rows, 1 - low, level)

    def first(errors: int) -> int:
        """The fewest rows of which so few errors are too few for the bad model."""
        top = 2 * errors + 2
        while not fails(top, errors):
            top *= 2
            require(top <= MOST_ROWS, "bad", "further from good", bad)
        return smallest_whole(lambda n: fails(n, errors), errors, top)

    def both(errors: int) -> bool:
        return passes(first(errors), errors)

    top = 1
    while not both(top):
        top *= 2
        require(top <= _MOST_PLANNED, "bad", "further from good", bad)
    errors = smallest_whole(both, -1, top)
    while errors and both(errors - 1):
        errors -= 1
    return first(errors), errors


def enough_rows(reached: Callable[[int], bool], name: str, given: object) -> int:
    """The fewest rows, but for saws in the power that are longer than those tried.

    Examples
    --------
    >>> enough_rows(lambda rows: rows >= 500, "rate", 0.5)
    500
    """
    top = 1
    while not reached(top):
        top *= 2
        require(top <= _MOST_PLANNED, name, "further from what shall be promised", given)
    rows = smallest_whole(reached, 0, top)
    for fewer in range(max(rows - _TRIED, 1), rows):
        if reached(fewer):
            return fewer
    return rows
