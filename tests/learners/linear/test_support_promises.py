"""The rows that a linear support vector machine keeps: they alone give it again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from assay import LinearSVC


def sample(n=200, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    scores = X @ np.random.default_rng(3).normal(size=(3, classes)) + 0.2 * rng.normal(
        size=(n, classes)
    )
    return X, scores.argmax(axis=1)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "terms", [{}, {"fit_intercept": False}, {"intercept_scaling": 5.0}], ids=str
)
def test_the_kept_rows_alone_give_the_machine_again(loss, classes, terms):
    X, y = sample(classes=classes)
    model = LinearSVC(loss=loss, tol=1e-8, max_iter=100_000, random_state=0, **terms).fit(X, y)
    support = model._training_facts(X, y).support
    f = model.decision_function(X).reshape(len(y), -1)
    codes = (np.arange(classes) if classes > 2 else np.array([1]))[None]
    rows = (np.where(y[:, None] == codes, 1.0, -1.0) * f <= 1 + 1e-4).any(axis=1)
    assert rows.sum() - 3 <= support <= rows.sum() + 8
    again = clone(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(again.coef_, model.coef_, atol=2e-3)
    fewer = np.delete(np.arange(len(y)), np.flatnonzero(rows)[::3])
    other = clone(model).fit(X[fewer], y[fewer])
    assert np.abs(other.coef_ - model.coef_).max() > 0.01


def test_sparse_rows():
    X, y = sample()
    X[np.abs(X) < 0.5] = 0.0
    model = LinearSVC(tol=1e-6, max_iter=100_000, random_state=0)
    dense = model.fit(X, y)._training_facts(X, y)
    rows = sparse.csr_matrix(X)
    again = clone(model).fit(rows, y)._training_facts(rows, y)
    assert again.support == dense.support
    np.testing.assert_allclose(again.margins, dense.margins, atol=1e-6)


def test_the_constant_feature_is_the_one_of_the_machine():
    X, y = sample()
    model = LinearSVC(intercept_scaling=7.0, tol=1e-6, max_iter=100_000, random_state=0).fit(X, y)
    w = np.append(model.coef_[0], model.intercept_[0] / 7.0)
    Z = np.column_stack([X, np.full(len(y), 7.0)])
    exact = np.where(y == 1, 1, -1) * (Z @ w) / np.linalg.norm(w) / np.linalg.norm(Z, axis=1)
    np.testing.assert_allclose(model._training_facts(X, y).margins, exact, atol=1e-8)
