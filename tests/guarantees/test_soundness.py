"""Every probabilistic certificate on data of known truth, and beside each a broken twin.

Both are tried by `check_bound` on the same data: the certificate must pass, the twin must be flagged.
A sound certificate fails this with probability one in a million.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ndtr

from assay.checks import Experiment, check_bound
from assay.checks.experiments import (
    best_of,
    bounded_losses,
    code_words,
    finite_batch,
    holdout,
    interval,
    peeking,
    runs,
)
from assay.theory.boosting.stump_votes import stump_vote_compression
from assay.theory.generalization.compression import (
    compression_classic,
    mistake_compression,
    preferent_compression,
    preferent_compression_weighted,
    svm_support_compression,
)
from assay.theory.generalization.left_out_neighbors import neighbors_leave_one_out
from assay.theory.generalization.out_of_bag import (
    out_of_bag_member,
    out_of_bag_square,
    out_of_bag_vote,
)
from assay.theory.generalization.pac_bayes import (
    pac_bayes_kl,
    pac_bayes_linear,
    pac_bayes_linear_vote,
)
from assay.theory.registry import theorems
from assay.theory.tail.anytime import holdout_anytime, holdout_anytime_two_sided
from assay.theory.tail.bernstein import empirical_bernstein
from assay.theory.tail.betting import bounded_betting
from assay.theory.tail.binomial import holdout_exact, holdout_exact_two_sided
from assay.theory.tail.binomial_many import holdout_exact_many
from assay.theory.tail.exact_twins import finite_class_exact, large_gap_exact, occam_exact
from assay.theory.tail.finite_population import holdout_finite_population
from assay.theory.tail.hoeffding import validation_hoeffding
from assay.theory.tail.kl import holdout_kl
from assay.theory.tail.progressive import (
    progressive_validation,
    progressive_validation_azuma,
    progressive_validation_vote,
    suffix_holdout,
)
from assay.theory.tail.progressive_anytime import progressive_anytime
from tests.naive.progressive import freezing

DELTA = 0.05


@dataclass(frozen=True)
class Case:
    """A certificate, its broken twin, what was broken, and the data to try them on."""

    theorem: str
    broken_by: str
    certificate: Callable[..., object]
    twin: Callable[..., object]
    experiment: Callable[[Callable[..., object]], Experiment]

    def __str__(self) -> str:
        return f"{self.theorem}, {self.broken_by}"


def at(bound: Callable[..., object], *more: object, delta: object = DELTA) -> Callable[..., object]:
    """The bound as a function of what an experiment draws, each value worked out once."""
    return functools.cache(lambda *numbers: bound(*numbers, *more, delta))


def fast_exact(errors: int, rows: int) -> float:
    return float(holdout_exact_many(errors, rows, DELTA))


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


def interval_closure(bound: Callable[..., object], rows: int) -> Experiment:
    """The smallest interval around uniform points: two rows fix it, and it misses what is outside."""

    def experiment(rng: np.random.Generator, trials: int):
        points = rng.random((trials, rows))
        return np.full(trials, bound(2, rows)), 1 - np.ptp(points, axis=1)

    return experiment


def thresholds(bound: Callable[..., object], rows: int) -> Experiment:
    """A machine of hard margin on a line: two rows hold it, and what lies between does not clear it."""

    def experiment(rng: np.random.Generator, trials: int):
        points = rng.uniform(-1, 1, (trials, rows))
        above = np.where(points > 0, points, 1).min(axis=1)
        below = np.where(points <= 0, points, -1).max(axis=1)
        return np.full(trials, bound(2, rows)), (above - below) / 2

    return experiment


def best_of_stumps(bound: Callable[..., object], rows: int, features: int) -> Experiment:
    """The best stump for labels that are coin flips: it errs on half of all rows, seen on far fewer."""

    def experiment(rng: np.random.Generator, trials: int):
        labels = np.repeat(rng.choice([-1, 1], (trials, 1, rows)), features, axis=1)
        sums = rng.permuted(labels, axis=2).cumsum(axis=2)
        agreement = np.abs(2 * sums - sums[:, :, -1:]).max(axis=(1, 2))
        errors = np.minimum((rows - agreement) // 2, rows - 2)
        return np.array([bound(int(k), rows, features) for k in errors]), np.full(trials, 0.5)

    return experiment


def nearest_of_coin_flips(bound: Callable[..., object], rows: int) -> Experiment:
    """One nearest neighbour on a line where labels are coin flips: it errs on half of all rows."""

    def experiment(rng: np.random.Generator, trials: int):
        gaps = np.diff(np.sort(rng.random((trials, rows)), axis=1))
        labels = rng.random((trials, rows)) < 0.5
        apart = labels[:, 1:] != labels[:, :-1]
        inner = np.where(gaps[:, 1:] < gaps[:, :-1], apart[:, 1:], apart[:, :-1])
        errors = inner.sum(axis=1) + apart[:, 0] + apart[:, -1]
        return np.array([bound(int(k), rows) for k in errors]), np.full(trials, 0.5)

    return experiment


def online_runs(bound: Callable[..., object], rows: int) -> Experiment:
    """A threshold that moves on mistakes only, onto the mistaken row; its error is where it ends.

    Labels are noisy, so that rows may be wrong at the end that were never mistaken.
    """

    def experiment(rng: np.random.Generator, trials: int):
        points, noise = rng.random((trials, rows)), 0.1
        labels = (points > 0.5) ^ (rng.random((trials, rows)) < noise)
        threshold, mistaken = np.zeros(trials), np.zeros((trials, rows), dtype=bool)
        for t in range(rows):
            mistaken[:, t] = (points[:, t] > threshold) != labels[:, t]
            threshold = np.where(mistaken[:, t], points[:, t], threshold)
        wrong = ((points > threshold[:, None]) != labels) & ~mistaken
        truth = noise + (1 - 2 * noise) * np.abs(threshold - 0.5)
        counted = zip(mistaken.sum(axis=1), wrong.sum(axis=1), strict=True)
        return [bound(int(a), int(b), rows) for a, b in counted], truth

    return experiment


def voters(bound: Callable[..., object], models: int, rows: int, rate: float) -> Experiment:
    """All weight on the best of many equal voters, the prior having been even."""

    def experiment(rng: np.random.Generator, trials: int):
        best = rng.binomial(rows, rate, (trials, models)).min(axis=1)
        return [bound(int(k), models, rows) for k in best], np.full(trials, rate)

    return experiment


def learnt_by_heart(bound: Callable[..., object], rows: int, norm: float) -> Experiment:
    """Labels are coin flips; weights along the sum of the rows, in so many features, fit them well."""

    def experiment(rng: np.random.Generator, trials: int):
        found = []
        for _ in range(trials):
            X = rng.normal(size=(rows, 2 * rows))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
            w = X.sum(axis=0)
            gibbs = ndtr(-norm * (X @ w) / np.linalg.norm(w)).mean()
            found.append(bound(round(float(gibbs), 3), norm, rows))
        return found, np.full(trials, 0.5)

    return experiment


def narrow_region(bound: Callable[..., object], rows: int, region: float) -> Experiment:
    """The machine errs by a hair on one region, where a drawn classifier errs half of the time."""

    def experiment(rng: np.random.Generator, trials: int):
        inside = rng.binomial(rows, region, trials)
        return [bound(int(k) / rows / 2, 5.0, rows) for k in inside], np.full(trials, region)

    return experiment


def bags(rows: int, members: int) -> np.ndarray:
    """Which rows each bag leaves out; bags are drawn before any row is seen."""
    draws = np.random.default_rng(0).multinomial(rows, np.full(rows, 1 / rows), members)
    return draws == 0


def left_out_losses(
    bound: Callable[..., object], rows: int, rate: float, *, tied: bool = False
) -> Experiment:
    """Members that err on one region, all of them or every other one, whose vote is then tied and wrong."""
    left = bags(rows, 20)
    share = left / left.sum(axis=1, keepdims=True)
    share[1::2] *= not tied

    def experiment(rng: np.random.Generator, trials: int):
        inside = rng.random((trials, rows)) < rate
        losses = np.ceil(inside @ share.mean(axis=0) * 1000) / 1000  # few values, none too small
        fewest = int(left.sum(axis=1).min())
        return [bound(float(x), fewest, rows) for x in losses], np.full(trials, rate)

    return experiment


def rarer_label(bound: Callable[..., object], rows: int) -> Experiment:
    """Coins, and members that predict the rarer label of their bags: without a row, its label is rarer."""
    left = bags(rows, 301)
    draws = np.random.default_rng(0).multinomial(rows, np.full(rows, 1 / rows), 301)

    def experiment(rng: np.random.Generator, trials: int):
        found = []
        for labels in rng.integers(0, 2, (trials, rows)):
            said = 2 * (draws @ labels) < rows
            votes = (said[:, None] & left).sum(axis=0) * 2 > left.sum(axis=0)
            found.append(bound(int((votes != labels).sum()), rows))
        return found, np.full(trials, 0.5)

    return experiment


@functools.cache
def kept_rows_bound(kept: int, rows: int) -> float:
    """The bound of mistake-compression, which asks only how many rows are kept altogether."""
    return mistake_compression(kept, rows, DELTA)


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
    ),
    Case(
        "bounded-betting",
        "a quarter of the slack, twice",
        lambda losses: smallest_on_the_way(losses, 1.0),
        lambda losses: smallest_on_the_way(losses, 0.25),
        lambda bound: bounded_losses(
            bound, lambda rng, size: rng.beta(0.5, 0.5, size), mean=0.5, rows=60
        ),
    ),
    Case(
        "holdout-anytime",
        "the bound for a single look",
        at(holdout_anytime),
        fast_exact,
        lambda bound: peeking(bound, looks=20, rows=300, rate=0.05),
    ),
    Case(
        "holdout-anytime-two-sided",
        "the interval for a single look",
        at(holdout_anytime_two_sided),
        at(holdout_exact_two_sided),
        lambda bound: interval(bound, rows=200, rate=0.2, looks=15),
    ),
    Case(
        "progressive-anytime",
        "the bound for a single look",
        at(progressive_anytime),
        fast_exact,
        lambda bound: peeking(bound, looks=20, rows=300, rate=0.05),
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
    ),
    Case(
        "preferent-compression",
        "as if the other rows were fresh",
        at(preferent_compression),
        lambda k, m: fast_exact(0, m - k),
        lambda bound: interval_closure(bound, rows=50),
    ),
    Case(
        "preferent-compression-weighted",
        "as if the other rows were fresh",
        at(preferent_compression_weighted),
        lambda k, m: fast_exact(0, m - k),
        lambda bound: interval_closure(bound, rows=50),
    ),
    Case(
        "svm-support-compression",
        "the share of support vectors as a promise",
        at(svm_support_compression),
        lambda k, m: k / m,
        lambda bound: thresholds(bound, rows=50),
    ),
    Case(
        "mistake-compression",
        "the rows wrong at the end alone",
        lambda a, b, m: kept_rows_bound(a + b, m),
        lambda a, b, m: kept_rows_bound(b, m),
        lambda bound: online_runs(bound, rows=40),
    ),
    Case(
        "compression-classic",
        "nothing paid for the choice of rows",
        functools.cache(lambda k, m: compression_classic(0, k, m, DELTA)),
        lambda k, m: fast_exact(0, m - k),
        lambda bound: interval_closure(bound, rows=50),
    ),
    Case(
        "stump-vote-compression",
        "as if the stump had been chosen before",
        functools.cache(
            lambda k, m, d: stump_vote_compression(
                k, 2, m, DELTA, stumps=1, features=d, weighted=False
            )
        ),
        lambda k, m, d: fast_exact(k, m - 2),
        lambda bound: best_of_stumps(bound, rows=60, features=10),
    ),
    Case(
        "neighbors-leave-one-out",
        "the share of left-out rows as a promise",
        functools.cache(lambda k, m: neighbors_leave_one_out(k, m, 1, DELTA)),
        lambda k, m: k / m,
        lambda bound: nearest_of_coin_flips(bound, rows=200),
    ),
    Case(
        "pac-bayes-kl",
        "nothing paid for the distance to the prior",
        functools.cache(lambda k, N, m: pac_bayes_kl(k / m, math.log(N), m, DELTA)),
        functools.cache(lambda k, N, m: holdout_kl(k, m, DELTA)),
        lambda bound: voters(bound, models=200, rows=300, rate=0.1),
    ),
    Case(
        "pac-bayes-linear",
        "nothing paid for the distance to the prior",
        at(pac_bayes_linear),
        functools.cache(lambda gibbs, norm, m: pac_bayes_linear(gibbs, 0, m, DELTA)),
        lambda bound: learnt_by_heart(bound, rows=30, norm=9.0),
    ),
    Case(
        "pac-bayes-linear-vote",
        "as if the machine were no worse than one drawn around it",
        at(pac_bayes_linear_vote),
        at(pac_bayes_linear),
        lambda bound: narrow_region(bound, rows=2000, region=0.2),
    ),
    Case(
        "out-of-bag-member",
        "the mean loss as a promise",
        at(out_of_bag_member),
        lambda loss, left_out, rows: loss,
        lambda bound: left_out_losses(bound, rows=400, rate=0.2),
    ),
    Case(
        "out-of-bag-square",
        "the mean loss as a promise",
        at(out_of_bag_square),
        lambda loss, left_out, rows: loss,
        lambda bound: left_out_losses(bound, rows=400, rate=0.05),
    ),
    Case(
        "out-of-bag-vote",
        "as if a vote were no worse than its members",
        at(out_of_bag_vote),
        at(out_of_bag_member),
        lambda bound: left_out_losses(bound, rows=400, rate=0.4, tied=True),
    ),
    Case(
        "out-of-bag-vote",
        "the out-of-bag rate read as a holdout",
        functools.cache(lambda k, n: out_of_bag_vote(k / n, 1, n, DELTA)),
        fast_exact,
        lambda bound: rarer_label(bound, rows=10),
    ),
]


def assert_told_apart(case: Case, trials: int) -> None:
    sound = check_bound(case.experiment(case.certificate), delta=DELTA, trials=trials, seed=11)
    assert sound.sound, f"{case.theorem}: {sound}"
    # A twin that is broken enough shows it in fewer trials.
    few = min(trials, 5_000)
    broken = check_bound(case.experiment(case.twin), delta=DELTA, trials=few, seed=12)
    assert not broken.sound, f"{case}: {broken}"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_certificate_passes_and_its_broken_twin_does_not(case):
    assert_told_apart(case, trials=2_000)


@pytest.mark.guarantees
@pytest.mark.parametrize("case", CASES, ids=str)
def test_certificate_passes_and_its_broken_twin_does_not_in_many_trials(case):
    assert_told_apart(case, trials=20_000)


@pytest.mark.guarantees
@pytest.mark.parametrize("rate", [0.02, 0.05, 0.2])
def test_sixty_looks_at_every_rate(rate):
    anytime = check_bound(peeking(at(holdout_anytime), 60, 600, rate), delta=DELTA)
    assert anytime.sound, anytime
    assert anytime.rate > 0.01
    naive = check_bound(peeking(fast_exact, 60, 600, rate), delta=DELTA)
    assert not naive.sound
    assert naive.rate > 0.12


@pytest.mark.guarantees
@pytest.mark.parametrize(
    ("sampler", "mean"),
    [
        (lambda rng, size: rng.uniform(0, 0.1, size), 0.05),
        (lambda rng, size: rng.beta(2, 8, size), 0.2),
        (lambda rng, size: (rng.random(size) < 0.1) * rng.random(size), 0.05),
        (lambda rng, size: 1 - (rng.random(size) < 0.02) * rng.random(size), 0.99),
    ],
    ids=["uniform", "beta", "mostly zero", "mostly one"],
)
def test_losses_of_every_shape(sampler, mean):
    for bound in (
        lambda x: bounded_betting(x, DELTA),
        lambda x: bounded_betting(x, DELTA, anytime=True),
        bernstein,
        lambda x: holdout_kl(math.fsum(x), x.size, DELTA),
    ):
        found = check_bound(bounded_losses(bound, sampler, mean, 50), delta=DELTA, trials=4000)
        assert found.sound, found


def test_no_probabilistic_certificate_is_left_out():
    holdouts = {
        entry.id
        for entry in theorems()
        if not entry.number and entry.kind == "error" and entry.holds == "probability"
    }
    assert holdouts <= {case.theorem for case in CASES}
