"""Whether least squares is well posed: its condition number, and how far its weights move, with and without penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_X_y

from assay.errors import require
from assay.theory.linear.ridge_stability import ridge_condition, ridge_stability
from assay.theory.needs import count
from assay.types import Floats

# Singular values are known to their last digits only.
_SLACK = 1 + 1e-9


@dataclass(frozen=True)
class Posed:
    """The problem with one penalty.

    Attributes
    ----------
    penalty : float
    condition, condition_promised : float
        The largest eigenvalue of the equations over the least one, infinite where they are singular; and what it
        is at most for this penalty whatever the least singular value is (``ridge-condition``).
    norm : float
        The length of the weights.
    moved, moved_promised : float
        How far the weights moved at most when the outcomes did, and what was promised (``ridge-stability``).
    shifted, shifted_promised : float
        How far they are from those of the penalty before it, and what was promised; zero for the first.
    """

    penalty: float
    condition: float
    condition_promised: float
    norm: float
    moved: float
    moved_promised: float
    shifted: float
    shifted_promised: float

    @property
    def holds(self) -> bool:
        """Whether everything stayed within what was promised."""
        pairs = (
            (self.condition, self.condition_promised),
            (self.moved, self.moved_promised),
            (self.shifted, self.shifted_promised),
        )
        return all(seen <= promised * _SLACK for seen, promised in pairs)


@dataclass(frozen=True)
class WellPosedness:
    """The problem with every penalty.

    Attributes
    ----------
    rows, features, rank : int
    change : float
        The length of the changes of the outcomes.
    steps : tuple of Posed
    """

    rows: int
    features: int
    rank: int
    change: float
    steps: tuple[Posed, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.rows} rows, {self.features} features, rank {self.rank}; outcomes moved by {self.change:.3g}:",
            " penalty  condition   at most     moved   at most",
        ]
        lines += [
            f"{s.penalty:>8.3g}  {s.condition:>9.3g}  {s.condition_promised:>8.3g}  {s.moved:>8.3g}  "
            f"{s.moved_promised:>8.3g}"
            for s in self.steps
        ]
        return "\n".join(lines)


def well_posedness(
    X: Any,
    y: Any,
    penalties: Sequence[float],
    *,
    change: float = 1.0,
    trials: int = 20,
    random_state: Any = None,
) -> WellPosedness:
    r"""Solve least squares with every penalty, move the outcomes a little, and see how far the weights move.

    A problem is well posed if it has a solution, only one, and that moves continuously with the data. Least squares
    without penalty is not, where columns depend on each other: the least eigenvalue of :math:`X^\top X` is zero. With
    penalty :math:`\lambda` it is at least :math:`\lambda`.

    Parameters
    ----------
    X, y : array-like
        The sample; there is no intercept.
    penalties : sequence of float
        Zero or more; without penalty the shortest solution is taken.
    change : float, default=1.0
        How long the changes of the outcomes are, above zero.
    trials : int, default=20
        How many changes are drawn. One more goes the way that moves the weights most.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    WellPosedness

    References
    ----------
    .. [1] Tikhonov & Arsenin (1977). Solutions of ill-posed problems.

    Examples
    --------
    >>> from assay import well_posedness
    >>> X = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    >>> posed = well_posedness(X, [1.0, 2.0, 3.5], [0.0, 1.0], random_state=0)
    >>> posed.rank, posed.steps[0].condition, round(posed.steps[1].condition, 9)
    (1, inf, 29.0)
    """
    X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
    size = float(change)
    require(0 < size < np.inf, "change", "a finite number above zero", change)
    several = count("trials", trials, at_least=1)
    weights = np.asarray(penalties, dtype=np.float64).ravel()
    fine = len(weights) > 0 and bool(np.isfinite(weights).all() and (weights >= 0).all())
    require(fine, "penalties", "finite numbers, zero or more", penalties)
    left, values, right = np.linalg.svd(X, full_matrices=False)
    kept = values > max(X.shape) * np.finfo(np.float64).eps * values.max(initial=0.0)
    left, values, right = left[:, kept], values[kept], right[kept]
    singular = X.shape[1] > len(values)
    drawn = np.random.default_rng(random_state).normal(size=(len(y), several))
    drawn *= size / np.linalg.norm(drawn, axis=0)
    steps: list[Posed] = []
    before: Floats | None = None
    for penalty in weights.tolist():
        shrink = values / (values**2 + penalty)
        solution = right.T @ (shrink * (left.T @ y))
        worst = left[:, [int(shrink.argmax())]] * size if len(values) else drawn[:, :1]
        changes = np.hstack([drawn, worst])
        answers = right.T @ (shrink[:, None] * (left.T @ changes))
        shifted = 0.0 if before is None else float(np.linalg.norm(solution - before))
        steps.append(
            Posed(
                penalty,
                *_condition(values, penalty, singular=singular),
                norm=float(np.linalg.norm(solution)),
                moved=float(np.linalg.norm(answers, axis=0).max()),
                moved_promised=ridge_stability(penalty, size) if penalty else np.inf,
                shifted=shifted,
                shifted_promised=_shift(penalty, steps),
            )
        )
        before = solution
    return WellPosedness(len(y), X.shape[1], len(values), size, tuple(steps))


def _condition(values: Floats, penalty: float, *, singular: bool) -> tuple[float, float]:
    """The condition number, and what it is at most by the penalty alone."""
    largest = float(values.max(initial=0.0))
    least = 0.0 if singular or not len(values) else float(values.min())
    bottom = least**2 + penalty
    condition = (largest**2 + penalty) / bottom if bottom > 0 else np.inf
    return condition, ridge_condition(largest, penalty) if penalty else np.inf


def _shift(penalty: float, steps: list[Posed]) -> float:
    """What the weights move at most from the penalty before; infinite where this penalty is zero."""
    if not steps:
        return 0.0
    last = steps[-1]
    return ridge_stability(penalty, other=last.penalty, norm=last.norm) if penalty else np.inf
