"""Cases of promises about a model that come from the very rows it was trained on."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from assay.checks import Experiment
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
from assay.theory.tail.kl import holdout_kl
from tests.guarantees.case import DELTA, Case, at, fast_exact


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


def shuffled_runs(bound: Callable[..., object], rows: int, passes: int = 3) -> Experiment:
    """The same threshold over several passes, each in an order of its own."""

    def experiment(rng: np.random.Generator, trials: int):
        points, noise, each = rng.random((trials, rows)), 0.1, np.arange(trials)
        labels = (points > 0.5) ^ (rng.random((trials, rows)) < noise)
        threshold, mistaken = np.zeros(trials), np.zeros((trials, rows), dtype=bool)
        for _ in range(passes):
            for places in rng.random((trials, rows)).argsort(axis=1).T:
                missed = (points[each, places] > threshold) != labels[each, places]
                mistaken[each, places] |= missed
                threshold = np.where(missed, points[each, places], threshold)
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


CASES = [
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
        "shuffled-mistake-compression",
        "the rows wrong at the end alone",
        lambda a, b, m: kept_rows_bound(a + b, m),
        lambda a, b, m: kept_rows_bound(b, m),
        lambda bound: shuffled_runs(bound, rows=40),
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
        trials=500,
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
