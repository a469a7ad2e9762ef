"""Kernels as short programs for the compiled loops, which run them on one pair of examples at a time."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

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


class Program(NamedTuple):
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
    try:
        steps = _steps(kernel, 0)
    except NotImplementedError:
        return None
    code = np.array([name for name, _ in steps], dtype=np.int64)
    numbers = np.array([number for _, number in steps], dtype=np.float64)
    needs = np.array([bool((code == wanted).any()) for wanted in range(4)])
    return Program(code, numbers, needs, own=bool((code == step.SIDE).any()))


def _steps(kernel: Kernel, side: int) -> _Steps:
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
            return [*_steps(inner, side), (step.TIMES, coefficient)]
        case Power(kernel=inner, degree=degree):
            return [*_steps(inner, side), (step.POWER, degree)]
        case Sum(left=left, right=right):
            return [*_steps(left, side), *_steps(right, side), (step.ADD, 0.0)]
        case Product(left=left, right=right):
            return [*_steps(left, side), *_steps(right, side), (step.MULTIPLY, 0.0)]
        case Normalized(kernel=inner):
            # Of the pair, and of each example with itself; of an example with itself all three are that.
            steps: _Steps = []
            for seen in (0, 1, 2) if side == 0 else (side,) * 3:
                steps += [(step.SIDE, seen), *_steps(inner, seen)]
            return [*steps, (step.NORMALIZE, 0.0), (step.SIDE, side)]
    raise NotImplementedError(f"{kernel!r} has no formula")
