"""Kernels that are functions of the product of two examples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import BadParameter, require
from assay.kernels.feature_maps import dense, powers
from assay.kernels.kernel import Kernel, above_zero, at_least_zero, is_number, raised, whole
from assay.kernels.points import dots, squares
from assay.types import Array


class OfProduct(Kernel):
    """A function of the product of two examples; a subclass says which."""

    def _block(self, A: Any, B: Any) -> Array:
        return self._of(dots(A, B))

    def _diagonal(self, A: Any) -> Array:
        return self._of(squares(A))

    def _of(self, block: Array) -> Array:
        """The values for an array of products, which may be overwritten."""
        return block


@dataclass(frozen=True)
class Linear(OfProduct):
    r""":math:`k(x,t)=x\cdot t`.

    Examples
    --------
    >>> from assay.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """

    def _map(self, A: Any) -> Array:
        return dense(A).copy()


@dataclass(frozen=True)
class Polynomial(OfProduct):
    r""":math:`k(x,t)=(\gamma\,x\cdot t+c)^r`: all products of up to r features; of exactly r, where c is zero.

    Parameters
    ----------
    degree : int, default=3
        r, at least 1.
    gamma : float, default=1.0
        Above zero.
    coef0 : float, default=1.0
        c, zero or more; the kernel is homogeneous where it is zero.

    Examples
    --------
    >>> from assay.kernels import Polynomial
    >>> Polynomial(2)([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[144.0]]
    >>> Polynomial(2, coef0=0)([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[121.0]]
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", whole("degree", self.degree))
        object.__setattr__(self, "gamma", above_zero("gamma", self.gamma))
        object.__setattr__(self, "coef0", at_least_zero("coef0", self.coef0))

    def _of(self, block: Array) -> Array:
        if self.gamma != 1.0:
            block *= self.gamma
        if self.coef0:
            block += self.coef0
        return raised(block, self.degree)

    def _map(self, A: Any) -> Array:
        images = math.sqrt(self.gamma) * dense(A)
        if self.coef0:
            images = np.column_stack([np.full(len(images), math.sqrt(self.coef0)), images])
        return powers(images, self.degree)


@dataclass(frozen=True)
class Sigmoid(OfProduct):
    r""":math:`k(x,t)=\tanh(\gamma\,x\cdot t+c)`, which has no feature map: eigenvalues may be below zero.

    It is here for scikit-learn's ``kernel="sigmoid"``. That a machine has a feature space is then taken on trust, as of
    a function of your own, and promised nothing of where its matrix on the sample is found to be that of no kernel.

    Parameters
    ----------
    gamma : float, default=1.0
        Above zero.
    coef0 : float, default=0.0
        c, a finite number.

    Examples
    --------
    >>> from assay.kernels import Sigmoid
    >>> Sigmoid(0.5)([[1.0, 2.0]], [[2.0, -1.0]]).tolist()
    [[0.0]]
    >>> Sigmoid().known_psd
    False
    """

    gamma: float = 1.0
    coef0: float = 0.0

    known_psd = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", above_zero("gamma", self.gamma))
        fine = is_number(self.coef0) and math.isfinite(self.coef0)
        require(fine, "coef0", "a finite number", self.coef0)
        object.__setattr__(self, "coef0", float(self.coef0))

    def _of(self, block: Array) -> Array:
        block *= self.gamma
        block += self.coef0
        return np.tanh(block, out=block)

    def _map(self, A: Any) -> Array:
        raise BadParameter("The sigmoid of a product has no feature map.")


@dataclass(frozen=True)
class Exponential(OfProduct):
    r""":math:`k(x,t)=e^{\gamma\,x\cdot t}`, or its series :math:`\sum_{i=0}^{r}\gamma^i(x\cdot t)^i/i!`.

    Parameters
    ----------
    gamma : float, default=1.0
        Above zero.
    degree : int, default=None
        r, where the series is cut off; None for the whole of it.

    Notes
    -----
    Normalised, it is the Gaussian kernel of half the gamma, which cannot overflow.

    Examples
    --------
    >>> from assay.kernels import Exponential
    >>> Exponential(0.7)([[1.3]], [[-0.4]]).round(6).tolist()
    [[0.694891]]
    >>> Exponential(0.7, degree=3)([[1.3]], [[-0.4]]).round(6).tolist()
    [[0.69421]]
    """

    gamma: float = 1.0
    degree: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", above_zero("gamma", self.gamma))
        if self.degree is not None:
            object.__setattr__(self, "degree", whole("degree", self.degree))

    def _of(self, block: Array) -> Array:
        block *= self.gamma
        if self.degree is None:
            np.exp(block, out=block)
            return block
        series = block / self.degree
        series += 1.0
        for i in range(self.degree - 1, 0, -1):
            series *= block
            series /= i
            series += 1.0
        return series

    def _map(self, A: Any) -> Array:
        if self.degree is None:
            raise BadParameter(
                f"{self!r} has infinitely many features. Cut its series off: Exponential(gamma, degree=10)."
            )
        images = dense(A)
        return np.hstack(
            [
                math.sqrt(self.gamma**i / math.factorial(i)) * powers(images, i)
                for i in range(self.degree + 1)
            ]
        )
