"""Newton's method for a smooth convex function, every step halved until the function falls enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy import linalg

from assay.types import Floats

State = tuple[float, Floats, Floats]
"""A value, the gradient, and what the curvature is made of."""


class Curved(Protocol):
    """What is minimised."""

    def at(self, weights: Floats) -> State:
        """The value, the gradient, and what the curvature is made of."""
        ...

    def curvature(self, state: Floats, /) -> Floats:
        """The Hessian, from what it is made of."""
        ...


def damped_newton(
    problem: Curved, start: Floats, tol: float, most: int
) -> tuple[Floats, int, float]:
    """Newton's method, every step halved until the objective falls enough; the weights, steps and gradient.

    Near the minimum a step squares what is left, so one more is made when no entry of the gradient is above `tol`.
    """
    weights, near = start, False
    value, gradient, chances = problem.at(weights)
    for step in range(1, most + 1):
        try:
            factor = linalg.cho_factor(problem.curvature(chances), check_finite=False)
        except linalg.LinAlgError:  # rounding has eaten the curvature of the intercept
            return weights, step, float(np.abs(gradient).max())
        move = -linalg.cho_solve(factor, gradient, check_finite=False)
        lower = _line_search(problem.at, weights, value, move, float(gradient @ move))
        if lower is None:
            return weights, step, float(np.abs(gradient).max())
        weights, (value, gradient, chances) = lower
        if near:
            break
        near = bool(np.abs(gradient).max() <= tol)
    return weights, step, float(np.abs(gradient).max())


def _line_search(
    at: Callable[[Floats], State], weights: Floats, value: float, move: Floats, slope: float
) -> tuple[Floats, State] | None:
    size = 1.0
    while size > 1e-10:
        there = weights + size * move
        state = at(there)
        if state[0] <= value + 1e-4 * size * slope + 1e-15 * abs(value):
            return there, state
        size /= 2
    return None
