"""Units of rows that belong together: how many it takes to promise the mean error over units."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from assay.certificates.issue.plans.planned import Plan
from assay.errors import BadParameter, Words, require
from assay.theory.needs import count, inside_unit, unit
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.power_units import MOST_UNIT_ROWS, unit_power, units_needed


def unit_plan(
    error: Number,
    delta: Number,
    *,
    power: Fraction,
    expected: Number | None,
    unit_rows: int | None = None,
    correlation: Number | None = None,
) -> Plan:
    """The guess is the model's error, and how alike the rows of a unit are."""
    if unit_rows is None or correlation is None or expected is None:
        raise BadParameter(
            "Units are planned from a guess: ",
            Words("expected", "--expected"),
            " (the model's error), ",
            Words("unit_rows", "--unit-rows"),
            " (rows in a unit) and ",
            Words("correlation", "--correlation"),
            " (0 where rows of a unit err independently, 1 where all of them err or none).",
        )
    rate, guess = as_fraction(error), unit("expected", expected).low
    require(guess < rate, "expected", f"below the error {error!r} to be promised", expected)
    rows = count("unit_rows", unit_rows, at_least=1)
    require(rows <= MOST_UNIT_ROWS, "unit_rows", f"at most {MOST_UNIT_ROWS:,}", unit_rows)
    alike = unit("correlation", correlation).low
    require(power < 1, "power", "below one", float(power))
    of_units = partial(
        unit_power,
        float(guess),
        float(alike),
        rows,
        float(rate),
        float(inside_unit("delta", delta).low),
    )
    units = units_needed(of_units, float(power), expected)
    return Plan(
        rows=units * rows,
        errors_allowed=None,
        purpose="units",
        theorem="unit-mean-betting",
        error=str(error),
        delta=str(delta),
        power=of_units(units),
        textbook=None,
        inputs={
            "error": str(error),
            "delta": str(delta),
            "expected": str(expected),
            "unit_rows": rows,
            "correlation": str(correlation),
            "power": str(float(power)),
        },
        units=units,
        _power_of=partial(_by_rows, of_units, rows),
    )


def _by_rows(of_units: partial[float], unit_rows: int, rows: int) -> float:
    return of_units(max(rows // unit_rows, 1))
