"""Duality and leaving one out, on machines that libsvm trains."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from assay.theory.margin.support_vectors import (
    kkt_residual,
    svm_duality_kkt,
    svm_loo,
    svm_regularization_equivalence,
)
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    NONNEGATIVE,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_NONNEGATIVE,
    NOT_POSITIVE,
    POSITIVE,
    assert_refuses_all,
    refuses,
)


def trained(seed, C, kernel="linear", rows=40):
    """A machine with its margins, weights and squared norm."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    y = np.where(X[:, 0] + 0.4 * rng.normal(size=rows) > 0, 1, -1)
    machine = SVC(C=C, kernel=kernel, gamma=0.5, tol=1e-10).fit(X, y)
    alpha = np.zeros(rows)
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    gram = X @ X.T if kernel == "linear" else np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(2))
    square = (alpha * y) @ gram @ (alpha * y)
    return X, y, machine, y * machine.decision_function(X), np.minimum(alpha, C), float(square)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_the_best_machine_has_no_gap_and_no_residual(C, kernel):
    _, _, _, margins, alpha, square = trained(1, C, kernel)
    hinge = float(np.maximum(0, 1 - margins).sum())
    gap = svm_duality_kkt(square, hinge, float(alpha.sum()), C)
    assert abs(gap) <= 1e-6 * (1 + C * hinge)
    assert kkt_residual(margins, alpha, C) <= 1e-6 * C


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.floats(0.01, 10))
def test_no_machine_is_below_the_dual(seed, C):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(8, 3))  # rows times their labels, no bias
    alpha = rng.uniform(0, C, 8)
    w = alpha @ Z
    gap = svm_duality_kkt(
        float(w @ w), float(np.maximum(0, 1 - Z @ w).sum()), float(alpha.sum()), C
    )
    dual = alpha.sum() - w @ w / 2
    for other in [w, np.zeros(3), *rng.normal(size=(20, 3))]:
        assert other @ other / 2 + C * np.maximum(0, 1 - Z @ other).sum() >= dual - 1e-9
    assert gap >= -1e-9


def test_a_gap_that_forgets_half_of_the_norm_is_caught():
    _, _, _, margins, alpha, square = trained(1, 1.0)
    hinge = float(np.maximum(0, 1 - margins).sum())
    assert svm_duality_kkt(square / 2, hinge, float(alpha.sum()), 1.0) < -1e-3


def test_slackness_without_the_slack_is_caught():
    # The conditions with alpha (y f - 1) in place of alpha (y f - 1 + xi) fail on every noisy row.
    _, _, _, margins, alpha, _ = trained(1, 1.0)
    assert np.abs(alpha * (margins - 1)).max() > 0.1
    assert kkt_residual(margins, alpha, 1.0) < 1e-6


def test_the_golden_hard_margin():
    # (0, 0) and (2, 0): alpha = 1/2 each, squared norm 1.
    assert svm_duality_kkt(square=1, hinge=0, total=1) == 0.0


def test_weights_along_the_path_are_piecewise_linear():
    """Between two kinks the alphas move on straight lines in C, not on parabolas."""
    paths = np.array([trained(3, C)[4] for C in (0.500, 0.502, 0.504)])
    assert np.abs(np.diff(paths, 2, axis=0)).max() < 1e-6 < np.abs(np.diff(paths, axis=0)).max()


def left_out(X, y, C, kernel):
    wrong = 0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        machine = SVC(C=C, kernel=kernel, gamma=0.5, tol=1e-8).fit(X[rest], y[rest])
        wrong += machine.predict(X[i : i + 1])[0] != y[i]
    return wrong / len(y)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("seed", range(4))
def test_leaving_one_out_errs_on_no_more_than_the_support_vectors(seed, kernel):
    X, y, machine, margins, _, _ = trained(seed, 2.0, kernel, rows=24)
    share = svm_loo(len(machine.support_), len(y))
    assert left_out(X, y, 2.0, kernel) <= share
    # The training error is no bound: leaving one out finds more than it on some of these.
    assert svm_loo(int((margins <= 1 + 1e-6).sum()), len(y)) >= share


def test_the_training_error_in_its_place_is_caught():
    worse = 0
    for seed in range(12):
        X, y, machine, _, _, _ = trained(seed, 50.0, "rbf", rows=20)
        worse += left_out(X, y, 50.0, "rbf") > (machine.predict(X) != y).mean()
    assert worse > 0


def test_a_single_share_is_no_promise():
    """One dimension, hard margin: two support vectors always, and yet errors beyond 2 / m."""
    rng = np.random.default_rng(0)
    m, errors = 20, []
    for _ in range(2000):
        x = rng.uniform(-1, 1, m)
        low, high = max(x[x <= 0], default=-1), min(x[x > 0], default=1)
        errors.append(abs(low + high) / 4)  # the threshold stands in the middle
    assert np.mean(errors) <= svm_loo(2, m + 1)
    assert np.max(errors) > svm_loo(2, m)


@given(st.fractions(0, 10**6), st.fractions(0, 10**6), st.fractions(min_value=Fraction(1, 1000)))
def test_both_objectives_are_one(hinge, square, C):
    both = svm_regularization_equivalence(hinge, square, C)
    assert both.machine == both.risk
    # Without the factor 2 they differ wherever there is a norm at all.
    assert square == 0 or C * (hinge + square / C) != both.machine


def test_refusals():
    gap = {"square": 1, "hinge": 1, "total": 1, "C": 1}
    for name in ("square", "hinge", "total"):
        assert_refuses_all(svm_duality_kkt, gap, name, NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(
        svm_duality_kkt, gap, "C", POSITIVE, [v for v in NOT_POSITIVE if v is not None]
    )
    with refuses("hinge must be zero for the hard margin, but is 0.5."):
        svm_duality_kkt(1, 0.5, 1)
    share = {"support": 1, "rows": 2}
    assert_refuses_all(svm_loo, share, "support", COUNT, NOT_COUNTS)
    assert_refuses_all(svm_loo, share, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    with refuses("support must be at most the number of rows 2, but is 3."):
        svm_loo(3, 2)
    with refuses("alphas[0] must be at most C, 1, but is 2."):
        kkt_residual([1], [2], 1)
    with refuses("the length of alphas must be 1, but is 2."):
        kkt_residual([1], [1, 1], 1)
    with refuses("margins must be a sequence of at least one number, but is []."):
        kkt_residual([], [], 1)
    for name in ("hinge", "square"):
        assert_refuses_all(
            svm_regularization_equivalence,
            {"hinge": 1, "square": 1, "C": 1},
            name,
            NONNEGATIVE,
            NOT_NONNEGATIVE,
        )
