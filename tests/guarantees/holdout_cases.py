"""Cases of models that were chosen before their rows were seen, one or several, looked at once or often."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import numpy as np

from assay.checks.experiments import (
    alike_units,
    best_of,
    bounded_losses,
    code_words,
    finite_batch,
    holdout,
    interval,
    next_rows,
    peeking,
    runs,
)
from assay.theory.tail.anytime import holdout_anytime, holdout_anytime_two_sided
from assay.theory.tail.bernstein import empirical_bernstein
from assay.theory.tail.betting import bounded_betting
from assay.theory.tail.binomial import holdout_exact, holdout_exact_two_sided
from assay.theory.tail.exact_twins import (
    finite_class_exact,
    large_gap_average,
    large_gap_average_vote,
    large_gap_exact,
    occam_exact,
)
from assay.theory.tail.finite_population import holdout_finite_population
from assay.theory.tail.hoeffding import validation_hoeffding
from assay.theory.tail.kl import holdout_kl
from assay.theory.tail.next_rows import next_rows_exact
from assay.theory.tail.unit_mean import unit_mean_betting
from tests.guarantees.case import DELTA, Case, at, fast_exact


def bernstein(losses: np.ndarray) -> float:
    return _bernstein(float(losses.mean()), float(losses.var(ddof=1)), losses.size)


_bernstein = at(empirical_bernstein)


def bernstein_without_last_term(losses: np.ndarray) -> float:
    return bernstein(losses) - 7 * math.log(2 / DELTA) / (3 * (losses.size - 1))


def coins(rate: float) -> Callable[[np.random.Generator, int], np.ndarray]:
    return lambda rng, size: (rng.random(size) < rate).astype(float)


def halfway_hoeffding(errors: int, rows: int) -> float:
    share = errors / rows
    return share + (validation_hoeffding(errors, rows, DELTA) - share) / 2


def smallest_on_the_way(losses: np.ndarray, slack: float) -> float:
    """The smaller promise of two looks, at some share of its distance from the mean."""
    bounds = []
    for rows in (30, 60):
        mean = float(losses[:rows].mean())
        bounds.append(mean + slack * (bounded_betting(losses[:rows], DELTA, anytime=True) - mean))
    return min(bounds)


def rate_as_a_batch(errors: int, rows: int, following: int) -> int:
    """What "of new rows, at most so many per cent will be wrong" would mean for the next ones."""
    return math.floor(holdout_exact(errors, rows, DELTA) * following)


def by_units(errors: np.ndarray) -> float:
    return unit_mean_betting([(int(e), 8, many) for e, many in Counter(errors).items()], DELTA)


def by_rows(errors: np.ndarray) -> float:
    return fast_exact(int(errors.sum()), 8 * errors.size)


# A rate at which the exact bound uses all of its delta.
WORST = holdout_exact(5, 200, DELTA) * (1 + 1e-9)

CASES = [
    Case(
        "holdout-exact",
        "half the rows counted twice",
        at(holdout_exact),
        lambda k, n: holdout_exact(2 * k, 2 * n, DELTA),
        lambda bound: holdout(bound, rows=200, rate=WORST),
    ),
    Case(
        "holdout-exact-two-sided",
        "all of delta on either side",
        at(holdout_exact_two_sided),
        at(holdout_exact_two_sided, delta=2 * DELTA),
        lambda bound: interval(bound, rows=1000, rate=0.3),
    ),
    Case(
        "holdout-kl",
        "a quarter of the logarithm",
        at(holdout_kl),
        at(holdout_kl, delta=DELTA**0.25),
        lambda bound: holdout(bound, rows=1000, rate=0.1),
    ),
    Case(
        "validation-hoeffding",
        "half the radius",
        at(validation_hoeffding),
        halfway_hoeffding,
        lambda bound: holdout(bound, rows=500, rate=0.5),
    ),
    Case(
        "empirical-bernstein",
        "the last term dropped",
        bernstein,
        bernstein_without_last_term,
        lambda bound: bounded_losses(bound, coins(0.01), mean=0.01, rows=100),
    ),
    Case(
        "bounded-betting",
        "ten times delta",
        lambda losses: bounded_betting(losses, DELTA),
        lambda losses: bounded_betting(losses, 10 * DELTA),
        lambda bound: bounded_losses(bound, coins(0.2), mean=0.2, rows=60),
        trials=300,
    ),
    Case(
        "bounded-betting",
        "a quarter of the slack, twice",
        lambda losses: smallest_on_the_way(losses, 1.0),
        lambda losses: smallest_on_the_way(losses, 0.25),
        lambda bound: bounded_losses(
            bound, lambda rng, size: rng.beta(0.5, 0.5, size), mean=0.5, rows=60
        ),
        trials=300,
    ),
    Case(
        "holdout-anytime",
        "the bound for a single look",
        at(holdout_anytime),
        fast_exact,
        lambda bound: peeking(bound, looks=20, rows=300, rate=0.05),
        trials=500,
    ),
    Case(
        "holdout-anytime-two-sided",
        "the interval for a single look",
        at(holdout_anytime_two_sided),
        at(holdout_exact_two_sided),
        lambda bound: interval(bound, rows=200, rate=0.2, looks=15),
        trials=500,
    ),
    Case(
        "holdout-finite-population",
        "three times delta",
        at(holdout_finite_population),
        at(holdout_finite_population, delta=3 * DELTA),
        lambda bound: finite_batch(bound, rows=100, population=400, bad=40),
    ),
    Case(
        "occam-exact",
        "nothing paid for the choice",
        at(occam_exact),
        lambda k, n, bits: fast_exact(k, n),
        lambda bound: code_words(bound, bits=[2, 3, 4, 5] + [6] * 4 + [7] * 8, rows=200, rate=0.1),
    ),
    Case(
        "finite-class-exact",
        "one model pretended",
        at(finite_class_exact, 50),
        fast_exact,
        lambda bound: best_of(bound, models=50, rows=1000, rate=0.05),
    ),
    Case(
        "large-gap-exact",
        "all of delta for every run",
        lambda run, mistakes: large_gap_exact(run, DELTA, mistakes=mistakes),
        lambda run, mistakes: large_gap_exact(run, DELTA, hypotheses=1),
        lambda bound: runs(bound, hypotheses=20, rate=0.1),
        trials=500,
    ),
    Case(
        "large-gap-average",
        "all of delta for every run",
        lambda run, mistakes: large_gap_average(run, mistakes, DELTA),
        lambda run, mistakes: large_gap_exact(run, DELTA, hypotheses=1),
        lambda bound: runs(bound, hypotheses=20, rate=0.1),
        trials=500,
    ),
    Case(
        "large-gap-average-vote",
        "the vote taken for one of those who vote",
        lambda run, mistakes: large_gap_average_vote(run, mistakes, DELTA),
        lambda run, mistakes: large_gap_average(run, mistakes, DELTA),
        # Where hypotheses err by turns on twice as much, a vote that is tied errs on all of it.
        lambda bound: runs(lambda *run: bound(*run) / 2, hypotheses=20, rate=0.1),
        trials=500,
    ),
    Case(
        "next-rows-exact",
        "the chance for one row taken for a share of the next",
        at(next_rows_exact),
        rate_as_a_batch,
        lambda bound: next_rows(bound, rows=1000, following=100, rate=0.05),
    ),
    Case(
        "unit-mean-betting",
        "rows of a unit taken for independent draws",
        by_units,
        by_rows,
        lambda bound: alike_units(bound, units=20, rows=8, rate=0.2),
        trials=300,
    ),
]
