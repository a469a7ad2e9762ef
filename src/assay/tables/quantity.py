"""What is asked, seen and told of a quantity that is predicted from a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from assay.certificates.issue.quantity_claims import AskedQuantity, usual_coverage
from assay.errors import BadData, BadParameter, Words
from assay.theory.rounding import Number
from assay.theory.tail.union import split
from assay.types import Array, Floats

_SAY_WITHIN = ("Say how far off a row may be, ", Words("as within", "with {}", "within"), ".")


def asked_quantity(
    coverage: Number | None, within: Number | None, range: Sequence[Number] | None
) -> AskedQuantity:
    """What a user asked of a quantity, read before anything else is."""
    return AskedQuantity(coverage, within, range).read()


def require_no_quantity(asked: AskedQuantity, where: str) -> None:
    """Refuse what is asked of a quantity where classes are predicted."""
    named = next(
        (name for name in ("coverage", "within", "range") if getattr(asked, name) is not None), None
    )
    if named is not None:
        raise BadParameter(
            f"{named} is about a quantity, but {where} holds classes. Leave it out, or say that the target is one, ",
            Words("as task='quantity'", "with {} quantity", "task"),
            ".",
        )


def require_promised(asked: AskedQuantity, *, units: bool, ledger: bool) -> None:
    """Refuse what cannot be promised of units, or charged to a ledger, before anything is learned."""
    if not units and not ledger:
        return
    why = (
        "Rows of one unit depend on each other, so that their errors cannot be ranked. "
        if units
        else "Only a count can be charged to a ledger. "
    )
    if asked.coverage is not None or asked.range is not None or asked.within is None:
        raise BadParameter(
            f"Of a quantity {'with units' if units else 'with a ledger'} it is promised how many rows are off by more "
            f"than a limit, and nothing else. {why}",
            *_SAY_WITHIN,
        )


def promised_of(
    asked: AskedQuantity, rows: int, delta: Number, *, models: int = 1
) -> AskedQuantity:
    """What is promised: what was asked, and how far off most rows are where no limit was named.

    Examples
    --------
    >>> from assay.certificates.issue.quantity_claims import NOTHING
    >>> promised_of(NOTHING, 1000, 0.05).coverage, promised_of(NOTHING, 20, 0.05).coverage
    ('0.9', '0.8')
    """
    if asked.coverage is not None or asked.within is not None:
        return asked
    claims = 1 + (asked.range is not None)
    share = split(delta, models * claims)[0]
    return replace(asked, coverage=usual_coverage(rows, share))


def require_in_range(y: Array, asked: AskedQuantity, name: str, where: str) -> None:
    """Refuse a range that the rows themselves go beyond: it does not hold for all rows to come."""
    if asked.range is None:
        return
    low, high = (Fraction(str(end)) for end in asked.range)
    seen = Fraction(float(y.min())), Fraction(float(y.max()))
    if seen[0] < low or seen[1] > high:
        outside = float(y.min()) if seen[0] < low else float(y.max())
        raise BadData(
            f"{name} must hold numbers from {asked.range[0]} to {asked.range[1]} in {where}, the declared range, but "
            f"holds {outside!r}. Declare a range that holds for every row there can be, or none."
        )


def median_of(train: Array, test: Array) -> tuple[float, float]:
    """The median of the training rows, and how far off it is on average, said of all rows to test on."""
    middle = float(np.median(train))
    return middle, math.fsum(np.abs(test - middle).tolist()) / max(len(test), 1)


def finite(predicted: Any, learner: str) -> Floats:
    """Predictions as doubles; refuses what cannot be compared with a number."""
    values: Floats = np.asarray(predicted, dtype=np.float64)
    odd = int(np.count_nonzero(~np.isfinite(values)))
    if odd:
        raise BadData(
            f"{learner} must predict a number for every row, but predicts none for {odd:,} of {len(values):,}. Take "
            f"another learner, or other parameters."
        )
    return values


class ByAbsoluteError:
    """Candidates weighed by how far off they are on average; the length of their names has no say."""

    def cost(self, predicted: Array, y: Array) -> float:
        """How far off these predictions are, summed up; infinite where one is no number."""
        off = float(np.abs(np.asarray(predicted, dtype=np.float64) - y).sum())
        return off if math.isfinite(off) else math.inf

    def weight(self, cost: float, rows: int, bits: int) -> float:
        """The mean absolute error."""
        return cost / rows
