"""What was seen of units, from how many of them have how many errors among how many rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from assay.theory.claim import METRICS

Kinds = Sequence[Sequence[int]]
"""Errors, rows, and how many units have so many of both."""


def seen_of_units(quantity: str, units: Kinds) -> Fraction:
    """What was seen, by what is asked: a metric of all rows, their share, that of whole units, or the mean over units.

    Examples
    --------
    >>> units = [(0, 2, 6), (1, 2, 3), (3, 4, 1)]
    >>> [str(seen_of_units(f"unit-{of}-error", units)) for of in ("mean", "row", "any")]
    ['9/40', '3/11', '2/5']
    >>> str(seen_of_units("recall", units)), str(seen_of_units("f1", units))
    ('8/11', '16/19')
    """
    if quantity.startswith("unit-any"):
        wrong = sum(many for errors, _, many in units if errors)
        return Fraction(wrong, sum(many for *_, many in units))
    if quantity in METRICS or quantity.startswith("unit-row"):
        errors, rows = (sum(kind[place] * kind[2] for kind in units) for place in (0, 1))
        share = Fraction(errors, rows)
        if quantity not in METRICS:
            return share
        return 2 * (1 - share) / (2 - share) if quantity == "f1" else 1 - share
    total = sum((Fraction(wrong, rows) * many for wrong, rows, many in units), Fraction(0))
    return total / sum(many for *_, many in units)
