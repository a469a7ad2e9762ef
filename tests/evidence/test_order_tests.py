"""Whether order is found where it is, and not where it is not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, hypergeom

from assay.evidence.order_check import FALSE_ALARM, TESTS, OrderCheck, fault_of
from assay.evidence.order_tests import check_order
from assay.evidence.permuted import Orders, told_apart
from tests.soundness import assert_sound, assert_unsound

ROWS = 2000
NEXT = ROWS // 5


def test_the_tail_is_the_hypergeometric_one():
    for told, early, late, said in [(3, 5, 4, 4), (0, 6, 6, 5), (20, 40, 40, 30)]:
        right = hypergeom.sf(told - 1, early + late, late, said)
        assert told_apart(told, early, late, said) == pytest.approx(right, rel=1e-12)


def test_a_statistic_that_order_does_not_change_is_never_found():
    assert Orders(0).p_value(50, lambda orders: np.ones(len(orders))) == 1


def test_what_is_looked_at_is_what_certificates_name():
    rng = np.random.default_rng(0)
    check = check_order(rng.normal(size=(60, 2)), rng.integers(0, 3, 60))
    assert list(check.p_values) == list(TESTS)
    assert fault_of(check, "assumed") is None


@pytest.mark.parametrize(
    "target", [np.repeat([2, 0, 1], 40), np.linspace(3, 1, 120)], ids=["classes", "quantity"]
)
def test_rows_sorted_by_their_target_are_called_so(target):
    rng = np.random.default_rng(0)
    check = check_order(rng.normal(size=(120, 2)), target)
    assert check.found
    assert check.sorted_by_target


def test_quantities_that_drift_are_found():
    rng = np.random.default_rng(0)
    assert check_order(rng.normal(size=(400, 2)), rng.normal(size=400) + np.arange(400) / 200).found


def test_a_column_of_dates_in_another_order_is_followed():
    rng = np.random.default_rng(0)
    when = rng.permutation(400)
    X = np.column_stack([rng.normal(size=400) + when / 100, rng.normal(size=400)])
    y = rng.integers(0, 2, 400)
    assert not check_order(X, y).found
    times = np.column_stack([rng.permutation(400), when]).astype(float)
    times[:40, 1] = np.nan
    assert float(check_order(X, y, times=times).p_values["time-column"]) <= 0.001


def test_columns_that_say_nothing():
    y = np.random.default_rng(0).integers(0, 2, 60)
    assert not check_order(np.empty((60, 0)), y).found
    assert not check_order(np.full((60, 2), np.nan), y).found


def exchangeable(rng, rows=120):
    X = rng.standard_t(2, size=(rows, 3)).round(1)
    return X, (X[:, 0] + rng.normal(size=rows) > 0).astype(int)


@pytest.mark.guarantees
def test_exchangeable_rows_are_seldom_called_ordered():
    alarms = broken = 0
    for seed in range(2000):
        X, y = exchangeable(np.random.default_rng([3, seed]))
        check = check_order(X, y)
        alarms += check.found
        # Every test at ten times the rate that all of them share.
        broken += any(float(p) <= 10 * float(FALSE_ALARM) for p in check.p_values.values())
    assert alarms <= 2000 * float(FALSE_ALARM)
    assert_sound(alarms, 2000, float(FALSE_ALARM))
    assert_unsound(broken, 2000, float(FALSE_ALARM))


def turning(angle, rng):
    """Rows whose boundary turns by so much along the file, and the rows that come next."""
    X = rng.normal(size=(ROWS + NEXT, 5))
    turned = angle * np.arange(len(X)) / ROWS
    y = np.cos(turned) * X[:, 0] + np.sin(turned) * X[:, 1] > 0
    return X, (y ^ (rng.random(len(X)) < 0.1)).astype(int)


def broken_by(X, y, rng):
    """By how much the next rows break what a random holdout promises; and the training rows."""
    drawn = rng.permutation(ROWS)
    train, held = np.sort(drawn[NEXT:]), drawn[:NEXT]
    A = np.column_stack([np.ones(len(X)), X])
    weights = np.linalg.lstsq(A[train], 2.0 * y[train] - 1, rcond=None)[0]
    missed = (A @ weights > 0) != y
    wrong = int(missed[held].sum())
    return missed[ROWS:].mean() - beta.ppf(0.95, wrong + 1, NEXT - wrong), train


@pytest.mark.guarantees
def test_a_boundary_that_turns_as_far_as_breaks_the_promise_by_five_points_is_found():
    found, gaps = 0, []
    for seed in range(100):
        rng = np.random.default_rng([5, seed])
        X, y = turning(1.066, rng)
        gap, train = broken_by(X, y, rng)
        gaps.append(gap)
        found += check_order(X[train], y[train]).found
    assert 0.04 < np.mean(gaps) < 0.075
    assert found >= 95


def test_a_check_as_text_and_copied():
    import copy

    check = OrderCheck(900, dict.fromkeys(TESTS, 0.2))
    assert copy.deepcopy(check).p_values == check.p_values
    assert str(OrderCheck(9, {**dict.fromkeys(TESTS, 1.0), "label-trend": 0.0004})).endswith(
        "found that the target changes along the file (p = 0.0036)"
    )
