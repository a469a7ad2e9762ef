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
from assay.learners.kernel import support
from assay.learners.kernel.binary_machine import dual_of
from assay.learners.kernel.dual_search import solve
from assay.learners.kernel.gram import Gram
from assay.learners.kernel.proven_gap import proven_gap, score_doubt
from assay.learners.kernel.support import bias_of

KERNELS = [Gaussian(0.3), Linear(), Polynomial(2), Laplacian(0.2)]


def sample(seed=0, n=120, d=4, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + noise * rng.normal(size=n) > 0, 1.0, -1.0)


def gaussian(X, T, gamma):
    """In extended precision."""
    X, T = X.astype(np.longdouble), T.astype(np.longdouble)
    return np.exp(-np.longdouble(gamma) * ((X[:, None] - T) ** 2).sum(axis=2))


def true_gap(model, X, y, C, gamma):
    beta = np.zeros(len(y), dtype=np.longdouble)
    beta[model.support_] = model.dual_coef_[0]
    f = gaussian(X, X, gamma) @ beta
    losses = np.maximum(0, 1 - y * (f + model.intercept_[0]))
    return float(beta @ f + C * losses.sum() - np.abs(beta).sum())


def found_machine(kernel, single, seed=0, C=2.0, tolerance=1e-3):
    X, y = sample(seed)
    gram, caps = Gram(kernel, X, single=single), np.full(len(y), C)
    dual = dual_of(y, caps)
    found = solve(dual, gram, tolerance=tolerance)

    def hinge(f):
        return np.maximum(0.0, 1.0 - y * f)

    return X, caps, gram, dual, found, hinge


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_excess_of_a_classifier_is_never_below_the_true_gap(seed, C, single, monkeypatch):
    monkeypatch.setattr(support, "_DOUBLE", 50 if single else 5000)
    X, y = sample(seed)
    model = SVC(C=C, gamma=0.3, tol=1e-4).fit(X, y)
    record, true = model.record_, true_gap(model, X, y, C, 0.3)
    assert true <= record.excess
    assert single or record.excess <= true + 1e-9 * record.primal
    assert record.slack <= record.excess
    assert 0 <= record.floor <= record.primal
    excess, slackness, *_ = model.guarantees()[2:]
    # Rounding to single precision may as well have made the gap too wide.
    assert true <= excess.value <= true + (1e-6 if single else 1e-9) * record.primal
    assert slackness.holds


@pytest.mark.parametrize("weights", ["classes", "rows"])
def test_bounds_that_differ_are_settled_at_once(weights, monkeypatch, tmp_path):
    monkeypatch.setattr(support, "_DOUBLE", 50)
    X, y = sample(3)
    rows = (
        np.random.default_rng(0).uniform(0.5, 2, len(y)) if weights == "rows" else np.ones(len(y))
    )
    each = {1.0: 3.0, -1.0: 1.0} if weights == "classes" else None
    model = SVC(C=2.0, gamma=0.3, tol=1e-4, class_weight=each).fit(X, y, rows)
    caps = 2.0 * rows * (np.where(y > 0, 3.0, 1.0) if each else 1.0)
    beta = np.zeros(len(y), dtype=np.longdouble)
    beta[model.support_] = model.dual_coef_[0]
    f = gaussian(X, X, 0.3) @ beta
    lost = caps @ np.maximum(0, 1 - y * (f + model.intercept_[0]))
    true = float(beta @ f + lost - np.abs(beta).sum())
    assert true <= model.guarantees()[2].value <= true + 1e-6 * model.record_.primal
    save(model, tmp_path / "model.assay")
    assert load(tmp_path / "model.assay").guarantees() == model.guarantees()


def test_the_gap_of_single_precision_alone_would_be_caught(monkeypatch):
    monkeypatch.setattr(support, "_DOUBLE", 50)
    short = 0
    for seed in range(6):
        X, y = sample(seed)
        model = SVC(C=50.0, gamma=0.3, tol=1e-6).fit(X, y)
        short += model.record_.gap < true_gap(model, X, y, 50.0, 0.3)
    assert short > 0


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_excess_of_a_regressor_is_never_below_the_true_gap(seed, single, monkeypatch):
    monkeypatch.setattr(support, "_DOUBLE", 50 if single else 5000)
    X, _ = sample(seed)
    y = np.sin(X[:, 0]) + 0.3 * np.random.default_rng(seed).normal(size=len(X))
    model = SVR(C=3.0, gamma=0.3, epsilon=0.1, tol=1e-4).fit(X, y)
    beta = np.zeros(len(y), dtype=np.longdouble)
    beta[model.support_] = model.dual_coef_[0]
    f = gaussian(X, X, 0.3) @ beta
    losses = np.maximum(0, np.abs(y - f - model.intercept_[0]) - np.longdouble(0.1))
    true = beta @ f + 3 * losses.sum() - y @ beta + np.longdouble(0.1) * np.abs(beta).sum()
    [promise] = model.guarantees()
    assert promise.theorem == "penalised-duality"
    room = (1e-6 if single else 1e-9) * model.record_.primal
    assert float(true) <= float(promise.promised) <= float(true) + room


def test_a_regressor_whose_tube_is_forgotten_is_caught():
    X, _ = sample(1)
    model = SVR(C=3.0, gamma=0.3, epsilon=0.1, tol=1e-6).fit(X, np.sin(X[:, 0]))
    beta = np.abs(model.dual_coef_).sum()
    assert model.record_.excess - 0.1 * beta < -1e-3


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("seed", range(3))
def test_the_excess_of_a_linear_machine_holds_in_fractions(seed, loss):
    X, y = sample(seed, n=25, d=3)
    C = 0.5
    model = LinearSVC(loss, C=C, tol=1e-3, random_state=0).fit(X, y)
    w = [Fraction(v) for v in [*model.coef_[0].tolist(), float(model.intercept_[0])]]
    rows = [[Fraction(v) for v in [*row, 1.0]] for row in X.tolist()]
    scores = [sum(a * b for a, b in zip(row, w, strict=True)) for row in rows]
    slacks = [max(Fraction(0), 1 - Fraction(t) * s) for t, s in zip(y, scores, strict=True)]
    lost = sum(s * s if loss == "squared_hinge" else s for s in slacks)
    primal = sum(v * v for v in w) / 2 + Fraction(C) * lost
    # The best machine, to all digits that matter, by the same loss with a tolerance next to rounding.
    best = LinearSVC(loss, C=C, tol=1e-13, max_iter=10**6, random_state=0).fit(X, y).record_
    assert float(primal) - best.floor <= model.record_.excess * (1 + 1e-6) + 1e-9
    assert model.record_.floor <= best.primal
    assert best.excess < 1e-9
    promise = next(g for g in model.guarantees() if g.of == "excess of the objective")
    assert promise.value >= float(primal) - best.primal


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_scores_in_single_precision_are_as_near_as_is_said(kernel):
    X, _, gram, _, found, _ = found_machine(kernel, single=True)
    exact = np.asarray(kernel(X)) @ found.beta
    doubt = score_doubt(gram, found.beta, single=True)
    off = np.abs(found.scores - exact)
    assert (off <= doubt).all()
    assert (off > score_doubt(gram, found.beta, single=False)).any()


def test_single_precision_rows_of_an_unknown_kernel_are_computed_again():
    X, caps, _, dual, found, hinge = found_machine(Laplacian(0.2), single=True)
    narrow = X.astype(np.float32)
    gram = Gram(Laplacian(0.2), narrow, single=True)
    assert np.isinf(score_doubt(gram, found.beta, single=True)).all()
    bias = bias_of(dual, found)
    proven = proven_gap(dual, found, gram, bias, hinge, caps)
    K = Laplacian(0.2)(narrow.astype(np.float64))
    f = K @ found.beta
    true = found.beta @ f + caps @ hinge(f + bias) - np.abs(found.beta).sum()
    assert true <= proven.excess <= true + 1e-8


@pytest.mark.parametrize("thin", [False, True])
def test_a_precomputed_kernel_in_single_precision(thin):
    X, caps, _, dual, _, hinge = found_machine(Gaussian(0.3), single=True)
    K = Gaussian(0.3)(X)
    given = sparse.csr_matrix(K) if thin else K
    gram = Gram(Precomputed(), given, single=True)
    found = solve(dual, gram, tolerance=1e-4)
    bias = bias_of(dual, found)
    proven = proven_gap(dual, found, gram, bias, hinge, caps)
    f = K @ found.beta
    true = found.beta @ f + caps @ hinge(f + bias) - np.abs(found.beta).sum()
    assert true <= proven.excess <= true + 1e-8


def test_a_sum_that_is_not_zero_is_paid_for():
    X, caps, gram, dual, found, hinge = found_machine(Gaussian(0.3), single=False)
    bias = bias_of(dual, found)
    plain = proven_gap(dual, found, gram, bias, hinge, caps)
    free = int(np.flatnonzero((found.beta > 0) & (found.beta < 2.0))[0])
    beta = found.beta.copy()
    beta[free] -= 1e-3
    scores = found.scores - 1e-3 * np.asarray(gram.kernel(X, X[free : free + 1]))[:, 0]
    tilted = proven_gap(dual, replace(found, beta=beta, scores=scores), gram, bias, hinge, caps)
    assert tilted.excess > plain.excess
    # Without the payment the dual of the tilted variables would be above what is possible with a bias.
    assert tilted.floor <= plain.excess + plain.floor + 1e-9


def test_a_hard_margin_is_proved_after_scaling():
    X = np.array([[0.0, 0], [2, 0], [3, 1], [-1, 2]])
    y = np.array([-1, 1, 1, -1])
    model = SVC(C=math.inf, kernel="linear").fit(X, y)
    record = model.record_
    assert 0 <= record.excess < 1e-7
    assert record.floor <= 0.5
    excess, slackness, margin, distance, dimension = model.guarantees()[2:]
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
