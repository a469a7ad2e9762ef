"""The second verifier: exact claims confirmed in whole numbers, and by nothing that made them.

Small enough to be read in one sitting, and written again in any language. Up to ten thousand rows it uses
Python's integers alone. Beyond, where those would grow to millions of digits, it uses the enclosures of
`assay.theory.tail.integers`, which also decide the last digit when a certificate is made. No SciPy, no
floating point: the promised decimal is taken at its word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from assay.errors import require
from assay.theory.needs import count, inside_unit
from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import counts
from assay.theory.tail.integers import (
    Tail,
    binomial_at_most,
    binomial_tail,
    hypergeometric_at_most,
    hypergeometric_tail,
    log_level,
)

# Beyond these the whole-number sum takes longer than a blink.
_EXACT_ROWS = 10_000
_EXACT_WORK = 500_000
# A file is not trusted: a larger power of two would be a way to make the verifier work for hours.
_MOST_BITS = 1_000_000
# How far above the smallest possible number a promise may lie before it is called loose.
_TIGHT = 1 - Fraction(1, 10**12) - Fraction(4, 2**52)


def confirm(
    theorem: str, inputs: Mapping[str, Any], promised: Fraction, *, at_length: bool = True
) -> tuple[bool, bool] | None:
    """Whether a promise follows from its inputs, and whether it is as small as it can be.

    Returns None for theorems that are not decided by a tail of whole numbers. Where many claims are to be
    decided, not `at_length`: then by enclosures alone, which take a millisecond.

    Examples
    --------
    >>> inputs = {"errors": 50, "rows": 1000, "delta": "0.05"}
    >>> confirm("holdout-exact", inputs, Fraction("0.06286340351237975"))
    (True, True)
    >>> confirm("holdout-exact", inputs, Fraction("0.06286340351237"))
    (False, True)
    """
    checker = find_theorem(theorem).checker
    return _CHECKS[checker](inputs, promised, at_length) if checker else None


def _binomial(
    errors: int, rows: int, level: Fraction, promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    if promised <= 0:
        return False, True
    sound = promised >= 1 or _tail_at_most(errors, rows, promised, level, at_length)
    return sound, errors == rows or not _tail_at_most(
        errors, rows, promised * _TIGHT, level, at_length
    )


def _tail_at_most(errors: int, rows: int, rate: Fraction, level: Fraction, at_length: bool) -> bool:
    """Whether P[Bin(rows, rate) <= errors] <= level, for sure."""
    if rate >= 1:
        return errors < rows
    if at_length and rows <= _EXACT_ROWS and rows * (errors + 1) <= _EXACT_WORK:
        return binomial_at_most(errors, rows, rate, level)
    return errors < rows and _surely(binomial_tail(errors, rows, rate), level)


def _surely(tail: Tail, level: Fraction) -> bool:
    """An enclosure too wide to decide does not confirm."""
    return tail.at_most(log_level(level)) is True


def _counts(inputs: Mapping[str, Any]) -> tuple[int, int, Fraction]:
    require(
        isinstance(inputs["errors"], int), "errors", "a whole number, not text", inputs["errors"]
    )
    return *counts(inputs["errors"], inputs["rows"]), inside_unit("delta", inputs["delta"]).low


def _holdout(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    errors, rows, delta = _counts(inputs)
    return _binomial(errors, rows, delta, promised, at_length)


def _occam(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    errors, rows, delta = _counts(inputs)
    bits = count("bits", inputs["bits"], at_least=1)
    if promised >= 1 and errors < rows and bits > _MOST_BITS:
        return True, True  # so long a description leaves nothing to promise
    require(bits <= _MOST_BITS, "bits", f"at most {_MOST_BITS}", bits)
    return _binomial(errors, rows, delta / 2**bits, promised, at_length)


def _finite_class(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    errors, rows, delta = _counts(inputs)
    size = count("class_size", inputs["class_size"], at_least=1)
    return _binomial(errors, rows, delta / size, promised, at_length)


def _large_gap(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    run, delta = count("run", inputs["run"], at_least=1), inside_unit("delta", inputs["delta"]).low
    if "hypotheses" in inputs:
        share = delta / count("hypotheses", inputs["hypotheses"], at_least=1)
    else:
        i = count("mistakes", inputs["mistakes"])
        share = delta / ((i + 1) * (i + 2))
    return _binomial(0, run, share, promised, at_length)


def _finite_batch(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    population = count("population", inputs["population"], at_least=inputs["rows"])
    most = int(promised * population)  # whole rows at or below the promised rate
    return _batch(inputs, population, most, at_length)


def _next_rows(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    if promised.denominator != 1 or promised < 0:
        return False, True
    population = inputs["rows"] + count("next_rows", inputs["next_rows"], at_least=1)
    return _batch(inputs, population, inputs["errors"] + promised.numerator, at_length)


def _batch(
    inputs: Mapping[str, Any], population: int, most: int, at_length: bool
) -> tuple[bool, bool]:
    """Whether no more than so many rows of a batch are bad, and whether one fewer cannot be said."""
    errors, rows, delta = _counts(inputs)

    def excluded(bad: int) -> bool:
        """Whether so many bad rows would show so few errors with probability at most delta."""
        if bad > population - rows + errors:
            return True
        if bad <= errors:
            return False
        if at_length and population <= _EXACT_ROWS and population * (errors + 1) <= _EXACT_WORK:
            return hypergeometric_at_most(errors, rows, bad, population, delta)
        return _surely(hypergeometric_tail(errors, rows, bad, population), delta)

    return most >= errors and excluded(most + 1), most == errors or not excluded(most)


# By the names that theorems give to the program that decides them.
_CHECKS: dict[str, Callable[[Mapping[str, Any], Fraction, bool], tuple[bool, bool]]] = {
    "binomial": _holdout,
    "occam": _occam,
    "finite-class": _finite_class,
    "large-gap": _large_gap,
    "finite-population": _finite_batch,
    "next-rows": _next_rows,
}
