"""The point of a convex hull that lies nearest to the origin, to the last digits, for a few points.

The points are examples times their labels; the nearest one is the shortest mean of them, and its direction is the
separator of largest margin.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.optimize import nnls
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from assay.types import Floats

_STEPS = 60
_PATIENCE = 6
_ENOUGH = 1e-11


def by_least_squares(points: Floats, scale: float, least: float) -> Floats:
    """The shares of columns in the nearest point of their hull, few rows or columns given.

    Nonnegative least squares with a row of ones under the columns, and one as its goal there (Lawson and
    Hanson, 1974, chapter 23). It is solved to the last digits if distances are measured in units of the answer.
    """
    goal = np.append(np.zeros(len(points)), 1.0)
    ones = np.ones((1, points.shape[1]))
    while True:
        with threadpool_limits(1, user_api="blas"):  # many small systems, too small to share
            answer, _ = nnls(np.vstack([points / scale, ones]), goal)
        shares: Floats = answer / answer.sum()
        length = float(np.linalg.norm(points @ shares))
        if length > scale / 8 or length <= least:
            return shares
        scale = length


def by_interior_points(points: Floats, start: Floats) -> Floats:
    """The weights a >= 0 of rows z that make ||sum of a z||^2 / 2 - sum(a) least, nearly to the last digits.

    A predictor-corrector method (Mehrotra, 1992) for the shortest w with w . z >= 1 on every row. Each step solves
    one system in as many unknowns as there are features, so that many rows may hold the margin up.
    """
    inside = _Inside(points, start)
    best, answer, idle = np.inf, inside.a, 0
    for _ in range(_STEPS):
        gap = inside.gap
        idle = 0 if gap < 0.5 * best or best > 1e-6 else idle + 1
        if np.isfinite(gap) and gap < best:
            best, answer = gap, inside.a
        # Weights grow without end around the origin, where there is no w.
        grown = not float(inside.a.sum()) < 1e30
        if gap <= _ENOUGH or idle > _PATIENCE or grown or not inside.step():
            break
    # At the answer the weights sum to the squared length of the mean they make.
    mean, total = answer @ points, float(answer.sum())
    square = float(mean @ mean)
    return np.asarray(answer * (total / square) if square > 1e-30 * total**2 else answer)


class _Inside:
    """A vector w, what its scores have beyond one, and weights, all of these above zero."""

    def __init__(self, points: Floats, start: Floats) -> None:
        self.points = points
        self.a = np.maximum(start, 1e-3 * max(float(start.mean()), 1e-300))
        self.w = self.a @ points
        self.s = np.maximum(points @ self.w - 1.0, 1.0)

    @property
    def gap(self) -> float:
        """How far the mean that the weights make is above the margin of w, as a share."""
        least = float((self.points @ self.w).min())
        return 1.0 - least * float(self.a.sum()) / max(float(self.w @ self.w), 1e-300)

    def step(self) -> bool:
        """One step, to where all products of weight and surplus are alike and smaller; whether it could be made."""
        points, a, s = self.points, self.a, self.s
        short, off, mu = 1.0 + s - points @ self.w, a @ points - self.w, float(a @ s) / len(a)
        system = (points.T * (a / s)) @ points
        system.flat[:: len(system) + 1] += 1.0
        try:
            factor = linalg.cho_factor(system, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            return False

        def move(products: Floats) -> tuple[Floats, Floats, Floats]:
            """The way in w, s and a on which every product changes by so much."""
            right = off + ((products + a * short) / s) @ points
            dw = linalg.cho_solve(factor, right, check_finite=False)
            ds = points @ dw - short
            return dw, ds, (products - a * ds) / s

        _, ds, da = move(-a * s)
        reach = min(_room(s, ds), _room(a, da))
        ahead = float((a + reach * da) @ (s + reach * ds)) / len(a)
        centred = (ahead / mu) ** 3 * mu
        dw, ds, da = move(centred - a * s - ds * da)
        reach = 0.995 * min(_room(s, ds), _room(a, da))
        self.w, self.s, self.a = self.w + reach * dw, s + reach * ds, a + reach * da
        return True


def _room(values: Floats, steps: Floats) -> float:
    """The longest step, one at most, that keeps all values above zero."""
    falls = steps < 0
    return min(1.0, float((-values[falls] / steps[falls]).min(initial=1.0)))


def polished(signed: Floats, shares: Floats, w: Floats, alpha: Floats) -> tuple[Floats, Floats]:
    """The shortest vector with scores of exactly one on the rows that hold the margin up."""
    held = np.flatnonzero(shares > 0)
    rows = signed[held]
    vector = np.asarray(np.linalg.lstsq(rows, np.ones(len(held)), rcond=None)[0], np.float64)
    weights = np.linalg.lstsq(rows.T, vector, rcond=None)[0]
    near = np.abs(vector - w).max() <= 1e-6 * np.abs(w).max()
    if not near or weights.min() < 0:
        return w, alpha
    alpha = np.zeros(len(shares))
    alpha[held] = weights
    return vector, alpha
