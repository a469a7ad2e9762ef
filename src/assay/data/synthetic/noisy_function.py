"""Numbers that are a known function of their row, and noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import ArrayLike

from assay.data.synthetic.draws import is_count, require_counts
from assay.errors import BadParameter, require
from assay.types import Floats

_NODES = 400  # of the quadrature: exact for polynomials of a degree up to 799


@lru_cache
def _nodes() -> tuple[Floats, Floats]:
    from scipy.special import roots_legendre

    nodes, weights = roots_legendre(_NODES)
    return nodes, weights


@dataclass(frozen=True)
class NoisyFunction:
    r"""y = F(x) + noise, with x uniform in a box and the noise normal with mean zero.

    The best prediction is F itself (``bayes-regressor``), and its expected square error the variance of the noise.

    Parameters
    ----------
    function : callable
        F, of an array of rows to an array of numbers; of an array of numbers where there is one feature.
    noise : float
        The standard deviation of the noise, zero or more.
    low, high : float
        The sides of the box, the same for every feature.
    features : int
        How many there are.

    Examples
    --------
    >>> source = NoisyFunction(np.sin, noise=0.1, low=0.0, high=3.0)
    >>> X, y = source.sample(5, random_state=1)
    >>> X.shape, bool(np.abs(y - np.sin(X[:, 0])).max() < 0.5)
    ((5, 1), True)
    """

    function: Callable[[Any], Any]
    noise: float = 0.1
    low: float = -1.0
    high: float = 1.0
    features: int = 1

    def __post_init__(self) -> None:
        require(callable(self.function), "function", "a function of rows", self.function)
        good = not isinstance(self.noise, bool | str) and 0 <= self.noise < np.inf
        require(good, "noise", "a finite number, zero or more", self.noise)
        apart = bool(np.isfinite([self.low, self.high]).all()) and self.low < self.high
        require(apart, "high", f"a finite number above low, {self.low!r}", self.high)
        require_counts(features=self.features)

    def sample(self, rows: int, random_state: Any = None) -> tuple[Floats, Floats]:
        """Independent draws."""
        rng = np.random.default_rng(random_state)
        X = rng.uniform(self.low, self.high, size=(rows, self.features))
        return X, self.outcomes(X, rng)

    def outcomes(self, X: ArrayLike, random_state: Any = None) -> Floats:
        """A number for each row, drawn afresh."""
        rng = np.random.default_rng(random_state)
        clean = self.mean(X)
        return np.asarray(clean + self.noise * rng.normal(size=clean.shape))

    def mean(self, X: ArrayLike) -> Floats:
        """F at each row."""
        rows = np.asarray(X, dtype=np.float64)
        values = self.function(rows[:, 0] if self.features == 1 else rows)
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.shape not in ((), (len(rows),)):
            raise BadParameter(
                f"function must return a number for each of {len(rows)} rows, but returns {numbers.shape}."
            )
        return np.broadcast_to(numbers, (len(rows),)).copy()

    def variance(self, X: ArrayLike) -> Floats:
        """The variance of the noise at each row."""
        return np.full(len(np.asarray(X)), float(self.noise) ** 2)

    def quadrature(self) -> tuple[Floats, Floats]:
        """Rows and weights whose weighted sums are means over the box, for smooth functions of one feature."""
        require(self.features == 1, "features", "1 for integrals over the box", self.features)
        nodes, weights = _nodes()
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        return (middle + half * nodes)[:, None], weights / 2

    def best_polynomial(self, degree: int) -> legendre.Legendre:
        """The polynomial of this degree with the least expected square error."""
        require(is_count(degree, 0), "degree", "a whole number of at least 0", degree)
        X, weights = self.quadrature()
        domain = [self.low, self.high]
        unit = 2 * (X[:, 0] - self.low) / (self.high - self.low) - 1
        basis = legendre.legvander(unit, degree)
        # Legendre's polynomials are orthogonal, and the mean square of the n-th is 1 / (2 n + 1).
        coefficients = (basis * weights[:, None]).T @ self.mean(X) * (2 * np.arange(degree + 1) + 1)
        return legendre.Legendre(coefficients, domain=domain)
