"""How many rows would make a vacuous bound say something."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from assay.guarantees.guarantee import Guarantee
from assay.theory.registry import find_theorem
from assay.theory.rounding import as_fraction

_MOST = 10**9


def rows_to_bite(claim: Guarantee) -> int | None:
    """The rows from which a vacuous claim, at the same rate of errors, drops below one.

    None when no number of rows would do, as when every row is wrong, or when none is known.

    Examples
    --------
    >>> from assay import certify
    >>> rows_to_bite(certify(errors=1, rows=2, delta=0.05, method="hoeffding").claims[0])
    6
    """
    # What a predictor was described by does not change with more rows, so it stays as it is.
    inputs = claim.inputs
    if (
        claim.observed is None
        or not isinstance(inputs.get("errors"), int)
        or "population" in inputs
    ):
        return None
    rate = as_fraction(inputs["errors"]) / inputs["rows"]
    if rate == 1:
        return None
    theorem, rows = find_theorem(claim.theorem), int(inputs["rows"])

    def bites(n: int) -> bool:
        errors = -int(-Fraction(rate * n) // 1)  # rounded up, so as not to promise too much
        most = inputs.get("next_rows", 1)
        return errors < n and float(theorem(**{**inputs, "errors": errors, "rows": n})) < most

    return rows_until(bites, rows)


def rows_until(says: Callable[[int], bool], rows: int) -> int | None:
    """The least number of rows, not fewer than there are, for which a bound says something; None for too many.

    Examples
    --------
    >>> rows_until(lambda m: m >= 700, 100)
    700
    """
    low = high = rows
    while not says(high):
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if says(middle) else (middle, high)
    return high
