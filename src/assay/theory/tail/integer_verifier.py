"""The second verifier: exact claims confirmed in whole numbers, and by nothing that made them.

Small enough to be read in one sitting, and written again in any language. Up to ten thousand rows it uses
Python's integers alone. Beyond, where those would grow to millions of digits, it uses the enclosures of
`assay.theory.tail.integers`, which also decide the last digit when a certificate is made. No SciPy, no
floating point: the promised decimal is taken at its word.

A theorem that a tail decides names its checker, which reads the inputs of a claim and asks `confirm_rate`,
`confirm_rate_at_least`, `confirm_rank` or `confirm_batch`. The answer is whether the promise follows, and whether it is
as small as it can be; as large, where it is a lower bound. Where many claims are to be decided, not `at_length`: then
by enclosures alone, which take a millisecond.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from assay.errors import require
from assay.theory.needs import count, counts, inside_unit
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
# How far above the smallest possible number a promise may lie before it is called loose.
_TIGHT = 1 - Fraction(1, 10**12) - Fraction(4, 2**52)


def read_counts(inputs: Mapping[str, Any]) -> tuple[int, int, Fraction]:
    """Errors, rows and delta of a claim."""
    errors = inputs["errors"]
    require(isinstance(errors, int), "errors", "a whole number, not text", errors)
    return *counts(errors, inputs["rows"]), inside_unit("delta", inputs["delta"]).low


def confirm_counts(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    """The checker of a rate at which so few errors are too unlikely.

    Examples
    --------
    >>> inputs = {"errors": 50, "rows": 1000, "delta": "0.05"}
    >>> confirm_counts(inputs, Fraction("0.06286340351237975"), True)
    (True, True)
    >>> confirm_counts(inputs, Fraction("0.06286340351237"), True)
    (False, True)
    """
    return confirm_rate(*read_counts(inputs), promised, at_length)


def confirm_rate(
    errors: int, rows: int, level: Fraction, promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    """Whether so few errors have probability `level` at most at the promised rate, and more at any smaller one."""
    if promised <= 0:
        return False, True
    sound = promised >= 1 or _tail_at_most(errors, rows, promised, level, at_length)
    return sound, errors == rows or not _tail_at_most(
        errors, rows, promised * _TIGHT, level, at_length
    )


def confirm_rate_at_least(
    successes: int, rows: int, level: Fraction, promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    """Whether so many successes have probability `level` at most at the promised rate, and more at any larger one.

    Examples
    --------
    >>> confirm_rate_at_least(180, 200, Fraction(1, 20), Fraction("0.858010748409054"), True)
    (True, True)
    >>> confirm_rate_at_least(180, 200, Fraction(1, 20), Fraction("0.85801074841"), True)
    (False, True)
    """
    if not 0 <= promised < 1:
        return False, True
    errors, larger = rows - successes, min(promised / _TIGHT, Fraction(1))

    def too_many(rate: Fraction) -> bool:
        """By symmetry the upper tail of successes is the lower tail of errors."""
        return rate < 1 and _tail_at_most(errors, rows, 1 - rate, level, at_length)

    if promised == 0:
        return True, successes == 0
    return too_many(promised), not too_many(larger)


def _tail_at_most(errors: int, rows: int, rate: Fraction, level: Fraction, at_length: bool) -> bool:
    """Whether P[Bin(rows, rate) <= errors] <= level, for sure."""
    if rate >= 1:
        return errors < rows
    if at_length and rows <= _EXACT_ROWS and rows * (errors + 1) <= _EXACT_WORK:
        return binomial_at_most(errors, rows, rate, level)
    if errors >= rows:
        return False
    decided = binomial_tail(errors, rows, rate, quick=True).at_most(log_level(level))
    return _surely(binomial_tail(errors, rows, rate), level) if decided is None else decided


def _surely(tail: Tail, level: Fraction) -> bool:
    """An enclosure too wide to decide does not confirm."""
    return tail.at_most(log_level(level)) is True


def confirm_rank(inputs: Mapping[str, Any], at_length: bool) -> tuple[bool, bool]:
    """Whether so few scores above a rank have probability delta at most, if each is with alpha, and one more has not.

    Examples
    --------
    >>> confirm_rank({"rows": 1000, "rank": 916, "alpha": "0.1", "delta": "0.05"}, True)
    (True, True)
    >>> confirm_rank({"rows": 1000, "rank": 915, "alpha": "0.1", "delta": "0.05"}, True)
    (False, True)
    """
    for name in ("rows", "rank"):
        require(type(inputs[name]) is int, name, "a whole number, not text", inputs[name])
    rows, rank = inputs["rows"], count("rank", inputs["rank"], at_least=1)
    require(rank <= rows, "rank", f"at most the number of rows {rows}", rank)
    alpha, delta = (inside_unit(name, inputs[name]).low for name in ("alpha", "delta"))
    above = rows - rank
    sound = _tail_at_most(above, rows, alpha, delta, at_length)
    return sound, not _tail_at_most(above + 1, rows, alpha, delta, at_length)


def confirm_batch(
    inputs: Mapping[str, Any], population: int, most: int, at_length: bool
) -> tuple[bool, bool]:
    """Whether no more than so many rows of a batch are bad, and whether one fewer cannot be said."""
    errors, rows, delta = read_counts(inputs)

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
