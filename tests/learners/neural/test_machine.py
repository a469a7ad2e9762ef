"""Machines of one's own: against closed forms and scikit-learn, with and without a gradient, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression

from assay import MachineClassifier, MachineRegressor, certify
from assay.errors import BadData, BadParameter
from assay.guarantees.stored_numbers import stored_guarantees


def plane(W, X):
    return X @ W[1:] + W[0]


def plane_gradient(W, X):
    return np.column_stack([np.ones(len(X)), X])


def sample(rows=300, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    return X, np.where(X @ [1.0, -2.0] + 0.5 + noise * rng.logistic(size=rows) > 0, "yes", "no")


@pytest.mark.parametrize("gradient", [plane_gradient, None])
def test_a_plane_with_the_logistic_loss_is_logistic_regression(gradient):
    X, y = sample()
    model = MachineClassifier(plane, np.zeros(3), gradient=gradient).fit(X, y)
    theirs = LogisticRegression(C=1e10, tol=1e-10).fit(X, y)
    assert model.weights_ == pytest.approx(np.r_[theirs.intercept_, theirs.coef_[0]], rel=1e-3)
    assert model.predict(X).tolist() == theirs.predict(X).tolist()
    assert model.stopped_ == "flat"
    assert (np.diff(model.loss_curve_) < 0).all()
    assert len(model.loss_curve_) == model.n_iter_ + 1


def test_a_plane_with_the_square_loss_is_least_squares():
    X, _ = sample()
    y = X @ [1.0, -2.0] + 3 + np.random.default_rng(1).normal(size=300)
    model = MachineRegressor(plane, np.zeros(3)).fit(X, y)
    theirs = LinearRegression().fit(X, y)
    assert model.weights_ == pytest.approx(np.r_[theirs.intercept_, theirs.coef_], rel=1e-5)
    assert model.guarantees() == []


def test_a_network_written_by_hand_learns_exclusive_or():
    def network(W, X):
        hidden = np.tanh(X @ W[:6].reshape(2, 3) + W[6:9])
        return hidden @ W[9:12] + W[12]

    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    start = np.random.default_rng(3).normal(size=13)
    model = MachineClassifier(network, start, max_iter=3000).fit(X, y)
    assert model.predict(X).tolist() == y
    # From zero all gates are alike, and no descent leads away.
    assert MachineClassifier(network, np.zeros(13)).fit(X, y).score(X, y) < 1


@pytest.mark.parametrize("loss", ["logistic", "hinge", "exponential"])
def test_the_promises_are_those_of_so_many_numbers(loss):
    X, y = sample(noise=0.1)
    model = MachineClassifier(plane, np.zeros(3), gradient=plane_gradient, loss=loss).fit(X, y)
    *stored, training = model.guarantees(delta=0.01)
    expected = stored_guarantees(3, 300, model.training_errors_, 0.01)
    assert [g.promised for g in stored] == [g.promised for g in expected]
    assert model.training_errors_ == int((model.predict(X) != y).sum())
    assert training.theorem == "surrogate-upper-bounds"
    assert training.holds
    # A description that nobody fixed beforehand promises nothing: it is declared, not checked.
    assert stored[0].assumptions[1].status == "declared"


def test_a_holdout_promises_and_the_rows_of_the_fit_do_not():
    X, y = sample(2000, noise=0.1)
    model = MachineClassifier(plane, np.zeros(3), gradient=plane_gradient).fit(X[:1000], y[:1000])
    assert model.certificate(X[1000:], y[1000:]).error < 0.1
    assert certify(model, X[:1000], y[:1000]).claims[0].promised is None


def test_a_gradient_that_is_not_that_of_the_function_is_seen():
    X, y = sample()
    wrong = MachineClassifier(plane, np.zeros(3), gradient=lambda W, X: -plane_gradient(W, X))
    assert wrong.fit(X, y).stopped_ == "no descent"
    assert wrong.n_iter_ == 0


def test_steps_that_overflow_are_halved():
    X, y = np.array([[0.0], [400.0]]), np.array([1.0, 2.0])
    model = MachineRegressor(lambda W, X: np.exp(W[0] * X[:, 0]), [0.0]).fit(X, y)
    assert np.isfinite(model.loss_curve_).all()
    assert model.weights_[0] == pytest.approx(np.log(2) / 400, rel=1e-3)


def test_copies_forget():
    X, y = sample()
    model = MachineClassifier(plane, [0, 0, 0]).fit(X, y)
    assert not hasattr(clone(model), "weights_")
    assert clone(model).fit(X, y).weights_.tolist() == model.weights_.tolist()


def test_refusals():
    X, y = sample()
    for machine, sentence in (
        (
            MachineClassifier(None, [0]),
            "function must be a function of weights and rows, but is None.",
        ),
        (
            MachineClassifier(plane, []),
            "start must be a vector of at least one finite weight, but is [].",
        ),
        (
            MachineClassifier(lambda W, X: 1.0, [0]),
            "function must give one number for each of 300 rows, but gives the shape ().",
        ),
        (
            MachineClassifier(plane, np.zeros(3), gradient=lambda W, X: X),
            "gradient must give 3 numbers for each of 300 rows, but gives the shape (300, 2).",
        ),
        (
            MachineClassifier(plane, np.zeros(3), loss="square"),
            "loss must be 'logistic', 'hinge' or 'exponential', but is 'square'.",
        ),
    ):
        with pytest.raises(BadParameter) as refusal:
            machine.fit(X, y)
        assert str(refusal.value) == sentence
        assert not hasattr(machine, "weights_")
    with pytest.raises(BadData, match=r"^MachineClassifier needs two classes, but y holds 3\.$"):
        MachineClassifier(plane, np.zeros(3)).fit(X, np.arange(300) % 3)
    with pytest.raises(BadData, match=r"^The mean loss at the start is not finite\."):
        MachineRegressor(lambda W, X: np.full(len(X), np.nan), [0]).fit(X, X[:, 0])
    with pytest.raises(BadData, match=r"^y must hold numbers, but holds text\.$"):
        MachineRegressor(plane, np.zeros(3)).fit(X, y)
