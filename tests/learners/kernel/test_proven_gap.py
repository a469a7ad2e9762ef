"""The gap that a fit proves, against sums in extended precision and in fractions, in double and in single precision."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from assay import SVC, SVR, LinearSVC, load, save
from assay.kernels import Gaussian, Laplacian, Linear, Polynomial, Precomputed
from assay.learners.kernel import Gram, dual_of, proven_gap, score_doubt, solve


def sample(seed=0, n=120, d=4, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + noise * rng.normal(size=n) > 0, 1.0, -1.0)


def gaussian(X, T, gamma):
    """In extended precision."""
    X, T = X.astype(np.longdouble), T.astype(np.longdouble)
    return np.exp(-np.longdouble(gamma) * ((X[:, None] - T) ** 2).sum(axis=2))


def summed(model, X, gamma=0.3):
    """The variables of the support vectors, and the scores without the intercept, in extended precision."""
    beta = model.dual_coef_[0].astype(np.longdouble)
    return beta, gaussian(X, X[model.support_], gamma) @ beta


def true_gap(model, X, y, C, gamma=0.3):
    beta, f = summed(model, X, gamma)
    losses = np.maximum(0, 1 - y * (f + model.intercept_[0]))
    return float(beta @ f[model.support_] + C * losses.sum() - np.abs(beta).sum())


@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_excess_of_a_classifier_is_never_below_the_true_gap(seed, C):
    X, y = sample(seed)
    model = SVC(C=C, gamma=0.3, tol=1e-4).fit(X, y)
    record, true = model.record_, true_gap(model, X, y, C)
    assert true <= record.excess <= true + 1e-9 * record.primal
    assert record.slack <= record.excess
    assert 0 <= record.floor <= record.primal
    excess, slackness, *_ = model.guarantees()[2:]
    assert true <= excess.value <= true + 1e-9 * record.primal
    assert slackness.holds


# More rows than double precision is kept for; few of them are support vectors.


@pytest.fixture(scope="module")
def many():
    return sample(1, n=5100, noise=0.05)


def test_the_excess_in_single_precision_is_never_below_the_true_gap(many):
    X, y = many
    model = SVC(C=50.0, gamma=0.3, tol=1e-4).fit(X, y)
    record, true = model.record_, true_gap(model, X, y, 50.0)
    assert true <= record.excess
    excess, slackness, *_ = model.guarantees()[2:]
    # Rounding to single precision may as well have made the gap too wide.
    assert true <= excess.value <= true + 1e-6 * record.primal
    assert slackness.holds
    assert "vc-large-margin" not in [g.theorem for g in model.guarantees()]


def test_the_gap_of_single_precision_alone_would_be_caught(many):
    X, y = many
    short = 0
    for C in (50.0, 500.0):
        model = SVC(C=C, gamma=0.3, tol=1e-6).fit(X, y)
        short += model.record_.gap < true_gap(model, X, y, C)
    assert short > 0


def test_rows_in_single_precision_of_an_unknown_kernel_are_computed_again(many):
    X, y = many[0].astype(np.float32), many[1]
    model = SVC(C=5.0, kernel=Laplacian(0.2), tol=1e-3).fit(X, y)
    wide, beta = X.astype(np.float64), model.dual_coef_[0]
    f = Laplacian(0.2)(wide, wide[model.support_]) @ beta
    losses = np.maximum(0, 1 - y * (f + model.intercept_[0]))
    true = beta @ f[model.support_] + 5.0 * losses.sum() - np.abs(beta).sum()
    assert true - 1e-8 <= model.guarantees()[2].value <= true + 1e-6 * model.record_.primal


@pytest.mark.parametrize("weights", ["classes", "rows"])
def test_bounds_that_differ_are_settled_at_once(weights, many, tmp_path):
    X, y = many
    rows = (
        np.random.default_rng(0).uniform(0.5, 2, len(y)) if weights == "rows" else np.ones(len(y))
    )
    each = {1.0: 3.0, -1.0: 1.0} if weights == "classes" else None
    model = SVC(C=2.0, gamma=0.3, tol=1e-4, class_weight=each).fit(X, y, rows)
    caps = 2.0 * rows * (np.where(y > 0, 3.0, 1.0) if each else 1.0)
    beta, f = summed(model, X)
    lost = caps @ np.maximum(0, 1 - y * (f + model.intercept_[0]))
    true = float(beta @ f[model.support_] + lost - np.abs(beta).sum())
    assert true <= model.guarantees()[2].value <= true + 1e-6 * model.record_.primal
    save(model, tmp_path / "model.assay")
    assert load(tmp_path / "model.assay").guarantees() == model.guarantees()


@pytest.mark.parametrize("n", [120, 5100])
def test_the_excess_of_a_regressor_is_never_below_the_true_gap(n):
    X, _ = sample(2, n=n)
    y = np.sin(X[:, 0]) + (0.3 if n < 200 else 0.05) * np.random.default_rng(2).normal(size=n)
    model = SVR(C=3.0, gamma=0.3, epsilon=0.1, tol=1e-4).fit(X, y)
    beta, f = summed(model, X)
    losses = np.maximum(0, np.abs(y - f - model.intercept_[0]) - np.longdouble(0.1))
    held = beta @ f[model.support_] - y[model.support_] @ beta
    true = float(held + 3 * losses.sum() + np.longdouble(0.1) * np.abs(beta).sum())
    [promise] = model.guarantees()
    assert promise.theorem == "penalised-duality"
    room = (1e-6 if n > 5000 else 1e-9) * model.record_.primal
    assert true <= float(promise.promised) <= true + room


def test_a_regressor_whose_tube_is_forgotten_is_caught():
    X, _ = sample(1)
    model = SVR(C=3.0, gamma=0.3, epsilon=0.1, tol=1e-6).fit(X, np.sin(X[:, 0]))
    beta = np.abs(model.dual_coef_).sum()
    assert model.record_.excess - 0.1 * beta < -1e-3


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("seed", range(2))
def test_the_excess_of_a_linear_machine_holds_in_fractions(seed, loss):
    X, y = sample(seed, n=25, d=3)
    C = 0.5
    model = LinearSVC(loss=loss, C=C, tol=1e-3, random_state=0).fit(X, y)
    w = [Fraction(v) for v in [*model.coef_[0].tolist(), float(model.intercept_[0])]]
    rows = [[Fraction(v) for v in [*row, 1.0]] for row in X.tolist()]
    scores = [sum(a * b for a, b in zip(row, w, strict=True)) for row in rows]
    slacks = [max(Fraction(0), 1 - Fraction(t) * s) for t, s in zip(y, scores, strict=True)]
    lost = sum(s * s if loss == "squared_hinge" else s for s in slacks)
    primal = sum(v * v for v in w) / 2 + Fraction(C) * lost
    # The best machine, to all digits that matter, by the same loss with a tolerance next to rounding.
    best = LinearSVC(loss=loss, C=C, tol=1e-13, max_iter=10**6, random_state=0).fit(X, y).record_
    assert float(primal) - best.floor <= model.record_.excess * (1 + 1e-6) + 1e-9
    assert model.record_.floor <= best.primal
    assert best.excess < 1e-9
    promise = next(g for g in model.guarantees() if g.of == "excess of the objective")
    assert promise.value >= float(primal) - best.primal


def test_a_hard_margin_is_proved_after_scaling():
    X = np.array([[0.0, 0], [2, 0], [3, 1], [-1, 2]])
    y = np.array([-1, 1, 1, -1])
    model = SVC(C=math.inf, kernel="linear").fit(X, y)
    record = model.record_
    assert 0 <= record.excess < 1e-7
    assert record.floor <= 0.5
    excess, slackness, margin, distance, dimension, *_ = model.guarantees()[2:]
    assert excess.applies
    assert excess.value < 1e-7
    assert slackness.holds
    assert margin.holds
    assert margin.value == pytest.approx(1, rel=1e-6)
    assert distance.holds
    assert dimension.textbook == ("vc-halfspaces-affine", "3")


def test_a_hard_margin_that_was_not_found_promises_nothing():
    X, y = sample(3, noise=0.0)
    with pytest.warns(UserWarning, match="stopped before the KKT conditions hold"):
        model = SVC(C=math.inf, kernel="linear", max_iter=3).fit(X, y)
    assert model.record_.least <= 0
    excess = model.guarantees()[2]
    assert not excess.applies
    assert excess.promised is None


# The proof itself, of machines that no fit would leave behind.

KERNELS = [Gaussian(0.3), Linear(), Polynomial(2), Laplacian(0.2)]


def searched(kernel, single):
    """A sample and its program, a machine found in some precision, and its losses."""
    X, y = sample(0, n=80)
    gram, caps = Gram(kernel, X, single=single), np.full(len(y), 2.0)
    dual = dual_of(y, caps)
    best = solve(dual, gram, tolerance=1e-3)

    def prove(best, bias):
        return proven_gap(dual, best, gram, bias, lambda f: np.maximum(0.0, 1.0 - y * f), caps)

    return X, gram, best, prove


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_scores_in_single_precision_are_as_near_as_is_said(kernel):
    X, gram, best, _ = searched(kernel, single=True)
    off = np.abs(best.scores - np.asarray(kernel(X)) @ best.beta)
    assert (off <= score_doubt(gram, best.beta, single=True)).all()
    # And not as near as those in double precision would be.
    assert (off > score_doubt(gram, best.beta, single=False)).any()


def test_nothing_is_known_of_an_unknown_kernel_of_rows_in_single_precision():
    X, _, best, _ = searched(Laplacian(0.2), single=True)
    narrow = Gram(Laplacian(0.2), X.astype(np.float32), single=True)
    assert np.isinf(score_doubt(narrow, best.beta, single=True)).all()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_scores_of_a_given_matrix_in_single_precision(form):
    X, _, best, _ = searched(Gaussian(0.3), single=True)
    K = Gaussian(0.3)(X)
    gram = Gram(Precomputed(), form(K), single=True)
    rounded = K.astype(np.float32).astype(np.float64) @ best.beta
    doubt = score_doubt(gram, best.beta, single=True)
    assert (np.abs(rounded - K @ best.beta) <= doubt).all()


def test_a_sum_that_is_not_zero_is_paid_for():
    X, gram, best, prove = searched(Gaussian(0.3), single=False)
    free = np.flatnonzero((best.beta > 0) & (best.beta < 2.0))
    bias = float((1.0 - best.scores[free]).mean())
    plain = prove(best, bias)
    beta = best.beta.copy()
    beta[free[0]] -= 1e-3
    scores = best.scores - 1e-3 * np.asarray(gram.kernel(X, X[free[:1]]))[:, 0]
    tilted = prove(replace(best, beta=beta, scores=scores), bias)
    assert tilted.excess > plain.excess
    # Without the payment the dual of the tilted variables would be above what is possible with a bias.
    assert tilted.floor <= plain.excess + plain.floor + 1e-9
