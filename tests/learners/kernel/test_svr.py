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
    sentence = "epsilon must be a finite number, zero or more, but is -1."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        SVR(epsilon=-1).fit(X, Y)
    for weight in (0, -1):
        with pytest.raises(BadData, match=r"^Invalid input - all samples have zero or negative"):
            SVR().fit(X, Y, sample_weight=0 * Y + weight)


def test_checks():
    assert_checks_pass_but_those_named(SVR())


def test_an_infinite_C_keeps_every_difference_within_the_tube():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    y = 10 * X[:, 0]
    model, large = SVR(C=np.inf).fit(X, y), SVR(C=1e10).fit(X, y)
    assert np.abs(model.predict(X) - y).max() <= 0.1 + model.tol
    assert np.allclose(model.predict(X), large.predict(X), rtol=1e-9)
    # No theorem here is about a tube that must not be left.
    assert model.guarantees() == []
    assert model.fit_status_ == 0
    with pytest.raises(BadData, match="No function stays within epsilon of all targets"):
        SVR(kernel="linear", C=np.inf).fit(X, y**2)


def test_a_function_of_strings_is_a_kernel_too():
    def lengths(some, others):
        return np.array([[len(a) * len(b) for b in others] for a in some])

    words = ["a", "ab", "abc", "abcd"]
    model = SVR(kernel=lengths, C=100.0, epsilon=0.0).fit(words, [1.0, 2.0, 3.0, 4.0])
    assert model.predict(["abcde"]) == pytest.approx([5.0], abs=0.01)
    assert model.n_support_.tolist() == [len(model.support_)]


@pytest.mark.parametrize("form", [sparse.csr_matrix, np.asarray])
def test_what_the_rows_were_the_coefficients_are(form):
    X, y = np.eye(4), [0.0, 1.0, 2.0, 3.0]
    model = SVR(kernel="linear", C=10.0).fit(form(X), y)
    assert (
        sparse.issparse(model.dual_coef_)
        == sparse.issparse(model.coef_)
        == (form is not np.asarray)
    )
    assert np.allclose(model.predict(X), SVR(kernel="linear", C=10.0).fit(X, y).predict(X))
    assert model.shape_fit_ == (4, 4)
