import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory.regret.forward_ridge import forward_ridge_receipt, forward_ridge_regret
from tests.naive.contextual import Ridge, forward
from tests.refusals import COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE, assert_refuses_all, refuses

GOOD = {"rounds": 10_000, "dimension": 5, "feature_norm": 1, "parameter_norm": 1, "penalty": 1}


def test_by_hand():
    assert forward_ridge_receipt(8) == 2.0
    expected = 1 + 5 * math.log(2001) / 4
    assert forward_ridge_regret(**GOOD) == pytest.approx(expected, rel=1e-14)


def played(rows, numbers, penalty, forecast):
    """Squared errors beyond the best in hindsight, and a quarter of the growth of the log determinant."""
    ridge, lost = Ridge(penalty), 0.0
    for x, y in zip(rows, numbers, strict=True):
        lost += (forecast(*ridge.look(x)) - y) ** 2
        ridge.learn(x, y)
    d = len(rows[0])
    b = sum(x * t for x, t in zip(ridge.rows, ridge.targets, strict=True))
    best = sum(t * t for t in ridge.targets) - b @ np.linalg.solve(ridge.matrix(d), b)
    return lost - best, ridge.grown(d) / 4


@given(st.integers(0, 10**6), st.floats(0.01, 10))
def test_the_receipt_holds_on_every_run(seed, penalty):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 25)), int(rng.integers(1, 4))
    rows, numbers = rng.normal(size=(n, d)) * rng.choice([0.1, 1, 10]), rng.integers(0, 2, n)
    seen, most = played(rows, numbers.astype(float), penalty, forward)
    assert seen <= most + 1e-9


def test_forecasts_that_do_not_look_ahead_break_it():
    rows, numbers = np.ones((2, 1)), np.array([1.0, 0.0])
    # 1/4 + (3/4)^2 less 1/2, above ln(3) / 4.
    seen, most = played(rows, numbers, 1.0, lambda forecast, width: forecast)
    assert seen == pytest.approx(0.3125)
    assert seen > most == pytest.approx(math.log(3) / 4)
    seen, most = played(rows, numbers, 1.0, forward)
    assert seen <= most


def test_refusals():
    for name in ("rounds", "dimension"):
        assert_refuses_all(forward_ridge_regret, GOOD, name, COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    with refuses("feature_norm must be a finite number above zero, but is 0."):
        forward_ridge_regret(**GOOD | {"feature_norm": 0})
    with refuses("log_determinant must be a finite number, zero or more, but is -1."):
        forward_ridge_receipt(-1)
