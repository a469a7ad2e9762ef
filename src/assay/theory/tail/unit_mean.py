"""Rows that come in units: the mean over units of the share of wrong rows, by betting against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from assay.errors import require
from assay.theory.claim import DRAWN, FIRST, Condition, holdout_claims
from assay.theory.needs import count, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.theory.tail.hoeffding import validation_hoeffding
from assay.theory.tail.unit_bets import MOST_UNITS, excluded_from

UNITS_INDEPENDENT = Condition(
    "independent-units", "the units are independent draws from the distribution of use"
)

# With more different means than this, each is rounded up to a multiple of one part in so many.
_MOST_MEANS = 2048

Units = Sequence[Sequence[int]]


def unit_mean_hoeffding(units: Units, delta: Number) -> float:
    """The same mean by Hoeffding's inequality."""
    means = _means(units)
    total = sum((mean * many for mean, many in means), Fraction(0))
    # Rounded up to a double: the textbook form takes a sum of losses.
    return validation_hoeffding(exact(total).up(), sum(many for _, many in means), delta)


@theorem(
    kind="error",
    statement=r"\theta\le\sup\Big\{t:\tfrac1{64}\sum_{j=1}^{64}\prod_g\big(1-\tfrac j{64}(x_g-t)\big)<\tfrac1\delta"
    r"\Big\},\quad x_g=e_g/r_g",
    assumes=(UNITS_INDEPENDENT, FIXED_BEFORE),
    textbook=("validation-hoeffding", unit_mean_hoeffding),
    claim=holdout_claims(
        DRAWN, FIRST, quantities=("unit-mean-error", "unit-mean-beyond"), classes=False
    ),
)
def unit_mean_betting(units: Units, delta: Number) -> float:
    """The chance that a row of a new unit is wrong, averaged over units.

    Theorem  Let x_g be the share of unit g's rows that are wrong, over independent units with mean
             theta. Sixty-four gamblers, the j-th of whom risks j / 64 on every unit, own together
             W(t) = (1/64) sum_j prod_g (1 - (j/64)(x_g - t)), which has mean 1 at t = theta and grows
             with t. By Markov's inequality W(theta) reaches 1 / delta with probability at most delta.
    Needs    units: triples (errors e, rows r, number of such units), whole, 0 <= e <= r, r and the number
             at least 1; at most 10^9 units.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up; 1 when no mean below 1 is excluded.
    Source   Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting
             (JRSS B 2024), with an even mixture over a grid of constant bets.

    Examples
    --------
    >>> round(unit_mean_betting([(0, 5, 150), (1, 5, 30), (2, 5, 20)], 0.05), 12)
    0.100476957016
    """
    level = inside_unit("delta", delta).low
    kinds = [(mean, Fraction(1), many) for mean, many in _means(units)]
    return excluded_from(kinds, level, decimal_kinds=_MOST_MEANS)


def _means(units: Any) -> list[tuple[Fraction, int]]:
    """How many units have which share of wrong rows, smallest first."""
    listed = isinstance(units, Iterable) and not isinstance(units, str | bytes | dict)
    require(listed, "units", "a sequence of (errors, rows, number of such units)", units)
    histogram: dict[Fraction, int] = {}
    for place, entry in enumerate(units):
        name, listed = f"units[{place}]", isinstance(entry, Sequence) and not isinstance(entry, str)
        require(listed and len(entry) == 3, name, "(errors, rows, number of such units)", entry)
        wrong, rows, many = (_whole(name, entry, i) for i in range(3))
        require(wrong <= rows, f"{name}[0]", f"at most the number of rows {rows}", wrong)
        mean = Fraction(wrong, rows)
        histogram[mean] = histogram.get(mean, 0) + many
    total = sum(histogram.values())
    require(bool(histogram), "units", "at least one unit", "empty")
    require(total <= MOST_UNITS, "units", f"at most {MOST_UNITS} units", total)
    if len(histogram) > _MOST_MEANS:
        histogram = _rounded(histogram)
    return sorted(histogram.items())


def _whole(name: str, entry: Sequence[Any], place: int) -> int:
    return count(f"{name}[{place}]", entry[place], at_least=min(place, 1))


def _rounded(histogram: dict[Fraction, int]) -> dict[Fraction, int]:
    """Every mean rounded up to a grid, which can only raise the bound."""
    coarse: dict[Fraction, int] = {}
    for mean, many in histogram.items():
        above = Fraction(-(-mean * _MOST_MEANS // 1), _MOST_MEANS)
        coarse[above] = coarse.get(above, 0) + many
    return coarse
