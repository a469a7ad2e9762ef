"""A batch that a judge has gone through: 890 of 10,000 items are wrong, 800 of the 1,000 that it flags."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from assay.checks import Experiment
from assay.checks.reports import judged_batch
from assay.theory.tail.judged import judged_strata
from assay.theory.tail.judged_draws import judged_mean_draws, judged_strata_draws
from assay.theory.tail.judged_mean import judged_mean
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


Scored = Callable[[np.ndarray, int, int], float]
"""From residuals, how many items there are and the sum of their scores in hundredths to a mean."""


def scores_of_a_batch(bound: Scored) -> Experiment:
    """A judge that finds every item half wrong, and half of 300 are; 60 are labelled."""
    wrong = np.arange(300) < 150

    def experiment(rng: np.random.Generator, trials: int) -> tuple[np.ndarray, float]:
        drawn = (rng.choice(300, 60, replace=False) for _ in range(trials))
        return np.array([bound(wrong[i] / 2 + 0.25, 300, 15_000) for i in drawn]), 0.5

    return experiment


def right_ones_first(residuals: np.ndarray, items: int, scores: int) -> float:
    return judged_mean(np.sort(residuals), items, scores, DELTA)


def drawn_strata(bound: Callable[[list[tuple[int, int, int]]], float]) -> Experiment:
    """Batches of 60 rows of which three in ten are wrong; nine in ten of each verdict are labelled."""

    def one(rng: np.random.Generator) -> float:
        wrong = rng.random(60) < 0.3
        flagged = rng.random(60) < np.where(wrong, 0.8, 0.2)
        strata = []
        for rows in filter(len, (np.flatnonzero(flagged), np.flatnonzero(~flagged))):
            chosen = rng.choice(rows, math.ceil(0.9 * len(rows)), replace=False)
            strata.append((len(rows), len(chosen), int(wrong[chosen].sum())))
        return bound(strata)

    return lambda rng, trials: (np.array([one(rng) for _ in range(trials)]), 0.3)


def drawn_scores(bound: Scored) -> Experiment:
    """Batches of 80 rows that lose 0.3 on average, scored nearly right and all labelled."""

    def one(rng: np.random.Generator) -> float:
        losses = rng.beta(3, 7, 80)
        scores = np.round(np.clip(losses + rng.normal(0, 0.05, 80), 0, 1), 2)
        return bound((losses - scores + 1) / 2, 80, round(100 * float(scores.sum())))

    return lambda rng, trials: (np.array([one(rng) for _ in range(trials)]), 0.3)


CASES = [
    Case("judged-strata", "the normal approximation", by_fisher, by_normal, labels_of_a_batch),
    Case(
        "judged-mean",
        "labels that are right taken first",
        lambda x, items, scores: judged_mean(x, items, scores, DELTA),
        right_ones_first,
        scores_of_a_batch,
        trials=300,
    ),
    Case(
        "judged-strata-draws",
        "the batch taken for where it comes from",
        lambda strata: judged_strata_draws(strata, DELTA),
        lambda s: judged_strata(*zip(*s, strict=True), DELTA) / sum(n for n, _, _ in s),
        drawn_strata,
        trials=300,
    ),
    Case(
        "judged-mean-draws",
        "the batch taken for where it comes from",
        lambda x, items, scores: judged_mean_draws(x, items, scores, DELTA),
        lambda x, items, scores: judged_mean(x, items, scores, DELTA),
        drawn_scores,
        trials=300,
    ),
]
