"""A batch that a judge has gone through: 890 of 10,000 items are wrong, 800 of the 1,000 that it flags."""

from __future__ import annotations

import math
from collections.abc import Callable

from assay.checks import Experiment
from assay.checks.reports import judged_batch
from assay.theory.tail.judged import judged_strata
from tests.guarantees.case import DELTA, Case

SIZES, LABELLED, BAD = (1000, 9000), (100, 100), (800, 90)


def by_fisher(flagged: int, passed: int) -> float:
    return judged_strata(SIZES, LABELLED, (flagged, passed), DELTA)


def by_normal(flagged: int, passed: int) -> float:
    """The stratified estimate and 1.645 standard errors."""
    total = variance = 0.0
    for size, n, k in zip(SIZES, LABELLED, (flagged, passed), strict=True):
        total += size * k / n
        variance += size**2 * (1 - n / size) * (k / n) * (1 - k / n) / (n - 1)
    return total + 1.645 * math.sqrt(variance)


def labels_of_a_batch(bound: Callable[[int, int], float]) -> Experiment:
    """Labels are drawn from either stratum; the truth is the number of wrong items."""
    return judged_batch(lambda seen: bound(*seen), SIZES, LABELLED, BAD)


CASES = [Case("judged-strata", "the normal approximation", by_fisher, by_normal, labels_of_a_batch)]
