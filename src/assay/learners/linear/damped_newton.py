"""Newton's method for a smooth convex function, every step halved until the function falls enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

State = tuple[float, NDArray[np.float64], NDArray[np.float64]]
"""A value, the gradient, and what the curvature is made of."""


class Curved(Protocol):
    """What is minimised."""

    def at(self, weights: NDArray[np.float64]) -> State:
        """The value, the gradient, and what the curvature is made of."""
        ...

    def curvature(self, state: NDArray[np.float64], /) -> NDArray[np.float64]:
        """The Hessian, from what it is made of."""
        ...


def damped_newton(
    problem: Curved, start: NDArray[np.float64], tol: float, most: int
) -> tuple[NDArray[np.float64], int, float]:
    """Newton's method, every step halved until the objective falls enough; the weights, steps and gradient."""
    weights = start
    value, gradient, chances = problem.at(weights)
    for step in range(1, most + 1):
        try:
            factor = linalg.cho_factor(problem.curvature(chances), check_finite=False)
        except linalg.LinAlgError:  # rounding has eaten the curvature of the intercept
            return weights, step, float(np.abs(gradient).max())
        move = -linalg.cho_solve(factor, gradient, check_finite=False)
        found = _line_search(problem.at, weights, value, move, float(gradient @ move))
        if found is None:
            return weights, step, float(np.abs(gradient).max())
        weights, (value, gradient, chances) = found
        if np.abs(gradient).max() <= tol:
            break
    return weights, step, float(np.abs(gradient).max())


def _line_search(
    at: Callable[[NDArray[np.float64]], State],
    weights: NDArray[np.float64],
    value: float,
    move: NDArray[np.float64],
    slope: float,
) -> tuple[NDArray[np.float64], State] | None:
    size = 1.0
    while size > 1e-10:
        there = weights + size * move
        state = at(there)
        if state[0] <= value + 1e-4 * size * slope + 1e-15 * abs(value):
            return there, state
        size /= 2
    return None
