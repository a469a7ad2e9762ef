"""Cases of the other ends of intervals."""

from __future__ import annotations

import functools
import math

import numpy as np

from assay.theory.tail.other_ends import (
    concordance_at_most,
    error_at_least,
    f1_at_most,
    macro_f1_at_most,
    mean_rate_at_most,
    rate_at_most,
)
from tests.guarantees.case import DELTA, Case, at

_Z = 1.6448536269514722


def wald(successes: int, rows: int) -> float:
    share = successes / rows
    return share + _Z * math.sqrt(share * (1 - share) / rows)


def shares(rate: float, rows: int):
    """Successes among so many rows, of which the rate is promised from above."""

    def of(bound):
        def experiment(rng, trials):
            seen = rng.binomial(rows, rate, trials)
            return np.array([bound(k, rows) for k in seen.tolist()]), rate

        return experiment

    return of


def from_below(rate: float, rows: int):
    """Errors among so many rows, of which the rate is promised from below."""

    def of(bound):
        def experiment(rng, trials):
            seen = rng.binomial(rows, rate, trials)
            return -np.array([bound(k, rows) for k in seen.tolist()]), -rate

        return experiment

    return of


def jaccard(bound):
    """True positives among fifty rows that are not true negatives, of which F1 is promised from above."""

    def experiment(rng, trials):
        hits = rng.binomial(50, 0.05, trials)
        return np.array([bound(k, 0, 50 - k) for k in hits.tolist()]), 0.1 / 1.05

    return experiment


def two_classes(of_hits):
    """Two classes of thirty rows each, of which a mean is promised from above."""

    def of(bound):
        def experiment(rng, trials):
            right = rng.binomial(30, [0.1, 0.05], (trials, 2))
            rates = [of_hits(0.1), of_hits(0.05)]
            return np.array([bound(tuple(row)) for row in right.tolist()]), sum(rates) / 2

        return experiment

    return of


def f1(share: float) -> float:
    return 2 * share / (1 + share)


def macro(right: tuple[int, ...], bound) -> float:
    return bound(list(right), [0, 0], [30 - k for k in right], DELTA)


CASES = [
    Case(
        "error-at-least",
        "a normal approximation",
        at(error_at_least),
        lambda errors, rows: max(0.0, 2 * errors / rows - wald(errors, rows)),
        from_below(0.95, 50),
    ),
    Case("rate-at-most", "a normal approximation", at(rate_at_most), wald, shares(0.05, 50)),
    Case(
        "f1-at-most",
        "a normal approximation for the Jaccard index",
        at(f1_at_most),
        lambda hits, *others: f1(wald(hits, hits + sum(others))),
        jaccard,
    ),
    Case(
        "mean-rate-at-most",
        "the mean as it was seen",
        functools.cache(lambda right: mean_rate_at_most(right, [30, 30], DELTA)),
        lambda right: sum(right) / 60,
        two_classes(lambda rate: rate),
        trials=500,
    ),
    Case(
        "macro-f1-at-most",
        "the mean as it was seen",
        functools.cache(lambda right: macro(right, macro_f1_at_most)),
        lambda right: sum(f1(k / 30) for k in right) / 2,
        two_classes(f1),
        trials=500,
    ),
    Case(
        "concordance-at-most",
        "a normal approximation",
        lambda right, pairs: at(concordance_at_most)(right, 0, pairs),
        wald,
        shares(0.05, 50),
    ),
]
