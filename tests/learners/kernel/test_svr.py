"""The support vector regressor: scikit-learn's answers, KKT, files, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.datasets import make_regression

from assay import SVR, load, save
from assay.errors import BadData, BadParameter
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = make_regression(200, 5, noise=10, random_state=0)
Y = Y / 50


@pytest.mark.parametrize(
    "parameters",
    [{}, {"C": 1e-3}, {"C": 50.0, "epsilon": 0.01}, {"kernel": "linear"}, {"epsilon": 0.0}],
)
def test_same_as_scikit_learn(parameters):
    ours, theirs = SVR(tol=1e-8, **parameters).fit(X, Y), svm.SVR(tol=1e-8, **parameters).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
    K, values = ours.kernel_(X), []
    for model in (ours, theirs):
        b = np.zeros(len(Y))
        b[model.support_] = model.dual_coef_[0]
        values.append(Y @ b - ours.epsilon * np.abs(b).sum() - 0.5 * b @ K @ b)
    assert values[0] == pytest.approx(values[1], rel=1e-6)
    assert ours.record_.dual == pytest.approx(values[0], rel=1e-9)
    assert ours.record_.gap <= 1e-6 * ours.record_.primal


def test_kkt_conditions():
    model = SVR(C=2.0, tol=1e-8).fit(X, Y)
    b = np.zeros(len(Y))
    b[model.support_] = model.dual_coef_[0]
    off = Y - model.predict(X)
    assert abs(b.sum()) < 1e-9
    assert (np.abs(off[b == 0]) <= 0.1 + 1e-7).all()
    inside = (b != 0) & (np.abs(b) < 2.0)
    np.testing.assert_allclose(off[inside], 0.1 * np.sign(b[inside]), atol=1e-7)
    assert (off[b == 2.0] >= 0.1 - 1e-7).all()
    assert (off[b == -2.0] <= -0.1 + 1e-7).all()


def test_weights_sparse_rows_and_files(tmp_path):
    times = np.random.default_rng(1).integers(0, 3, len(Y))
    weighted = SVR(tol=1e-9, gamma=0.2).fit(X, Y, sample_weight=times)
    repeated = SVR(tol=1e-9, gamma=0.2).fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)
    thin = SVR(tol=1e-9, gamma=0.2).fit(sparse.csr_matrix(X), Y, sample_weight=times)
    np.testing.assert_allclose(thin.predict(X), weighted.predict(X), atol=1e-7)
    save(weighted, tmp_path / "a.assay")
    again = load(tmp_path / "a.assay")
    np.testing.assert_array_equal(again.predict(X), weighted.predict(X))
    assert again.record_ == weighted.record_


def test_degenerate_samples():
    assert SVR().fit(X[:1], Y[:1]).predict(X[:1]).tolist() == [Y[0]]
    flat = SVR().fit(X, np.full(len(Y), 3.0))
    assert flat.predict(X[:2]).tolist() == [3.0, 3.0]
    assert flat.support_.size == 0
    twice = SVR(gamma=0.2, tol=1e-8).fit(np.vstack([X, X]), np.concatenate([Y, Y]))
    double = SVR(gamma=0.2, tol=1e-8, C=2.0).fit(X, Y)
    np.testing.assert_allclose(twice.predict(X), double.predict(X), atol=1e-5)


def test_refusals():
    sentence = "C must be finite, but is inf. Only a classifier has a hard margin."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        SVR(C=np.inf).fit(X, Y)
    sentence = "epsilon must be a finite number, zero or more, but is -1."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        SVR(epsilon=-1).fit(X, Y)
    with pytest.raises(BadData, match=r"^sample_weight must not be negative\.$"):
        SVR().fit(X, Y, sample_weight=0 * Y - 1)
    with pytest.raises(ValueError, match="at least one non-zero"):
        SVR().fit(X, Y, sample_weight=0 * Y)


def test_checks():
    assert_checks_pass_but_those_named(SVR())
