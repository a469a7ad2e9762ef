r"""A smooth convex function plus :math:`\sum_j\lambda_j|w_j|`: Newton's method, each step of which knows the penalty.

A step minimises the quadratic near w with the penalty as it is, so that weights end at zero exactly, and is halved
until the objective falls enough. Where there are too many weights for a matrix of curvature, each is the difference of
two that must be zero or more, and L-BFGS searches within these bounds.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize

from assay.compiled.linear.quadratic_descent import quadratic_descent
from assay.learners.linear.damped_newton import Curved
from assay.types import Floats

# Coordinate passes within a step, and how far below the slope that is left they go.
_MOST_PASSES = 1000
_SHARE = 0.1


def steepness(gradient: Floats, weights: Floats, penalties: Floats) -> float:
    """The largest entry of the least subgradient: zero at the minimum.

    Examples
    --------
    >>> steepness(np.array([0.5, -1.0]), np.array([0.0, 2.0]), np.array([1.0, 0.75]))
    0.25
    """
    at_zero = np.maximum(0.0, np.abs(gradient) - penalties)
    beside = np.abs(gradient + penalties * np.sign(weights))
    return float(np.where(weights == 0, at_zero, beside).max(initial=0.0))


def proximal_newton(
    problem: Curved, start: Floats, penalties: Floats, tol: float, most: int
) -> tuple[Floats, int, float]:
    """The weights, the steps, and the largest entry of the subgradient that is left.

    One more step is made when that is not above `tol`, as in `damped_newton`.
    """
    weights, step = start.copy(), 0
    value, gradient, state = problem.at(weights)
    left, near = steepness(gradient, weights, penalties), False
    while not near and step < most:
        step, near = step + 1, left <= tol
        move = np.empty_like(weights)
        curvature = np.ascontiguousarray(problem.curvature(state))
        quadratic_descent(
            curvature, gradient, weights, penalties, _SHARE * left, _MOST_PASSES, move
        )
        before = float(penalties @ np.abs(weights))
        fall = float(gradient @ move) + float(penalties @ np.abs(weights + move)) - before
        size = 1.0
        while size > 1e-10:
            there = weights + size * move
            now = problem.at(there)
            total = now[0] + float(penalties @ np.abs(there))
            if total <= value + before + 1e-4 * size * fall + 1e-15 * abs(value):
                break
            size /= 2
        else:
            return weights, step, left
        weights, (value, gradient, state) = there, now
        left = steepness(gradient, weights, penalties)
    return weights, step, left


def split_descent(
    problem: Curved, start: Floats, penalties: Floats, tol: float, most: int
) -> tuple[Floats, int, float]:
    """The same by L-BFGS, of which memory grows with the number of weights only."""
    held = np.flatnonzero(penalties > 0)

    def objective(parts: Floats) -> tuple[float, Floats]:
        value, gradient, _ = problem.at(joined(parts))
        pull = np.concatenate([gradient, -gradient[held]])
        pull[held] += penalties[held]
        pull[len(start) :] += penalties[held]
        return value + float(penalties[held] @ (parts[held] + parts[len(start) :])), pull

    def joined(parts: Floats) -> Floats:
        weights = parts[: len(start)].copy()
        weights[held] -= parts[len(start) :]
        return weights

    first = np.concatenate([start, np.maximum(0.0, -start[held])])
    first[held] = np.maximum(0.0, start[held])
    lower = np.full(len(first), -np.inf)
    lower[held] = lower[len(start) :] = 0.0
    terms = {"maxiter": most, "maxfun": 10 * most, "gtol": tol, "ftol": 1e-15, "maxls": 50}
    done = optimize.minimize(
        objective,
        first,
        jac=True,
        method="L-BFGS-B",
        bounds=optimize.Bounds(lower, np.inf),
        options=terms,
    )
    weights = joined(done.x)
    left = steepness(problem.at(weights)[1], weights, penalties)
    return weights, max(1, int(done.nit)), left
