"""Eigenvalues of a symmetric matrix, also where LAPACK's quickest routine gives up."""

from __future__ import annotations

from scipy import linalg

from assay.types import Floats


def eigenpairs(matrix: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues in ascending order, and the eigenvectors as columns.

    The routine that SciPy takes by default may end with an internal error where many eigenvalues are all but equal,
    as in the Gram matrix of rows that repeat; divide and conquer then finds them.

    Examples
    --------
    >>> import numpy as np
    >>> eigenpairs(np.diag([2.0, 1.0]))[0].tolist()
    [1.0, 2.0]
    """
    try:
        values, vectors = linalg.eigh(matrix)
    except linalg.LinAlgError:
        values, vectors = linalg.eigh(matrix, driver="evd")
    return values, vectors
