"""The experiments about reports draw what they say: exact failure rates where they can be summed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assay.checks import check_bound
from assay.checks.experiments import alike_units
from assay.checks.reports import f1_score, groups_at_once, judged_batch, scored_pairs, two_models
from tests.refusals import refuses

TRIALS = 40_000


def broken(experiment) -> float:
    return check_bound(experiment, delta=0.5, trials=TRIALS).rate


def near(chance: float):
    """Within five standard errors."""
    return pytest.approx(chance, abs=5 * math.sqrt(chance * (1 - chance) / TRIALS))


def test_two_models():
    seen = lambda old, new, rows: (old - new) / rows  # noqa: E731
    # Above -0.05 where the old model alone is wrong on one row more, or on as many.
    both = [
        (b, c, stats.multinomial.pmf([b, c, 8 - b - c], 8, [0.1, 0.15, 0.75]))
        for b in range(9)
        for c in range(9 - b)
    ]
    assert broken(two_models(seen, 8, 0.1, 0.15)) == near(sum(p for b, c, p in both if b >= c))


def test_f1_score():
    # Precision and recall of one leave true positives and true negatives alone.
    def if_two(hits, alarms, misses):
        assert alarms == misses == 0
        return 1.5 if hits == 2 else 0.0

    chance = stats.binom.pmf(2, 9, 0.3)
    assert broken(f1_score(if_two, 9, prevalence=0.3, precision=1, recall=1)) == near(chance)
    # 0.2 of the rows are right, 0.1 wrongly flagged, 0.2 missed: F1 is 0.4 / 0.7.
    never = lambda *cells: 0.4 / 0.7 - 1e-9  # noqa: E731
    always = lambda *cells: 0.4 / 0.7 + 1e-9  # noqa: E731
    design = {"prevalence": 0.4, "precision": 2 / 3, "recall": 0.5}
    assert broken(f1_score(never, 9, **design)) == 0
    # Nothing is promised where no row counts.
    assert broken(f1_score(always, 9, **design)) == near(1 - 0.5**9)


def test_groups_at_once():
    share = lambda errors, rows: errors / rows  # noqa: E731
    chances = [stats.binom.cdf(1, 10, 0.15), stats.binom.cdf(4, 30, 0.15)]
    kept = math.prod(1 - chance for chance in chances)
    assert broken(groups_at_once(share, [10, 30], [0.15, 0.15])) == near(1 - kept)


def test_judged_batch():
    seen = lambda wrong: 10 * sum(wrong) + 0.5  # noqa: E731
    chance = stats.hypergeom.cdf(1, 40, 12, 4) * stats.hypergeom.pmf(0, 60, 6, 6)
    chance += stats.hypergeom.pmf(0, 40, 12, 4) * stats.hypergeom.pmf(1, 60, 6, 6)
    # 18 are wrong: one or none among those labelled is too few.
    assert broken(judged_batch(seen, [40, 60], [4, 6], [12, 6])) == near(chance)


def test_scored_pairs():
    seen = lambda above, tied, pairs: (above + tied / 2) / pairs - 0.01  # noqa: E731
    chance = sum(
        stats.multinomial.pmf([a, t, 6 - a - t], 6, [0.5, 0.2, 0.3])
        for a in range(7)
        for t in range(7 - a)
        if 2 * a + t > 7.3
    )
    assert broken(scored_pairs(seen, 6, 0.5, 0.2)) == near(chance)


def test_units_that_are_alike_to_a_degree():
    seen = []

    def nothing(errors):
        seen.append(errors)
        return 1.0

    for settings in (
        {"correlation": 0},
        {"correlation": 0.4},
        {"correlation": 0.4, "together": True},
    ):
        seen.clear()
        check_bound(alike_units(nothing, 20, 2, 0.3, **settings), delta=0.5, trials=3000)
        errors = np.concatenate(seen)
        assert errors.mean() == pytest.approx(0.6, abs=0.03)
        both = (errors == 2).mean()  # p^2 + rho p (1 - p)
        assert both == pytest.approx(0.09 + settings["correlation"] * 0.21, abs=0.015)
    seen.clear()
    check_bound(alike_units(nothing, 20, 5, 0.3, 1, together=True), delta=0.5, trials=50)
    assert set(np.concatenate(seen)) == {0, 5}


def test_refuses_what_cannot_be_drawn():
    with refuses("only_old must be at most 1 together with the others, but is 0.7."):
        two_models(max, 5, 0.7, 0.4)
    with refuses("precision must be above zero with such a recall, but is 0."):
        f1_score(max, 5, 0.5, 0, 0.5)
    with refuses("true_positives must be at most 1 together with the others, but is 0.8."):
        f1_score(max, 5, 0.8, 0.5, 1)
    with refuses("rates must be as many as rows, 2, but is 1."):
        groups_at_once(max, [1, 2], [0.5])
    with refuses("labelled[1] must be at most the size 3, but is 4."):
        judged_batch(max, [3, 3], [1, 4], [0, 0])
    with refuses("wrong must be as many as sizes, 1, but is 2."):
        judged_batch(max, [3], [1], [0, 0])
    with refuses("correlation must be below one, but is 1."):
        alike_units(max, 5, 5, 0.5, 1)
