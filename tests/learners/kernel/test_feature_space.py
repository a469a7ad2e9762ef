"""Comparators in feature space: lengths and losses from above, separators of least length."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay import KernelPerceptron
from assay.kernels import Gaussian, Linear
from assay.theory.mistake.kernel_perceptron import kernel_perceptron_mistakes
from tests.naive.widest_margin import widest_margin


def sample(seed, n=40, noise=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X @ np.array([2.0, -1, 0.5]) + noise * rng.normal(size=n) > 0, 1, -1)


def compared(kernel, X, y):
    """The run, its mistaken examples, and the comparator that its promise rests on."""
    model = KernelPerceptron(kernel).partial_fit(X, y, classes=[-1, 1])
    [promise] = model.guarantees()
    a = np.array([float(value) for value in promise.witness])
    numbers = {name: float(value) for name, value in promise.inputs.items()}
    return model.support_vectors_, model.dual_coef_, a, numbers


@pytest.mark.parametrize("seed", range(5))
def test_a_separator_is_the_shortest_one(seed):
    X, y = sample(seed)
    clear = np.abs(X @ np.array([2.0, -1, 0.5])) > 0.3
    missed, signs, a, numbers = compared(Linear(), X[clear], y[clear])
    assert numbers["hinge_loss"] == 0.0
    K = Linear()(missed)
    assert (signs * (K @ a)).min() >= 1 - 1e-9
    assert numbers["squared_norm"] >= a @ K @ a
    shortest = 1 / widest_margin(missed * signs[:, None]) ** 2
    assert numbers["squared_norm"] == pytest.approx(shortest, rel=1e-6)


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.3)], ids=repr)
@pytest.mark.parametrize("seed", range(5))
def test_length_and_loss_are_rounded_up(seed, kernel):
    missed, signs, a, numbers = compared(kernel, *sample(seed, noise=2.0))
    scores = [math.fsum(row) for row in (kernel(missed) * a).tolist()]
    losses = math.fsum(max(0.0, 1 - t * s) for t, s in zip(signs, scores, strict=True))
    squared = math.fsum(u * s for u, s in zip(a.tolist(), scores, strict=True))
    assert numbers["squared_norm"] >= squared
    loss = numbers["hinge_loss"]
    assert loss >= losses - 1e-13 if loss else losses <= 1e-9
    assert numbers["squared_norm"] == pytest.approx(squared, rel=1e-6)


def test_a_length_of_a_quarter_would_be_caught():
    broken = 0
    for seed in range(30):
        missed, _, _, numbers = compared(Linear(), *sample(seed, n=25))
        largest, squared = numbers["largest_diagonal"], numbers["squared_norm"]
        loss = numbers["hinge_loss"]
        assert len(missed) <= kernel_perceptron_mistakes(largest, squared, loss)
        broken += len(missed) > kernel_perceptron_mistakes(largest, squared / 16, 0)
    assert broken > 0


def test_nothing_is_promised_about_examples_without_length():
    model = KernelPerceptron(Linear(), zero="mistake")
    model.partial_fit(np.zeros((3, 2)), [1, 1, 1], classes=[-1, 1])
    assert model.record_.mistakes == 3
    assert model.record_.radius == 0.0
    assert model.guarantees() == []


def test_examples_without_length_lose_one_each():
    """No comparator can score them, and the best one of the others is not kept from it."""
    X = np.array([[0.0, 0], [2, 0], [0, 0], [0, 0]])
    model = KernelPerceptron(Linear(), zero="mistake")
    model.partial_fit(X, [1, 1, -1, 1], classes=[-1, 1])
    assert model.record_.mistakes == 4
    [promise] = model.guarantees()
    assert float(promise.inputs["hinge_loss"]) >= 3.0 - 1e-12
    best = kernel_perceptron_mistakes(4.0 * (1 + 1e-9), 0.25 * (1 + 1e-9), 3.0 + 1e-9)
    assert promise.holds
    assert 4 <= promise.value <= best
    # Had they lost nothing, one mistake would be all that is allowed.
    assert kernel_perceptron_mistakes(4.0, 0.25, 0.0) == 1
