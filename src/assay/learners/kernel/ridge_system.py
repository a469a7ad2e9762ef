"""The system behind kernel ridge regression: the kernel matrix, the targets and the weights of the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.kernels import Kernel
from assay.learners.common.row_weights import row_weights
from assay.learners.kernel.kernel_learner import block_sums
from assay.learners.kernel.penalised import Factored, Spectrum
from assay.types import Array, Floats

CELLS = 1 << 23
"""Kernel values that are computed at a time."""

# Up to so many rows a second matrix does not matter, and eigenvalues serve any number of penalties.
_DECOMPOSED = 2000

# Weights, the diagonal of the inverse, and the kernel matrix times the weights where that is known.
_Solved = tuple[Array, Array, Array | None]


class RidgeSystem:
    """The kernel matrix and the targets, rows and columns times the roots of the weights."""

    def __init__(self, kernel: Kernel, X: Any, y: Array, sample_weight: Any) -> None:
        self.kernel, self.X = kernel, X
        self._weighted = sample_weight is not None
        weights = row_weights(sample_weight, y) if self._weighted else np.ones(len(y))
        # Weights of at most one, so that single precision holds them: the penalty is divided by as much.
        self.heaviest = float(weights.max())
        self.roots = np.sqrt(weights / self.heaviest).astype(y.dtype)
        self._plain = y
        self.y = y * self.roots[:, None] if self._weighted else y
        self.product: Array | None = None

    def matrix(self) -> Array:
        """The kernel matrix, a new one that may be overwritten."""
        K = np.ascontiguousarray(self.kernel(self.X), dtype=self.y.dtype)
        if self._weighted:
            K *= self.roots[:, None]
            K *= self.roots
        return K

    def each(self, penalties: Floats) -> Iterator[_Solved]:
        """For each penalty the weights of all targets, the diagonal of the inverse, and K times the weights."""
        count = self.y.shape[1]
        if len(self.y) > _DECOMPOSED:
            least = Factored(self.matrix(), float(penalties.min()) / self.heaviest)
            if least.fine:  # else the smallest penalty is lost in rounding
                yield from self._each_factored(least.restore(), penalties)
                return
        spectrum, scaled = Spectrum(self.matrix()), penalties / self.heaviest
        diagonals = spectrum.inverse_diagonals(scaled)
        for place, penalty in enumerate(scaled):
            coef = spectrum.solve(self.y, np.full(count, penalty))
            yield coef, diagonals[:, place : place + 1], None

    def _each_factored(self, K: Array, penalties: Floats) -> Iterator[_Solved]:
        """The same by factors, in one matrix."""
        for penalty in penalties:
            factored = Factored(K, float(penalty) / self.heaviest)
            coef = factored.solve(self.y)
            product = factored.times(coef)
            yield coef, factored.inverse_diagonal()[:, None], product
            K = factored.restore()

    def factored(
        self, penalties: Floats, *, inverse: bool
    ) -> tuple[Array, Array | None, Array] | None:
        """The weights of every target with its penalty, the diagonals of the inverses, and K times the weights.

        None where a penalty is lost in rounding.
        """
        coef, product = np.empty_like(self.y), np.empty_like(self.y)
        diagonals = np.empty(self.y.shape) if inverse else None
        K = self.matrix()
        distinct = np.unique(penalties)
        for penalty in distinct:
            places = np.flatnonzero(penalties == penalty)
            factored = Factored(K, float(penalty) / self.heaviest)
            if not factored.fine:
                return None
            coef[:, places] = factored.solve(self.y[:, places])
            product[:, places] = factored.times(coef[:, places])
            if diagonals is not None:
                diagonals[:, places] = factored.inverse_diagonal()[:, None]
            if penalty != distinct[-1]:
                K = factored.restore()
        return coef, diagonals, product

    def _times(self, coef: Array) -> Array:
        """K coef, block by block."""
        roots = self.roots[:, None]
        return np.asarray(roots * block_sums(self.kernel, self.X, self.X, roots * coef, CELLS))

    def distance(self, coef: Array, penalties: Floats) -> float:
        """How far the two forms of the fit are apart in the kernel's space, from above.

        With the residuals r = y - K a - lambda a, that is at most the sum of |r_i| sqrt(k(x_i, x_i)) over lambda; what
        rounding may have done to r is added to it. Every product in K a is at most the product of the two lengths.
        """
        if self.product is None:
            self.product = self._times(coef)
        penalties = penalties / self.heaviest
        unit = float(np.finfo(self.y.dtype).eps) / 2
        part = (len(coef) + 8) * unit
        if part >= 0.5:
            return math.inf
        a, y, product = (
            block.astype(np.float64, copy=False) for block in (coef, self.y, self.product)
        )
        squared = self.kernel.diagonal(self.X).astype(np.float64)
        # From above, where the diagonal is rounded too.
        lengths = np.sqrt(np.maximum(squared, 0.0)) * self.roots.astype(np.float64) * (1 + 8 * unit)
        rest = y - product - penalties * a
        sizes = lengths[:, None] * (lengths @ np.abs(a))
        doubt = part / (1 - part) * (np.abs(y) + sizes + penalties * np.abs(a))
        apart = lengths @ (np.abs(rest) + doubt) / penalties
        least = float(penalties.min())
        # Single precision may already have rounded the product; doubt covers it, being in its unit.
        return float(np.sqrt(np.sum(apart**2 * (penalties / least)))) * (1 + 1e-9)

    def left_out(self, coef: Array, inverse: Array | None) -> Array:
        """What every row is predicted to be by the others: y_i - a_i / (inverse)_ii."""
        assert inverse is not None
        missed = coef / inverse
        kept = self.roots > 0
        predicted = self._plain.astype(np.float64)
        predicted[kept] -= missed[kept] / self.roots[kept, None]
        if not kept.all():  # a row of no weight was left out to begin with
            places = np.flatnonzero(~kept)
            values = self.kernel(self.X[places], self.X)
            predicted[places] = values @ (self.roots[:, None] * coef)
        return predicted
