"""Cases of learners that are judged on each row before they learn from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.checks import Experiment
from assay.checks.experiments import peeking, runs
from assay.theory.tail.progressive import (
    progressive_validation,
    progressive_validation_azuma,
    progressive_validation_vote,
    suffix_holdout,
)
from assay.theory.tail.progressive_anytime import progressive_anytime
from tests.guarantees.case import DELTA, Case, at, fast_exact
from tests.naive.progressive import freezing


def frozen_at_a_lucky_moment(bound: Callable[..., object], rows: int, rate: float) -> Experiment:
    """An online learner that knows the bound and stops changing where it would break."""
    bounds = np.array([bound(k, rows) if 2 * k <= rows else 1.0 for k in range(rows + 1)])

    def experiment(rng: np.random.Generator, trials: int):
        errors, truth = freezing(bounds, rate, rng, trials)
        return bounds[errors], truth

    return experiment


def tied_votes(bound: Callable[..., object], rows: int, region: float) -> Experiment:
    """Half of the hypotheses err on one region, and their tied vote with them."""

    def experiment(rng: np.random.Generator, trials: int):
        errors = rng.binomial(rows // 2, region, trials)
        return [bound(int(k), rows) for k in errors], np.full(trials, region)

    return experiment


def quarter_azuma(errors: int, rows: int) -> float:
    share = errors / rows
    return share + (progressive_validation_azuma(errors, rows, DELTA) - share) / 4


CASES = [
    Case(
        "progressive-anytime",
        "the bound for a single look",
        at(progressive_anytime),
        fast_exact,
        lambda bound: peeking(bound, looks=20, rows=300, rate=0.05),
        trials=500,
    ),
    Case(
        "progressive-validation",
        "the formula for a fixed rule",
        at(progressive_validation),
        fast_exact,
        lambda bound: frozen_at_a_lucky_moment(bound, rows=300, rate=0.1),
    ),
    Case(
        "progressive-validation-azuma",
        "a quarter of the slack",
        at(progressive_validation_azuma),
        quarter_azuma,
        lambda bound: frozen_at_a_lucky_moment(bound, rows=300, rate=0.4),
    ),
    Case(
        "progressive-validation-vote",
        "as if a vote were no worse than its voters",
        at(progressive_validation_vote),
        at(progressive_validation),
        lambda bound: tied_votes(bound, rows=400, region=0.1),
    ),
    Case(
        "suffix-holdout",
        "all of delta for every hypothesis",
        lambda run, mistakes: suffix_holdout(0, run, DELTA, mistakes=mistakes),
        lambda run, mistakes: suffix_holdout(0, run, DELTA, checkpoints=1),
        lambda bound: runs(bound, hypotheses=20, rate=0.1),
        trials=500,
    ),
]
