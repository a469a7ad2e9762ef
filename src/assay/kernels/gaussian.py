"""Kernels that are functions of the distance of two examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from assay.kernels.kernel import Kernel, above_zero
from assay.kernels.points import dots, mirror, squares, strips, upper_dots
from assay.types import Array


@dataclass(frozen=True)
class OfDistance(Kernel):
    """A function of the distance of two examples: one where that is zero."""

    gamma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", above_zero("gamma", self.gamma))

    def _diagonal(self, A: Any) -> Array:
        return np.ones(A.shape[0], dtype=A.dtype)


@dataclass(frozen=True)
class Gaussian(OfDistance):
    r""":math:`k(x,t)=e^{-\gamma\|x-t\|^2}`: near one for examples close to each other, and k(x, x) = 1.

    Parameters
    ----------
    gamma : float, default=1.0
        Above zero.

    Examples
    --------
    >>> from assay.kernels import Gaussian
    >>> Gaussian(0.3)([[1.0, 2.0]], [[3.0, 4.0]]).round(6).tolist()
    [[0.090718]]
    """

    def _block(self, A: Any, B: Any) -> Array:
        a = self.gamma * squares(A)
        b = a if A is B else self.gamma * squares(B)
        block = upper_dots(A) if A is B else dots(A, B)
        for rows in strips(block):
            # Of A with itself only what lies right of the diagonal is worked out; the rest is its mirror.
            first = rows.start if A is B else 0
            strip = block[rows, first:]
            strip *= 2.0 * self.gamma
            strip -= a[rows, None] + b[first:]
            np.minimum(strip, 0.0, out=strip)  # a distance is not negative, whatever rounding says
            np.exp(strip, out=strip)
        if A is B:
            mirror(block)
            np.fill_diagonal(block, 1.0)
        return block


@dataclass(frozen=True)
class Laplacian(OfDistance):
    r""":math:`k(x,t)=e^{-\gamma\|x-t\|_1}`.

    Parameters
    ----------
    gamma : float, default=1.0
        Above zero.

    Examples
    --------
    >>> from assay.kernels import Laplacian
    >>> Laplacian(0.5)([[1.0, 2.0]], [[3.0, 4.0]]).round(6).tolist()
    [[0.135335]]
    """

    def _block(self, A: Any, B: Any) -> Array:
        if sparse.issparse(A) or sparse.issparse(B):
            from sklearn.metrics.pairwise import manhattan_distances

            block = manhattan_distances(sparse.csr_matrix(A), sparse.csr_matrix(B))
        else:
            block = cdist(A, B, "cityblock")
        block *= -self.gamma
        np.exp(block, out=block)
        return block.astype(A.dtype, copy=False)  # type: ignore[no-any-return]
