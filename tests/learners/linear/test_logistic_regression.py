"""Logistic regression: scikit-learn's minimum, by Newton's method and by L-BFGS."""

import math

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer

from assay import LogisticRegression, load, save
from assay.errors import BadData
from tests.refusals import refuses
from tests.scikit_checks import assert_checks_pass_but_those_named


def problem(seed, classes=2, n=150, d=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.array(["a", "b", "c", "d"])[
        np.digitize(X[:, 0] + rng.standard_normal(n), np.linspace(-1, 1, classes - 1))
    ]
    return rng, X, y


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("classes", [2, 3])
def test_as_scikit_learn(classes, C, free):
    rng, X, y = problem(classes, classes)
    for weights in (None, rng.random(len(y)) + 0.1):
        peer = Peer(C=C, fit_intercept=free, tol=1e-10, max_iter=5000).fit(X, y, weights)
        for rows in (X, sparse.csr_matrix(X)):
            for solver in ("auto", "lbfgs", "newton"):
                terms = {"solver": solver, "tol": 1e-9, "max_iter": 5000}
                ours = LogisticRegression(C, fit_intercept=free, **terms).fit(rows, y, weights)
                assert ours.coef_.shape == peer.coef_.shape
                assert ours.intercept_.shape == peer.intercept_.shape
                near = {"rtol": 1e-4, "atol": 1e-5}
                assert np.allclose(ours.coef_, peer.coef_, **near)
                assert np.allclose(ours.predict_proba(rows), peer.predict_proba(X), atol=1e-5)
                log = ours.predict_log_proba(rows)
                assert np.allclose(np.exp(log), ours.predict_proba(rows))
                assert (ours.predict(rows) == peer.predict(X)).mean() > 0.99


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 3.0, "b": 0.5}])
def test_weights_of_classes_are_scikit_learns(class_weight):
    _, X, y = problem(5)
    X, y = X[: len(y) - 40], y[: len(y) - 40]
    ours = LogisticRegression(class_weight=class_weight, tol=1e-10).fit(X, y)
    peer = Peer(class_weight=class_weight, tol=1e-10, max_iter=1000).fit(X, y)
    assert np.allclose(ours.coef_, peer.coef_, atol=1e-5)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_slope_vanishes_after_a_few_steps(classes, form):
    """Newton's steps are few only where slope and curvature are those of the objective."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 3)), np.append(np.arange(classes), rng.integers(0, classes, 80))
    y = y[:80]
    model = LogisticRegression(C=0.3, tol=1e-12).fit(form(X), y)
    chances = model.predict_proba(X)
    if classes == 2:
        chances = chances[:, 1:]
    wrong = chances - (y[:, None] == (np.arange(classes) if classes > 2 else [1]))
    assert np.allclose(0.3 * wrong.T @ X + model.coef_, 0, atol=1e-9)
    assert np.allclose(wrong.sum(axis=0), 0, atol=1e-9)
    assert model.n_iter_ <= 8


def test_separable_data_and_huge_features():
    X = np.array([[0.0], [1.0], [2.0], [3.0]]) * 1e4
    model = LogisticRegression(C=1e6, max_iter=1000).fit(X, [0, 0, 1, 1])
    assert model.score(X, [0, 0, 1, 1]) == 1.0
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.predict_log_proba([[1e300]])).all() or model.coef_[0, 0] > 0


def test_the_training_error_is_below_the_loss():
    vacuous = 0
    for seed in range(60):
        rng, X, y = problem(seed, 2 + seed % 3, n=40)
        model = LogisticRegression(10.0 ** rng.integers(-3, 3), max_iter=1000).fit(X, y)
        promise, excess = model.guarantees()[:2]
        assert promise.theorem == "surrogate-upper-bounds"
        assert excess.value <= 1e-3 * (1 + model.record_.objective)
        assert promise.holds
        assert float(promise.observed) == pytest.approx(np.mean(model.predict(X) != y))
        vacuous += promise.value >= 1
    assert vacuous < 60
    assert LogisticRegression().guarantees() == []


def test_wide_data_is_left_to_lbfgs():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 600)), rng.integers(0, 2, 30)
    ours, peer = LogisticRegression(tol=1e-8).fit(X, y), Peer(tol=1e-10, max_iter=1000).fit(X, y)
    assert np.allclose(ours.coef_, peer.coef_, atol=1e-4)
    newton = LogisticRegression(tol=1e-8, solver="newton").fit(X, y)
    assert np.allclose(newton.coef_, peer.coef_, atol=1e-5)


def test_a_warning_where_it_stops_too_early():
    _, X, y = problem(2, 3)
    with pytest.warns(ConvergenceWarning, match="After 1 steps the largest entry of the gradient"):
        LogisticRegression(max_iter=1, tol=1e-9).fit(X, y)


def test_unscaled_iris_needs_few_steps():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(tol=1e-8).fit(X, y)
    assert model.n_iter_ < 20
    peer = Peer(tol=1e-8, max_iter=10_000).fit(X, y)
    assert np.allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-4)
    assert abs(model.intercept_.sum()) < 1e-6


def test_refusals():
    X, y = [[0.0], [1.0]], [0, 1]
    for C in (0, -1.0, math.inf, math.nan, "1", True):
        with refuses(f"C must be a finite number above zero, but is {C!r}."):
            LogisticRegression(C).fit(X, y)
    with refuses("solver must be 'auto', 'newton' or 'lbfgs', but is 'saga'."):
        LogisticRegression(solver="saga").fit(X, y)
    with refuses("tol must be a finite number above zero, but is 0."):
        LogisticRegression(tol=0).fit(X, y)
    with refuses("max_iter must be a whole number of at least 1, but is 0."):
        LogisticRegression(max_iter=0).fit(X, y)
    with pytest.raises(BadData, match="needs at least two classes, but y holds 1 class: 0"):
        LogisticRegression().fit(X, [0, 0])
    with pytest.raises(BadData, match="but leaves one class"):
        LogisticRegression().fit(X, y, [1.0, 0.0])


@pytest.mark.parametrize("classes", [2, 4])
def test_saved_and_loaded(classes, tmp_path):
    _, X, y = problem(3, classes)
    model = LogisticRegression(class_weight="balanced").fit(X, y)
    save(model, tmp_path / "a.assay")
    again = load(tmp_path / "a.assay")
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert again.guarantees() == model.guarantees()


def test_a_certificate_from_a_holdout():
    _, X, y = problem(4)
    certificate = LogisticRegression().fit(X[:75], y[:75]).certificate(X[75:], y[75:], delta=0.05)
    assert certificate.claims[0].holds


@pytest.mark.parametrize("solver", ["auto", pytest.param("newton", marks=pytest.mark.guarantees)])
def test_scikit_learns_checks(solver):
    assert_checks_pass_but_those_named(LogisticRegression(solver=solver))


@pytest.mark.filterwarnings(
    "ignore:After 100 steps"
)  # as scikit-learn's own, on rows that are not scaled
def test_scikit_learns_checks_without_a_system():
    assert_checks_pass_but_those_named(LogisticRegression(solver="lbfgs"))
