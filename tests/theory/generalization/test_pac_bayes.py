from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.generalization.pac_bayes import (
    pac_bayes_kl,
    pac_bayes_linear,
    pac_bayes_linear_vote,
)
from tests.refusals import (
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NONNEGATIVE,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    NOT_NONNEGATIVE,
    NOT_NUMBERS,
    assert_refuses_all,
)


def test_golden_values():
    assert pac_bayes_kl(0.05, 10, 1000, 0.05) == pytest.approx(0.1007818782312164, abs=1e-15)
    assert pac_bayes_kl(0, 5, 500, 0.05) == pytest.approx(0.0233162428527447, abs=1e-15)


@settings(max_examples=50)
@given(st.floats(0, 0.99), st.floats(0, 50), st.integers(1, 10**5), st.floats(1e-9, 0.5))
def test_the_entropy_is_reached_and_hardly_passed(loss, divergence, rows, delta):
    p = pac_bayes_kl(loss, divergence, rows, delta)
    if p >= 1 - 1e-12:
        return
    with mpmath.workdps(50):
        q, e = mpmath.mpf(repr(loss)), mpmath.mpf(p)
        kl = (q * mpmath.log(q / e) if q else 0) + (1 - q) * mpmath.log((1 - q) / (1 - e))
        need = (
            mpmath.mpf(repr(divergence))
            + mpmath.log(2 * mpmath.sqrt(rows) / mpmath.mpf(repr(delta)))
        ) / rows
        assert kl >= need
        below = mpmath.mpf(p * (1 - 1e-12))
        kl = (q * mpmath.log(q / below) if q else 0) + (1 - q) * mpmath.log((1 - q) / (1 - below))
        assert kl < need or below <= q


@settings(max_examples=50)
@given(st.floats(0, 0.9), st.floats(0, 20), st.integers(2, 10**4), st.floats(1e-6, 0.5))
def test_monotone(loss, norm, rows, delta):
    error = pac_bayes_linear(loss, norm, rows, delta)
    assert pac_bayes_linear(min(1, loss + 0.05), norm, rows, delta) >= error
    assert pac_bayes_linear(loss, norm + 1, rows, delta) >= error
    assert pac_bayes_linear(loss, norm, rows, delta / 2) >= error
    assert pac_bayes_linear_vote(loss, norm, rows, delta) == 2 * error
    assert error == pytest.approx(pac_bayes_kl(loss, norm**2 / 2, rows, delta), rel=1e-9)


def maurer_sum(m):
    return sum(math.comb(m, k) * k**k * (m - k) ** (m - k) for k in range(m + 1)) / m**m


def test_twice_the_root_bounds_the_sum_of_the_proof_from_the_first_row_on():
    # Maurer proves it from 8 rows on; below, here it is.
    assert all(maurer_sum(m) <= 2 * math.sqrt(m) for m in range(1, 120))
    assert any(
        maurer_sum(m) > math.sqrt(m) for m in range(1, 20)
    )  # a single root would be too little


def test_a_prior_that_saw_the_rows_is_caught():
    """Coin flips learnt by heart: a prior around the answer would make the divergence nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 200))
    y = rng.choice([-1.0, 1.0], 60)
    w = (y @ X) / np.linalg.norm(y @ X) * 12
    margins = y * (X @ w) / np.linalg.norm(X, axis=1)
    gibbs = float(np.mean([0.5 * math.erfc(v / math.sqrt(2)) for v in margins]))
    assert gibbs < 0.15
    assert pac_bayes_linear(gibbs, 12, 60, 0.05) > 0.5  # the truth: new labels are coin flips
    assert pac_bayes_linear(gibbs, 0, 60, 0.05) < 0.5  # the broken one


def test_refusals():
    good = {"loss": 0.1, "divergence": 1, "rows": 10, "delta": 0.05}
    unit = "a number between 0 and 1"
    assert_refuses_all(pac_bayes_kl, good, "loss", unit, [*NOT_NUMBERS, -0.1, 1.1])
    assert_refuses_all(pac_bayes_kl, good, "divergence", NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(pac_bayes_kl, good, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(pac_bayes_kl, good, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    for bound in (pac_bayes_linear, pac_bayes_linear_vote):
        good = {"gibbs": 0.1, "norm": 1, "rows": 10, "delta": 0.05}
        assert_refuses_all(bound, good, "gibbs", unit, [*NOT_NUMBERS, -0.1, 1.1])
        assert_refuses_all(bound, good, "norm", NONNEGATIVE, NOT_NONNEGATIVE)
