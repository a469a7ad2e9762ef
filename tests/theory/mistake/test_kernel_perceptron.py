from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.mistake.kernel_perceptron import (
    kernel_perceptron_mistakes,
    perceptron_dnf_mistakes,
)
from assay.theory.mistake.perceptron import perceptron_hinge_mistakes
from tests.naive.kernel_perceptron import all_products, kernel_perceptron
from tests.naive.perceptron import dot, perceptron
from tests.naive.winnow import products
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    FORM,
    NONNEGATIVE,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_NONNEGATIVE,
    NOT_POSITIVE,
    POSITIVE,
    assert_refuses_all,
    refuses,
)

ZEROS = (1, -1, "mistake")
KERNELS = {
    "linear": dot,
    "quadratic": lambda x, z: (1 + dot(x, z)) ** 2,
    "cubic": lambda x, z: (2 + dot(x, z)) ** 3,
}
boolean = st.integers(0, 1)
small = st.fractions(min_value=Fraction(1, 50), max_value=20, max_denominator=50)


# The formulas


def test_bounds_of_small_instances():
    assert kernel_perceptron_mistakes(largest_diagonal=4, squared_norm=9) == 36
    assert kernel_perceptron_mistakes(1, squared_norm=4, hinge_loss=3) == 9
    assert kernel_perceptron_mistakes(1, squared_norm=4, hinge_loss=3, form="textbook") == 10
    assert perceptron_dnf_mistakes(terms=2, features=3) == 9 * 8
    assert perceptron_dnf_mistakes(terms=2, features=10**9, most_ones=3) == 9 * 8


@given(small, small, st.fractions(0, 20, max_denominator=20))
def test_linear_kernel_has_the_perceptrons_bound(radius, norm, loss):
    for form in ("sharp", "textbook"):
        in_feature_space = kernel_perceptron_mistakes(radius**2, norm**2, loss, form)
        assert in_feature_space == perceptron_hinge_mistakes(radius, norm, loss, form)


@given(small, small, small, st.fractions(1, 3, max_denominator=20))
def test_bound_is_monotone(diagonal, norm, loss, more):
    for form in ("sharp", "textbook"):
        least = kernel_perceptron_mistakes(diagonal, norm, loss, form)
        assert least <= kernel_perceptron_mistakes(diagonal * more, norm, loss, form)
        assert least <= kernel_perceptron_mistakes(diagonal, norm * more, loss, form)
        assert least <= kernel_perceptron_mistakes(diagonal, norm, loss * more, form)


@given(st.integers(0, 20), st.integers(1, 30), st.integers(0, 30))
def test_dnf_bound_grows_with_terms_and_ones(terms, features, ones):
    ones = min(ones, features)
    bound = perceptron_dnf_mistakes(terms, features, ones)
    assert bound == (4 * terms + 1) * 2**ones <= perceptron_dnf_mistakes(terms, features)
    assert bound <= perceptron_dnf_mistakes(terms + 1, features, ones)


# The promise


@st.composite
def kernel_data(draw):
    """Integer examples labelled by a combination a of kernel functions, none of them at zero."""
    name = draw(st.sampled_from(sorted(KERNELS)))
    d = draw(st.integers(1, 3))
    X = draw(st.lists(st.tuples(*[st.integers(-3, 3)] * d), min_size=1, max_size=12))
    a = [draw(st.integers(-2, 2)) for _ in X]
    kernel = KERNELS[name]
    values = [sum(ai * kernel(z, x) for ai, z in zip(a, X, strict=True)) for x in X]
    kept = [(x, v) for x, v in zip(X, values, strict=True) if v != 0]
    squared = sum(
        ai * aj * kernel(zi, zj)
        for ai, zi in zip(a, X, strict=True)
        for aj, zj in zip(a, X, strict=True)
    )
    return kernel, kept, squared


@given(kernel_data(), st.sampled_from(ZEROS))
def test_separable_data_never_break_the_bound(data, zero):
    kernel, kept, squared = data
    if not kept:
        return
    X, values = zip(*kept, strict=True)
    y = [1 if v > 0 else -1 for v in values]
    run = kernel_perceptron(kernel, X * 3, y * 3, zero)
    diagonal = max(kernel(x, x) for x in X)
    margin = min(abs(v) for v in values)
    assert run.mistakes <= kernel_perceptron_mistakes(diagonal, Fraction(squared, margin**2))
    # A longer target with slack instead of margin one: the loss is paid for.
    u = Fraction(1, max(abs(v) for v in values))
    loss = 3 * sum(1 - abs(v) * u for v in values)
    for form in ("sharp", "textbook"):
        bound = kernel_perceptron_mistakes(diagonal, squared * u**2, loss, form)
        assert run.mistakes <= bound


def test_forgetting_the_diagonal_is_rejected():
    # Long orthogonal examples: u = -sum_t x_t / 9 has margin 1 and squared norm 4 / 9.
    X = [[3 * int(i == j) for j in range(4)] for i in range(4)]
    run = kernel_perceptron(dot, X, [-1] * 4)
    assert run.mistakes == 4 == kernel_perceptron_mistakes(9, Fraction(4, 9))
    assert run.mistakes > kernel_perceptron_mistakes(1, Fraction(4, 9))


@st.composite
def dnf_data(draw):
    d = draw(st.integers(1, 4))
    terms = draw(st.sets(st.frozensets(st.integers(0, d - 1)), max_size=3))
    X = draw(st.lists(st.tuples(*[boolean] * d), min_size=1, max_size=30))
    y = [1 if any(all(x[i] for i in term) for term in terms) else -1 for x in X]
    return X, y, len(terms)


@given(dnf_data(), st.sampled_from(ZEROS))
@settings(max_examples=50)
def test_dnf_never_breaks_its_bound(data, zero):
    X, y, k = data
    run = kernel_perceptron(all_products, X * 2, y * 2, zero)
    assert run.mistakes <= perceptron_dnf_mistakes(k, len(X[0]), max(map(sum, X)))


@given(dnf_data(), st.sampled_from(ZEROS))
@settings(max_examples=30)
def test_kernel_counts_what_the_explicit_products_count(data, zero):
    X, y, _ = data
    explicit = perceptron([products(x) for x in X], y, zero)
    assert kernel_perceptron(all_products, X, y, zero).scores == explicit.scores


def test_dnf_bound_without_the_constants_share_is_rejected():
    def broken(k, ones):
        return 4 * k * 2**ones

    assert kernel_perceptron(all_products, [(0,)], [-1]).mistakes > broken(k=0, ones=0)


# Refusals


def test_bad_inputs_are_refused():
    inputs = {"largest_diagonal": 1, "squared_norm": 1, "hinge_loss": 1}
    function = kernel_perceptron_mistakes
    assert_refuses_all(function, inputs, "largest_diagonal", POSITIVE, NOT_POSITIVE)
    for name in ("squared_norm", "hinge_loss"):
        assert_refuses_all(function, inputs, name, NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(function, inputs, "form", FORM, ["blunt", None])
    inputs = {"terms": 1, "features": 3, "most_ones": 2}
    function = perceptron_dnf_mistakes
    assert_refuses_all(function, inputs, "terms", COUNT, NOT_COUNTS)
    assert_refuses_all(function, inputs, "features", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(
        function, inputs, "most_ones", COUNT, [v for v in NOT_COUNTS if v is not None]
    )


@pytest.mark.parametrize(("name", "ones"), [("features", None), ("most_ones", 20_000)])
def test_counts_that_nobody_could_print_are_refused(name, ones):
    with refuses(f"{name} must be at most 10000, as 2 is raised to it, but is 20000."):
        perceptron_dnf_mistakes(terms=1, features=20_000, most_ones=ones)
    with refuses("most_ones must be at most the number of features 2, but is 3."):
        perceptron_dnf_mistakes(terms=1, features=2, most_ones=3)
