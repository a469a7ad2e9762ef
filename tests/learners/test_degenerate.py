"""Samples at the edge, for every learner with a kernel or a margin: no crash, no NaN, no promise that breaks.

One class, rows that repeat or contradict each other, columns that say nothing, prices next to nothing and beyond
all measure, fewer rows than features and far more.
"""

from __future__ import annotations

import inspect
import re
import warnings

import numpy as np
import pytest
from scipy import sparse

import assay
from assay import (
    SVC,
    SVR,
    BasisRidge,
    HingeLossLP,
    KernelMachine,
    KernelMachineRegressor,
    KernelPerceptron,
    KernelRidge,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    Ridge,
    load,
    max_margin,
    save,
)
from assay.errors import BadData
from assay.kernels import Gaussian, Linear

CLASSIFIERS = {
    "SVC-rbf": lambda **p: SVC(gamma=0.5, **p),
    "SVC-linear": lambda **p: SVC(kernel="linear", **p),
    "LinearSVC-hinge": lambda **p: LinearSVC(loss="hinge", random_state=0, **p),
    "LinearSVC-squared": lambda **p: LinearSVC(random_state=0, **p),
    "LogisticRegression": lambda **p: LogisticRegression(**p),
    "HingeLossLP": lambda C=None: HingeLossLP(),
    "KernelPerceptron": lambda C=None: KernelPerceptron(Gaussian(0.5), max_iter=20),
    "KernelMachine": lambda C=1.0: KernelMachine("log_loss", Gaussian(0.5), 1 / (2 * C)),
    "KernelMachine-linear": lambda C=1.0: KernelMachine("squared_hinge", Linear(), 1 / (2 * C)),
}
REGRESSORS = {
    "LinearRegression": lambda C=None: LinearRegression(),
    "Ridge": lambda C=1.0: Ridge(1 / C),
    "KernelRidge": lambda C=1.0: KernelRidge(1 / C, kernel="rbf", gamma=0.5),
    "KernelRidge-linear": lambda C=1.0: KernelRidge(1 / C),
    "SVR": lambda C=1.0: SVR(gamma=0.5, C=C),
    "SVR-linear": lambda C=1.0: SVR(kernel="linear", C=C),
    "KernelMachineRegressor": lambda C=1.0: KernelMachineRegressor("huber", Gaussian(0.5), 1 / C),
}
LEARNERS = CLASSIFIERS | REGRESSORS
ALL = pytest.mark.parametrize("name", LEARNERS)


def sample(seed=0, n=30, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[np.abs(X) < 0.1] = 0.0
    score = X[:, 0] + 0.3 * rng.normal(size=n)
    score[:2] = -1, 1
    return X, score


def goal(name, score):
    return (score > 0).astype(int) if name in CLASSIFIERS else score


def fitted(model, X, y, *more):
    """The fit; that it may stop early, or meet a matrix without an inverse, is said by warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        return model.fit(X, y, *more)


def assert_sound(model, X):
    ask = getattr(model, "decision_function", model.predict)
    assert np.isfinite(ask(X)).all()
    for promise in model.guarantees():
        assert promise.holds is not False, promise
        assert promise.promised is None or float(promise.promised) >= 0


#: Those that scikit-learn fits to a single class.
CONTENT_WITH_ONE = [
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BernoulliNB",
    "DecisionTreeClassifier",
    "GaussianNB",
    "HistGradientBoostingClassifier",
    "KNeighborsClassifier",
    "MLPClassifier",
    "RadiusNeighborsClassifier",
    "RandomForestClassifier",
]


@pytest.mark.parametrize("name", CONTENT_WITH_ONE)
@pytest.mark.parametrize("label", [7, "a"])
def test_one_class_is_said_of_every_row(name, label, tmp_path):
    X, _ = sample()
    y = np.array([label] * 30)
    model = fitted(getattr(assay, name)(), X, y)
    save(model, tmp_path / "model")
    for each in (model, load(tmp_path / "model")):
        assert (each.predict(X) == y).all()
        assert each.predict_proba(X).tolist() == [[1.0]] * 30
        assert each.classes_.tolist() == [label]
    for promise in model.guarantees():
        assert promise.holds is not False, promise
    assert model.certificate(X + 0.5, y).error == pytest.approx(1 - 0.05 ** (1 / 30), abs=1e-6)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_one_class_is_refused(name):
    X, _ = sample()
    model = CLASSIFIERS[name]()
    sentence = f"{type(model).__name__} needs at least two classes, but y holds 1 class: 7."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        model.fit(X, np.full(30, 7))


@pytest.mark.parametrize("name", REGRESSORS)
def test_targets_that_are_all_alike(name):
    X, _ = sample()
    for value in (0.0, 5.0):
        model = fitted(REGRESSORS[name](), X, np.full(30, value))
        assert_sound(model, X)
        assert np.abs(model.predict(X)).max() <= 1.5 * value + 1e-9


@ALL
def test_rows_that_repeat(name):
    X, score = sample(1)
    y = goal(name, score)
    model = fitted(LEARNERS[name](), np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert_sound(model, X)
    if "sample_weight" in inspect.signature(model.fit).parameters:
        heavy = fitted(LEARNERS[name](), X, y, np.full(30, 3.0))
        ask = "decision_function" if name in CLASSIFIERS else "predict"
        gap = np.abs(getattr(model, ask)(X) - getattr(heavy, ask)(X)).max()
        assert gap < 0.05 * (1 + np.abs(getattr(model, ask)(X)).max())


@ALL
def test_one_row_again_and_again(name):
    X = np.ones((12, 2))
    y = np.tile([0, 1], 6) if name in CLASSIFIERS else np.tile([0.0, 1.0], 6)
    model = fitted(LEARNERS[name](), X, y)
    assert_sound(model, X)
    assert len(np.unique(model.predict(X))) == 1


@ALL
def test_rows_that_contradict_each_other(name):
    X, score = sample(2)
    y = goal(name, score)
    other = 1 - y if name in CLASSIFIERS else -y
    model = fitted(LEARNERS[name](), np.vstack([X, X]), np.concatenate([y, other]))
    assert_sound(model, X)


@ALL
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_columns_that_say_nothing(name, form):
    X, score = sample(3)
    y = goal(name, score)
    for value in (0.0, 1.0, 1e6):
        wide = np.column_stack([np.full(30, value), X])
        model = fitted(LEARNERS[name](), form(wide), y)
        assert_sound(model, form(wide))
    nothing = fitted(LEARNERS[name](), form(np.zeros((30, 2))), y)
    assert_sound(nothing, form(np.zeros((30, 2))))
    assert len(np.unique(nothing.predict(form(np.zeros((5, 2)))))) == 1


@ALL
@pytest.mark.parametrize("C", [1e-12, 1e-4, 1e4, 1e8])
def test_prices_next_to_nothing_and_beyond_measure(name, C):
    X, score = sample(4)
    model = fitted(LEARNERS[name](C=C), X, goal(name, score))
    assert_sound(model, X)


@pytest.mark.parametrize("name", ["SVC-rbf", "SVC-linear", "LinearSVC-hinge", "LogisticRegression"])
def test_what_a_price_leads_to(name):
    X, _ = sample(5)
    y = (X[:, 0] > 0.2).astype(int)
    X = X[np.abs(X[:, 0] - 0.2) > 0.05]
    y = (X[:, 0] > 0.2).astype(int)
    high = fitted(CLASSIFIERS[name](C=1e6), X, y)
    assert (high.predict(X) == y).all()  # errors cost all: there are none where none need be
    low = fitted(CLASSIFIERS[name](C=1e-9), X, y)
    scores = low.decision_function(X)
    assert np.ptp(scores) < 1e-6  # length costs all: every score is the same


@ALL
@pytest.mark.parametrize(("n", "d"), [(4, 300), (2, 5), (600, 1), (500, 2)])
def test_fewer_rows_than_features_and_far_more(name, n, d):
    X, score = sample(6, n, d)
    y = goal(name, score)
    if name in CLASSIFIERS:
        y[:2] = 0, 1
    model = fitted(LEARNERS[name](), X, y)
    assert_sound(model, X[:50])


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_class_of_one_row(name):
    X, _ = sample(7)
    y = np.zeros(30, int)
    y[4] = 1
    model = fitted(CLASSIFIERS[name](), X, y)
    assert_sound(model, X)
    several = np.where(np.arange(30) == 5, 2, y)
    assert_sound(fitted(CLASSIFIERS[name](), X, several), X)


@ALL
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_features_of_any_size(name, scale):
    X, score = sample(8)
    if name in ("HingeLossLP", "BasisRidge") or (scale > 1 and "linear" not in name.lower()):
        scale = scale**0.1
    if scale > 1 and name.startswith(
        ("SVC-linear", "SVR-linear", "LinearSVC", "KernelMachine-linear")
    ):
        scale = 1e6
    model = fitted(LEARNERS[name](), scale * X, goal(name, score))
    assert_sound(model, scale * X)


@pytest.mark.parametrize("degree", ["srm", 3])
@pytest.mark.parametrize("basis", ["polynomial", "trigonometric"])
def test_bases_on_samples_at_the_edge(basis, degree):
    x = np.linspace(0, 1, 20)[:, None]
    for rows, y in (
        (x, np.ones(20)),
        (np.ones((20, 1)), x[:, 0]),
        (np.repeat(x[:5], 4, axis=0), np.arange(20.0)),
        (x[:2], np.arange(2.0)),
    ):
        model = fitted(BasisRidge(basis=basis, degree=degree), rows, y)
        assert np.isfinite(model.predict(rows)).all()
        assert all(promise.holds is not False for promise in model.guarantees())


def test_the_widest_margin_of_samples_at_the_edge():
    X, score = sample(9)
    y = np.where(score > 0, 1.0, -1.0)
    assert (
        max_margin(X, np.ones(30)).margin is None
        or (X @ max_margin(X, np.ones(30)).vector > 0).all()
    )
    assert max_margin(np.zeros((5, 2)), np.ones(5)).margin is None
    assert max_margin(np.vstack([X, X]), np.concatenate([y, -y])).margin is None
    twice, once = (
        max_margin(rows, np.where(rows[:, 0] > 0, 1.0, -1.0))
        for rows in (np.repeat(X[np.abs(X[:, 0]) > 0.1], 2, axis=0), X[np.abs(X[:, 0]) > 0.1])
    )
    assert twice.margin == pytest.approx(once.margin, rel=1e-9)
    wide = np.random.default_rng(0).normal(size=(5, 400))
    assert max_margin(wide, np.array([1.0, -1, 1, -1, 1])).gap < 1e-9
