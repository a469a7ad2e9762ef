"""Blocks of a Gram matrix, computed when they are asked for: by products of matrices, on several threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from assay.kernels import Gaussian, Kernel, Linear, Precomputed

# Columns that are worked on at a time: what a product writes is then still near when it is raised to e.
_PIECE = 2048
_MOST_THREADS = 8
# Below so many values a thread costs more than it saves.
_WORTH_THREADS = 1 << 19
_BLOCK = 1 << 22


class Gram:
    """The values of a kernel between all pairs of training examples.

    Parameters
    ----------
    kernel : Kernel
    X : array or CSR matrix
        The examples; for a precomputed kernel the values themselves.
    single : bool
        Whether values are kept in single precision.
    """

    def __init__(self, kernel: Kernel, X: Any, *, single: bool = False) -> None:
        self.kernel = kernel
        self.dtype: Any = np.float32 if single else np.float64
        self.threads = 1
        self._pool: ThreadPoolExecutor | None = None
        self._given = X
        self._sides = _sides(kernel, X, self.dtype)
        self.diagonal = np.asarray(kernel.diagonal(X), dtype=np.float64)

    def __len__(self) -> int:
        return int(self._given.shape[0])

    @contextmanager
    def threaded(self, work: int) -> Iterator[None]:
        """Share the work among the processors, if there is enough of it for that to pay."""
        count = _processors()
        if count < 2 or work < 16 * _WORTH_THREADS:
            yield
            return
        # The products would otherwise start threads of their own, in the way of these.
        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(count) as pool:
            self._pool, self.threads = pool, count
            try:
                yield
            finally:
                self._pool, self.threads = None, 1

    def share(self, many: int, cost: int, work: Callable[[int, int], None]) -> None:
        """Call ``work(start, stop)`` for all pieces of so many columns, whose bounds do not depend on threads."""
        if self._pool is None or cost * many < _WORTH_THREADS:
            for start in range(0, many, _PIECE):
                work(start, min(many, start + _PIECE))
            return
        starts = range(0, many, _PIECE)
        list(self._pool.map(lambda s: work(s, min(many, s + _PIECE)), starts))

    def rows(self, places: NDArray[np.int64], columns: Any, out: NDArray[Any]) -> None:
        """Write the values of some examples with others (an index array, or None for all) into a block."""
        left, right = self._sides
        if isinstance(self.kernel, Precomputed):
            picked = left[places] if columns is None else left[np.ix_(places, columns)]
            out[...] = picked
        elif right is None:
            others = self._given if columns is None else self._given[columns]
            out[...] = self.kernel(self._given[places], others)
        else:
            near, far = left[places], right if columns is None else right[:, columns]
            many = far.shape[1]
            self.share(many, len(places), lambda s, e: self._values(near, far[:, s:e], out[:, s:e]))

    def _values(self, near: NDArray[Any], far: NDArray[Any], out: NDArray[Any]) -> None:
        np.matmul(near, far, out=out)
        if isinstance(self.kernel, Gaussian):
            np.minimum(out, 0.0, out=out)
            np.exp(out, out=out)

    def product(
        self, places: NDArray[np.int64], others: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The sums of kernel values of some examples with others, weighted; the block is never whole."""
        sums = np.empty(len(places))
        step = max(1, _BLOCK // max(1, len(others)))
        for start in range(0, len(places), step):
            part = places[start : start + step]
            block = np.empty((len(part), len(others)), dtype=self.dtype)
            self.rows(part, others, block)
            sums[start : start + step] = block @ weights
        return sums


def _processors() -> int:
    allowed = getattr(os, "sched_getaffinity", None)  # not everywhere
    return min(_MOST_THREADS, (os.cpu_count() or 1) if allowed is None else len(allowed(0)))


def _sides(kernel: Kernel, X: Any, dtype: Any) -> tuple[Any, Any]:
    """Two matrices whose product is what a kernel is a function of; None for the second where there are none.

    For the Gaussian the product is minus the scaled squared distance itself. Distances do not change when
    the examples are centred, which keeps digits that single precision has few of.
    """
    if isinstance(kernel, Precomputed):
        return (X.toarray() if sparse.issparse(X) else np.asarray(X)), None
    if sparse.issparse(X) or type(kernel) not in (Gaussian, Linear):
        return X, None
    if isinstance(kernel, Linear):
        rows = np.ascontiguousarray(X, dtype=dtype)
        return rows, np.ascontiguousarray(rows.T)
    assert isinstance(kernel, Gaussian)
    return gaussian_sides(kernel.gamma, X, X, dtype)


def gaussian_sides(gamma: float, X: Any, T: Any, dtype: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two matrices whose product is minus gamma times the squared distance of every x to every t."""
    centre = np.asarray(np.mean(T, axis=0, dtype=np.float64))
    left = _stretched(gamma, X, centre, dtype)
    right = left if T is X else _stretched(gamma, T, centre, dtype)
    far = np.empty((right.shape[1], right.shape[0]), dtype=dtype)
    far[:-2], far[-2], far[-1] = right[:, :-2].T, right[:, -1], right[:, -2]
    return left, far


def _stretched(gamma: float, X: Any, centre: NDArray[np.float64], dtype: Any) -> NDArray[Any]:
    rows = (X - centre) * np.sqrt(2.0 * gamma)
    out = np.empty((rows.shape[0], rows.shape[1] + 2), dtype=dtype)
    out[:, :-2] = rows
    out[:, -2] = -0.5 * np.einsum("ij,ij->i", rows, rows)
    out[:, -1] = 1.0
    return out


def scores(
    kernel: Kernel, X: Any, T: Any, coefficients: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The sums over t of c_t k(x, t), for every x and every row of coefficients; the block is never whole."""
    out = np.empty((X.shape[0], len(coefficients)))
    if not T.shape[0]:
        out[:] = 0.0
        return out
    weights = np.ascontiguousarray(coefficients.T)
    dense = not (sparse.issparse(X) or sparse.issparse(T))
    step = max(1, min(1024, _BLOCK // T.shape[0]))
    if type(kernel) is Gaussian and dense:
        near, far = gaussian_sides(kernel.gamma, X, T, np.float64)

        def some(start: int, stop: int) -> None:
            block = np.empty((stop - start, min(_PIECE, far.shape[1])))
            out[start:stop] = 0.0
            for s in range(0, far.shape[1], _PIECE):
                e = min(far.shape[1], s + _PIECE)
                part = np.matmul(near[start:stop], far[:, s:e], out=block[:, : e - s])
                np.minimum(part, 0.0, out=part)
                np.exp(part, out=part)
                out[start:stop] += part @ weights[s:e]

        step = 256
    else:

        def some(start: int, stop: int) -> None:
            out[start:stop] = kernel(X[start:stop], T) @ weights

    starts = range(0, X.shape[0], step)
    count = _processors()
    if count < 2 or X.shape[0] * T.shape[0] < 8 * _WORTH_THREADS:
        for start in starts:
            some(start, min(X.shape[0], start + step))
    else:
        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(count) as pool:
            list(pool.map(lambda s: some(s, min(X.shape[0], s + step)), starts))
    return out
