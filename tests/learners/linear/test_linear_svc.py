"""The linear support vector classifier: scikit-learn's answers, the gap, files, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC as Peer

from assay import LinearSVC, load, save
from assay.errors import BadData, BadParameter
from tests.naive.svm import one_by_one
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = make_classification(300, 8, flip_y=0.1, random_state=0)
X_WIDE = np.hstack([X, np.random.default_rng(1).normal(size=(len(X), 4))])
IRIS, KINDS = load_iris(return_X_y=True)


def primal(model, signs, C, squared):
    slack = np.maximum(0, 1 - signs * model.decision_function(X))
    w = np.append(model.coef_[0], model.intercept_)
    return 0.5 * w @ w + C * (slack**2 if squared else slack).sum()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"C": 1e-4}, {"C": 20.0}, {"fit_intercept": False}, {"class_weight": "balanced"}],
)
def test_same_as_scikit_learn(loss, parameters):
    told = {"loss": loss, "max_iter": 200_000, "random_state": 0, **parameters}
    ours = LinearSVC(tol=1e-9, **told).fit(X, Y)
    theirs = Peer(tol=1e-9, dual=True, **told).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.record_.gap <= 1e-9 * ours.record_.primal
    if "class_weight" not in parameters:
        C, squared = parameters.get("C", 1.0), loss != "hinge"
        signs = 2.0 * Y - 1
        value = primal(ours, signs, C, squared)
        assert ours.record_.primal == pytest.approx(value, rel=1e-9)
        assert primal(theirs, signs, C, squared) == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_minimum_is_that_of_the_naive_twin(loss, form):
    rows, signs, squared = X[:36], 2.0 * Y[:36] - 1, loss != "hinge"
    weights = np.where(np.arange(36) % 3, 1.0, 0.0)  # rows of no weight stay out of it
    told = {"C": 0.1, "tol": 1e-12, "max_iter": 10**6, "fit_intercept": False, "random_state": 0}
    model = LinearSVC(loss=loss, **told).fit(form(rows), signs, weights)
    live = weights > 0
    cap = np.full(live.sum(), np.inf if squared else 0.1)
    ridge = np.full(live.sum(), 5.0 if squared else 0.0)
    _, w = one_by_one(rows[live], signs[live], cap, ridge, 600)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-6)


def test_several_classes_sparse_rows_and_weights():
    told = {"tol": 1e-8, "max_iter": 200_000, "random_state": 0}
    ours, theirs = LinearSVC(**told).fit(IRIS, KINDS), Peer(dual=True, **told).fit(IRIS, KINDS)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    thin = LinearSVC(**told).fit(sparse.csr_matrix(IRIS), KINDS)
    np.testing.assert_allclose(thin.coef_, ours.coef_, atol=1e-9)
    assert len(ours.record_) == 3
    promises = ours.guarantees()
    assert [g.theorem for g in promises].count("penalised-duality") == 3
    assert [g.theorem for g in promises].count("svm-loo") == 6
    assert all(g.holds is not False for g in promises)
    times = np.random.default_rng(1).integers(0, 3, len(Y))
    weighted = LinearSVC(**told).fit(X, Y, sample_weight=times)
    repeated = LinearSVC(**told).fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-4)


def test_the_record_agrees_with_the_theorem():
    model = LinearSVC(loss="hinge", C=0.5, tol=1e-6, random_state=0).fit(X, Y)
    signs, record = 2.0 * Y - 1, model.record_
    margins = signs * model.decision_function(X)
    lost = np.maximum(0, 1 - margins).sum()
    assert record.primal == pytest.approx(0.5 * record.norm**2 + 0.5 * lost, rel=1e-9)
    assert record.dual <= record.primal
    excess = model.guarantees()[2]
    assert excess.theorem == "svm-duality-kkt"
    assert float(excess.promised) <= 1e-6 * record.primal
    assert model.guarantees()[0].applies


def test_degenerate_samples():
    twice = LinearSVC(loss="hinge", tol=1e-9, max_iter=10**5).fit(np.vstack([X, X]), np.tile(Y, 2))
    double = LinearSVC(loss="hinge", C=2.0, tol=1e-9, max_iter=10**5).fit(X, Y)
    np.testing.assert_allclose(twice.coef_, double.coef_, atol=1e-4)
    zero = LinearSVC(fit_intercept=False).fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert zero.coef_.tolist() == [[0.0, 0.0]]
    wide = np.random.default_rng(0).normal(size=(12, 400))
    assert LinearSVC().fit(wide, np.arange(12) % 2).score(wide, np.arange(12) % 2) == 1


def test_files(tmp_path):
    for rows, labels in ((X, Y), (IRIS, KINDS)):
        model = LinearSVC(random_state=0, max_iter=20_000).fit(rows, labels)
        save(model, tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        np.testing.assert_array_equal(again.decision_function(rows), model.decision_function(rows))
        assert again.record_ == model.record_


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"C": np.inf}, "C must be a finite number above zero, but is inf."),
        ({"loss": "log"}, "loss must be 'hinge' or 'squared_hinge', but is 'log'."),
        ({"max_iter": 0}, "max_iter must be a whole number, at least 1, but is 0."),
        ({"tol": 0}, "tol must be a finite number above zero, but is 0."),
        ({"penalty": "l3"}, "penalty must be 'l2' or 'l1', but is 'l3'."),
        (
            {"penalty": "l1", "loss": "hinge"},
            "Unsupported set of arguments: penalty='l1' with loss='hinge' and dual='auto'. Take loss='squared_hinge', "
            "or HingeLossLP, which finds the least hinge loss without a penalty.",
        ),
        (
            {"loss": "hinge", "dual": False},
            "Unsupported set of arguments: penalty='l2' with loss='hinge' and dual=False. Take dual='auto'.",
        ),
        (
            {"penalty": "l1", "dual": True},
            "Unsupported set of arguments: penalty='l1' with loss='squared_hinge' and dual=True. Take dual='auto'.",
        ),
        (
            {"multi_class": "crammer_singer"},
            "multi_class must be 'ovr', but is 'crammer_singer'. SVC(kernel='linear') compares the classes in pairs, "
            "with a promise for each.",
        ),
    ],
)
def test_refused_parameters(parameters, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        LinearSVC(**parameters).fit(X, Y)


def test_refused_samples_and_warnings():
    with pytest.raises(
        BadData, match=r"^LinearSVC needs at least two classes, but y holds 1 class: 0\.$"
    ):
        LinearSVC().fit(X, 0 * Y)
    with pytest.raises(BadData, match=r"^sample_weight must leave rows of at least two classes"):
        LinearSVC().fit(X, Y, sample_weight=(Y == 0).astype(float))
    with pytest.warns(
        ConvergenceWarning, match=r"^LinearSVC stopped after 2 passes with a duality gap of"
    ):
        LinearSVC(max_iter=2, C=100.0).fit(X, Y)


@pytest.mark.filterwarnings("ignore:LinearSVC stopped after")
def test_checks():
    assert_checks_pass_but_those_named(LinearSVC())


def test_examples_near_the_margin_count_in_what_leaving_one_out_promises():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=60) > 0
    model = LinearSVC(loss="hinge", C=100.0, tol=10.0, random_state=0).fit(X, y)
    record = model.record_
    assert record.beside > 0
    assert model.guarantees()[0].value >= (record.support + record.beside) / 60


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_set_to_zero_as_scikit_learn_does(classes, free, tmp_path):
    X, y = (IRIS - IRIS.mean(axis=0), KINDS) if classes == 3 else (X_WIDE, Y)
    told = {"penalty": "l1", "C": 0.02, "fit_intercept": free, "random_state": 0}
    told |= {"intercept_scaling": 3.0, "class_weight": "balanced"}
    model = LinearSVC(**told, tol=1e-9).fit(sparse.csr_matrix(X), y)
    peer = Peer(**told, dual=False, tol=1e-8, max_iter=100_000).fit(X, y)
    assert np.allclose(model.coef_, peer.coef_, atol=1e-4)
    assert np.allclose(model.intercept_, peer.intercept_, atol=1e-4)
    assert (model.coef_ == 0).any()
    # A machine without a squared length has no dual: neither gap nor support vectors promise anything.
    assert {g.theorem for g in model.guarantees()}.isdisjoint({"penalised-duality", "svm-loo"})
    assert model.record_.errors == np.count_nonzero(model.predict(X) != y)
    if classes == 2:
        told = model.training_promises(X, y).guarantees
        assert [g.theorem for g in told] == ["pac-bayes-linear-vote"]
    save(model, tmp_path / "a.assay")
    again = load(tmp_path / "a.assay")
    assert again.guarantees() == model.guarantees()
    assert (again.predict(X) == model.predict(X)).all()


def test_a_search_that_ends_too_early_says_so():
    with pytest.warns(ConvergenceWarning, match="largest entry of the gradient"):
        LinearSVC("l1", max_iter=1, tol=1e-12).fit(X, Y)
