"""Logistic regression: scikit-learn's minimum, by Newton's method and by L-BFGS."""

import math

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer

from assay import LogisticRegression, load, save
from assay.errors import BadData, BadParameter
from assay.learners.linear import steepness
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
                ours = LogisticRegression(C=C, fit_intercept=free, **terms).fit(rows, y, weights)
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


def steep(model, X, y):
    """How far the subgradient of the mean objective is from zero, computed anew."""
    chances = model.predict_proba(X)
    k = len(model.classes_)
    chances = chances[:, 1:] if k == 2 else chances
    wrong = chances - (y[:, None] == (model.classes_[1:] if k == 2 else model.classes_))
    ratio = {"l1": 1.0, "l2": 0.0}.get(model.penalty, model.l1_ratio)
    penalty = 0.0 if model.penalty is None else 1 / (model.C * len(y))
    slope = (X.T @ wrong).T / len(y) + (1 - ratio) * penalty * model.coef_
    sizes = np.full(slope.size, ratio * penalty)
    free = np.abs(wrong.mean(axis=0)).max() if model.fit_intercept else 0.0
    return max(free, steepness(slope.ravel(), model.coef_.ravel(), sizes))


@pytest.mark.parametrize("solver", ["auto", "lbfgs"])
@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("terms", [{"penalty": "l1"}, {"l1_ratio": 0.4}, {"penalty": None}])
def test_penalties_as_scikit_learn(terms, classes, free, solver):
    _, X, y = problem(7, classes, d=6)
    terms = terms | {"fit_intercept": free}
    if "penalty" not in terms or terms["penalty"]:
        terms |= {"C": 0.05}
    model = LogisticRegression(**terms, solver=solver, tol=1e-9, max_iter=2000).fit(X, y)
    names = {"l1": {"l1_ratio": 1.0}, None: {"C": np.inf}}.get(terms.pop("penalty", ""), {})
    peer = Peer(solver="saga", tol=1e-10, max_iter=50_000, **terms | names).fit(X, y)
    assert np.allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-5)
    assert np.allclose(model.coef_, peer.coef_, atol=1e-4)
    assert ((model.coef_ == 0) == (peer.coef_ == 0)).all()
    assert (model.coef_ == 0).any() == (terms.get("C") is not None)
    assert steep(model, X, y) < 1e-8
    # Only half the squared length has a dual here, and a promise of how far the objective is from the least.
    assert [g.theorem for g in model.guarantees()][:1] == ["surrogate-upper-bounds"]
    assert "penalised-duality" not in [g.theorem for g in model.guarantees()]


def test_the_ratio_says_which_penalty_where_it_is_left_to_it():
    _, X, y = problem(8)
    for ratio, name in ((0.0, "l2"), (1.0, "l1"), (0.3, "elasticnet")):
        told = LogisticRegression(name, l1_ratio=ratio, C=0.1).fit(X, y)
        for penalty in ("auto", "deprecated"):
            model = LogisticRegression(penalty, l1_ratio=ratio, C=0.1).fit(X, y)
            assert np.array_equal(model.coef_, told.coef_)
    none = LogisticRegression(None, tol=1e-9).fit(X, y)
    assert np.array_equal(none.coef_, LogisticRegression(C=math.inf, tol=1e-9).fit(X, y).coef_)
    # From parameters of scikit-learn's, as it gives them.
    assert LogisticRegression(**Peer(l1_ratio=1.0).get_params()).fit(X, y).penalty == "deprecated"


def test_what_is_ignored_is_said():
    _, X, y = problem(8)
    with pytest.warns(UserWarning, match=r"Setting penalty=None will ignore the C given, 0\.1\."):
        LogisticRegression(None, C=0.1).fit(X, y)
    with pytest.warns(UserWarning, match=r"penalty=l2 with l1_ratio=0\.5\. The first one counts"):
        LogisticRegression("l2", l1_ratio=0.5).fit(X, y)


@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_liblinear_penalises_the_intercept(penalty, scale):
    _, X, y = problem(9)
    terms = {"solver": "liblinear", "intercept_scaling": scale, "C": 0.1, "tol": 1e-9}
    model = LogisticRegression(penalty, **terms).fit(X + 1, y)
    peer = Peer(l1_ratio=float(penalty == "l1"), **terms, max_iter=10_000).fit(X + 1, y)
    assert np.allclose(model.coef_, peer.coef_, atol=1e-5)
    assert np.allclose(model.intercept_, peer.intercept_, atol=1e-5)
    promised = {g.theorem: g for g in model.guarantees()}
    assert ("penalised-duality" in promised) == (penalty == "l2")
    if penalty == "l2":
        # The constant feature belongs to the weights whose length counts.
        assert promised["penalised-duality"].value < 1e-8


def test_a_warm_start_from_no_number_is_refused():
    X, y = np.arange(6.0)[:, None], [0, 0, 1, 0, 1, 1]
    model = LogisticRegression(warm_start=True).fit(X, y)
    model.coef_[:] = np.nan
    with pytest.raises(BadData, match=r"^coef_ and intercept_ must hold finite numbers for a warm"):
        model.fit(X, y)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("solver", ["auto", "liblinear"])
def test_a_warm_start_goes_on(classes, solver):
    if solver == "liblinear" and classes > 2:
        return
    _, X, y = problem(10, classes)
    model = LogisticRegression(warm_start=True, tol=1e-8, solver=solver).fit(X, y)
    steps, coef = model.n_iter_[0], model.coef_
    model.fit(X, y)
    assert model.n_iter_[0] < steps
    assert np.allclose(model.coef_, coef, atol=1e-8)
    # Other classes: there is nothing to start from.
    assert model.fit(X, np.where(X[:, 0] > 0, "x", "y")).classes_.tolist() == ["x", "y"]


def test_no_step_at_all():
    _, X, y = problem(11, 3)
    model = LogisticRegression(max_iter=0).fit(X, y)
    assert model.n_iter_.tolist() == [0]
    assert not model.coef_.any()
    assert model.record_.errors == np.count_nonzero(model.predict(X) != y)


@pytest.mark.parametrize("classes", [2, 3])
def test_single_precision_is_kept(classes):
    _, X, y = problem(12, classes)
    X = X.astype(np.float32)
    model = LogisticRegression(n_jobs=2, verbose=0, random_state=1, dual=False).fit(X, y)
    exact = LogisticRegression().fit(X.astype(np.float64), y)
    assert model.coef_.dtype == model.intercept_.dtype == np.float32
    assert model.predict_proba(X).dtype == model.decision_function(X).dtype == np.float32
    assert np.allclose(model.coef_, exact.coef_, rtol=1e-6)
    # What is promised is about the rounded weights.
    assert model.record_.objective >= exact.record_.objective * (1 - 1e-12)
    assert model.record_.errors == np.count_nonzero(model.predict(X) != y)


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
        model = LogisticRegression(C=10.0 ** rng.integers(-3, 3), max_iter=1000).fit(X, y)
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
    with pytest.warns(
        ConvergenceWarning, match="LogisticRegression failed to converge: after 1 steps the largest"
    ):
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
    for C in (0, -1.0, math.nan, "1", True):
        with refuses(f"C must be a number above zero, or inf for no penalty, but is {C!r}."):
            LogisticRegression(C=C).fit(X, y)
    solvers = (
        "'auto', 'newton', 'lbfgs', 'newton-cg', 'newton-cholesky', 'sag', 'saga', 'liblinear'"
    )
    with refuses(f"solver must be one of {solvers}, but is 'adam'."):
        LogisticRegression(solver="adam").fit(X, y)
    with refuses("penalty must be 'auto', 'l2', 'l1', 'elasticnet' or None, but is 1.0."):
        LogisticRegression(1.0).fit(X, y)
    for ratio in (None, 1.5, "a"):
        with refuses(f"l1_ratio must be a number from 0 to 1, but is {ratio!r}."):
            LogisticRegression("elasticnet", l1_ratio=ratio).fit(X, y)
    with refuses("intercept_scaling must be a finite number above zero, but is 0."):
        LogisticRegression(solver="liblinear", intercept_scaling=0).fit(X, y)
    with pytest.raises(BadParameter, match="'liblinear' solver does not support multiclass"):
        LogisticRegression(solver="liblinear").fit(np.eye(3), [0, 1, 2])
    with refuses("tol must be a finite number above zero, but is 0."):
        LogisticRegression(tol=0).fit(X, y)
    with refuses("max_iter must be a whole number, zero or more, but is -1."):
        LogisticRegression(max_iter=-1).fit(X, y)
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
    "ignore:lbfgs failed to converge"
)  # as scikit-learn's own, on rows that are not scaled
def test_scikit_learns_checks_without_a_system():
    assert_checks_pass_but_those_named(LogisticRegression(solver="lbfgs"))
