"""Whether order is found where it is, and not where it is not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from assay.evidence.order_check import TESTS, OrderCheck, fault_of
from assay.evidence.order_tests import check_order
from assay.evidence.permuted import Orders, told_apart


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
    assert check.alarms
    assert check.sorted_by_target


def test_quantities_that_drift_are_found():
    rng = np.random.default_rng(0)
    assert check_order(
        rng.normal(size=(400, 2)), rng.normal(size=400) + np.arange(400) / 200
    ).alarms


def test_a_column_of_dates_in_another_order_is_followed():
    rng = np.random.default_rng(0)
    when = rng.permutation(400)
    X = np.column_stack([rng.normal(size=400) + when / 100, rng.normal(size=400)])
    y = rng.integers(0, 2, 400)
    assert not check_order(X, y).alarms
    times = np.column_stack([rng.permutation(400), when]).astype(float)
    times[:40, 1] = np.nan
    assert float(check_order(X, y, times=times).p_values["time-column"]) <= 0.001


def test_columns_that_say_nothing():
    y = np.random.default_rng(0).integers(0, 2, 60)
    assert not check_order(np.empty((60, 0)), y).alarms
    assert not check_order(np.full((60, 2), np.nan), y).alarms


def test_a_check_as_text_and_copied():
    import copy

    check = OrderCheck(900, dict.fromkeys(TESTS, 0.2))
    assert copy.deepcopy(check).p_values == check.p_values
    assert str(OrderCheck(9, {**dict.fromkeys(TESTS, 1.0), "label-trend": 0.0004})).endswith(
        "found that the target changes along the file (p = 0.0036)"
    )
