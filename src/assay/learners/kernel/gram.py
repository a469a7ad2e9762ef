"""Blocks of a Gram matrix, computed when they are asked for: by products of matrices, on several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from assay.compiled.common.processors import processors
from assay.compiled.kernel.gaussian_rows import gaussian_rows
from assay.compiled.kernel.working_set import add_rows
from assay.kernels import Gaussian, Kernel, Linear, Precomputed
from assay.types import Array, Floats, Ints

# Steps, and the sums that rows times their steps are added to.
_Sums = tuple[Floats, Floats] | None

# Columns that are worked on at a time, and how many products: what they are raised to is then added while it is near.
_PIECE = 1024
_PRODUCTS = 1 << 17
_MOST_THREADS = 8
# Below so many values a thread costs more than it saves.
_WORTH_THREADS = 1 << 19
_BLOCK = 1 << 22
# Up to so many features a row is soon computed, and memory for it that was never written to costs as much as
# computing it several times: only what is asked for so often is then worth it.
_FEW = 128
_OFTEN = 8


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
        self._map: Callable[..., Iterator[Any]] = map
        self._own = threading.local()
        self.X = X
        self._sides = _sides(kernel, X, self.dtype)
        self.diagonal = np.asarray(kernel.diagonal(X), dtype=np.float64)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @contextmanager
    def threaded(self, work: int) -> Iterator[None]:
        """Share the work among the processors, if there is enough of it for that to pay."""
        with _workers(work >= 16 * _WORTH_THREADS) as self._map:
            try:
                yield
            finally:
                self._map = map

    def share(self, many: int, cost: int, work: Callable[[int, int], None]) -> None:
        """Call ``work(start, stop)`` for all pieces of so many columns, whose bounds do not depend on threads."""
        piece = min(_PIECE, max(_PIECE // 4, many // 8))  # so that there are enough for all threads
        run = map if cost * many < _WORTH_THREADS else self._map
        list(run(lambda start: work(start, min(many, start + piece)), range(0, many, piece)))

    @property
    def often(self) -> float:
        """How often a row is asked for until it is worth keeping."""
        if self._looked_up:
            return np.inf
        left, right = self._sides
        return 1 if right is None or left.shape[1] > _FEW else _OFTEN

    @property
    def _looked_up(self) -> bool:
        return isinstance(self.kernel, Precomputed)

    def add(
        self,
        places: Ints,
        columns: Ints | None,
        steps: Floats,
        sums: Floats,
        out: Array | None = None,
    ) -> None:
        """Add the values of some examples, each times its step, to sums for others or for all.

        The values go into a block if there is one; else they are never whole.
        """
        self.rows(places, columns, out, (steps, sums))

    def product(self, places: Ints, others: Ints, weights: Floats) -> Floats:
        """The sums of kernel values of some examples with others, weighted."""
        sums = np.zeros(len(places))
        self.add(others, places, weights, sums)
        return sums

    def rows(
        self, places: Ints, columns: Ints | None, out: Array | None, into: _Sums = None
    ) -> None:
        """Write the values of some examples with others, or with all, into a block, and add them to sums."""
        left, right = self._sides
        if right is not None:
            near, far = left[places], right if columns is None else right[:, columns]

            def some(start: int, stop: int) -> None:
                self._piece(near, far[:, start:stop], out, into, start)

            self.share(far.shape[1], len(places), some)
            return
        others = left if columns is None or self._looked_up else left[columns]
        many = len(self) if columns is None else len(columns)
        # Small beside all values.
        step = max(1, min(_BLOCK // max(1, many), len(self) // 32))
        for first in range(0, len(places), step):
            part = places[first : first + step]
            if not self._looked_up:
                values = self.kernel(left[part], others)
            else:
                values = left[part] if columns is None else left[np.ix_(part, columns)]
            block = values.astype(self.dtype, copy=False)
            if out is not None:
                out[first : first + step] = block
            if into is not None:
                self._add(block, into[0][first : first + step], into[1])

    def _add(self, block: Array, steps: Floats, sums: Floats) -> None:
        slots, block = np.arange(len(block)), np.ascontiguousarray(block)
        self.share(
            len(sums),
            len(block),
            lambda start, stop: add_rows(block, slots, steps, sums, start, stop),
        )

    def _piece(self, near: Array, far: Array, out: Array | None, into: _Sums, start: int) -> None:
        """The values for some columns, a few rows at a time: they are still near when they are added."""
        width = far.shape[1]
        tall = max(1, _PRODUCTS // max(1, width))
        products, values = (part[: tall * width].reshape(tall, width) for part in self._scratch())
        values = values if out is None else out
        slots = np.arange(max(tall, len(near)))
        for first in range(0, len(near), tall):
            last = min(len(near), first + tall)
            row, column = (0, 0) if out is None else (first, start)
            part = np.matmul(near[first:last], far, out=products[: last - first])
            self._raised(part, values, row, column)
            if into is not None:
                steps, sums = into[0][first:last], into[1][start - column :]
                these = slots[row : row + last - first]
                add_rows(values, these, steps, sums, column, column + width)

    def _scratch(self) -> Array:
        """Memory of this thread's own: new memory costs more than what is written to it here."""
        scratch: Array | None = getattr(self._own, "scratch", None)
        if scratch is None:
            scratch = self._own.scratch = np.empty((2, max(_PRODUCTS, _PIECE)), dtype=self.dtype)
        return scratch

    def _raised(self, part: Array, values: Array, row: int, column: int) -> None:
        if isinstance(self.kernel, Gaussian) and part.dtype == np.float32:
            gaussian_rows(part, values, row, column)
            return
        meant = values[row : row + part.shape[0], column : column + part.shape[1]]
        if isinstance(self.kernel, Gaussian):
            np.minimum(part, 0.0, out=part)
            np.exp(part, out=meant)
        else:
            meant[...] = part


@cache
def _libraries() -> Any:
    """Those with threads of their own; looking for them takes longer than a small fit."""
    return ThreadpoolController()


class _OneThreadEach:
    """While any search is at work, in whichever thread, products start no threads of their own."""

    lock = threading.Lock()
    searches = 0
    limits: Any = None

    def __enter__(self) -> None:
        with self.lock:
            if not _OneThreadEach.searches:
                _OneThreadEach.limits = _libraries().limit(limits=1, user_api="blas")
            _OneThreadEach.searches += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            _OneThreadEach.searches -= 1
            if not _OneThreadEach.searches:
                _OneThreadEach.limits.restore_original_limits()


@contextmanager
def _workers(worth: bool) -> Iterator[Callable[..., Iterator[Any]]]:
    """What maps a function over work: on all processors where that is worth it.

    Products start no threads of their own meanwhile: these would be in the way, and they are too small for it.
    """
    count = min(_MOST_THREADS, processors())
    with _OneThreadEach():
        if count < 2 or not worth:
            yield map
            return
        with ThreadPoolExecutor(count) as pool:
            yield pool.map


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


def gaussian_sides(gamma: float, X: Any, T: Any, dtype: Any) -> tuple[Array, Array]:
    """Two matrices whose product is minus gamma times the squared distance of every x to every t."""
    centre = np.asarray(np.mean(T, axis=0, dtype=np.float64))
    left = _stretched(gamma, X, centre, dtype)
    right = left if T is X else _stretched(gamma, T, centre, dtype)
    far = np.empty((right.shape[1], right.shape[0]), dtype=dtype)
    far[:-2], far[-2], far[-1] = right[:, :-2].T, right[:, -1], right[:, -2]
    return left, far


def _stretched(gamma: float, X: Any, centre: Floats, dtype: Any) -> Array:
    rows = (X - centre) * np.sqrt(2.0 * gamma)
    out = np.empty((rows.shape[0], rows.shape[1] + 2), dtype=dtype)
    out[:, :-2] = rows
    out[:, -2] = -0.5 * np.einsum("ij,ij->i", rows, rows)
    out[:, -1] = 1.0
    return out


def scores(kernel: Kernel, X: Any, T: Any, coefficients: Floats) -> Floats:
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

    n = X.shape[0]
    with _workers(n * T.shape[0] >= 8 * _WORTH_THREADS) as run:
        list(run(lambda start: some(start, min(n, start + step)), range(0, n, step)))
    return out
