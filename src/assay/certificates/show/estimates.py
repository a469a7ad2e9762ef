"""Wilson's interval beside a promise, for readers who are used to it: an estimate, and nothing is promised by it.

No certificate holds one, and nothing that verifies reads one: it is made where it is shown, from the counts of a claim.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from assay.certificates.show.words import capital, confidence_text, percent
from assay.guarantees.guarantee import Guarantee

AN_ESTIMATE = "an estimate, which promises nothing"
# The counts of a share, by what they are called.
_COUNTS = (("errors", "rows"), ("successes", "rows"), ("concordant", "pairs"))


@dataclass(frozen=True)
class Estimate:
    """Where a share is estimated to lie, by Wilson's score.

    Attributes
    ----------
    of : str
        What it is a share of.
    low, high : float
        The ends of the interval.
    delta : str
        One minus its nominal confidence, which it does not always have.
    """

    of: str
    low: float
    high: float
    delta: str

    def to_json(self) -> dict[str, Any]:
        """The same as plain data, with what it is."""
        return {
            "of": self.of,
            "low": f"{self.low:.6g}",
            "high": f"{self.high:.6g}",
            "nominal_delta": self.delta,
            "by": "wilson-score",
            "is": AN_ESTIMATE,
        }

    def __str__(self) -> str:
        sure = confidence_text(self.delta).replace("confidence", "nominal confidence")
        between = f"{percent(self.low)} to {percent(self.high)}"
        return f"{capital(self.of)}: {between} by Wilson's score at {sure}: {AN_ESTIMATE}."


def estimates(claims: Sequence[Guarantee], delta: str) -> list[Estimate]:
    """An estimate of each share that a claim counts, once; none where nothing is promised or the count is not told.

    Examples
    --------
    >>> from assay import certify
    >>> print(*estimates(certify(errors=50, rows=1000).claims, "0.05"))
    Error: 3.81 % to 6.53 % by Wilson's score at 95 % nominal confidence: an estimate, which promises nothing.
    """
    made: dict[str, Estimate] = {}
    for claim in claims:
        counts = _counted(claim)
        if counts is not None and claim.promised is not None and claim.observed is not None:
            made.setdefault(
                claim.of, Estimate(str(claim.of), *wilson(*counts, float(delta)), delta)
            )
    return list(made.values())


def wilson(successes: int, rows: int, delta: float) -> tuple[float, float]:
    """Wilson's score interval for a share.

    Examples
    --------
    >>> [round(end, 6) for end in wilson(50, 1000, 0.05)]
    [0.03813, 0.065314]
    """
    z = NormalDist().inv_cdf(1 - delta / 2)
    centre = successes + z * z / 2
    spread = z * math.sqrt(successes * (rows - successes) / rows + z * z / 4)
    whole = rows + z * z
    return max(0.0, (centre - spread) / whole), min(1.0, (centre + spread) / whole)


def _counted(claim: Guarantee) -> tuple[int, int] | None:
    """How many of how many, where a claim counts a share; a tie is no count."""
    inputs = claim.inputs
    if inputs.get("tied", 0) or "next_rows" in inputs:
        return None
    for count, rows in _COUNTS:
        if type(inputs.get(count)) is int and type(inputs.get(rows)) is int and inputs[rows] > 0:
            return inputs[count], inputs[rows]
    return None
