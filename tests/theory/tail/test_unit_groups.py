"""Groups of rows in units: golden values, the definition, and that the bounds of all groups hold at once."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from assay.errors import BadParameter
from assay.theory.tail.unit_groups import group_unit_mean, worst_group_unit_mean
from assay.theory.tail.unit_mean import unit_mean_betting
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound

GOLDEN = [(0, 5, 150), (1, 5, 30), (2, 5, 20)]


def test_golden_values():
    assert group_unit_mean(GOLDEN, 0.05) == pytest.approx(0.10047695701635057, abs=1e-15)
    groups = [GOLDEN, [(0, 5, 30), (2, 5, 20)]]
    assert worst_group_unit_mean(groups, 0.05) == max(unit_mean_betting(g, 0.05) for g in groups)


def test_refusals():
    with refuses("groups must be a list with the units of each group, but is [].", BadParameter):
        worst_group_unit_mean([], 0.05)
    with refuses("units must be at least one unit, but is 'empty'.", BadParameter):
        worst_group_unit_mean([GOLDEN, []], 0.05)


def drawn(trials, seed):
    """Units that are wholly right or wholly wrong, which is the worst case of what units may be."""
    rng = np.random.default_rng(seed)
    for wrong in rng.binomial(30, 0.2, trials).tolist():
        kinds = [(0, 2, 30 - wrong), (2, 2, wrong)]
        yield [kind for kind in kinds if kind[2]]


def check(trials, seed):
    memo: dict[tuple[int, Fraction], float] = {}

    def bound(units, level):
        key = sum(many for e, _, many in units if e), level
        if key not in memo:
            memo[key] = group_unit_mean(units, level)
        return memo[key]

    broken, worst, twin = Counter(), 0, 0
    for first, second in zip(drawn(trials, seed), drawn(trials, seed + 1), strict=True):
        groups = [first, first, second]
        highs = [bound(units, Fraction(1, 60)) for units in groups]
        broken["at once"] += any(high < 0.2 for high in highs)
        worst += max(bound(units, Fraction(1, 20)) for units in groups) < 0.2
        # The twin: what was seen on average in the worst group.
        twin += max(sum(e * m for e, _, m in units) / 60 for units in groups) < 0.2
    assert_sound(broken["at once"], trials, 0.05)
    assert_sound(worst, trials, 0.05)
    assert_unsound(twin, trials, 0.05)


def test_all_groups_hold_at_once():
    check(2000, 3)


@pytest.mark.guarantees
def test_all_groups_hold_at_once_at_length():
    check(50_000, 5)
