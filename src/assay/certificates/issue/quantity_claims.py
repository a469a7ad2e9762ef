"""What may be promised of predicted numbers: how far off nearly all rows are, how many are off by more, the mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from assay.certificates.issue.claims import Rate, claim_by, loss_claim, rate_claim
from assay.certificates.issue.unit_claims import ONE_MEAN, AskedUnits, unit_claim
from assay.errors import BadData, BadParameter, require
from assay.evidence.evidence import Evidence
from assay.guarantees.added_conditions import IN_RANGE
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_above, decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject
from assay.theory.needs import inside_unit, nonnegative, real
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.tolerance import tolerance_rank, tolerance_rows

#: The shares of rows that are spoken of where none is named: the first that so few rows allow.
COVERAGES = ("0.9", "0.8", "0.5")
#: By which predicted numbers are judged, where their mean is to be promised.
LOSSES_OF_NUMBERS = ("absolute", "squared")
_UNITS_DEPEND = "Rows of one unit depend on each other, so they cannot be ranked. Declare how far off a row may be."
_TOO_FINE = (
    "How far off nearly all rows are can come out in as many ways as there are numbers, more than a ledger can charge "
    "for. Declare how far off a row may be."
)


@dataclass(frozen=True)
class AskedQuantity:
    """What `certify` was asked of predicted numbers; its parameters say what each means."""

    coverage: Number | None = None
    within: Number | None = None
    range: Sequence[Number] | None = None
    loss: str | None = None

    def __bool__(self) -> bool:
        return self.many > 0

    @property
    def many(self) -> int:
        """How many things were asked."""
        mean = self.loss if self.range is None else self.range
        return sum(part is not None for part in (self.coverage, self.within, mean))

    @property
    def squared(self) -> bool:
        """Whether the mean is that of squared errors."""
        return self.loss == "squared"

    def read(self) -> AskedQuantity:
        """The same as decimal text; refuses what is no share, no distance or no range."""
        words = " or ".join(map(repr, LOSSES_OF_NUMBERS))
        require(self.loss in (None, *LOSSES_OF_NUMBERS), "loss", f"a column, {words}", self.loss)
        if self.loss is not None and self.range is None:
            raise BadParameter(
                f"range must be given with loss={self.loss!r}: two numbers between which every true number lies, or "
                "one row could be off by more than all others together, and no mean could be promised."
            )
        coverage, within = self.coverage, self.within
        if coverage is not None:
            coverage = decimal_text(inside_unit("coverage", coverage).low)
        if within is not None:
            exactly = nonnegative("within", within).low
            require(exactly <= 10**50, "within", "at most 1e50", within)
            within = decimal_text(exactly)
        return AskedQuantity(coverage, within, _read_range(self.range), self.loss)

    def require_units(self, units: bool, ledger: bool) -> None:
        """Refuse what cannot be promised of rows that come in units, or be charged to a ledger."""
        if units:
            require(
                self.coverage is None,
                "coverage",
                "left out with units",
                self.coverage,
                _UNITS_DEPEND,
            )
            require(self.range is None, "range", "left out with units", self.range, _UNITS_DEPEND)
        if ledger:
            require(
                self.coverage is None,
                "coverage",
                "left out with a ledger",
                self.coverage,
                _TOO_FINE,
            )
            both = self.within is not None and self.range is not None
            require(not both, "range", "left out with both a ledger and within", self.range)


NOTHING = AskedQuantity()
"""Nothing is asked of quantities."""


def _read_range(ends: Any) -> tuple[str, str] | None:
    if ends is None:
        return None
    paired = isinstance(ends, list | tuple) and len(ends) == 2
    require(paired, "range", "a pair of numbers, the lowest and the highest", ends)
    low, high = (real("range", end).low for end in ends)
    require(low < high, "range", "a pair of numbers, the lower first", ends)
    require(max(abs(low), abs(high)) <= 10**50, "range", "between -1e50 and 1e50", ends)
    return decimal_text(low), decimal_text(high)


def usual_coverage(rows: int, delta: Number) -> str:
    """The share of rows to speak of where none is named: 0.9, or less where rows are too few for that.

    It depends on the number of rows alone, so no score has a say in it.

    Examples
    --------
    >>> usual_coverage(29, 0.05), usual_coverage(28, 0.05)
    ('0.9', '0.8')
    """
    for coverage in COVERAGES:
        if tolerance_rank(rows, 1 - Fraction(coverage), delta) is not None:
            return coverage
    least = tolerance_rows(1 - Fraction(COVERAGES[-1]), delta)
    raise BadData(
        f"The holdout must have at least {least} rows for a promise about half of the rows to come, but has {rows}. "
        f"Hold out more rows."
    )


def counted_within(evidence: Evidence, asked: AskedQuantity) -> Evidence:
    """The evidence with rows that are off by more than was declared as its errors."""
    seen = evidence.quantities
    assert seen is not None
    if asked.within is None:
        return evidence
    beyond = seen.beyond(Fraction(str(asked.within)))
    units = None
    if seen.unit is not None:
        from assay.evidence.units import unit_counts

        units = unit_counts(beyond, seen.unit)
    return replace(evidence, errors=int(beyond.sum()), units=units)


def rate_within(evidence: Evidence, asked: AskedQuantity) -> Rate:
    """The rate of rows that are off by more than was declared."""
    of = Subject("beyond", numbers=(str(asked.within),))
    return Rate(of, evidence.errors or 0, evidence.rows)


def quantity_claims(
    evidence: Evidence,
    asked: AskedQuantity,
    shares: Sequence[str],
    method: Any,
    *,
    listed: bool,
    over: AskedUnits = ONE_MEAN,
) -> list[Guarantee]:
    """One claim for each thing that was asked, each with its share of delta."""
    left, claims = list(shares), []
    if asked.coverage is not None:
        claims.append(coverage_claim(evidence, str(asked.coverage), left.pop(0)))
    if asked.within is not None:
        share = left.pop(0)
        if evidence.units is not None:
            claims.append(unit_claim(evidence, share, over, str(asked.within)))
        else:
            claims.append(rate_claim(evidence, rate_within(evidence, asked), share, "exact", None))
    if asked.range is not None:
        graded = graded_evidence(evidence, asked)
        of = Subject(
            "mean-squared-error" if asked.squared else "mean-absolute-error",
            numbers=(str(asked.range[0]), str(asked.range[1])),
        )
        claims.append(loss_claim(graded, left.pop(0), method, listed=listed, of=of))
    return claims


def graded_evidence(evidence: Evidence, asked: AskedQuantity) -> Evidence:
    """The evidence with absolute or squared errors as losses between 0 and 1."""
    from assay.evidence.losses import record_losses

    assert evidence.quantities is not None
    assert asked.range is not None
    low, high = (Fraction(str(end)) for end in asked.range)
    losses = evidence.quantities.losses(low, high, squared=asked.squared)
    declared = Assumption(IN_RANGE, "declared", f"so do the {len(losses):,} that were seen")
    checked = (*evidence.checked, declared)
    return replace(evidence, losses=record_losses([losses]), checked=checked)


def coverage_claim(evidence: Evidence, coverage: str, share: str) -> Guarantee:
    """The promise of how far off so large a share of new rows is at most, by the score of a rank.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.evidence.evidence import from_quantities
    >>> print(coverage_claim(from_quantities([(np.arange(100), np.zeros(100))]), "0.9", "0.05"))
    absolute error that 90 % of rows do not exceed: at most 95, observed 89, failing with probability at most 0.05, \
by tolerance-limit
    """
    seen, alpha = evidence.quantities, 1 - Fraction(coverage)
    assert seen is not None
    rows = len(seen)
    rank = tolerance_rank(rows, alpha, share)
    if rank is None:
        least = tolerance_rows(alpha, share)
        raise BadParameter(
            f"coverage must be lower for so few rows, but is {coverage}: with {rows:,} rows not even the largest error "
            f"bounds that share of new rows, and at least {least:,} are needed. Give more rows, or ask for a smaller "
            f"share."
        )
    text, threshold = decimal_text(alpha), seen.score(rank)
    inputs = {
        "rows": rows,
        "rank": rank,
        "alpha": text,
        "threshold": decimal_above(threshold),
        "delta": share,
    }
    # What was seen is the quantile of these rows themselves.
    usual = max(math.ceil(Fraction(coverage) * rows), 1)
    observed = decimal_above(seen.score(usual))
    of = Subject("absolute-error-quantile", numbers=(text,))
    theorem = find_theorem("tolerance-limit")
    # The theorem takes the decimal at its word, and the next double would lie above it.
    return claim_by(theorem, of, inputs, observed, evidence.checked, lambda above: threshold)
