"""Feature maps written out: golden numbers, inner products against every kernel that has one, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse

from assay.errors import BadData, BadParameter
from assay.kernels import (
    AllProducts,
    Composed,
    Constant,
    Exponential,
    Gaussian,
    GeneralizedLinear,
    Linear,
    Normalized,
    Polynomial,
    Substring,
    as_kernel,
)

X = np.random.default_rng(0).normal(size=(9, 3))
T = np.random.default_rng(1).normal(size=(4, 3))

MAPPED = [
    Linear(),
    Polynomial(1),
    Polynomial(2, coef0=0),
    Polynomial(3, gamma=0.4, coef0=2.0),
    AllProducts(),
    Exponential(0.7, degree=4),
    2 * Linear() + (1 + Linear()) ** 3,
    AllProducts() * Polynomial(2),
    Constant(0.0) + Linear(),
    GeneralizedLinear([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]),
    Normalized(Polynomial(2)),
    Composed(Polynomial(2), np.square),
]


@pytest.mark.parametrize("kernel", MAPPED, ids=repr)
def test_inner_products_of_features_are_the_kernel(kernel):
    left, right = kernel.features(X), kernel.features(T)
    np.testing.assert_allclose(left @ right.T, kernel(X, T), rtol=1e-11, atol=1e-11)
    if not isinstance(kernel, Composed):
        again = kernel.features(sparse.csr_matrix(X))
        np.testing.assert_allclose(again, left, rtol=1e-12, atol=1e-12)


def test_squares_of_pairs():
    x, t = [[1.0, 2.0]], [[3.0, 4.0]]
    square = Polynomial(2, coef0=0)
    assert (square.features(x) @ square.features(t).T).item() == pytest.approx(121)
    assert square.features(x).shape == (1, 3)
    # Without the roots of two, as the notes print it, the map is that of another kernel.
    plain = [np.array([a * a, a * b, b * b]) for a, b in ((1, 2), (3, 4))]
    assert plain[0] @ plain[1] == 97
    assert Polynomial(2).features(X).shape == (9, 10)


def test_all_products_come_in_the_order_of_the_notes():
    assert AllProducts().features([[2.0, 3.0]]).tolist() == [[1, 2, 3, 6]]
    assert AllProducts().features([[2.0, 3.0, 5.0]]).tolist() == [[1, 2, 3, 6, 5, 10, 15, 30]]


def test_the_series_of_the_exponential():
    x, t = [[1.3]], [[-0.4]]
    four = Exponential(0.7, degree=3)
    assert (four.features(x) @ four.features(t).T).item() == pytest.approx(0.694210, abs=5e-7)
    # As the notes print it, the second and the third feature have other factors, and it is another kernel.
    roots = np.sqrt([1, 2, 0.7 / 2, 0.7**3 / 6])
    printed = [roots * v ** np.arange(4) for v in (1.3, -0.4)]
    assert printed[0] @ printed[1] == pytest.approx(0.046602, abs=5e-7)


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (
            lambda: Exponential(0.7).features(X),
            BadParameter,
            "Exponential(gamma=0.7, degree=None) has infinitely many features. Cut its series off: "
            "Exponential(gamma, degree=10).",
        ),
        (
            lambda: (Linear() + Gaussian(0.5)).features(X),
            BadParameter,
            "Gaussian(gamma=0.5) has no finite feature map that is known here: use its values.",
        ),
        (
            lambda: Substring(2).features(["ab"]),
            BadParameter,
            "Substring(length=2) has no finite feature map that is known here: use its values.",
        ),
        (
            lambda: AllProducts().features(np.ones((1, 40))),
            BadData,
            "A map of 1 rows to 1,099,511,627,776 features has more than 67,108,864 numbers. Use the kernel "
            "itself: it never writes them out.",
        ),
        (
            lambda: Polynomial(3).features([[1e200]]),
            BadData,
            "Polynomial(degree=3, gamma=1.0, coef0=1.0) exceeds the largest number on these rows. Scale the "
            "features down, or normalise the examples to length one.",
        ),
        (
            lambda: as_kernel("precomputed").features([[1.0]]),
            BadParameter,
            "Precomputed() has no finite feature map that is known here: use its values.",
        ),
    ],
)
def test_refusals(make, error, sentence):
    with pytest.raises(error, match=f"^{re.escape(sentence)}$"):
        make()
