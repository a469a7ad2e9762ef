"""Comparators in feature space: lengths and losses from above, separators of least length."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.guarantees.kernel_perceptron import along_the_weights
from assay.kernels import Gaussian, Linear
from assay.learners.kernel.feature_space import best_comparator
from assay.theory.mistake.kernel_perceptron import kernel_perceptron_mistakes
from tests.naive.widest_margin import widest_margin


def played(K, y):
    """The mistakes of one pass."""
    missed = []
    for t in range(len(y)):
        if y[t] * sum(y[q] * K[q, t] for q in missed) <= 0:
            missed.append(t)
    return missed


def sample(seed, n=40, noise=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X @ np.array([2.0, -1, 0.5]) + noise * rng.normal(size=n) > 0, 1.0, -1.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_separator_is_the_shortest_one(seed):
    X, y = sample(seed)
    clear = np.abs(X @ np.array([2.0, -1, 0.5])) > 0.3
    X, y = X[clear], y[clear]
    K = Linear()(X)
    best = best_comparator(K, y)
    assert best.loss == 0.0
    a = best.coefficients
    assert (y * (K @ a)).min() >= 1 - 1e-9
    assert best.squared_norm >= a @ K @ a
    assert best.squared_norm == pytest.approx(1 / widest_margin(X * y[:, None]) ** 2, rel=1e-6)


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.3)], ids=repr)
@pytest.mark.parametrize("seed", range(5))
def test_length_and_loss_are_rounded_up(seed, kernel):
    X, y = sample(seed, noise=2.0)
    K = kernel(X)
    best = best_comparator(K, y)
    a = best.coefficients
    scores = [math.fsum(row) for row in (K * a).tolist()]
    losses = math.fsum(max(0.0, 1 - t * s) for t, s in zip(y, scores, strict=True))
    squared = math.fsum(u * s for u, s in zip(a.tolist(), scores, strict=True))
    assert best.squared_norm >= squared
    assert best.loss >= losses - 1e-13 if best.loss else losses <= 1e-9
    assert best.squared_norm == pytest.approx(squared, rel=1e-6)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.floats(0, 3), st.sampled_from([Linear(), Gaussian(0.5)]))
def test_no_bound_is_below_the_mistakes(seed, noise, kernel):
    X, y = sample(seed, n=25, noise=noise)
    K = kernel(X)
    missed = played(K, y)
    inner = K[np.ix_(missed, missed)]
    diagonal = float(K.diagonal()[missed].max()) * (1 + 1e-12)
    best = best_comparator(inner, y[missed])
    assert len(missed) <= kernel_perceptron_mistakes(diagonal, best.squared_norm, best.loss)
    squared = float(y[missed] @ inner @ y[missed])
    along = along_the_weights(len(missed), squared, 1e-9, diagonal)
    assert len(missed) <= kernel_perceptron_mistakes(diagonal, along.squared_norm, along.loss)


def test_a_length_of_a_quarter_would_be_caught():
    broken = 0
    for seed in range(30):
        X, y = sample(seed, n=25)
        K = Linear()(X)
        missed = played(K, y)
        best = best_comparator(K[np.ix_(missed, missed)], y[missed])
        diagonal = float(K.diagonal()[missed].max())
        broken += len(missed) > kernel_perceptron_mistakes(diagonal, best.squared_norm / 16, 0)
    assert broken > 0


def test_along_the_weights_no_hinge_is_clipped():
    X, y = sample(1, noise=1.0)
    K = Gaussian(0.5)(X)
    missed = played(K, y)
    inner, signs = K[np.ix_(missed, missed)], y[missed]
    squared = float(signs @ inner @ signs)
    found = along_the_weights(len(missed), squared, 0.0, 1.0)
    u = signs / math.sqrt(squared)  # the weights at length one, which is 1 / R here
    losses = np.maximum(0, 1 - signs * (inner @ u)).sum()
    assert found.coefficients is None
    assert found.loss == pytest.approx(losses, rel=1e-9)
    assert found.loss >= losses - 1e-9
    assert found.squared_norm == pytest.approx(1.0)


def test_examples_without_length_lose_one_each():
    assert along_the_weights(4, 0.0, 0.0, 0.0).loss == 4.0
    zero = best_comparator(np.zeros((3, 3)), np.ones(3))
    assert zero.loss == pytest.approx(3.0)
    assert zero.squared_norm == 0.0
