"""What kernels print is read back to equal ones, and nothing else is run."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay.errors import BadData, BadParameter
from assay.kernels import (
    AllProducts,
    Composed,
    Constant,
    Exponential,
    Gaussian,
    GeneralizedLinear,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Precomputed,
    Sigmoid,
    Substring,
    as_kernel,
    kernel_text,
    read_kernel,
)

ALL = [
    Linear(),
    Polynomial(4, 0.1, 2.5),
    Exponential(0.1),
    Exponential(0.1, 3),
    Gaussian(1 / 3),
    Laplacian(1e-7),
    Sigmoid(0.5, -1.0),
    AllProducts(),
    Constant(0.0),
    Precomputed(),
    Substring(5),
    GeneralizedLinear([[2.0, -1.0], [-1.0, 2.0]]),
    Normalized(Substring(2) + 1),
    Linear() + Gaussian() * 2,
    (Linear() + Gaussian()) * Linear() ** 2,
    Linear() + (Gaussian() + Linear()),
    Linear() * (Gaussian() * Linear()),
    2 * (3 * Linear()),
    (2 * Linear()) ** 2,
    2 * Linear() ** 2,
    (Linear() ** 2) ** 3,
    Constant(1) + Constant(2) + Linear(),
    Constant(2) * Linear(),
    (1 + Linear()) ** 2,
    (2 * Linear()) * Gaussian(),
    Linear() * (2 * Gaussian()),
]


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_it_reads_what_it_writes(kernel) -> None:
    assert read_kernel(kernel_text(kernel)) == kernel


def test_other_kernels_are_written_differently() -> None:
    assert len({repr(kernel) for kernel in ALL}) == len(ALL)


def test_functions_are_not_written() -> None:
    for kernel in (as_kernel(np.dot), Composed(Linear(), np.abs), 1 + as_kernel(np.dot)):
        sentence = (
            f"A kernel must be made of those of assay.kernels to be written down, but is {kernel!r}, "
            "which holds a function of yours."
        )
        with pytest.raises(BadParameter, match=re.escape(sentence)):
            kernel_text(kernel)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "Linear",
        "Linear() - Linear()",
        "1 + 1",
        "open('file')",
        "__import__('os')",
        "Linear().known_psd",
        "Linear(1)",
        "Gaussian(gamma='scale')",
        "Gaussian(**{})",
        "2 ** Linear()",
        "[Linear()]",
        "Linear() +",
        "(" * 500 + ")" * 500,
        "Linear()" + " + Linear()" * 50_000,
        "lambda: 1",
    ],
)
def test_nothing_else_is_read(text) -> None:
    with pytest.raises(BadData, match=re.escape(f"{text[:200]!r} does not describe a kernel.")):
        read_kernel(text)


def test_parameters_are_still_checked() -> None:
    with pytest.raises(BadParameter, match=re.escape("gamma must be a finite number above zero")):
        read_kernel("Gaussian(gamma=-1.0)")
    with pytest.raises(BadParameter, match="positive semidefinite"):
        read_kernel("GeneralizedLinear(A=[[-1.0]])")
