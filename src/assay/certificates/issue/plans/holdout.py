"""Rows of a holdout: how many it takes to promise an error rate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from assay.certificates.issue.plans.planned import Plan
from assay.errors import BadParameter, require
from assay.guarantees.decimals import decimal_text
from assay.theory.needs import unit
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.binomial import tail_at_most
from assay.theory.tail.integers import binomial_tail
from assay.theory.tail.power import rate_power
from assay.theory.tail.search import smallest_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.types import Floats

MOST_ROWS = 10**7


def holdout_plan(error: Number, delta: Number, *, expected: Number | None, power: Fraction) -> Plan:
    """The fewest rows for which a model of the expected error passes often enough.

    Without a guess the rows are for a model without error, and `Plan.instead` says what others need.
    """
    rate, level = as_fraction(error), as_fraction(delta)
    guess = Fraction(0) if expected is None else unit("expected", expected).low
    require(guess < rate, "expected", f"below the error {error!r} to be promised", expected)
    planned = _holdout(error, delta, rate, level, guess, power)
    if expected is not None:
        return planned
    return replace(planned, instead=tuple(_instead(error, delta, rate, level, power)))


def _instead(
    error: Number, delta: Number, rate: Fraction, level: Fraction, chance: Fraction
) -> Iterator[tuple[str, int, int]]:
    """What models need whose true error is a fifth and two fifths of what shall be promised."""
    if chance == 1:
        return  # a model that errs may always fail
    for share in (Fraction(1, 5), Fraction(2, 5)):
        try:
            planned = _holdout(error, delta, rate, level, rate * share, chance)
        except BadParameter:
            return  # more rows than anybody would buy
        assert planned.errors_allowed is not None
        yield decimal_text(rate * share), planned.rows, planned.errors_allowed


def _holdout(
    error: Number, delta: Number, rate: Fraction, level: Fraction, guess: Fraction, chance: Fraction
) -> Plan:
    if guess == 0:
        # A model without errors always passes; only the rows for zero errors matter.
        rows = _rows_for(0, rate, level, 1)
        return _plan(rows, 0, 1.0, error, delta, guess, chance)
    require(chance < 1, "power", "below one unless no error is expected", float(chance))
    for allowed, start in _candidates(float(rate), float(level), float(guess), float(chance)):
        rows = _rows_for(allowed, rate, level, start)
        if rows > MOST_ROWS:
            break
        passing = _chance_of_passing(allowed, rows, guess)
        if passing >= chance:
            return _plan(rows, allowed, float(passing), error, delta, guess, chance)
    raise BadParameter(
        f"expected must be further below the error {error!r}, but is {float(guess)!r}: more than "
        f"{MOST_ROWS:,} rows would be needed."
    )


def _plan(
    rows: int,
    allowed: int,
    passing: float,
    error: Number,
    delta: Number,
    guess: Fraction,
    chance: Fraction,
) -> Plan:
    # Hoeffding's inequality asks for ln(1 / delta) / (2 (error - expected)^2) rows.
    gap = as_fraction(error) - guess
    beside = find_theorem("validation-hoeffding").rows(error=gap, delta=delta)
    inputs = {
        "error": str(error),
        "delta": str(delta),
        "expected": str(float(guess)),
        "power": str(float(chance)),
    }
    return Plan(
        rows=rows,
        errors_allowed=allowed,
        purpose="holdout",
        theorem="holdout-exact",
        error=str(error),
        delta=str(delta),
        power=passing,
        textbook=("validation-hoeffding", beside),
        inputs=inputs,
        _power_of=partial(
            holdout_power, float(guess), float(as_fraction(error)), float(as_fraction(delta))
        ),
    )


def holdout_power(guess: float, error: float, delta: float, rows: int) -> float:
    """How likely a model of the guessed error makes few enough errors on so many rows.

    Examples
    --------
    >>> round(holdout_power(0.02, 0.05, 0.05, 311), 3)
    0.902
    """
    return rate_power(1 - guess, 1 - error, rows, delta)


def _rows_for(allowed: int, rate: Fraction, level: Fraction, start: int) -> int:
    """The smallest n with P[Bin(n, rate) <= allowed] <= level, searched from a guess."""

    def enough(rows: int) -> bool:
        return rows > allowed and tail_at_most(allowed, rows, rate, level)

    step = 1
    low, high = allowed, max(start, allowed + 1)
    if enough(high):
        while high - step > allowed and enough(high - step):
            high, step = high - step, 2 * step
        low = max(high - step, allowed)
    else:
        while not enough(high + step):
            high, step = high + step, 2 * step
        low, high = high, high + step
    return smallest_whole(enough, low, high)


def _chance_of_passing(allowed: int, rows: int, guess: Fraction) -> Fraction:
    """P[Bin(rows, guess) <= allowed], from below."""
    tail = binomial_tail(allowed, rows, guess)
    return Fraction(math.exp(float(tail.log))) * (1 - Fraction(1, 10**14))


def _candidates(
    rate: float, level: float, guess: float, chance: float
) -> Iterator[tuple[int, int]]:
    """Numbers of errors to allow, smallest first, each with a guess of the rows it needs.

    For a given number of errors k the fewest rows n_k are best, since more rows only make passing
    harder; so the answer is n_k for the first k that passes often enough. Candidates are screened in
    floating point with a hair of tolerance and decided exactly by the caller.
    """
    import numpy as np

    first, size = 0, 64
    while first <= rate * MOST_ROWS:
        last = np.array([first + size - 1])
        # Passing gets likelier with k but for the rounding of rows, which is small beyond a few dozen.
        if first == 0 or _screened(last, rate, level, guess)[1][0] >= chance - 0.02:
            k = np.arange(first, first + size)
            rows, passing = _screened(k, rate, level, guess)
            for i in np.flatnonzero(passing >= chance - 1e-9):
                yield int(k[i]), int(rows[i])
        first, size = first + size, 2 * size


def _screened(
    k: NDArray[np.int_], rate: float, level: float, guess: float
) -> tuple[Floats, Floats]:
    """For each number of errors, about the rows it needs and the chance of passing with them."""
    import numpy as np
    from scipy import special

    def at_most(rows: Floats, p: float) -> Floats:
        """P[Bin(rows, p) <= k]."""
        return np.asarray(special.betaincc(k + 1.0, np.maximum(rows - k, 1.0), p))

    z = abs(special.ndtri(level))
    spread = z * math.sqrt(rate * (1 - rate))
    middle = ((spread + np.sqrt(spread**2 + 4 * rate * (k + 0.5))) / (2 * rate)) ** 2
    width = 4 * (z**2 + 10) / rate
    low, high = np.floor(np.maximum(k, middle - width)), np.ceil(middle + width)
    while np.any(high - low > 1):
        middle = np.floor((low + high) / 2)
        enough = (middle > k) & (at_most(middle, rate) <= level)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high, at_most(high, guess)
