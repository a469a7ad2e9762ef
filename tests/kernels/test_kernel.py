"""Kernels are scaled, added, multiplied and raised; every Gram matrix is positive semidefinite."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.errors import BadData, BadParameter
from assay.kernels import (
    AllProducts,
    Constant,
    Exponential,
    Gaussian,
    GeneralizedLinear,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Substring,
)

SIMPLE = [
    Linear(),
    Polynomial(2),
    Polynomial(3, gamma=0.5, coef0=0),
    Polynomial(5, gamma=0.2),
    Gaussian(0.3),
    Laplacian(0.4),
    Exponential(0.2),
    Exponential(0.5, degree=4),
    AllProducts(),
    Constant(2.5),
    GeneralizedLinear([[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]]),
    Normalized(Polynomial(2)),
    2 * Gaussian(1.0) + Linear() * Gaussian(0.1),
    (1 + Linear()) ** 3,
    Normalized(AllProducts()) * 0.5 + 1,
]
ROWS = np.random.default_rng(0).normal(size=(23, 3))
OTHERS = np.random.default_rng(1).normal(size=(7, 3))


def smallest_eigenvalue(block):
    values = np.linalg.eigvalsh(block)
    return values[0] / max(values[-1], 1.0)


@pytest.mark.parametrize("kernel", SIMPLE, ids=repr)
def test_gram_matrices_are_symmetric_and_positive_semidefinite(kernel: Kernel) -> None:
    block = kernel(ROWS)
    assert np.array_equal(block, block.T)
    assert smallest_eigenvalue(block) > -1e-13
    assert kernel.known_psd


def test_the_check_sees_what_is_no_kernel() -> None:
    assert smallest_eigenvalue(np.tanh(2 * ROWS @ ROWS.T - 1)) < -1e-6
    assert smallest_eigenvalue(Linear()(ROWS) - 0.5 * Gaussian(0.3)(ROWS)) < -1e-6


@pytest.mark.parametrize("kernel", SIMPLE, ids=repr)
def test_the_diagonal_is_the_blocks(kernel: Kernel) -> None:
    np.testing.assert_allclose(kernel.diagonal(ROWS), np.diag(kernel(ROWS)), rtol=1e-13)
    assert kernel.diagonal(ROWS).dtype == np.float64


@pytest.mark.parametrize("kernel", SIMPLE, ids=repr)
def test_a_block_is_a_part_of_the_whole(kernel: Kernel) -> None:
    both = kernel(np.vstack([ROWS, OTHERS]))
    np.testing.assert_allclose(
        kernel(ROWS, OTHERS), both[: len(ROWS), len(ROWS) :], rtol=1e-11, atol=1e-14
    )
    np.testing.assert_allclose(kernel(OTHERS, ROWS), kernel(ROWS, OTHERS).T, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("kernel", SIMPLE, ids=repr)
def test_sparse_rows_give_the_same(kernel: Kernel) -> None:
    rows = ROWS * (np.random.default_rng(2).random(ROWS.shape) < 0.5)
    for left in (rows, sparse.csr_matrix(rows), sparse.csc_array(rows)):
        for right in (OTHERS, sparse.coo_matrix(OTHERS)):
            found = kernel(left, right)
            assert type(found) is np.ndarray
            np.testing.assert_allclose(found, kernel(rows, OTHERS), rtol=1e-11, atol=1e-14)
    whole = kernel(sparse.csr_matrix(rows))
    assert np.array_equal(whole, whole.T)
    np.testing.assert_allclose(whole, kernel(rows), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(sparse.csr_matrix(rows)), kernel.diagonal(rows))


@pytest.mark.parametrize("kernel", SIMPLE, ids=repr)
def test_single_precision_stays_single_where_both_are(kernel: Kernel) -> None:
    rows = ROWS.astype(np.float32)
    assert kernel(rows).dtype == kernel(rows, rows[:2]).dtype == np.float32
    assert kernel.diagonal(rows).dtype == np.float32
    assert kernel(rows, OTHERS).dtype == kernel((9 * ROWS).astype(int)[:3]).dtype == np.float64
    np.testing.assert_allclose(kernel(rows), kernel(rows.astype(float)), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("kernel", SIMPLE, ids=repr)
def test_what_is_returned_is_new_and_what_was_given_stays(kernel: Kernel) -> None:
    rows = ROWS.copy()
    kernel(rows)[:] = -1
    kernel(rows, rows[:2])[:] = -1
    assert np.array_equal(rows, ROWS)


@pytest.mark.parametrize("kernel", SIMPLE, ids=repr)
def test_none_of_many_rows_is_missed(kernel: Kernel) -> None:
    rows = np.random.default_rng(3).normal(size=(700, 3)) / 2
    block = kernel(rows)
    some = [0, 350, 374, 375, 699]
    np.testing.assert_allclose(block[some], kernel(rows[some], rows), rtol=1e-10, atol=1e-12)
    assert np.array_equal(block, block.T)
    assert kernel(rows[:0], rows).shape == (0, 700)


def test_the_algebra_is_that_of_the_values() -> None:
    one, two = Polynomial(2)(ROWS), Gaussian(0.5)(ROWS)
    k, g = Polynomial(2), Gaussian(0.5)
    np.testing.assert_array_equal((k + g)(ROWS), one + two)
    np.testing.assert_array_equal((k * g)(ROWS), one * two)
    np.testing.assert_array_equal((3 * k)(ROWS), 3 * one)
    np.testing.assert_array_equal((k * 3)(ROWS), 3 * one)
    np.testing.assert_array_equal((k + 3)(ROWS), one + 3)
    np.testing.assert_array_equal((3 + k)(ROWS), 3 + one)
    np.testing.assert_allclose((g**7)(ROWS), two**7, rtol=1e-13)
    assert sum([k, g], Constant(0)) == Constant(0) + k + g


@pytest.mark.parametrize("bad", [-1, -1e-300, float("nan"), float("inf")])
def test_a_coefficient_that_is_not_a_kernels_is_refused(bad: float) -> None:
    sentence = f"A kernel's coefficient must be a finite number, zero or more, but is {bad!r}."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        bad * Linear()
    with pytest.raises(BadParameter, match=re.escape(f"zero or more, but is {bad!r}.")):
        Linear() + bad


@pytest.mark.parametrize("bad", [0, -1, 1.5, True])
def test_a_power_must_be_whole(bad: float) -> None:
    sentence = f"A kernel's power must be a whole number of at least 1, but is {bad!r}."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        Linear() ** bad


def test_what_is_no_kernel_is_not_added() -> None:
    for other in ("text", None, np.eye(2), True):
        with pytest.raises(TypeError):
            Linear() + other
        with pytest.raises(TypeError):
            other * Linear()
    with pytest.raises(TypeError):
        Linear() - Linear()


def test_rows_that_are_none_are_refused() -> None:
    for bad, sentence in (
        ([1.0, 2.0], "Rows must be a matrix, but have 1 dimension(s). For one example write [x]; "),
        ([["a"]], "Rows must be a matrix of numbers, but are not: "),
    ):
        with pytest.raises(BadData, match=re.escape(sentence)):
            Linear()(bad)
    sentence = "Both sides of a kernel must have as many columns, but have 3 and 2."
    with pytest.raises(BadData, match=re.escape(sentence)):
        Gaussian()(ROWS, ROWS[:, :2])


@pytest.mark.parametrize(
    "kernel", [Exponential(), Polynomial(9), AllProducts(), (1 + Linear()) ** 9]
)
def test_values_beyond_the_largest_number_are_refused(kernel: Kernel) -> None:
    sentence = (
        f"{kernel!r} exceeds the largest number on these rows. Scale the features down, or normalise "
        "the examples to length one."
    )
    huge = np.full((2, 40), 1e18)
    with pytest.raises(BadData, match=re.escape(sentence)):
        kernel(huge)
    with pytest.raises(BadData, match=re.escape(sentence)):
        kernel.diagonal(huge)


def test_strings_and_numbers_do_not_mix() -> None:
    assert (1 + Substring(2))(["aab"], ["ab"]).tolist() == [[2.0]]
    assert (Substring(2) ** 2 * 3)(["aab", "aa"], ["aab"]).tolist() == [[12.0], [3.0]]
    sentence = (
        "Substring(length=2) takes strings and Linear() takes rows of numbers: use Composed to map one "
        "to the other."
    )
    with pytest.raises(BadData, match=re.escape(sentence)):
        (Substring(2) + Linear())(["ab"])


kernels = st.recursive(
    st.sampled_from(SIMPLE[:10]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: two[0] + two[1]),
        st.tuples(inner, inner).map(lambda two: two[0] * two[1]),
        st.tuples(st.just(0.0) | st.floats(1e-3, 10), inner).map(lambda two: two[0] * two[1]),
        st.tuples(inner, st.integers(1, 3)).map(lambda two: two[0] ** two[1]),
        inner.map(Normalized),
    ),
    max_leaves=4,
)


@settings(max_examples=60, deadline=None)
@given(kernels)
def test_whatever_is_made_of_kernels_is_one(kernel: Kernel) -> None:
    rows = ROWS[:9] / 3
    block = kernel(rows)
    assert np.array_equal(block, block.T)
    assert smallest_eigenvalue(block) > -1e-12
    np.testing.assert_allclose(kernel.diagonal(rows), np.diag(block), rtol=1e-10)
    again = eval(repr(kernel), vars(__import__("assay.kernels").kernels))
    assert repr(again) == repr(kernel)
    np.testing.assert_array_equal(again(rows), block)


def test_definiteness_is_decided_without_rounding():
    from assay.kernels import as_kernel

    rows = np.arange(6.0)[:, None]
    assert Linear().definiteness(rows).semidefinite
    tilted = as_kernel(lambda A, B: -(A @ B.T))
    answer = tilted.definiteness(rows)
    assert not answer.semidefinite
    assert answer.form < 0
    sentence = "Definiteness is decided in exact numbers, for at most 60 rows, but there are 61."
    with pytest.raises(BadData, match=re.escape(sentence)):
        Linear().definiteness(np.zeros((61, 1)))
