"""The comparator along the weights: no hinge is clipped, and it holds whatever the run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.guarantees.kernel_perceptron import along_the_weights
from assay.kernels import Gaussian, Linear
from assay.theory.mistake.kernel_perceptron import kernel_perceptron_mistakes


def run(seed, kernel, n=25, noise=1.0):
    """The kernel between the mistakes of one pass, and their labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X @ np.array([2.0, -1, 0.5]) + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    K, missed = kernel(X), []
    for t in range(n):
        if y[t] * sum(y[q] * K[q, t] for q in missed) <= 0:
            missed.append(t)
    return K[np.ix_(missed, missed)], y[missed]


def test_no_hinge_is_clipped():
    inner, signs = run(1, Gaussian(0.5), 40)
    squared = float(signs @ inner @ signs)
    along = along_the_weights(len(signs), squared, 0.0, 1.0)
    u = signs / math.sqrt(squared)  # the weights at length one, which is 1 / R here
    losses = np.maximum(0, 1 - signs * (inner @ u)).sum()
    assert along.coefficients is None
    assert along.loss == pytest.approx(losses, rel=1e-9)
    assert along.loss >= losses - 1e-9
    assert along.squared_norm == pytest.approx(1.0)
    assert along_the_weights(4, 0.0, 0.0, 0.0).loss == 4.0


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.5)], ids=repr)
def test_no_bound_is_below_the_mistakes(kernel):
    for seed in range(20):
        inner, signs = run(seed, kernel, noise=seed / 7)
        diagonal = float(inner.diagonal().max()) * (1 + 1e-12)
        along = along_the_weights(len(signs), float(signs @ inner @ signs), 1e-9, diagonal)
        bound = kernel_perceptron_mistakes(diagonal, along.squared_norm, along.loss)
        assert len(signs) <= bound
