"""The excess that logistic regression proves, against fits to the last digits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax

from assay import LogisticRegression

pytestmark = pytest.mark.filterwarnings("ignore:.*failed to converge")


def sample(seed, classes, n=60, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    W = rng.normal(size=(classes, d))
    y = (X @ W.T + rng.gumbel(size=(n, classes))).argmax(axis=1)
    y[:classes] = np.arange(classes)
    return X, y


def objective(model, X, y, C, weights=1.0):
    """In extended precision."""
    coef, free = model.coef_.astype(np.longdouble), model.intercept_.astype(np.longdouble)
    scores = X.astype(np.longdouble) @ coef.T + free
    if scores.shape[1] == 1:
        losses = np.logaddexp(0, np.where(y == 1, -1, 1) * scores[:, 0])
    else:
        top = scores.max(axis=1, keepdims=True)
        losses = np.log(np.exp(scores - top).sum(axis=1)) + top[:, 0] - scores[np.arange(len(y)), y]
    return float(C * (weights * losses).sum() + (coef**2).sum() / 2)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_no_fit_is_further_from_the_best_than_it_says(seed, free, classes):
    X, y = sample(seed, classes)
    for C in (0.01, 1.0, 100.0):
        told = {"C": C, "fit_intercept": free, "max_iter": 500}
        best = objective(LogisticRegression(tol=1e-12, **told).fit(X, y), X, y, C)
        for tol in (1e-1, 1e-3, 1e-6):
            model = LogisticRegression(tol=tol, solver="lbfgs", **told).fit(X, y)
            excess = objective(model, X, y, C) - best
            promise = model.guarantees()[1]
            assert promise.theorem == "penalised-duality"
            assert excess <= promise.value
        # And it is no empty word: near the best it is small.
        assert promise.value <= 1e-4 * (1 + best)


def test_a_dual_whose_sums_are_off_would_be_caught():
    """With an intercept, the probabilities as they are prove more than is true."""
    X, y = np.zeros((100, 1)), np.arange(100) >= 10
    best = objective(LogisticRegression(tol=1e-12).fit(X, y), X, y, 1.0)
    model = LogisticRegression(solver="newton", max_iter=1).fit(X, y)
    excess = objective(model, X, y, 1.0) - best
    assert 0 < excess <= model.guarantees()[1].value
    chance = model.predict_proba(X)[0]
    assert abs(100 * chance[1] - 90) > 1
    entropies = -100 * (chance * np.log(chance)).sum()
    assert objective(model, X, y, 1.0) - entropies < excess


@pytest.mark.parametrize("classes", [2, 3])
def test_far_from_the_best_it_still_holds(classes):
    for seed in range(10):
        X, y = sample(seed, classes)
        best = objective(LogisticRegression(tol=1e-12).fit(X, y), X, y, 1.0)
        for steps in (1, 2):
            model = LogisticRegression(solver="lbfgs", max_iter=steps).fit(X, y)
            excess = objective(model, X, y, 1.0) - best
            assert 1e-9 < excess <= model.guarantees()[1].value


def test_weights_sparse_rows_and_a_class_without_weight():
    X, y = sample(5, 3)
    weights = np.random.default_rng(5).uniform(0, 2, len(y))
    thick = LogisticRegression(tol=1e-10).fit(X, y, weights)
    thin = LogisticRegression(tol=1e-10).fit(sparse.csr_matrix(X), y, weights)
    np.testing.assert_allclose(thin.record_.objective, thick.record_.objective, rtol=1e-9)
    assert thin.guarantees()[1].value < 1e-6
    best = objective(thick, X, y, 1.0, weights)
    early = LogisticRegression(tol=1e-2, solver="lbfgs").fit(X, y, weights)
    assert objective(early, X, y, 1.0, weights) - best <= early.guarantees()[1].value
    none = LogisticRegression().fit(X, y, np.where(y == 2, 0.0, 1.0))
    assert none.guarantees()[1].value >= 0


def test_the_conjugate_of_several_classes_is_minus_the_entropy():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(1, 4))
    own = np.exp(log_softmax(scores, axis=1))[0]
    for p in rng.dirichlet(np.ones(4), 200):
        # V*(c (p - e_y)) is at least what any scores give.
        value = p @ scores[0] - np.log(np.exp(scores).sum())
        assert value <= (p * np.log(p)).sum() + 1e-12
    value = own @ scores[0] - np.log(np.exp(scores).sum())
    assert value == pytest.approx((own * np.log(own)).sum())
