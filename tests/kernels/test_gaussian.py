"""Kernels of the distance: their two forms, their map, and scikit-learn's values."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from assay.errors import BadParameter
from assay.kernels import Exponential, Gaussian, Laplacian, Normalized

X = np.random.default_rng(0).normal(size=(300, 4))
Y = np.random.default_rng(1).normal(size=(5, 4))


def test_two_forms_of_one_number() -> None:
    x, t = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    other = math.exp(-0.3 * (5 + 25)) * math.exp(0.6 * 11)
    assert Gaussian(0.3)(x, t).item() == pytest.approx(0.0907180, abs=5e-8)
    assert other == pytest.approx(Gaussian(0.3)(x, t).item(), rel=1e-12)


def test_it_is_the_normalised_exponential() -> None:
    rows = X / 3
    np.testing.assert_allclose(
        Normalized(Exponential(0.8))(rows, Y), Gaussian(0.4)(rows, Y), rtol=1e-12
    )


def test_its_series_of_features() -> None:
    x, t, gamma = 0.7, -0.4, 0.5
    i = np.arange(30)
    weight = np.sqrt((2 * gamma) ** i / np.array([float(math.factorial(k)) for k in i]))

    def features(v):
        return math.exp(-gamma * v * v) * weight * v**i

    assert Gaussian(gamma)([[x]], [[t]]).item() == pytest.approx(
        features(x) @ features(t), rel=1e-13
    )


def test_scikit_learn_gives_the_same() -> None:
    np.testing.assert_allclose(Gaussian(0.3)(X, Y), rbf_kernel(X, Y, 0.3), rtol=1e-12)
    np.testing.assert_allclose(Gaussian(0.3)(X), rbf_kernel(X, gamma=0.3), rtol=1e-12)
    np.testing.assert_allclose(Laplacian(0.3)(X, Y), laplacian_kernel(X, Y, 0.3), rtol=1e-12)


def test_far_from_the_origin_it_never_exceeds_one() -> None:
    rows = 1e6 + X
    block = Gaussian(1.0)(rows)
    assert block.max() == 1.0
    assert (np.diag(block) == 1).all()
    assert Gaussian(1.0)(rows, rows.copy()).max() <= 1.0
    assert Gaussian(1e300)(X[:2]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("make", [Gaussian, Laplacian])
@pytest.mark.parametrize("bad", [0, -0.1, math.inf, math.nan, "scale", None, True])
def test_gamma_must_be_above_zero(make, bad) -> None:
    sentence = f"gamma must be a finite number above zero, but is {bad!r}."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        make(bad)
