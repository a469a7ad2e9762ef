"""Rows that come in units: the rate per row, and the difference of two models, by betting on units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from assay.errors import require
from assay.theory.claim import DRAWN, FIRST, SETTLED, Condition, difference_claims, holdout_claims
from assay.theory.needs import count, inside_unit, real
from assay.theory.registry import theorem
from assay.theory.rounding import Number, double_below
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.theory.tail.difference import BOTH_FIXED_BEFORE
from assay.theory.tail.unit_bets import MOST_UNITS, excluded_from
from assay.theory.tail.unit_mean import UNITS_INDEPENDENT, Units

UNITS_BOUNDED = Condition(
    "units-of-at-most-so-many-rows", "no unit can have more rows than were declared"
)


@theorem(
    kind="error",
    statement=r"\frac{\mathbb E\,e}{\mathbb E\,r}\le\sup\Big\{t:\tfrac1{64}\sum_{j=1}^{64}\prod_g"
    r"\big(1-\tfrac j{64}\tfrac{e_g-t\,r_g}M\big)<\tfrac1\delta\Big\}",
    assumes=(UNITS_INDEPENDENT, FIXED_BEFORE, UNITS_BOUNDED),
    claim=holdout_claims(
        DRAWN, FIRST, SETTLED, quantities=("unit-row-error", "unit-row-beyond"), classes=False
    ),
)
def unit_ratio_betting(units: Units, most_rows: int, delta: Number) -> float:
    """The share of rows that are wrong, over all rows of many new units.

    Theorem  Let unit g have r_g <= M rows, e_g of them wrong, over independent units, and theta = E e / E r.
             Sixty-four gamblers, the j-th of whom risks j / 64 on every unit, own together
             W(t) = (1/64) sum_j prod_g (1 - (j/64)(e_g - t r_g) / M), which has mean 1 at t = theta and grows
             with t. By Markov's inequality W(theta) reaches 1 / delta with probability at most delta.
    Needs    units: triples (errors e, rows r, number of such units), whole, 0 <= e <= r, r and the number at
             least 1; at most 10^9 units.  most_rows M: whole, at least every r.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up; 1 when no rate below 1 is excluded.
    Source   Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting
             (JRSS B 2024), with an even mixture over a grid of constant bets, on e - t r.

    Examples
    --------
    >>> units = [(0, 2, 60), (0, 10, 60), (1, 5, 40), (2, 8, 25), (4, 10, 15)]
    >>> round(unit_ratio_betting(units, most_rows=10, delta=0.05), 12)
    0.161959251209
    """
    most = count("most_rows", most_rows, at_least=1)
    histogram = counted_units(units, most)
    kinds = [(Fraction(e, most), Fraction(r, most), m) for (e, r), m in sorted(histogram.items())]
    return excluded_from(kinds, inside_unit("delta", delta).low)


@theorem(
    kind="difference",
    statement=r"\mathbb E\,d\ge1-2\sup\Big\{t:\tfrac1{64}\sum_{j=1}^{64}\prod_g\big(1-\tfrac j{64}(x_g-t)\big)"
    r"<\tfrac1\delta\Big\},\quad x_g=\tfrac12\Big(1-\frac{d_g}{r_g}\Big)",
    assumes=(UNITS_INDEPENDENT, BOTH_FIXED_BEFORE),
    claim=difference_claims(DRAWN, FIRST, quantities=("unit-mean-difference",)),
)
def unit_difference(units: Sequence[Sequence[Number]], delta: Number) -> float:
    """By how much the new model's error is below the old one's, averaged over units.

    Theorem  Let d_g be the sum over unit g's r_g rows of the old loss less the new one. For losses between 0 and 1
             x_g = (1 - d_g / r_g) / 2 lies there as well. With an upper bound U on its mean over units, which
             `unit_mean_betting` gives, 1 - 2 U is a lower bound on the mean of d_g / r_g.
    Needs    units: triples (sum of differences d, rows r, number of such units), -r <= d <= r, r and the number whole
             and at least 1; at most 10^9 units.  delta: strictly between 0 and 1.
    Gives    a lower bound on the mean of old - new, rounded down; -1 where no difference is excluded.
    Source   Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting
             (JRSS B 2024), with an even mixture over a grid of constant bets.

    Examples
    --------
    >>> round(unit_difference([(0, 5, 60), (1, 5, 30), (2, 5, 20), (-1, 5, 10)], 0.05), 9)
    0.018327964
    """
    histogram: dict[Fraction, int] = {}
    for name, entry in _triples(units, "sum of differences"):
        rows, many = (count(f"{name}[{i}]", entry[i], at_least=1) for i in (1, 2))
        total = real(f"{name}[0]", entry[0]).low
        require(abs(total) <= rows, f"{name}[0]", f"between {-rows} and {rows}", entry[0])
        share = (1 - total / rows) / 2
        histogram[share] = histogram.get(share, 0) + many
    _number_of_units(histogram.values())
    kinds = [(share, Fraction(1), many) for share, many in sorted(histogram.items())]
    return double_below(1 - 2 * Fraction(excluded_from(kinds, inside_unit("delta", delta).low)))


def counted_units(units: Any, most: int | None = None) -> dict[tuple[int, int], int]:
    """How many units have how many errors among how many rows; `most` is the largest number of rows there can be."""
    histogram: dict[tuple[int, int], int] = {}
    for name, entry in _triples(units, "errors"):
        wrong, rows, many = (count(f"{name}[{i}]", entry[i], min(i, 1)) for i in range(3))
        require(wrong <= rows, f"{name}[0]", f"at most the number of rows {rows}", wrong)
        require(most is None or rows <= most, f"{name}[1]", f"at most most_rows {most}", rows)
        histogram[wrong, rows] = histogram.get((wrong, rows), 0) + many
    _number_of_units(histogram.values())
    return histogram


def _triples(units: Any, what: str) -> Iterable[tuple[str, Sequence[Any]]]:
    """Each entry with the name that a refusal gives it."""
    must = f"({what}, rows, number of such units)"
    listed = isinstance(units, Iterable) and not isinstance(units, str | bytes | dict)
    require(listed, "units", f"a sequence of {must}", units)
    for place, entry in enumerate(units):
        three = isinstance(entry, Sequence) and not isinstance(entry, str) and len(entry) == 3
        require(three, f"units[{place}]", must, entry)
        yield f"units[{place}]", entry


def _number_of_units(numbers: Iterable[int]) -> None:
    total = sum(numbers)
    require(total >= 1, "units", "at least one unit", "empty")
    require(total <= MOST_UNITS, "units", f"at most {MOST_UNITS} units", total)
