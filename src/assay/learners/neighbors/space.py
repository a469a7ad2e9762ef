"""Rows and examples in the form in which they are compared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cholesky, solve_triangular

from assay.compiled.neighbors.candidates import squared_lengths
from assay.compiled.neighbors.kd_search import ABSOLUTES, FORM, SQUARES
from assay.errors import BadData
from assay.learners.neighbors.metric import COSINE, EUCLIDEAN, MAHALANOBIS, MANHATTAN
from assay.types import Array, Bools, Floats

# Squares of larger differences could overflow.
LARGEST_CELL = 1e150
_UNIT = 2.0**-53
# Squares below the smallest normal number lose digits: times the width, so far can distances be off by that.
FLOOR = 2.0**-530
# Entries of a matrix that are smaller lose digits when they are multiplied.
_LEAST_ENTRY = 1e-290
# Shorter rows are enlarged before their directions are found; the smallest number times this has a square.
_LEAST_SQUARE, _ENLARGING = 1e-200, 2.0**600
_KINDS = {EUCLIDEAN: SQUARES, COSINE: SQUARES, MANHATTAN: ABSOLUTES, MAHALANOBIS: FORM}


@dataclass(frozen=True)
class Whitening:
    """New coordinates in which a Mahalanobis distance is the Euclidean one, and how exact that is.

    Attributes
    ----------
    factor : numpy.ndarray
        L with L L' = VI; the coordinates are (x - center) L.
    center : numpy.ndarray
    roots : numpy.ndarray
        The roots of the diagonal of VI: sizes of features do not matter, so errors are compared in their units.
    stretch : float
        At most by this factor the square of a distance and the computed form differ, but for `slack`.
    slack : float
        Times the length of x - center in those units: by how much distances between coordinates can be off in
        addition.
    """

    factor: Floats
    center: Floats
    roots: Floats
    stretch: float
    slack: float

    def coordinates(self, X: Array) -> Floats:
        """The rows in the new coordinates."""
        moved = X.astype(np.float64) - self.center
        return np.ascontiguousarray(moved @ self.factor, dtype=np.float64)

    def slacks(self, X: Floats) -> Floats:
        """What is to be added to the distances of each of these examples."""
        units = (X - self.center) * self.roots
        return np.asarray(self.slack * np.sqrt(np.square(units).sum(axis=1)) + X.shape[1] * FLOOR)


def whitening(VI: Floats, center: Floats) -> Whitening:
    """The coordinates of a Mahalanobis distance; refuses a matrix that is not safely positive definite."""
    width, roots = len(VI), np.sqrt(np.maximum(VI.diagonal(), 0.0))
    try:
        factor = cholesky(VI, lower=True)
        back = solve_triangular(factor / roots[:, None], np.eye(width), lower=True)
        # Of the matrix with ones on its diagonal; a bound on it, as the norms are those of Frobenius.
        condition = width * float(np.square(back).sum())
    except np.linalg.LinAlgError:
        condition = math.inf
    # The form is a sum of products that need not cancel, the factor is off by as much, and both errors are
    # compared with the length of x - y in units of the roots, which is at most |L^-1| times the distance.
    off = 8.0 * (width + 8) * _UNIT * condition
    if not (off < 1e-3 and VI.diagonal().min() >= _LEAST_ENTRY):
        raise BadData(
            "The matrix of the Mahalanobis distance is not positive definite, or so nearly singular that rounding "
            "would decide who is near. Leave out features that depend on others, or give VI in metric_params."
        )
    slack = 4.0 * (width + 8) * _UNIT * math.sqrt(width)
    return Whitening(factor, center, roots, 1.0 + 8.0 * off, slack)


class Space:
    """The rows of a sample, as one metric compares them.

    Parameters
    ----------
    name : str
        The metric.
    X : array or CSR matrix
        The rows, finite.
    VI : array, optional
        The matrix of the Mahalanobis distance.
    """

    def __init__(self, name: str, X: Any, VI: Floats | None = None) -> None:
        self.name, self.kind = name, _KINDS[name]
        self.sparse = sparse.issparse(X)
        self.width = X.shape[1]
        self.VI = np.zeros((0, 0)) if VI is None else VI
        self._most = LARGEST_CELL
        if VI is not None:
            # A form is a sum of width^2 products of an entry and two differences.
            size = max(1.0, float(np.abs(VI).max()))
            self._most = min(LARGEST_CELL, LARGEST_CELL / self.width / math.sqrt(size))
        require_sizes(X, self._most)
        self._zeros = False
        self.whitening: Whitening | None = None
        if name == COSINE:
            unit, empty = _unit_rows(X)
            self._zeros = bool(empty.any())
            # Rows without a direction get one of their own, at a right angle to all others.
            rows = _with_column(unit, empty.astype(np.float64)) if self._zeros else unit
        else:
            rows = _canonical(X)
        self.rows = rows
        if name == MAHALANOBIS:
            self.whitening = whitening(self.VI, rows.mean(axis=0, dtype=np.float64))

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def examples(self, X: Any) -> tuple[Any, Bools | None]:
        """Examples as they are compared, and which of them have no direction, where that matters."""
        if X.shape[1] != self.width:  # compiled loops would read beyond the end of rows
            raise BadData(f"X must have {self.width} features, but has {X.shape[1]}.")
        if self.sparse and not sparse.issparse(X):
            X = sparse.csr_matrix(X)
        elif not self.sparse and sparse.issparse(X):
            X = X.toarray()
        require_sizes(X, self._most)
        if self.name != COSINE:
            return (_canonical(X) if self.sparse else _doubles(X)), None
        unit, empty = _unit_rows(X)
        if self._zeros:
            unit = _with_column(unit, np.zeros(X.shape[0]))
        return unit, (empty if empty.any() else None)

    def distances(self, values: Floats) -> Floats:
        """The distances that numbers from the search stand for."""
        if self.name == MANHATTAN:
            return values
        return 0.5 * values if self.name == COSINE else np.sqrt(values)

    def limit(self, radius: float) -> float:
        """The largest number from the search whose distance is at most the radius."""
        if self.name == MANHATTAN:
            return radius
        if self.name == COSINE:
            return 2.0 * radius
        limit = min(radius * radius, 1e305)
        while math.sqrt(limit) > radius:
            limit = math.nextafter(limit, 0.0)
        while math.sqrt(math.nextafter(limit, math.inf)) <= radius and limit < 1e305:
            limit = math.nextafter(limit, math.inf)
        return limit


def require_sizes(X: Any, most: float = LARGEST_CELL) -> None:
    """Refuse numbers so large that the squares of their differences overflow."""
    cells = X.data if sparse.issparse(X) else X
    if cells.size and max(float(cells.max()), -float(cells.min())) > most:
        raise BadData(
            f"X holds numbers beyond {most:.3g}, whose distances could overflow. Scale the features."
        )


def _doubles(X: Any) -> Floats:
    return np.ascontiguousarray(X, dtype=np.float64)


def _canonical(X: Any) -> Any:
    """Dense rows in one piece; sparse ones with every column once and in order."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X.astype(np.float64, copy=False)


def _unit_rows(X: Any) -> tuple[Any, Bools]:
    """The rows scaled to length one, and which of them have none."""
    X = _canonical(X)
    squares = squares_of(X)
    if (squares < _LEAST_SQUARE).any():
        X = _enlarged(X, squares < _LEAST_SQUARE)
        squares = squares_of(X)
    empty = squares == 0
    lengths = np.sqrt(np.where(empty, 1.0, squares))
    if not sparse.issparse(X):
        unit = X.astype(np.float64) / lengths[:, None]
        unit[empty] = 0.0
        return unit, empty
    cells = X.data / np.repeat(lengths, np.diff(X.indptr))
    cells[np.repeat(empty, np.diff(X.indptr))] = 0.0
    return sparse.csr_matrix((cells, X.indices, X.indptr), shape=X.shape), empty


def as_compared(X: Any) -> Any:
    """Rows as compiled loops take them: dense ones as they are, sparse ones by their parts."""
    return (X.data, X.indices, X.indptr, X.shape[1]) if sparse.issparse(X) else X


def squares_of(X: Any) -> Floats:
    """The squared length of each row, added up like distances."""
    squares, width = np.empty(X.shape[0]), X.shape[1]
    zero = sparse.csr_matrix((1, width)) if sparse.issparse(X) else np.zeros((1, width))
    squared_lengths(as_compared(X), as_compared(zero), squares)
    return squares


def _enlarged(X: Any, small: Bools) -> Any:
    """Rows whose squares would vanish, or lose digits, times a power of two; their directions stay."""
    if not sparse.issparse(X):
        return X.astype(np.float64) * np.where(small, _ENLARGING, 1.0)[:, None]
    cells = X.data * np.repeat(np.where(small, _ENLARGING, 1.0), np.diff(X.indptr))
    return sparse.csr_matrix((cells, X.indices, X.indptr), shape=X.shape)


def _with_column(X: Any, column: Floats) -> Any:
    if not sparse.issparse(X):
        return np.ascontiguousarray(np.column_stack([X, column]))
    wider = sparse.csr_matrix(sparse.hstack([X, sparse.csr_matrix(column[:, None])]))
    wider.sort_indices()
    return wider
