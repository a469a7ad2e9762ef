"""The machine of least loss and penalty: Newton's steps on the coefficients of the representer theorem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, optimize

from assay.errors import BadData
from assay.learners.kernel.smooth_losses import SmoothLoss
from assay.types import Floats

_HALVINGS = 40


@dataclass(frozen=True)
class Machine:
    """What was found.

    Attributes
    ----------
    alpha : array
        The coefficients.
    objective : float
        The summed losses plus the penalty times the squared norm.
    residual : float
        The largest violation of alpha = -V' / (2 penalty).
    gradient : float
        The length of the objective's gradient, rounded up: with r = V' + 2 penalty alpha it is the root of r'Kr.
    steps : int
        Newton's steps made.
    scores : array
        The values on the rows.
    """

    alpha: Floats
    objective: float
    residual: float
    gradient: float
    steps: int
    scores: Floats


def minimise(
    K: Floats,
    y: Floats,
    weights: Floats,
    loss: SmoothLoss,
    penalty: float,
    tol: float,
    max_iter: int,
) -> Machine:
    """Make sum_i w_i V(y_i, (K a)_i) + penalty a'Ka least over a."""
    problem = _Problem(K, y, weights, loss, penalty)
    with np.errstate(over="ignore", invalid="ignore"):
        if loss.curvature is None:
            return problem.by_gradients(tol, max_iter)
        return problem.by_newton(tol, max_iter)


class _Problem:
    def __init__(
        self, K: Floats, y: Floats, weights: Floats, loss: SmoothLoss, penalty: float
    ) -> None:
        self.K, self.y, self.weights, self.loss, self.penalty = K, y, weights, loss, penalty

    def objective(self, alpha: Floats, f: Floats) -> float:
        losses = float(self.weights @ self.loss.value(self.y, f))
        return losses + self.penalty * float(alpha @ f)

    def rest(self, alpha: Floats, f: Floats) -> Floats:
        """V' + 2 penalty alpha, zero at the minimiser."""
        slope: Floats = self.weights * self.loss.slope(self.y, f)
        return slope + 2 * self.penalty * alpha

    def by_newton(self, tol: float, max_iter: int) -> Machine:
        alpha = np.zeros(len(self.y))
        f = np.zeros(len(self.y))
        value = self.objective(alpha, f)
        steps = 0
        while steps < max_iter:
            rest = self.rest(alpha, f)
            if self._small(rest, alpha, tol):
                break
            steps += 1
            move = self._move(rest, f)
            change = self.K @ move
            falls = float(change @ rest)
            # In directions that the kernel does not see the value stays, and only the coefficients are mended.
            if not falls <= 1e-14 * abs(value):
                break
            size = 1.0
            for _ in range(_HALVINGS):
                there = self.objective(alpha + size * move, f + size * change)
                # Next to the minimum the gain is lost in rounding; a full step is then right.
                if there <= value + 1e-4 * size * falls + 1e-14 * abs(value):
                    break
                size /= 2
            else:
                break
            alpha = alpha + size * move
            f = self.K @ alpha
            value = self.objective(alpha, f)
        return self._found(alpha, f, steps)

    def _small(self, rest: Floats, alpha: Floats, tol: float) -> bool:
        largest = float(np.abs(alpha).max(initial=0.0))
        return float(np.abs(rest).max(initial=0.0)) <= tol * 2 * self.penalty * max(largest, 1e-300)

    def _move(self, rest: Floats, f: Floats) -> Floats:
        """Newton's step: -(W K + 2 penalty)^-1 rest, by a symmetric system over rows that bend."""
        assert self.loss.curvature is not None
        bend = self.weights * np.asarray(self.loss.curvature(self.y, f))
        rows = np.flatnonzero(bend > 0)
        move: Floats = -rest / (2 * self.penalty)
        if not rows.size:
            return move
        roots = np.sqrt(bend[rows])
        system = self.K[np.ix_(rows, rows)] * roots[:, None]
        system *= roots
        system.flat[:: len(rows) + 1] += 2 * self.penalty
        try:
            factor = linalg.cho_factor(system, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            raise BadData(
                "The kernel matrix must be positive semidefinite, but is not; or the penalty is lost in its "
                "rounding: make alpha larger."
            ) from None
        inner = linalg.cho_solve(factor, roots * (self.K[rows] @ rest), check_finite=False)
        move[rows] += roots * inner / (2 * self.penalty)
        return move

    def by_gradients(self, tol: float, max_iter: int) -> Machine:
        """L-BFGS in coordinates in which the penalty is a plain square: K = E E' and f = E z."""
        values, vectors = linalg.eigh(self.K)
        used = values > len(values) * 1e-15 * max(float(values[-1]), 0.0)
        roots = np.sqrt(values[used])
        E = vectors[:, used] * roots

        def objective(z: Floats) -> tuple[float, Any]:
            f = E @ z
            losses = float(self.weights @ self.loss.value(self.y, f))
            slope = E.T @ (self.weights * self.loss.slope(self.y, f)) + 2 * self.penalty * z
            return losses + self.penalty * float(z @ z), slope

        result = optimize.minimize(
            objective,
            np.zeros(E.shape[1]),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 100 * max_iter, "gtol": tol, "ftol": 1e-15, "maxcor": 30},
        )
        # At the minimum both sides of the theorem are the same; this one is good to the last digits.
        f = E @ result.x
        alpha = -self.weights * np.asarray(self.loss.slope(self.y, f)) / (2 * self.penalty)
        return self._found(alpha, self.K @ alpha, int(result.nit))

    def _found(self, alpha: Floats, f: Floats, steps: int) -> Machine:
        rest = self.rest(alpha, f)
        residual = float(np.abs(rest).max(initial=0.0)) / (2 * self.penalty)
        return Machine(
            alpha, self.objective(alpha, f), residual, self._gradient(alpha, f), steps, f
        )

    def _gradient(self, alpha: Floats, f: Floats) -> float:
        """The length of the gradient, with all that rounding can hide.

        A score errs by a unit for each of its terms. The slope of a convex loss rises, so at the true score it lies
        between the slopes at the ends of where that may be.
        """
        n, unit = len(f), 2.0**-53
        lengths = np.sqrt(np.maximum(self.K.diagonal(), 0.0))
        off = (2 * n + 16) * unit * lengths * float(lengths @ np.abs(alpha))
        slope, low, high = (
            self.weights * np.asarray(self.loss.slope(self.y, at)) for at in (f, f - off, f + off)
        )
        rest = slope + 2 * self.penalty * alpha
        doubt = np.maximum(np.abs(high - slope), np.abs(slope - low))
        doubt += 16 * unit * (np.abs(slope) + 2 * self.penalty * np.abs(alpha))
        size = float(lengths @ np.abs(rest))
        square = max(0.0, float(rest @ self.K @ rest)) + (4 * n + 16) * unit * size**2
        length = math.sqrt(square) + float(lengths @ doubt)
        return length * (1 + 1e-12) if math.isfinite(length) else math.inf
