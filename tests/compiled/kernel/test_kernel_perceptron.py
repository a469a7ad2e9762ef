"""The kernel perceptron's loops against the one written from its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from assay import KernelPerceptron
from assay.kernels import (
    AllProducts,
    Exponential,
    Gaussian,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
)
from tests.naive.kernel_perceptron import kernel_perceptron

rng = np.random.default_rng(0)


def dot(x, t):
    total = 0.0
    for a, b in zip(x, t, strict=True):
        total += a * b
    return total


def squared(x, t):
    return dot(np.subtract(x, t), np.subtract(x, t))


PAIRS = [
    (Linear(), dot),
    (Polynomial(3, 0.5, 1.0), lambda x, t: (0.5 * dot(x, t) + 1) ** 3),
    (Gaussian(0.7), lambda x, t: math.exp(-0.7 * squared(x, t))),
    (Laplacian(0.7), lambda x, t: math.exp(-0.7 * sum(map(abs, np.subtract(x, t))))),
    (Exponential(0.3), lambda x, t: math.exp(0.3 * dot(x, t))),
    (Exponential(1.0, 2), lambda x, t: 1 + dot(x, t) + dot(x, t) ** 2 / 2),
    (AllProducts(), lambda x, t: math.prod(1 + a * b for a, b in zip(x, t, strict=True))),
    (
        2 * Linear() * Gaussian(1.0) + 0.5,
        lambda x, t: 2 * dot(x, t) * math.exp(-squared(x, t)) + 0.5,
    ),
    (Linear() ** 2, lambda x, t: dot(x, t) ** 2),
    (
        Normalized(1 + Linear()),
        lambda x, t: (1 + dot(x, t)) / math.sqrt(1 + dot(x, x)) / math.sqrt(1 + dot(t, t)),
    ),
    (
        3 * Normalized(Normalized(Linear())),
        lambda x, t: (
            3 * dot(x, t) / math.sqrt(dot(x, x) * dot(t, t)) if dot(x, x) * dot(t, t) else 0
        ),
    ),
]


def played(kernel, rows, y, zero=1, budget=None):
    return KernelPerceptron(kernel, zero=zero, budget=budget).partial_fit(rows, y, classes=[-1, 1])


@pytest.mark.parametrize(("kernel", "formula"), PAIRS, ids=[repr(k) for k, _ in PAIRS])
@pytest.mark.parametrize("zero", [1, -1, "mistake"])
def test_it_plays_as_its_definition(kernel, formula, zero) -> None:
    X = rng.normal(size=(150, 3)) * (rng.random((150, 3)) < 0.8)
    y = np.where(rng.random(150) < 0.1, -1.0, 1.0) * np.where(X[:, 0] * X[:, 1] >= 0, 1.0, -1.0)
    naive = kernel_perceptron(formula, X, y, {"mistake": 0}.get(zero, zero))
    for rows in (X, sparse.csr_matrix(X)):
        model = played(kernel, rows, y, zero)
        player = model.players_[0]
        assert player.mistakes == naive.mistakes
        found = player.examples
        found = found.toarray() if sparse.issparse(found) else found
        np.testing.assert_array_equal(found, [x for x, _ in naive.support])
        np.testing.assert_array_equal(player.labels, [label for _, label in naive.support])
        for x in X[:20]:
            want = sum(label * formula(z, x) for z, label in naive.support)
            assert player.score(x) == pytest.approx(want, rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(
            model.decision_function(X[:20]), [player.score(x) for x in X[:20]], atol=1e-9
        )
        K = np.array([[formula(x, z) for x, _ in naive.support] for z, _ in naive.support])
        assert player.squared_length == pytest.approx(player.labels @ K @ player.labels, rel=1e-9)
        assert player.largest_square == pytest.approx(np.diag(K).max(), rel=1e-12)


def test_whole_numbers_are_exact() -> None:
    X = rng.integers(-3, 4, size=(300, 4)).astype(float)
    y = np.where(X[:, 0] * X[:, 1] > 1, 1.0, -1.0)
    naive = kernel_perceptron(lambda x, t: (dot(x, t) + 1) ** 2, X, y)
    player = played(Polynomial(2), X, y).players_[0]
    assert [player.score(x) for x in X[:50]] == [
        sum(label * (dot(z, x) + 1) ** 2 for z, label in naive.support) for x in X[:50]
    ]


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_a_budget_forgets_the_oldest(form) -> None:
    X = rng.normal(size=(200, 3))
    y = np.where(rng.random(200) < 0.5, -1.0, 1.0)
    support, mistakes = [], 0
    for x, label in zip(X, y, strict=True):
        score = sum(q * math.exp(-squared(z, x)) for z, q in support)
        if (score >= 0) != (label > 0):
            support = [*support, (x, label)][-7:]
            mistakes += 1
    rows = X if form == "dense" else sparse.csr_matrix(X)
    player = played(Gaussian(1.0), rows, y, budget=7).players_[0]
    assert player.mistakes == mistakes
    assert player.record(trace=False).forgotten == mistakes - 7
    found = player.examples.toarray() if form == "sparse" else player.examples
    np.testing.assert_array_equal(found, [x for x, _ in support])
