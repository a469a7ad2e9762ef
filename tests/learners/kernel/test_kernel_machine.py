"""Kernel machines: the equations of the representer theorem, other libraries' machines, model files."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from assay import KernelMachine, load, save
from assay.errors import BadData, BadParameter
from assay.kernels import Gaussian, Linear, Polynomial
from assay.learners.kernel import FOR_CLASSES, SmoothLoss
from assay.theory.margin.representer import representer
from tests.scikit_checks import assert_checks_pass_but_those_named

X, y = make_moons(120, noise=0.3, random_state=0)
NUMBERS = np.sin(3 * X[:, 0]) + X[:, 1]
CLASSIFIERS = list(FOR_CLASSES)
REGRESSORS = ["huber", "squared_error", "squared_epsilon_insensitive"]


def test_scikit_learns_checks() -> None:
    assert_checks_pass_but_those_named(KernelMachine())


@pytest.mark.parametrize("loss", CLASSIFIERS)
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_the_equations_of_the_theorem_hold(loss, alpha) -> None:
    model = KernelMachine(loss, Gaussian(2.0), alpha).fit(X, y)
    signs = np.where(y == 1, 1.0, -1.0)
    K = Gaussian(2.0)(X)
    a = model.dual_coef_[0]
    V = FOR_CLASSES[loss]
    np.testing.assert_allclose(a, -V.slope(signs, K @ a) / (2 * alpha), atol=1e-7 * np.abs(a).max())

    def objective(a):
        f = K @ a
        return V.value(signs, f).sum() + alpha * a @ f

    assert model.objective_ == pytest.approx(objective(a))
    best = optimize.minimize(objective, a, method="L-BFGS-B").fun
    assert model.objective_ <= best + 1e-9 * abs(best)
    assert model.excess_ < 1e-9
    for step in np.random.default_rng(0).normal(size=(20, len(a))):
        assert objective(a + 0.01 * step) >= model.objective_ - model.excess_


def test_the_excess_is_not_less_than_it_is() -> None:
    best = KernelMachine("log_loss", Gaussian(2.0), 0.01).fit(X, y)
    with pytest.warns(
        ConvergenceWarning, match=r"The search ended with a residual of .*: make max_iter larger\."
    ):
        early = KernelMachine("log_loss", Gaussian(2.0), 0.01, max_iter=2).fit(X, y)
    assert 0 < early.objective_ - best.objective_ <= early.excess_
    # A quarter of it would be too little: the check can fail.
    assert early.objective_ - best.objective_ > early.excess_ / 1000


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_the_gradient_is_never_longer_than_it_says(loss) -> None:
    """Against extended precision, at the minimum and on the way there."""
    rows, signs = X[:40], np.where(y[:40] == 1, 1.0, -1.0)
    gram = Gaussian(0.4)(rows).astype(np.longdouble)
    best = KernelMachine(loss, Gaussian(0.4), 0.05, tol=1e-12, max_iter=100).fit(rows, y[:40])
    for steps in (1, 2, 100):
        model = KernelMachine(loss, Gaussian(0.4), 0.05, tol=1e-12, max_iter=steps)
        a = model.fit(rows, y[:40]).dual_coef_[0].astype(np.longdouble)
        rest = FOR_CLASSES[loss].slope(signs, gram @ a) + np.longdouble(0.1) * a
        length = float(np.sqrt(rest @ gram @ rest))
        assert length <= model.gradient_ <= 1.01 * length + 1e-9
        assert model.objective_ - best.objective_ <= model.excess_


def test_a_gradient_of_half_its_length_would_be_caught() -> None:
    """Where the loss hardly bends, the objective is all penalty, and what is promised is met."""
    flat = SmoothLoss(lambda y, f: -y * f, lambda y, f: -y + 0 * f, lambda y, f: 0 * f)
    low = KernelMachine(flat, "precomputed", 1.0).fit(np.eye(2), [-1, 1])
    a = np.array([1.0, -1.0])  # the wrong way
    excess = (np.array([1.0, -1.0]) @ a + a @ a) - low.objective_
    gradient = np.linalg.norm(np.array([1.0, -1.0]) + 2 * a)
    assert excess == pytest.approx(gradient**2 / 4)
    assert excess > (gradient / 2) ** 2 / 4


@pytest.mark.parametrize(
    ("loss", "name"),
    [
        ("squared_error", "square"),
        ("squared_hinge", "squared-hinge"),
        ("exponential", "exponential"),
        ("log_loss", "logistic"),
    ],
)
def test_the_theorem_itself_finds_no_residual(loss, name) -> None:
    rows, signs = np.rint(2 * X[:8]), np.array([1.0, -1] * 4)
    K = Polynomial(2)(rows)
    model = KernelMachine(loss, "precomputed", 0.5, tol=1e-12).fit(K, signs)
    alphas = [Fraction(a) for a in model.dual_coef_[0].tolist()]
    found = representer(K.astype(int).tolist(), signs.astype(int).tolist(), alphas, 0.5, name)
    assert found.residual < 1e-8
    wrong = [-a for a in alphas]  # the sign as it is sometimes printed
    assert (
        representer(K.astype(int).tolist(), signs.astype(int).tolist(), wrong, 0.5, name).residual
        > 1e-3
    )


def test_other_libraries_machines() -> None:
    alpha = 0.3
    C = 1 / (2 * alpha)
    ours = KernelMachine("log_loss", Linear(), alpha).fit(X, y)
    theirs = LogisticRegression(C=C, fit_intercept=False, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.dual_coef_ @ X, theirs.coef_, rtol=1e-5)
    ours = KernelMachine("squared_hinge", Linear(), alpha).fit(X, y)
    theirs = LinearSVC(C=C, fit_intercept=False, tol=1e-10, max_iter=10**5).fit(X, y)
    np.testing.assert_allclose(ours.dual_coef_ @ X, theirs.coef_, rtol=1e-5)


def test_a_loss_of_ones_own() -> None:
    named = KernelMachine("log_loss", Gaussian(1.0), 0.1).fit(X, y)
    known = FOR_CLASSES["log_loss"]
    for own in (
        SmoothLoss(known.value, known.slope, known.curvature),
        SmoothLoss(known.value, known.slope),
    ):
        ours = KernelMachine(own, Gaussian(1.0), 0.1).fit(X, y)
        np.testing.assert_allclose(
            ours.decision_function(X), named.decision_function(X), rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_sparse_rows_weights_and_repeated_rows(loss) -> None:
    plain = KernelMachine(loss, Gaussian(1.0), 0.1).fit(X, y)
    thin = KernelMachine(loss, Gaussian(1.0), 0.1).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(
        thin.decision_function(sparse.csr_matrix(X)), plain.decision_function(X), atol=1e-6
    )
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    heavy = KernelMachine(loss, Gaussian(1.0), 0.1).fit(X, y, sample_weight=weights)
    repeated = KernelMachine(loss, Gaussian(1.0), 0.1).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    np.testing.assert_allclose(heavy.decision_function(X), repeated.decision_function(X), atol=1e-6)


def test_several_classes() -> None:
    labels = np.where(X[:, 0] > 1, "right", np.where(y == 1, "low", "high"))
    model = KernelMachine("log_loss", Gaussian(2.0), 0.01).fit(X, labels)
    assert model.decision_function(X).shape == (120, 3)
    assert model.score(X, labels) > 0.9
    [excess] = model.guarantees()
    assert excess.theorem == "strongly-convex-excess"
    # Of all problems together: no better machine gains more in all of them.
    alone = [
        KernelMachine("log_loss", Gaussian(2.0), 0.01).fit(X, labels == one)
        for one in ("high", "low", "right")
    ]
    assert model.objective_ == pytest.approx(sum(m.objective_ for m in alone), rel=1e-9)
    assert excess.value >= model.objective_ - sum(m.objective_ for m in alone)


@pytest.mark.parametrize("loss", ["log_loss", "exponential", "squared_error"])
def test_training_errors_are_below_the_loss(loss) -> None:
    told, excess = KernelMachine(loss, Gaussian(2.0), 0.01).fit(X, y).guarantees()
    assert told.theorem == "surrogate-upper-bounds"
    assert told.holds
    assert excess.theorem == "strongly-convex-excess"
    [excess] = KernelMachine("squared_hinge").fit(X, y).guarantees()
    assert excess.value < 1e-12


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_files(tmp_path, form) -> None:
    model = KernelMachine(kernel=Gaussian(1.0) + 1).fit(form(X), y)
    save(model, tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    assert np.array_equal(again.predict(form(X)), model.predict(form(X)))
    assert again.guarantees() == model.guarantees()
    known = FOR_CLASSES["log_loss"]
    own = KernelMachine(SmoothLoss(known.value, known.slope))
    with pytest.raises(BadParameter, match="This kernel-machine cannot be saved: "):
        save(own, tmp_path / "own.assay")


LISTED = "log_loss, squared_hinge, modified_huber, exponential, squared_error"


@pytest.mark.parametrize(
    ("model", "error", "sentence"),
    [
        (
            KernelMachine("hinge"),
            BadParameter,
            f"loss must be one of {LISTED}, or a SmoothLoss, but is 'hinge'.",
        ),
        (
            KernelMachine(alpha=0.0),
            BadParameter,
            "alpha must be a finite number above zero, but is 0.0.",
        ),
        (KernelMachine(tol=0), BadParameter, "tol must be a finite number above zero, but is 0."),
        (KernelMachine(kernel="sigmoids"), BadParameter, "kernel must be a kernel, one of "),
        (
            KernelMachine(kernel="precomputed"),
            BadData,
            "A precomputed kernel matrix must be square, but has shape (120, 2).",
        ),
        (
            KernelMachine(kernel=lambda A, B: -10 * A @ B.T),
            BadData,
            "The kernel matrix must be positive semidefinite, but is not; or the penalty is lost in its "
            "rounding: make alpha larger.",
        ),
    ],
)
def test_refusals(model, error, sentence) -> None:
    with pytest.raises(error, match=re.escape(sentence)):
        model.fit(X, y)


def test_one_class_is_refused() -> None:
    sentence = "KernelMachine needs at least two classes, but y holds 1 class: 0."
    with pytest.raises(BadData, match=re.escape(sentence)):
        KernelMachine().fit(X, np.zeros(120, dtype=int))
