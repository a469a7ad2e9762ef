"""Numbers that are a known function and noise: draws, means, best polynomials, refusals."""

import re

import numpy as np
import pytest

from assay.data.synthetic import NoisyFunction
from assay.errors import BadParameter


def test_draws():
    source = NoisyFunction(np.sin, noise=0.2, low=-2.0, high=5.0)
    X, y = source.sample(20_000, random_state=0)
    assert X.min() >= -2
    assert X.max() <= 5
    assert (y - np.sin(X[:, 0])).std() == pytest.approx(0.2, abs=0.01)
    assert (y - np.sin(X[:, 0])).mean() == pytest.approx(0, abs=0.01)
    np.testing.assert_allclose(source.variance(X), 0.04)
    np.testing.assert_array_equal(source.mean(X), np.sin(X[:, 0]))
    assert source.outcomes(X[:1].repeat(9, axis=0), 1).std() > 0
    clean = NoisyFunction(np.sin, noise=0.0)
    X, y = clean.sample(5, random_state=0)
    np.testing.assert_array_equal(y, np.sin(X[:, 0]))


def test_several_features_and_constants():
    source = NoisyFunction(lambda X: X.sum(axis=1), features=3)
    X, _ = source.sample(7, random_state=0)
    np.testing.assert_allclose(source.mean(X), X.sum(axis=1))
    assert NoisyFunction(lambda x: 2.0).mean([[0.1], [0.2]]).tolist() == [2.0, 2.0]


def test_the_best_polynomial_is_that_of_very_many_rows():
    source = NoisyFunction(lambda x: np.exp(x), noise=0.0, low=0.0, high=2.0)
    X, weights = source.quadrature()
    assert weights.sum() == pytest.approx(1)
    assert weights @ source.mean(X) == pytest.approx((np.exp(2) - 1) / 2)
    dense = np.linspace(0, 2, 200_001)
    for degree in (0, 1, 3):
        best = source.best_polynomial(degree)
        fitted = np.polynomial.Polynomial.fit(dense, np.exp(dense), degree)
        np.testing.assert_allclose(best(dense[::1000]), fitted(dense[::1000]), atol=1e-4)
        error = weights @ (best(X[:, 0]) - source.mean(X)) ** 2
        moved = weights @ (best(X[:, 0]) + 1e-3 - source.mean(X)) ** 2
        assert moved > error


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"function": 3}, "function must be a function of rows, but is 3."),
        ({"noise": -0.1}, "noise must be a finite number, zero or more, but is -0.1."),
        ({"low": 2.0}, "high must be a finite number above low, 2.0, but is 1.0."),
        ({"features": 0}, "features must be a whole number of at least 1, but is 0."),
    ],
)
def test_refusals(arguments, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        NoisyFunction(**{"function": np.sin} | arguments)


def test_refused_uses():
    with pytest.raises(
        BadParameter,
        match=r"^function must return a number for each of 2 rows, but returns \(3,\)\.$",
    ):
        NoisyFunction(lambda x: np.ones(3)).mean([[1.0], [2.0]])
    with pytest.raises(
        BadParameter, match=r"^degree must be a whole number of at least 0, but is -1\.$"
    ):
        NoisyFunction(np.sin).best_polynomial(-1)
    with pytest.raises(
        BadParameter, match=r"^features must be 1 for integrals over the box, but is 2\.$"
    ):
        NoisyFunction(np.sin, features=2).quadrature()
