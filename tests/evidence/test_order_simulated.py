"""Drifts that break a random holdout by five points are found; exchangeable tables are seldom called ordered."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from assay.evidence import permuted
from assay.evidence.order_check import FALSE_ALARM
from assay.evidence.order_tests import check_order
from assay.evidence.permuted import Orders
from assay.tables.divide import divide
from assay.tables.holdout_size import HoldoutSize
from assay.tables.row_order import checked_order
from assay.tables.source import Source, load_rows
from tests.evidence.planted_drift import KINDS, broken_by, sorted_by_class
from tests.soundness import assert_sound, assert_unsound

ALPHA = float(FALSE_ALARM)


def planted(kind, trials, seed):
    """In how many tables a drift is found, and by how much the next rows break the promise."""
    gaps, times_found = [], 0
    for i in range(trials):
        rng = np.random.default_rng([seed, i])
        X, y = kind(rng)
        gap, train = broken_by(kind, X, y, rng)
        gaps.append(gap)
        times_found += check_order(X[train], y[train]).alarms
    return times_found, float(np.mean(gaps))


@pytest.mark.parametrize("kind", KINDS)
def test_a_drift_is_found(kind):
    assert planted(kind, 2, 7)[0] >= 1


@pytest.mark.guarantees
@pytest.mark.parametrize("kind", KINDS)
def test_drifts_that_break_the_promise_by_five_points_are_found_in_95_of_100(kind):
    times_found, gap = planted(kind, 100, 5)
    assert 0.03 < gap < (0.15 if kind is sorted_by_class else 0.065)
    assert times_found >= 95


# Exchangeable tables


def plain(rng):
    X = rng.standard_t(2, size=(120, 3)).round(1)
    return check_order(X, (X[:, 0] + rng.normal(size=120) > 0).astype(int))


def ties(rng):
    X = rng.integers(0, 2, size=(80, 4)).astype(float)
    return check_order(X, (X[:, 0] + X[:, 1] + rng.integers(0, 2, 80) > 1).astype(int))


def imbalanced(rng):
    return check_order(rng.normal(size=(200, 3)), (rng.random(200) < 0.02).astype(int))


def many_columns(rng):
    X = rng.normal(size=(60, 100))
    return check_order(X, (X[:, 99] > 0).astype(int))


def few_rows(rng):
    return check_order(rng.normal(size=(21, 2)), rng.integers(0, 3, 21))


def quantities(rng):
    X = rng.lognormal(sigma=2, size=(100, 3))
    return check_order(X, X[:, 0] * rng.standard_cauchy(100))


def mixed_cells(rng):
    """Categories, gaps, dates that have nothing to do with the rest, row numbers that were shuffled."""
    rows = 90
    days = np.datetime64("2024-01-01") + rng.integers(0, 60, rows)
    cells = pa.table(
        {
            "kind": rng.choice(["a", "b", "c", None], rows).tolist(),
            "size": pa.array(rng.normal(size=rows), mask=rng.random(rows) < 0.3),
            "day": pa.array(days.astype("datetime64[D]")),
        }
    )
    names = pa.table({"id": rng.permutation(rows)})
    known = checked_order(cells, rng.integers(0, 2, rows), row_names=names)
    return known.evidence


def copies_dropped(rng):
    """Rows that repeat are held out together, and left aside."""
    table = pa.table(
        {"a": rng.integers(0, 12, 150), "b": rng.integers(0, 12, 150), "y": rng.integers(0, 2, 150)}
    )
    loaded = load_rows(Source.of(table, "y"))
    seed = int(rng.integers(2**31))
    [known] = divide(loaded, None, HoldoutSize(0.2), seed, "drop").draw or [None]
    return None if known is None else known.evidence


EXCHANGEABLE = (
    plain,
    ties,
    imbalanced,
    many_columns,
    few_rows,
    quantities,
    mixed_cells,
    copies_dropped,
)


def false_alarms(trials, seed):
    """How often something is found, and how often by a battery whose tests do not share the rate."""
    alarms = twin = 0
    for i in range(trials):
        check = EXCHANGEABLE[i % len(EXCHANGEABLE)](np.random.default_rng([seed, i]))
        if check is not None:
            alarms += check.alarms
            twin += any(float(p) <= ALPHA for p in check.p_values.values())
    return alarms, twin


def test_few_exchangeable_tables_are_called_ordered():
    alarms, _ = false_alarms(48, 3)
    assert_sound(alarms, 48, ALPHA)


@pytest.mark.guarantees
def test_exchangeable_tables_of_many_kinds_are_seldom_called_ordered():
    alarms, twin = false_alarms(2000, 4)
    assert alarms <= 2000 * ALPHA
    assert_sound(alarms, 2000, ALPHA)
    assert_unsound(twin, 2000, ALPHA)


def test_a_p_value_counts_the_order_that_came(monkeypatch):
    monkeypatch.setattr(permuted, "ORDERS", 99)
    monkeypatch.setattr(permuted, "_FIRST", 49)
    sound = twin = 0
    weights = np.arange(20.0)
    for seed in range(2000):
        values = np.random.default_rng([6, seed]).normal(size=20)
        p = Orders(seed).p_value(20, lambda orders, values=values: values[orders] @ weights)
        sound += p <= 0.001
        twin += (p * 100 - 1) / 99 <= 0.001
    assert_sound(sound, 2000, 0.001)
    assert_unsound(twin, 2000, 0.001)
