"""The squared hinge loss with the sum of the sizes of the weights as its penalty."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.learners.linear.damped_newton import State
from assay.learners.linear.logistic_problem import MeanObjective
from assay.learners.linear.proximal_newton import proximal_newton, split_descent
from assay.types import Floats

# Beyond so many weights the matrix of curvature is not written down.
_MOST_WEIGHTS = 500


class SquaredHinge(MeanObjective):
    r"""The mean of :math:`\max(0,1-y_iw\cdot x_i)^2` over rows with labels of -1 and +1."""

    def __init__(self, X: Any, y: Floats, shares: Floats) -> None:
        super().__init__(X, shares, penalty=0.0, free=False)
        self.y = y

    @property
    def size(self) -> int:
        """How many numbers are sought."""
        return int(self.X.shape[1])

    def at(self, weights: Floats) -> State:
        """The mean loss, its gradient, and the rows that bend it."""
        short = np.maximum(0.0, 1.0 - self.y * np.asarray(self.X @ weights))
        pull = -2.0 * self.shares * self.y * short
        bent = (short > 0).astype(np.float64)
        return float(self.shares @ short**2), np.asarray(self.X.T @ pull), bent

    def curvature(self, chances: Floats) -> Floats:
        """The Hessian where these rows are short of the margin."""
        hessian = self._bent(2.0 * self.shares * chances)
        diagonal = hessian.diagonal()
        # Weights that no such row moves still have to be stopped.
        hessian.flat[:: self.size + 1] += 1e-10 * max(1.0, float(diagonal.max(initial=0.0)))
        return hessian


def squared_hinge_by_sizes(
    X: Any, y: Floats, costs: Floats, tol: float, most: int
) -> tuple[Floats, int, float]:
    r"""Minimise :math:`\|w\|_1+\sum_ic_i\max(0,1-y_iw\cdot x_i)^2`; the weights, the steps, and the slope that is left.

    Both steps and slope are of the mean objective, divided by the sum of the costs.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.1], [-1.0, 0.1]]), np.array([1.0, -1.0])
    >>> squared_hinge_by_sizes(X, y, np.ones(2), 1e-9, 100)[0].round(6).tolist()
    [0.75, 0.0]
    """
    total = float(costs.sum())
    problem = SquaredHinge(X, y, costs / total)
    search = proximal_newton if problem.size <= _MOST_WEIGHTS else split_descent
    return search(problem, np.zeros(problem.size), np.full(problem.size, 1.0 / total), tol, most)
