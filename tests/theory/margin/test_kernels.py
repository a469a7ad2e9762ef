import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.margin.kernels import kernel_closure, kernel_feature_identities, kernel_psd
from tests.refusals import (
    COUNT_FROM_ONE,
    NOT_COUNTS_FROM_ONE,
    NOT_POSITIVE,
    POSITIVE,
    assert_refuses_all,
    refuses,
)

cell = st.integers(-4, 4)


def square_table(n):
    return st.lists(st.lists(cell, min_size=n, max_size=n), min_size=n, max_size=n)


def product(table):
    A = np.array(table)
    return (A @ A.T).tolist()


@settings(max_examples=80)
@given(st.integers(1, 5).flatmap(square_table))
def test_semidefinite_as_the_eigenvalues_say(table):
    M = np.array(table)
    M = M + M.T
    found, least = kernel_psd(M.tolist()), np.linalg.eigvalsh(M)[0]
    if abs(least) > 1e-9:
        assert found.semidefinite == (least > 0)
    if not found.semidefinite:
        c = found.witness
        form = sum(a * b * int(M[i, j]) for i, a in enumerate(c) for j, b in enumerate(c))
        assert form == found.form < 0


@given(st.integers(1, 5).flatmap(square_table))
def test_inner_products_are_semidefinite_even_where_they_are_singular(table):
    assert kernel_psd(product(table)) == (True, None, None)


def test_a_zero_diagonal_hides_nothing():
    found = kernel_psd([[0, 1], [1, 0]])
    assert not found.semidefinite
    assert found.form < 0
    assert kernel_psd([[0, 0], [0, 0]]).semidefinite


def test_slack_forgives_rounding_and_no_more():
    table = [[1, 1 + 1e-12], [1 + 1e-12, 1]]
    assert not kernel_psd(table).semidefinite
    assert kernel_psd(table, slack=1e-11).semidefinite


def test_some_similarities_are_no_kernels():
    # The sigmoid of an inner product, and a distance.
    x = [0.5, 1.0, 2.0]
    tanh = [[math.tanh(a * b - 1) for b in x] for a in x]
    distance = [[abs(a - b) for b in x] for a in x]
    assert not kernel_psd(tanh).semidefinite
    assert not kernel_psd(distance).semidefinite


@settings(max_examples=40)
@given(square_table(3), square_table(3), st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_what_is_made_of_kernels_is_one(first, second, coefficients):
    a, b = product(first), product(second)
    for made in (
        kernel_closure("scale", a, coefficients=coefficients[:1]),
        kernel_closure("sum", a, b),
        kernel_closure("product", a, b),
        kernel_closure("polynomial", a, coefficients=coefficients),
    ):
        assert kernel_psd(made).semidefinite
    assert kernel_closure("sum", a, b)[0][1] == a[0][1] + b[0][1]
    assert kernel_closure("polynomial", a, coefficients=[1, 2, 3])[0][1] == (
        1 + 2 * a[0][1] + 3 * a[0][1] ** 2
    )


def test_a_difference_of_kernels_need_not_be_one():
    a, b = [[1, 0], [0, 1]], [[2, 2], [2, 2]]
    difference = [[x - y for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]
    assert not kernel_psd(difference).semidefinite


def test_golden_values_and_the_misprinted_map():
    assert kernel_feature_identities("square", [1, 2], [3, 4]) == (121, 121, 0.0)
    assert kernel_feature_identities("square-plus-one", [1, 2], [3, 4]) == (144, 144, 0.0)
    bits = [1, 0, 1, 1, 0], [1, 1, 1, 0, 0]
    assert kernel_feature_identities("all-products", *bits) == (4, 4, 0.0)
    # Products x_i x_j for i <= j without the square root of two give 97 where the kernel is 121.
    plain = sum(p * q for p, q in [(3, 3), (3, 8), (8, 8)])
    assert plain == 97 != 121


def test_the_exponential_and_its_misprinted_map():
    found = kernel_feature_identities("exponential", [1.3], [-0.4], scale=0.7)
    assert found.kernel == pytest.approx(0.694891, abs=1e-6)
    assert abs(Fraction(found.kernel) - found.features) <= Fraction(found.remainder) < 1e-14
    four = kernel_feature_identities("exponential", [1.3], [-0.4], scale=0.7, terms=4)
    assert float(four.features) == pytest.approx(0.694210, abs=1e-6)
    assert abs(Fraction(four.kernel) - four.features) <= Fraction(four.remainder)
    a, x, t = 0.7, 1.3, -0.4
    maps = [
        (1, math.sqrt(2) * v, math.sqrt(a / 2) * v**2, math.sqrt(a**3 / 6) * v**3) for v in (x, t)
    ]
    printed = sum(p * q for p, q in zip(*maps, strict=True))
    assert printed == pytest.approx(0.046602, abs=1e-6)
    assert abs(printed - found.kernel) > found.remainder


numbers = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=5)


@given(numbers, st.sampled_from(["all-products", "square", "square-plus-one"]))
def test_formula_and_features_agree_exactly(pairs, kernel):
    x, t = zip(*pairs, strict=True)
    both = kernel_feature_identities(kernel, x, t)
    assert both.kernel == both.features


@given(st.floats(-8, 8), st.floats(0.01, 1), st.integers(1, 30))
def test_the_remainder_bounds_what_is_left_out(x, a, terms):
    both = kernel_feature_identities("exponential", [x], [1.5], scale=a, terms=terms)
    assert abs(Fraction(both.kernel) - both.features) <= Fraction(both.remainder)


def test_refusals():
    good = {"kernel": "exponential", "x": [1], "t": [1], "scale": 1, "terms": 3}
    assert_refuses_all(kernel_feature_identities, good, "scale", POSITIVE, NOT_POSITIVE)
    assert_refuses_all(
        kernel_feature_identities, good, "terms", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE
    )
    with refuses("the length of x must be at most 16, but is 17."):
        kernel_feature_identities("all-products", [1] * 17, [1] * 17)
    with refuses("coefficients[0] must be a finite number, zero or more, but is -1."):
        kernel_closure("scale", [[1]], coefficients=[-1])
    with refuses("first must be positive semidefinite, but is [[-1]]."):
        kernel_closure("scale", [[-1]], coefficients=[1])
    with refuses("second must be given for a sum, but is None."):
        kernel_closure("sum", [[1]])
    with refuses("the size of second must be 1, but is 2."):
        kernel_closure("sum", [[1]], [[1, 0], [0, 1]])
    with refuses("coefficients must be given here, but is None."):
        kernel_closure("polynomial", [[1]])
    with refuses("the length of coefficients must be 1, but is 2."):
        kernel_closure("scale", [[1]], coefficients=[1, 2])
    with refuses(
        "combination must be one of 'scale', 'sum', 'product', 'polynomial', but is 'quotient'."
    ):
        kernel_closure("quotient", [[1]])
