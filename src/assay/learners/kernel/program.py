"""Kernels as short programs for the compiled loops, which run them on one pair of examples at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from assay.compiled.kernel import kernel_pairs as step
from assay.kernels import (
    AllProducts,
    Constant,
    Exponential,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Power,
    Product,
    Scaled,
    Sum,
)
from assay.types import Bools, Floats, Ints

_Steps = list[tuple[int, float]]


@dataclass(frozen=True)
class Program:
    """What `assay.compiled.kernel.kernel_pairs` runs.

    Attributes
    ----------
    code, numbers : array
        The steps and their numbers.
    needs : array of four truth values
        What of a pair is computed: product, squared and absolute distance, product of 1 + x_i t_i.
    own : bool
        Whether it asks for these of each example with itself.
    """

    code: Ints
    numbers: Floats
    needs: Bools
    own: bool


@lru_cache(maxsize=64)
def program_of(kernel: Kernel) -> Program | None:
    """The program of a kernel; None for one that is not made of those with a formula.

    Examples
    --------
    >>> program_of(2 * Gaussian(0.5)).numbers.tolist()
    [0.0, -0.5, 0.0, 2.0]
    """
    steps = _steps(kernel, 0)
    if steps is None:
        return None
    code = np.array([name for name, _ in steps], dtype=np.int64)
    numbers = np.array([number for _, number in steps], dtype=np.float64)
    needs = np.array([bool((code == wanted).any()) for wanted in range(4)])
    return Program(code, numbers, needs, own=bool((code == step.SIDE).any()))


def _steps(kernel: Kernel, side: int) -> _Steps | None:
    match kernel:
        case Linear():
            return [(step.DOT, 0.0)]
        case Polynomial(degree=degree, gamma=gamma, coef0=coef0):
            shifted = [(step.DOT, 0.0), (step.TIMES, gamma), (step.PLUS, coef0)]
            return [*shifted, (step.POWER, degree)]
        case Exponential(gamma=gamma, degree=None):
            return [(step.DOT, 0.0), (step.TIMES, gamma), (step.EXP, 0.0)]
        case Exponential(gamma=gamma, degree=int() as degree):
            return [(step.DOT, 0.0), (step.TIMES, gamma), (step.SERIES, degree)]
        case Gaussian(gamma=gamma):
            return [(step.SQUARED, 0.0), (step.TIMES, -gamma), (step.EXP, 0.0)]
        case Laplacian(gamma=gamma):
            return [(step.ABSOLUTE, 0.0), (step.TIMES, -gamma), (step.EXP, 0.0)]
        case AllProducts():
            return [(step.PRODUCTS, 0.0)]
        case Constant(value=value):
            return [(step.NUMBER, value)]
        case Scaled(coefficient=coefficient, kernel=inner):
            return _then(_steps(inner, side), (step.TIMES, coefficient))
        case Power(kernel=inner, degree=degree):
            return _then(_steps(inner, side), (step.POWER, degree))
        case Sum(left=left, right=right):
            return _then(_both(left, right, side), (step.ADD, 0.0))
        case Product(left=left, right=right):
            return _then(_both(left, right, side), (step.MULTIPLY, 0.0))
        case Normalized(kernel=inner):
            return _normalized(inner, side)
    return None


def _then(steps: _Steps | None, *more: tuple[int, float]) -> _Steps | None:
    return None if steps is None else [*steps, *more]


def _both(left: Kernel, right: Kernel, side: int) -> _Steps | None:
    one, two = _steps(left, side), _steps(right, side)
    return None if one is None or two is None else [*one, *two]


def _normalized(kernel: Kernel, side: int) -> _Steps | None:
    """The kernel of the pair, and of each example with itself; of an example with itself all three are that."""
    found: _Steps = []
    for seen in (0, 1, 2) if side == 0 else (side,) * 3:
        inner = _steps(kernel, seen)
        if inner is None:
            return None
        found += [(step.SIDE, seen), *inner]
    return [*found, (step.NORMALIZE, 0.0), (step.SIDE, side)]
