"""The mean objective of logistic regression, with its gradient and its curvature."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit, log_softmax

from assay.learners.linear.damped_newton import State
from assay.types import Array, Floats

# What is added to a curvature of zero, in directions that the gradient has no part in.
FLAT = 1e-10


class MeanObjective:
    """The smooth part of the mean objective over rows X, the weights of which are shares that sum to one.

    Attributes
    ----------
    penalty, sizes : float
        What half the squared length of the weights, and the sum of their sizes, weigh beside the mean loss; the
        latter is no part of what is computed here.
    free : bool
        Whether there are intercepts, which are not penalised.
    """

    def __init__(
        self, X: Any, shares: Floats, *, penalty: float, sizes: float = 0.0, free: bool
    ) -> None:
        self.X, self.shares, self.free = X, shares, free
        self.penalty, self.sizes = penalty, sizes

    @property
    def size(self) -> int:
        """How many numbers are sought."""
        raise NotImplementedError

    def each(self, amount: float) -> Floats:
        """The same amount for every weight, and zero for intercepts."""
        width = self.X.shape[1]
        amounts = np.full((self.size // (width + int(self.free)), width + int(self.free)), amount)
        amounts[:, width:] = 0.0
        return amounts.ravel()

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """The objective and its gradient."""
        value, gradient, _ = self.at(weights)
        return value, gradient

    def at(self, weights: Floats) -> State:
        """The objective, its gradient, and the probabilities that its curvature is made of."""
        raise NotImplementedError

    def curvature(self, chances: Floats) -> Floats:
        """The Hessian where the probabilities are these."""
        raise NotImplementedError

    def _bent(self, bend: Floats) -> Floats:
        """X' diag(bend) X, the constant feature last."""
        width = self.X.shape[1]
        size = width + int(self.free)
        block = np.empty((size, size))
        if sparse.issparse(self.X):
            block[:width, :width] = (self.X.T @ (sparse.diags_array(bend) @ self.X)).toarray()
        else:
            block[:width, :width] = self.X.T @ (self.X * bend[:, None])
        if self.free:
            block[width, :width] = block[:width, width] = self.X.T @ bend
            block[width, width] = bend.sum()
        return block


class TwoClasses(MeanObjective):
    """Labels of -1 and +1; the intercept stands last."""

    def __init__(self, X: Any, y: Floats, shares: Floats, **terms: Any) -> None:
        super().__init__(X, shares, **terms)
        self.y = y

    @property
    def size(self) -> int:
        """How many numbers are sought."""
        return int(self.X.shape[1]) + int(self.free)

    def at(self, weights: Floats) -> State:
        """The objective, its gradient, and the probabilities that its curvature is made of."""
        width = self.X.shape[1]
        w = weights[:width]
        margin = self.y * (self.X @ w + (weights[-1] if self.free else 0.0))
        value = self.shares @ np.logaddexp(0.0, -margin) + 0.5 * self.penalty * (w @ w)
        wrong = expit(-margin)
        pull = -self.shares * self.y * wrong
        gradient = np.empty(self.size)
        gradient[:width] = self.X.T @ pull + self.penalty * w
        if self.free:
            gradient[-1] = pull.sum()
        return float(value), gradient, wrong

    def curvature(self, chances: Floats) -> Floats:
        """The Hessian where the probabilities are these."""
        hessian = self._bent(self.shares * chances * (1 - chances))
        width = self.X.shape[1]
        hessian.flat[: width * (self.size + 1) : self.size + 1] += self.penalty or FLAT
        return hessian


class SeveralClasses(MeanObjective):
    """Labels 0, 1, 2, ...; one row of weights for each, its intercept last."""

    def __init__(self, X: Any, places: Array, count: int, shares: Floats, **terms: Any) -> None:
        super().__init__(X, shares, **terms)
        self.places, self.count = places, count

    @property
    def size(self) -> int:
        """How many numbers are sought."""
        return self.count * (int(self.X.shape[1]) + int(self.free))

    def at(self, weights: Floats) -> State:
        """The objective, its gradient, and the probabilities that its curvature is made of."""
        width = self.X.shape[1]
        parts = weights.reshape(self.count, -1)
        w = parts[:, :width]
        scores = self.X @ w.T + (parts[:, width] if self.free else 0.0)
        chances = log_softmax(scores, axis=1)
        rows = np.arange(len(self.places))
        value = -self.shares @ chances[rows, self.places] + 0.5 * self.penalty * np.sum(w * w)
        likely = np.exp(chances)
        pull = likely.copy()
        pull[rows, self.places] -= 1.0
        pull *= self.shares[:, None]
        gradient = np.empty_like(parts)
        gradient[:, :width] = (self.X.T @ pull).T + self.penalty * w
        if self.free:
            gradient[:, width] = pull.sum(axis=0)
        return float(value), gradient.ravel(), likely

    def curvature(self, chances: Floats) -> Floats:
        """The Hessian where the probabilities are these."""
        each, width = self.size // self.count, self.X.shape[1]
        hessian = np.empty((self.count, each, self.count, each))
        for k in range(self.count):
            for j in range(k + 1):
                bend = chances[:, k] * ((k == j) - chances[:, j])
                hessian[k, :, j] = hessian[j, :, k] = self._bent(self.shares * bend)
        square = hessian.reshape(self.size, self.size)
        ridge = np.full((self.count, each), self.penalty or FLAT)
        if self.free:
            # All intercepts may rise together and nothing changes; the gradient has no part in that direction.
            ridge[:, width] = FLAT
        square.flat[:: self.size + 1] += ridge.ravel()
        return square
