"""Units without a wrong row, and metrics of their rows: golden values, whole numbers, the promise and broken twins."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.rates import f1_at_least, rate_at_least
from assay.theory.tail.unit_rates import unit_f1_at_least, unit_rate_at_least, units_wholly_right
from assay.theory.tail.unit_ratio import unit_ratio_betting
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound

RATIO = [(0, 2, 60), (0, 10, 60), (1, 5, 40), (2, 8, 25), (4, 10, 15)]
deltas = st.floats(1e-9, 0.9)


@st.composite
def histograms(draw):
    kinds = []
    for _ in range(draw(st.integers(1, 5))):
        rows = draw(st.integers(1, 9))
        kinds.append((draw(st.integers(0, rows)), rows, draw(st.integers(1, 20))))
    return kinds


def test_golden_values():
    golden = pytest.approx(0.08333515106637197, rel=1e-14)
    assert units_wholly_right([(0, 5, 190), (1, 5, 4), (5, 5, 6)], 0.05) == golden
    assert unit_rate_at_least(RATIO, 10, 0.05) == pytest.approx(1 - 0.16195925120929092, rel=1e-14)
    jaccard = 1 - 0.16195925120929092
    assert unit_f1_at_least(RATIO, 10, 0.05) == pytest.approx(
        2 * jaccard / (1 + jaccard), rel=1e-14
    )


@settings(max_examples=60)
@given(histograms(), deltas)
def test_units_with_a_wrong_row_are_counted_and_nothing_else(units, delta):
    wrong = sum(many for errors, _, many in units if errors)
    total = sum(many for *_, many in units)
    assert units_wholly_right(units, delta) == holdout_exact(wrong, total, delta)


@settings(max_examples=40)
@given(histograms(), st.sampled_from(["0.05", "1e-12"]), st.booleans())
def test_confirmed_and_anything_smaller_is_not(units, delta, at_length):
    inputs = {"units": [list(kind) for kind in units], "delta": delta}
    confirm = find_theorem("units-wholly-right").checker
    high = Fraction(units_wholly_right(units, delta))
    assert confirm(inputs, high, at_length) == (True, True)
    if high < 1:
        assert not confirm(inputs, high - Fraction(1, 10**9), at_length)[0]


@settings(max_examples=40)
@given(histograms(), st.integers(9, 30), deltas)
def test_a_rate_is_what_the_ratio_leaves(units, most, delta):
    high = Fraction(unit_ratio_betting(units, most, delta))
    low = Fraction(unit_rate_at_least(units, most, delta))
    assert low <= 1 - high < low + Fraction(1, 2**52)
    assert Fraction(unit_f1_at_least(units, most, delta)) <= 2 * (1 - high) / (2 - high)


# The promise, over units of which one in some is wrong as a whole: the worst that rows can do to each other.


def drawn(rng, units: int) -> list[tuple[int, int, int]]:
    """True positives, positives and rows taken for positive of each unit; a unit is missed as a whole, or not."""
    positives = rng.integers(0, 9, units)
    missed = rng.random(units) < np.where(positives > 4, 0.35, 0.1)
    alarms = np.where(rng.random(units) < 0.1, rng.integers(1, 5, units), 0)
    hits = np.where(missed, 0, positives)
    return list(zip(hits.tolist(), positives.tolist(), alarms.tolist(), strict=True))


def truth() -> tuple[float, float]:
    """Recall and F1 of the rows of many such units."""
    rates = {p: 0.35 if p > 4 else 0.1 for p in range(9)}
    hits, positives = sum((1 - rates[p]) * p for p in rates) / 9, sum(rates) / 9
    return hits / positives, 2 * hits / (2 * hits + (positives - hits) + 0.1 * 2.5)


def kinds(pairs) -> list[tuple[int, int, int]]:
    return [(e, r, m) for (e, r), m in Counter(p for p in pairs if p[1]).items()]


def broken(trials: int, seed: int, by_units: bool) -> tuple[int, int]:
    """How often the promises of recall and F1 are broken."""
    rng, (recall, f1) = np.random.default_rng(seed), truth()
    wrong = [0, 0]
    for _ in range(trials):
        seen = drawn(rng, 30)
        hits, positives, alarms = (sum(column) for column in zip(*seen, strict=True))
        if by_units:
            missed = kinds((p - h, p) for h, p, _ in seen)
            apart = kinds((p - h + a, p + a) for h, p, a in seen)
            lows = unit_rate_at_least(missed, 8, 0.05), unit_f1_at_least(apart, 12, 0.05)
        else:
            lows = (
                rate_at_least(hits, positives, 0.05),
                f1_at_least(hits, alarms, positives - hits, 0.05),
            )
        wrong = [w + (low > true) for w, low, true in zip(wrong, lows, (recall, f1), strict=True)]
    return wrong[0], wrong[1]


def test_a_few_drawn_units_keep_recall_and_f1_and_break_the_row_wise_ones():
    for kept in broken(150, 3, by_units=True):
        assert_sound(kept, 150, 0.05)
    for lost in broken(300, 3, by_units=False):
        assert_unsound(lost, 300, 0.05)


@pytest.mark.guarantees
def test_drawn_units_keep_recall_and_f1():
    for kept in broken(10_000, 5, by_units=True):
        assert_sound(kept, 10_000, 0.05)
    for lost in broken(10_000, 5, by_units=False):
        assert_unsound(lost, 10_000, 0.05)


def whole_broken(trials: int, seed: int, bound) -> int:
    """Units that are spoilt with chance 0.1, each by one row or by all."""
    rng = np.random.default_rng(seed)
    wrong = 0
    for spoilt in rng.binomial(100, 0.1, trials).tolist():
        alone = int(rng.binomial(spoilt, 0.5))
        units = [(0, 6, 100 - spoilt), (1, 6, alone), (6, 6, spoilt - alone)]
        wrong += bound([kind for kind in units if kind[2]]) < 0.1
    return wrong


def test_whole_units_keep_their_promise_and_the_mean_over_units_is_none():
    exact = whole_broken(4_000, 1, lambda units: units_wholly_right(units, 0.05))
    assert_sound(exact, 4_000, 0.05)
    mean = whole_broken(400, 1, lambda units: unit_ratio_betting(units, 6, 0.05))
    assert_unsound(mean, 400, 0.05)


def test_refuses_what_is_not_covered():
    with refuses("units[0][0] must be at most the number of rows 2, but is 3."):
        units_wholly_right([(3, 2, 1)], 0.05)
    with refuses("units must be at least one unit, but is 'empty'."):
        units_wholly_right([], 0.05)
    with refuses("units[0][1] must be at most most_rows 5, but is 6."):
        unit_rate_at_least([(1, 6, 1)], 5, 0.05)
