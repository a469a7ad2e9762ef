"""Which kernels have a program, and what it asks for."""

from __future__ import annotations

import numpy as np

from assay.kernels import (
    AllProducts,
    Composed,
    Gaussian,
    GeneralizedLinear,
    Laplacian,
    Linear,
    Normalized,
    Substring,
    as_kernel,
)
from assay.learners.kernel import program_of


def test_a_program_asks_only_for_what_it_needs() -> None:
    for kernel, needs in (
        (Linear(), [True, False, False, False]),
        (Gaussian(), [False, True, False, False]),
        (Laplacian() * AllProducts(), [False, False, True, True]),
    ):
        program = program_of(kernel)
        assert program.needs.tolist() == needs
        assert not program.own
    assert program_of(Normalized(Linear())).own


def test_kernels_without_a_formula_have_none() -> None:
    for kernel in (
        GeneralizedLinear(np.eye(2)),
        Composed(Linear(), np.abs),
        as_kernel(np.dot),
        as_kernel("precomputed"),
        Substring(2),
    ):
        assert program_of(kernel) is None
        assert program_of(2 * kernel) is None
        assert program_of(Linear() + kernel) is None
        assert program_of(Normalized(kernel)) is None
