"""A kernel's program gives the kernel's values, pair by pair, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.compiled.kernel.kernel_pairs import ROOM, pair_values
from assay.learners.kernel import program_of
from tests.kernels.test_kernel import SIMPLE

rng = np.random.default_rng(0)
X = rng.normal(size=(5, 3)) * (rng.random((5, 3)) < 0.7)
T = rng.normal(size=(ROOM, 3)) * (rng.random((ROOM, 3)) < 0.7)
KNOWN = [kernel for kernel in SIMPLE if program_of(kernel) is not None]


def buffers(program, size=ROOM):
    return np.zeros((3, 4, size)), np.zeros((len(program.code), size))


@pytest.mark.parametrize("kernel", KNOWN, ids=repr)
def test_values_are_the_kernels(kernel) -> None:
    p = program_of(kernel)
    what, stack = buffers(p)
    whole = kernel(X, T)
    left, right = sparse.csr_matrix(X), sparse.csr_matrix(T)
    thin = (*(getattr(left, part) for part in ("data", "indices", "indptr")),)
    other = (*(getattr(right, part) for part in ("data", "indices", "indptr")),)
    for r in range(len(X)):
        pair_values(*p, (X, None, None), r, (T, None, None), 0, ROOM, what, stack)
        np.testing.assert_allclose(stack[0], whole[r], rtol=1e-11, atol=1e-13)
        dense = stack[0].copy()
        pair_values(*p, thin, r, other, 0, ROOM, what, stack)
        np.testing.assert_allclose(stack[0], dense, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kernel", KNOWN, ids=repr)
def test_a_pair_has_one_value_whatever_stands_beside_it(kernel) -> None:
    p = program_of(kernel)
    what, stack = buffers(p)
    rows, others = (X, None, None), (T, None, None)
    pair_values(*p, rows, 2, others, 0, ROOM, what, stack)
    whole = stack[0].copy()
    for start, stop in ((0, 1), (3, 4), (5, 12), (7, 100)):
        pair_values(*p, rows, 2, others, start, stop, what, stack)
        assert stack[0, : stop - start].tolist() == whole[start:stop].tolist()
