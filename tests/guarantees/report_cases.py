"""Cases of what stands in a report: differences of models, rates from below, groups, pairs."""

from __future__ import annotations

import functools
import math
from collections import Counter

import numpy as np

from assay.checks.reports import f1_score, groups_at_once, scored_pairs, two_models
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.concordance import concordance_at_least
from assay.theory.tail.difference import mcnemar_better, paired_difference, paired_loss_difference
from assay.theory.tail.groups import group_exact, group_gap, worst_group
from assay.theory.tail.rates import (
    f1_at_least,
    macro_f1_at_least,
    mean_rate_at_least,
    rate_at_least,
)
from assay.theory.tail.unit_groups import group_unit_mean, worst_group_unit_mean
from assay.theory.tail.unit_ratio import unit_difference, unit_ratio_betting
from tests.guarantees.case import DELTA, Case, at


def better(only_old: int, only_new: int, rows: int) -> float:
    """Promises a hair more than nothing, where the new model is called better."""
    return mcnemar_better(only_old, only_new, DELTA) + 1e-9


def either_way_round(only_old: int, only_new: int, rows: int) -> float:
    return max(better(only_old, only_new, rows), better(only_new, only_old, rows))


def one_end(only_old: int, only_new: int, rows: int) -> float:
    """Only how seldom the models differ, at the full delta, whatever the sign."""
    differing = only_old + only_new
    theta = rate_at_least(only_old, differing, DELTA) if differing else 0.0
    return rate_at_least(differing, rows, DELTA) * (2 * theta - 1)


def losses(bound):
    """The old model's losses are 0.05 each, the new one's are rare and large, with the same mean."""

    def experiment(rng, trials):
        new = 1.0 * (rng.random((trials, 30)) < 0.05)
        return -np.array([bound(np.full(30, 0.05), each) for each in new]), 0.0

    return experiment


def by_t(old, new):
    gap = old - new
    return float(gap.mean() - 1.699 * gap.std(ddof=1) / math.sqrt(gap.size))


def shares_from_below(bound):
    """A hundred rows, right at a rate at which Wilson's interval fails."""
    return scored_pairs(lambda right, _, rows: bound(right, rows), 100, 0.9736)


def wilson(successes: int, rows: int) -> float:
    z = 1.6448536269514722
    spread = z * math.sqrt(successes * (rows - successes) / rows + z * z / 4)
    return (successes + z * z / 2 - spread) / (rows + z * z)


def means_of_two(bound):
    """Two classes of thirty rows each; their mean is promised."""

    def experiment(rng, trials):
        right = rng.binomial(30, [0.9, 0.7], (trials, 2))
        return -np.array([bound(tuple(row)) for row in right.tolist()]), -0.8

    return experiment


@functools.cache
def mean_of_rates(right: tuple[int, ...]) -> float:
    return mean_rate_at_least(right, [30, 30], DELTA)


def confusions_of_two(bound):
    """Sixty rows of two classes that are right with chance 0.8, whichever they are; so is macro F1."""

    def experiment(rng, trials):
        cells = rng.multinomial(60, [0.4, 0.1, 0.1, 0.4], trials)
        return -np.array([bound(tuple(row)) for row in cells.tolist()]), -0.8

    return experiment


@functools.cache
def macro(cells: tuple[int, ...]) -> float:
    first, one_for_two, two_for_one, second = cells
    return macro_f1_at_least(
        [first, second], [two_for_one, one_for_two], [one_for_two, two_for_one], DELTA
    )


def macro_seen(cells: tuple[int, ...]) -> float:
    first, one_for_two, two_for_one, second = cells
    wrong = one_for_two + two_for_one
    return (2 * first / (2 * first + wrong) + 2 * second / (2 * second + wrong)) / 2 - 0.03


def units(bound):
    """Twenty units of two or ten rows, the long ones wrong three times as often, all rows together or none."""

    def experiment(rng, trials):
        rows = rng.choice([2, 10], (trials, 20), p=[0.7, 0.3])
        errors = rows * (rng.random(rows.shape) < np.where(rows == 10, 0.3, 0.1))
        pairs = (
            zip(e, r, strict=True) for e, r in zip(errors.tolist(), rows.tolist(), strict=True)
        )
        kinds = ([(*kind, many) for kind, many in Counter(each).items()] for each in pairs)
        return np.array([bound(each) for each in kinds]), (0.7 * 0.2 + 0.3 * 3) / (0.7 * 2 + 3)

    return experiment


def row_by_row(kinds) -> float:
    return holdout_exact(
        sum(e * many for e, _, many in kinds), sum(r * many for _, r, many in kinds), DELTA
    )


def unit_differences(bound):
    """Two equal models, one of which is wrong on all eight rows of a unit."""

    def experiment(rng, trials):
        old = rng.binomial(20, 0.5, trials)
        return -np.array([bound(int(b)) for b in old]), 0.0

    return experiment


def units_of_a_group(bound):
    """Twenty units of a group, of which each is wrong on all eight rows or on none; three of ten are."""
    return lambda rng, trials: (
        np.array([bound(int(wrong)) for wrong in rng.binomial(20, 0.3, trials)]),
        0.3,
    )


def units_of(wrong: int) -> list[tuple[int, int, int]]:
    return [kind for kind in ((0, 8, 20 - wrong), (8, 8, wrong)) if kind[2]]


@functools.cache
def difference_by_units(old: int) -> float:
    kinds = [(8, 8, old), (-8, 8, 20 - old)]
    return unit_difference([kind for kind in kinds if kind[2]], DELTA)


def groups(bound):
    """Four groups, the last of which is the worst."""
    rates = [0.05, 0.1, 0.1, 0.2]

    def experiment(rng, trials):
        drawn = rng.binomial([40, 60, 30, 50], rates, (trials, 4))
        return np.array([bound(tuple(row)) for row in drawn.tolist()]), 0.2

    return experiment


def gaps(bound):
    """The same groups; 0.15 lie between the best and the worst."""
    return lambda rng, trials: (groups(bound)(rng, trials)[0], 0.15)


SIZES = [40, 60, 30, 50]


CASES = [
    Case(
        "mcnemar-better",
        "the better model is picked after looking",
        better,
        either_way_round,
        lambda bound: two_models(bound, 400, 0.05, 0.05),
        trials=5_000,
    ),
    Case(
        "paired-difference",
        "one end of how often the models differ",
        at(paired_difference),
        one_end,
        lambda bound: two_models(bound, 60, 0.0, 0.2),
    ),
    Case(
        "paired-loss-difference",
        "a t test of differences",
        lambda old, new: paired_loss_difference(old, new, DELTA),
        by_t,
        losses,
        trials=300,
    ),
    Case(
        "rate-at-least", "Wilson's interval", at(rate_at_least), wilson, shares_from_below, 20_000
    ),
    Case(
        "f1-at-least",
        "Wilson's interval for the Jaccard index",
        at(f1_at_least),
        lambda hits, *others: (lambda low: 2 * low / (1 + low))(wilson(hits, hits + sum(others))),
        lambda bound: f1_score(bound, 100, 1.0, 1.0, 0.9736),
        trials=20_000,
    ),
    Case(
        "mean-rate-at-least",
        "the mean as it was seen",
        mean_of_rates,
        lambda right: sum(right) / 60,
        means_of_two,
        trials=500,
    ),
    Case(
        "macro-f1-at-least",
        "about the mean as it was seen",
        macro,
        macro_seen,
        confusions_of_two,
        500,
    ),
    Case(
        "unit-ratio-betting",
        "rows of a unit taken for independent draws",
        lambda kinds: unit_ratio_betting(kinds, 10, DELTA),
        row_by_row,
        units,
        trials=300,
    ),
    Case(
        "unit-difference",
        "rows of a unit taken for independent draws",
        difference_by_units,
        functools.cache(lambda old: paired_difference(8 * old, 8 * (20 - old), 160, DELTA)),
        unit_differences,
        trials=500,
    ),
    Case(
        "worst-group",
        "all rows in one",
        functools.cache(lambda seen: worst_group(seen, SIZES, DELTA)),
        functools.cache(lambda seen: holdout_exact(sum(seen), sum(SIZES), DELTA)),
        groups,
        trials=500,
    ),
    Case(
        "group-gap",
        "the gap that was seen",
        functools.cache(lambda seen: group_gap(seen, SIZES, DELTA)),
        lambda seen: float(np.ptp(np.array(seen) / np.array(SIZES))),
        gaps,
        trials=500,
    ),
    Case(
        "group-exact",
        "six groups at once, each at the whole of delta",
        at(group_exact, delta=DELTA / 6),
        at(group_exact),
        lambda bound: groups_at_once(bound, [40, 40, 60, 60, 100, 100], [0.12] * 6),
    ),
    Case(
        "group-unit-mean",
        "rows of a unit taken for independent draws",
        functools.cache(lambda wrong: group_unit_mean(units_of(wrong), DELTA)),
        functools.cache(lambda wrong: holdout_exact(8 * wrong, 160, DELTA)),
        units_of_a_group,
        trials=1_000,
    ),
    Case(
        "worst-group-unit-mean",
        "the group that is better",
        functools.cache(
            lambda wrong: worst_group_unit_mean([units_of(wrong), [(0, 8, 40), (8, 8, 2)]], DELTA)
        ),
        lambda wrong: group_unit_mean([(0, 8, 40), (8, 8, 2)], DELTA),
        units_of_a_group,
        trials=200,
    ),
    Case(
        "concordance-at-least",
        "ties that count as concordant",
        at(concordance_at_least),
        lambda above, tied, pairs: rate_at_least(above + tied, pairs, DELTA),
        lambda bound: scored_pairs(bound, 30, 0.6, 0.3),
    ),
]
