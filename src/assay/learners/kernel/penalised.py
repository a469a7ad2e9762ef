"""Systems (K + lambda I) a = y in the place of K: by Cholesky's factors, or by eigenvalues where these fail."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from assay.kernels.points import mirror
from assay.types import Array, Floats

_STRIP = 1 << 18


class Factored:
    """The factors of K + lambda I, written over one triangle of K; the other triangle stays K's.

    Parameters
    ----------
    K : array of shape (n, n), in C order and symmetric
        Overwritten.
    penalty : float

    Attributes
    ----------
    fine : bool
        Whether the matrix was positive definite, as far as rounding can tell. Nothing else may be asked if not.
    """

    def __init__(self, K: Array, penalty: float) -> None:
        self._diagonal = K.diagonal().copy()
        K.flat[:: len(K) + 1] += penalty
        # Fortran's upper triangle of the transposed view is C's lower one: nothing is copied.
        factor = linalg.get_lapack_funcs("potrf", (K,))
        self._K, info = factor(K.T, lower=False, clean=False, overwrite_a=True)
        self.fine = info == 0

    def restore(self) -> Array:
        """K as it was, out of the triangle that was left; the factors are gone then."""
        K: Array = self._K.T
        mirror(K)
        K.flat[:: len(K) + 1] = self._diagonal
        return K

    def solve(self, y: Array) -> Array:
        """The solution for every column of y."""
        solve = linalg.get_lapack_funcs("potrs", (self._K,))
        solution, _ = solve(self._K, y, lower=False)
        return np.asarray(solution)

    def times(self, a: Array) -> Array:
        """K a, from the triangle that was left and the diagonal that was put aside."""
        multiply = linalg.get_blas_funcs("symv", (self._K,))
        K, n = self._K.T, len(self._K)
        mine = K.diagonal().copy()
        K.flat[:: n + 1] = self._diagonal
        product = np.stack([multiply(1.0, self._K, column, lower=True) for column in a.T], axis=1)
        K.flat[:: n + 1] = mine
        return product

    def inverse_diagonal(self) -> Array:
        """The diagonal of the inverse. The factors are gone afterwards."""
        invert = linalg.get_lapack_funcs("trtri", (self._K,))
        inverse, _ = invert(self._K, lower=False, unitdiag=False, overwrite_c=True)
        n, rows = len(inverse), inverse.T
        total = np.zeros(n, dtype=np.float64)
        step = max(1, _STRIP // n)
        for start in range(0, n, step):
            strip = np.tril(rows[start : start + step, : start + step], start)
            total[: strip.shape[1]] += np.einsum("ij,ij->j", strip, strip)
        return total


class Spectrum:
    """The eigenvalues and eigenvectors of K: one decomposition serves every lambda, and a K without an inverse.

    The eigenvectors need a second matrix.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
        Overwritten. Eigenvalues below zero are rounding, and taken for zero.
    """

    def __init__(self, K: Array) -> None:
        values, self._vectors = linalg.eigh(
            K.T, lower=False, overwrite_a=True, check_finite=False, driver="evr"
        )
        self._values = np.maximum(values, 0.0)

    def _shares(self, penalty: float) -> Array:
        """One over eigenvalue plus lambda; zero for directions that only rounding has put there.

        A lambda below the rounding of the eigenvalues is raised to it: it could not be told from noise.
        """
        floor = len(self._values) * float(np.finfo(self._values.dtype).eps)
        floor *= float(self._values.max(initial=0.0))
        raised = self._values + (max(penalty, floor) if penalty > 0 else 0.0)
        kept = raised > (0.0 if penalty > 0 else floor)
        shares: Array = np.divide(1.0, raised, out=np.zeros_like(raised), where=kept)
        return shares

    def solve(self, y: Array, penalties: Floats) -> Array:
        """The solution for every column of y, each with its lambda."""
        shares = np.stack([self._shares(float(penalty)) for penalty in penalties], axis=1)
        return np.asarray(self._vectors @ (shares * (self._vectors.T @ y)))

    def inverse_diagonals(self, penalties: Floats) -> Array:
        """The diagonals of the inverses, one column for each lambda."""
        shares = np.stack([self._shares(float(penalty)) for penalty in penalties], axis=1)
        n = len(self._values)
        step = max(1, _STRIP // n)
        parts = [self._vectors[i : i + step] ** 2 @ shares for i in range(0, n, step)]
        return np.concatenate(parts)
