"""The kernel of a matrix: refused unless the matrix is symmetric and positive semidefinite."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest

from assay.errors import BadData, BadParameter
from assay.kernels import GeneralizedLinear, Linear

X = np.random.default_rng(0).normal(size=(11, 4))
Y = np.random.default_rng(1).normal(size=(5, 4))
ROOT = np.random.default_rng(2).normal(size=(4, 2))


def test_it_is_the_linear_kernel_of_its_features() -> None:
    A = ROOT @ ROOT.T  # of rank two
    kernel = GeneralizedLinear(A)
    np.testing.assert_allclose(kernel(X, Y), X @ A @ Y.T, atol=1e-12)
    np.testing.assert_allclose(kernel(X), Linear()(X @ ROOT), atol=1e-12)
    assert np.linalg.matrix_rank(kernel(X)) == 2
    assert GeneralizedLinear(np.zeros((4, 4)))(X, Y).tolist() == np.zeros((11, 5)).tolist()


def test_isometries_leave_it_alone_and_other_maps_do_not() -> None:
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(4, 4)))[0]
    stretch = np.diag([2.0, 1, 1, 1])
    np.testing.assert_allclose(GeneralizedLinear(turn @ turn.T)(X, Y), Linear()(X, Y), atol=1e-12)
    assert not np.allclose(GeneralizedLinear(stretch @ stretch.T)(X, Y), Linear()(X, Y))


def test_it_copies_and_compares() -> None:
    A = ROOT @ ROOT.T
    kernel = GeneralizedLinear(A)
    A[0, 0] = -9
    assert (
        kernel
        == copy.deepcopy(kernel)
        == eval(repr(kernel), {"GeneralizedLinear": GeneralizedLinear})
    )
    assert kernel != GeneralizedLinear(np.eye(4))
    assert len({kernel, copy.deepcopy(kernel)}) == 1


@pytest.mark.parametrize(
    ("A", "sentence"),
    [
        (
            [[1.0, 0.0], [0.0, -0.25]],
            "A must be positive semidefinite, but has the eigenvalue -0.25.",
        ),
        ([[1.0, 2.0], [0.0, 1.0]], "A must be symmetric, but A[0, 1] is 2.0 and A[1, 0] is 0.0."),
        ([[1.0, 2.0]], "A must be a square matrix, but has shape (1, 2)."),
        ([[np.nan]], "A must be finite, but has a value that is not."),
        ("A", "A must be a square matrix of numbers, but is 'A'."),
    ],
)
def test_what_is_not_positive_semidefinite_is_refused(A, sentence) -> None:
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        GeneralizedLinear(A)


def test_rows_of_another_width_are_refused() -> None:
    sentence = "A is for 4 features, but the rows have 3."
    with pytest.raises(BadData, match=re.escape(sentence)):
        GeneralizedLinear(np.eye(4))(X[:, :3])
