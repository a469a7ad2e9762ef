"""The kernel of a positive semidefinite matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter
from assay.kernels.eigen import eigenpairs
from assay.kernels.kernel import Kernel
from assay.kernels.points import dots, squares
from assay.types import Array, Floats


class GeneralizedLinear(Kernel):
    r""":math:`k(x,t)=x^\top A\,t` for a positive semidefinite A.

    With :math:`A=RR^\top` the features are :math:`R^\top x`, and this is how it is computed.

    Parameters
    ----------
    A : array-like of shape (n_features, n_features)
        Symmetric, and without a negative eigenvalue.

    Examples
    --------
    >>> from assay.kernels import GeneralizedLinear
    >>> k = GeneralizedLinear([[2.0, 1.0], [1.0, 2.0]])
    >>> k([[1.0, 2.0]], [[3.0, 4.0]]).round(9).tolist()
    [[32.0]]
    >>> GeneralizedLinear([[0.0, 1.0], [1.0, 0.0]])
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: A must be positive semidefinite, but has the eigenvalue -1.0.
    """

    def __init__(self, A: Any) -> None:
        try:
            matrix = np.array(A, dtype=np.float64)
        except (TypeError, ValueError):
            raise BadParameter(f"A must be a square matrix of numbers, but is {A!r}.") from None
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
            raise BadParameter(f"A must be a square matrix, but has shape {matrix.shape}.")
        if not np.isfinite(matrix).all():
            raise BadParameter("A must be finite, but has a value that is not.")
        scale = float(np.abs(matrix).max())
        slack = 8 * len(matrix) * np.finfo(np.float64).eps * scale
        if np.abs(matrix - matrix.T).max() > slack:
            i, j = np.unravel_index(np.abs(matrix - matrix.T).argmax(), matrix.shape)
            raise BadParameter(
                f"A must be symmetric, but A[{i}, {j}] is {float(matrix[i, j])!r} and "
                f"A[{j}, {i}] is {float(matrix[j, i])!r}."
            )
        values, vectors = eigenpairs(matrix)
        if values[0] < -slack:
            raise BadParameter(
                f"A must be positive semidefinite, but has the eigenvalue {float(values[0]):.6}."
            )
        kept = values > slack
        self._root = vectors[:, kept] * np.sqrt(values[kept])
        matrix.setflags(write=False)
        self.A: Floats = matrix

    def __repr__(self) -> str:
        return f"GeneralizedLinear(A={self.A.tolist()!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeneralizedLinear) and np.array_equal(self.A, other.A)

    def __hash__(self) -> int:
        return hash(self.A.tobytes())

    def _features(self, X: Any) -> Array:
        if X.shape[1] != len(self.A):
            raise BadData(f"A is for {len(self.A)} features, but the rows have {X.shape[1]}.")
        return np.ascontiguousarray(X @ self._root.astype(X.dtype, copy=False))

    def _block(self, A: Any, B: Any) -> Array:
        left = self._features(A)
        return dots(left, left if A is B else self._features(B))

    def _diagonal(self, A: Any) -> Array:
        return squares(self._features(A))

    def _map(self, A: Any) -> Array:
        return self._features(A)
