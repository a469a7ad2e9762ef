"""Kernels of the product equal their explicit feature maps and scikit-learn's values."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel

from assay.errors import BadParameter
from assay.kernels import Exponential, Linear, Polynomial

X = np.random.default_rng(0).normal(size=(11, 4))
Y = np.random.default_rng(1).normal(size=(5, 4))


def monomials(rows, degree, gamma=1.0, coef0=1.0):
    """All products of powers, with the roots of the multinomial coefficients."""
    columns = []
    wide = np.column_stack([np.sqrt(gamma) * rows, np.full(len(rows), np.sqrt(coef0))])
    for powers in itertools.product(range(degree + 1), repeat=wide.shape[1]):
        if sum(powers) == degree:
            ways = math.factorial(degree) / math.prod(map(math.factorial, powers))
            columns.append(np.sqrt(ways) * np.prod(wide ** np.array(powers), axis=1))
    return np.column_stack(columns)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize(("gamma", "coef0"), [(1.0, 1.0), (0.3, 0.0), (0.5, 2.0)])
def test_polynomials_are_products_of_monomials(degree, gamma, coef0) -> None:
    kernel = Polynomial(degree, gamma=gamma, coef0=coef0)
    left, right = (monomials(rows, degree, gamma, coef0) for rows in (X, Y))
    np.testing.assert_allclose(kernel(X, Y), left @ right.T, rtol=1e-12, atol=1e-12)


def test_polynomials_of_two_numbers() -> None:
    x, t = [[1.0, 2.0]], [[3.0, 4.0]]
    assert Polynomial(2, coef0=0)(x, t).item() == 121
    assert Polynomial(2)(x, t).item() == 144

    def pairs(rows, root):
        a, b = np.asarray(rows).T
        return np.column_stack([a * a, root * a * b, b * b])

    # Without the root of two the map belongs to another kernel.
    assert (pairs(x, 1.0) @ pairs(t, 1.0).T).item() == 97
    assert (pairs(x, np.sqrt(2)) @ pairs(t, np.sqrt(2)).T).item() == pytest.approx(121)


def test_the_exponential_and_its_series() -> None:
    x, t = [[1.3]], [[-0.4]]
    assert Exponential(0.7)(x, t).item() == pytest.approx(0.694891, abs=5e-7)
    assert Exponential(0.7, degree=3)(x, t).item() == pytest.approx(0.694210, abs=5e-7)
    powers = np.arange(4)
    roots = np.sqrt(0.7**powers / np.array([1, 1, 2, 6]))
    features = [roots * np.asarray(v).item() ** powers for v in (x, t)]
    assert features[0] @ features[1] == pytest.approx(Exponential(0.7, degree=3)(x, t).item())
    # The series without its first term is less by one; the roots of the printed map are wrong.
    np.testing.assert_allclose(
        Exponential(0.2, degree=25)(X, Y), Exponential(0.2)(X, Y), rtol=1e-13
    )


def test_scikit_learn_gives_the_same() -> None:
    np.testing.assert_allclose(Linear()(X, Y), linear_kernel(X, Y), rtol=1e-13)
    for degree in (1, 2, 3, 5, 8):
        np.testing.assert_allclose(
            Polynomial(degree, 0.25, 1.0)(X, Y), polynomial_kernel(X, Y, degree), rtol=1e-12
        )


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Polynomial(0), "degree must be a whole number of at least 1, but is 0."),
        (lambda: Polynomial(2.5), "degree must be a whole number of at least 1, but is 2.5."),
        (lambda: Polynomial(2, 0.0), "gamma must be a finite number above zero, but is 0.0."),
        (lambda: Polynomial(2, -1), "gamma must be a finite number above zero, but is -1."),
        (lambda: Polynomial(2, True), "gamma must be a finite number above zero, but is True."),
        (
            lambda: Polynomial(2, 1.0, -0.5),
            "coef0 must be a finite number, zero or more, but is -0.5.",
        ),
        (lambda: Exponential(-1.0), "gamma must be a finite number above zero, but is -1.0."),
        (lambda: Exponential(math.nan), "gamma must be a finite number above zero, but is nan."),
        (lambda: Exponential(degree=0), "degree must be a whole number of at least 1, but is 0."),
    ],
)
def test_parameters_that_make_no_kernel_are_refused(make, sentence) -> None:
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        make()


def test_a_negative_constant_would_make_no_kernel() -> None:
    block = (X @ X.T - 0.5) ** 3
    assert np.linalg.eigvalsh(block)[0] < -1e-3
