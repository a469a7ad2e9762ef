"""Layers of gates: answers and gradients against the naive twin, and against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import MLPClassifier
from tests.naive.network import GATES, answer, objective

RATE = 1e-3


def begun(hidden, gate, many=2, seed=0, weights=None, **more):
    """A network after one step on seven rows of three features, and these rows; steps go against the gradient."""
    rng = np.random.default_rng(seed)
    X, codes = rng.normal(size=(7, 3)), np.arange(7) % many
    how = {"solver": "sgd", "momentum": 0.0, "learning_rate_init": RATE, "alpha": 0.3}
    model = MLPClassifier(hidden, gate, batch_size=7, shuffle=False, random_state=seed % 2**31)
    model.set_params(**(how | more)).partial_fit(
        X, codes, classes=range(many), sample_weight=weights
    )
    return model, X, codes


def parts(model):
    return [part.copy() for part in (*model.coefs_, *model.intercepts_)]


def step(model, X, codes, weights=None):
    """The loss before the next step, its gradient, and the weights at which they were taken."""
    before = parts(model)
    model.partial_fit(X, codes, sample_weight=weights)
    gradient = [(a - b) / RATE for a, b in zip(before, parts(model), strict=True)]
    return model.loss_, gradient, before


def differences(X, codes, weights, gate, alpha, before, width=1e-6):
    """The gradient of the twin's objective by the definition of a derivative."""
    layers = len(before) // 2
    found = [np.empty_like(part) for part in before]
    for part, slopes in zip(before, found, strict=True):
        for place in np.ndindex(part.shape):
            kept, ends = part[place], []
            for side in (width, -width):
                part[place] = kept + side
                ends.append(
                    objective(X, codes, weights, before[:layers], before[layers:], gate, alpha)
                )
            part[place] = kept
            slopes[place] = (ends[0] - ends[1]) / (2 * width)
    return found


def close(one, other):
    return all(np.allclose(a, b, rtol=1e-4, atol=1e-7) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize(("hidden", "many"), [((4,), 2), ((4, 2), 3), ((), 2)])
def test_answers_and_objective_of_the_naive_twin(gate, hidden, many):
    for weights in (None, np.random.default_rng(1).random(7)):
        model, X, codes = begun(hidden, gate, many, weights=weights)
        scores = [answer(x, model.coefs_, model.intercepts_, gate) for x in X]
        shares = model.predict_log_proba(X)
        gaps = [[s[0]] if many == 2 else np.subtract(s[1:], s[0]) for s in scores]
        np.testing.assert_allclose(shares[:, 1:] - shares[:, :1], gaps, rtol=1e-9, atol=1e-12)
        loss, _, before = step(model, X, codes, weights)
        each = np.ones(7) if weights is None else weights
        layers = len(model.coefs_)
        twin = objective(X, codes, each, before[:layers], before[layers:], gate, 0.3)
        assert loss == pytest.approx(twin, rel=1e-12)


@settings(max_examples=20)
@given(
    st.sampled_from(list(GATES)),
    st.lists(st.integers(1, 4), max_size=2),
    st.integers(2, 4),
    st.integers(0, 2**31),
    st.booleans(),
)
def test_the_gradient_is_that_of_finite_differences(gate, hidden, many, seed, weighted):
    weights = np.random.default_rng(seed).random(7) if weighted else None
    model, X, codes = begun(hidden, gate, many, seed, weights)
    _, gradient, before = step(model, X, codes, weights)
    each = np.ones(7) if weights is None else weights
    assert close(gradient, differences(X, codes, each, gate, 0.3, before))


def test_a_wrong_slope_is_noticed(monkeypatch):
    """The same comparison rejects a gradient whose gates have the slope of others."""
    model, X, codes = begun((4,), "tanh", seed=1)
    _, gradient, before = step(model, X, codes)
    assert close(gradient, differences(X, codes, np.ones(7), "tanh", 0.3, before))
    assert not close(gradient, differences(X, codes, np.ones(7), "logistic", 0.3, before))
    network = model._copied()
    network.slope = begun((4,), "logistic")[0]._copied().slope
    monkeypatch.setattr(model, "_copied", lambda: network)
    _, gradient, before = step(model, X, codes)
    assert not close(gradient, differences(X, codes, np.ones(7), "tanh", 0.3, before))


def test_many_rows_are_answered_as_few():
    """A wide layer is worked out block by block."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    model = MLPClassifier(200, max_iter=1, random_state=0).partial_fit(
        X[:50], X[:50, 0] > 0, classes=[False, True]
    )
    pieces = np.vstack([model.predict_proba(part) for part in np.split(X, 30)])
    np.testing.assert_allclose(model.predict_proba(X), pieces, rtol=1e-12)


def test_losses_of_large_scores_are_finite_and_exact():
    model = MLPClassifier(
        (), solver="sgd", momentum=0.0, learning_rate_init=0.5, alpha=0.0, shuffle=False
    )
    X, y = np.array([[1.0], [-1.0]]), [0, 1]
    model.partial_fit(X, y, classes=[0, 1])
    model.coefs_[0][...], model.intercepts_[0][...] = 800.0, 0.0
    model.partial_fit(X, y)
    assert model.loss_ == 800.0
    assert model.coefs_[0].tolist() == [[799.5]]  # the slope is one
    model = MLPClassifier((), solver="sgd", momentum=0.0, learning_rate_init=1.0, alpha=0.0)
    model.partial_fit([[1.0]], [0], classes=[0, 1, 2])
    model.coefs_[0][...], model.intercepts_[0][...] = [[0.0, 900.0, 0.0]], 0.0
    model.partial_fit([[1.0]], [0])
    assert model.loss_ == 900.0
    assert model.coefs_[0].tolist() == [[1.0, 899.0, 0.0]]


def test_single_precision_stays_single():
    X = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    y = np.arange(20) % 2
    model = MLPClassifier(4, "tanh", max_iter=5, tol=1e3, n_iter_no_change=1).fit(X, y, np.ones(20))
    assert {part.dtype for part in parts(model)} == {np.dtype(np.float32)}
    assert np.isfinite(model.loss_)
