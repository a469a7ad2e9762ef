"""Kernels after a map, and scaled to length one."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from assay.errors import BadParameter
from assay.kernels import Composed, Gaussian, Linear, Normalized, Polynomial, Substring

X = np.random.default_rng(0).normal(size=(11, 3))
Y = np.random.default_rng(1).normal(size=(5, 3))


def test_normalised_images_have_length_one() -> None:
    kernel = Normalized(Polynomial(3))
    np.testing.assert_array_equal(np.diag(kernel(X)), 1)
    assert np.abs(kernel(X, Y)).max() <= 1 + 1e-15
    np.testing.assert_allclose(Normalized(Linear())(X, Y), cosine_similarity(X, Y), rtol=1e-12)


def test_a_zero_stays_zero() -> None:
    rows = np.vstack([X, np.zeros(3)])
    block = Normalized(Linear())(rows)
    assert block[-1].tolist() == [0] * 12
    assert Normalized(Linear()).diagonal(rows).tolist() == [1] * 11 + [0]
    assert Normalized(Substring(3))(["ab", "abc"]).tolist() == [[0, 0], [0, 1]]


def test_after_a_map() -> None:
    scaler = StandardScaler().fit(X)
    np.testing.assert_array_equal(
        Composed(Gaussian(0.5), scaler)(X, Y),
        Gaussian(0.5)(scaler.transform(X), scaler.transform(Y)),
    )
    products = PolynomialFeatures(2, include_bias=False).fit(X)
    mapped = Composed(Linear(), products)
    np.testing.assert_allclose(
        mapped(X), products.transform(X) @ products.transform(X).T, rtol=1e-12
    )
    np.testing.assert_allclose(mapped.diagonal(X), np.diag(mapped(X)), rtol=1e-12)
    assert mapped.known_psd


def test_a_map_takes_what_it_takes() -> None:
    words = CountVectorizer().fit(["one two", "two three"])
    kernel = Composed(Linear(), words)
    assert kernel(["one two", "two"], ["two three"]).tolist() == [[1], [1]]
    lengths = Composed(Linear(), lambda texts: [[float(len(text))] for text in texts])
    assert (lengths + Substring(1))(["ab"], ["abc", "c"]).tolist() == [[8, 2]]
    assert (1 + lengths).diagonal(["ab"]).tolist() == [5]


def test_beside_other_kernels() -> None:
    kernel = Composed(Linear(), np.abs) * Linear() + 1
    np.testing.assert_allclose(kernel(X, Y), (np.abs(X) @ np.abs(Y).T) * (X @ Y.T) + 1, rtol=1e-12)
    assert kernel(X.tolist()).shape == (11, 11)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Normalized("rbf"), "kernel must be a kernel of assay.kernels, but is 'rbf'."),
        (
            lambda: Composed("rbf", np.abs),
            "kernel must be a kernel of assay.kernels, but is 'rbf'.",
        ),
        (lambda: Composed(Linear(), 3), "features must be a function or have transform, but is 3."),
    ],
)
def test_refusals(make, sentence) -> None:
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        make()
