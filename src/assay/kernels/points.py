"""What kernels are given: rows, dense or sparse, and the products of rows that most kernels are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from assay.errors import BadData
from assay.types import Array

# Rows of a Gram block that are worked on at a time, so that what is computed beside the block stays small.
_CELLS = 1 << 18
_TILE = 256


def matrix(X: Any) -> Any:
    """The rows as a float matrix, dense or CSR: float32 where they are, else float64."""
    if sparse.issparse(X):
        rows = X.tocsr()
        if rows.ndim != 2:
            raise BadData(f"Rows must be a matrix, but have {rows.ndim} dimension(s).")
        if rows.dtype not in (np.float32, np.float64):
            rows = rows.astype(np.float64)
        if not rows.has_canonical_format:  # products are then summed in one order on both sides
            rows = rows.copy()
            rows.sum_duplicates()
        return rows
    if getattr(X, "dtype", None) == np.float32:
        rows = np.asarray(X)
    else:
        try:
            rows = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise BadData(f"Rows must be a matrix of numbers, but are not: {error}.") from None
    if rows.ndim != 2:
        raise BadData(
            f"Rows must be a matrix, but have {rows.ndim} dimension(s). "
            "For one example write [x]; for one feature X[:, None]."
        )
    return rows


def unread(X: Any) -> Any:
    """The examples as they are, for a kernel that takes any: only plain lists of rows become arrays."""
    if sparse.issparse(X):
        return X.tocsr()
    if isinstance(X, (list, tuple)) and not all(isinstance(x, str) for x in X):
        return np.asarray(X)
    return X


def common_type(A: Any, B: Any) -> tuple[Any, Any]:
    """Both of one precision, and of the same number of columns."""
    if A.shape[1] != B.shape[1]:
        raise BadData(
            f"Both sides of a kernel must have as many columns, but have {A.shape[1]} and {B.shape[1]}."
        )
    if A.dtype != B.dtype:
        return A.astype(np.float64, copy=False), B.astype(np.float64, copy=False)
    return A, B


def dots(A: Any, B: Any) -> Array:
    """All products <a, b>, as a new array; of A with itself exactly symmetric."""
    if A is B and not sparse.issparse(A):
        block = upper_dots(A)
        mirror(block)
        return block
    block = A @ B.T
    return block.toarray() if sparse.issparse(block) else np.ascontiguousarray(block)


def upper_dots(A: Any) -> Array:
    """Products of the rows with each other, as a new array; at least those on and right of the diagonal."""
    if sparse.issparse(A) or not A.size:
        return dots(A, A.copy())
    multiply = linalg.get_blas_funcs("syrk", (A,))
    # Fortran's lower triangle is the upper one of rows.
    return np.asarray(multiply(1.0, np.ascontiguousarray(A).T, trans=1, lower=1).T)


def squares(A: Any) -> Array:
    """<a, a> for every row."""
    if sparse.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", A, A))


def strips(block: Array) -> list[slice]:
    """Strips of rows of a Gram block, each small enough to stay in the cache."""
    step = max(1, _CELLS // max(1, block.shape[1]))
    return [slice(i, i + step) for i in range(0, block.shape[0], step)]


def mirror(block: Array) -> None:
    """Copy what lies right of the diagonal of a square block to the left of it, tile by tile."""
    n = len(block)
    for i in range(0, n, _TILE):
        for j in range(i, n, _TILE):
            rows, columns = slice(i, i + _TILE), slice(j, j + _TILE)
            if i != j:
                block[columns, rows] = block[rows, columns].T
            else:
                square = block[rows, rows]
                upper = np.triu(square)
                square[...] = upper + np.triu(square, 1).T
