"""The two margins of a separator, and whether they speak for the perceptron or for Winnow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_X_y

from assay.errors import BadData, require
from assay.theory.mistake.perceptron import perceptron_margin_mistakes
from assay.types import Array, Floats

# Radius and margin are computed in floating point: more than it can have lost.
_SLACK = 1e-9


@dataclass(frozen=True)
class SeparatorMargins:
    r"""What a separator is worth to two learners.

    Attributes
    ----------
    rows, features : int
    euclidean : float
        :math:`\min y\,w\cdot x` over :math:`\|w\|_2\max\|x\|_2`: that of the perceptron.
    additive : float
        :math:`\min y\,w\cdot x` over :math:`\|w\|_1\max\|x\|_\infty`: that of Winnow.
    perceptron : int
        At most so many mistakes of the perceptron, in any order (``perceptron-margin-mistakes``).
    perceptron_order, winnow_order : float
        :math:`1/\gamma_2^2` and :math:`\ln d/\gamma_1^2`: what the mistakes of either grow like, up to constants that
        ``winnow-margin-order`` does not state.
    """

    rows: int
    features: int
    euclidean: float
    additive: float
    perceptron: int
    perceptron_order: float
    winnow_order: float

    @property
    def favours(self) -> str:
        """Whose order is the smaller, ``"winnow"`` or ``"perceptron"``; where they are near, constants may decide."""
        return "winnow" if self.winnow_order < self.perceptron_order else "perceptron"

    def __str__(self) -> str:
        return (
            f"{self.rows} rows, {self.features} features:\n"
            f"  L2 of w, L2 of x           margin {self.euclidean:.4g}, order {self.perceptron_order:.4g} "
            f"(perceptron: at most {self.perceptron} mistakes)\n"
            f"  L1 of w, L-infinity of x   margin {self.additive:.4g}, order {self.winnow_order:.4g} (Winnow)\n"
            f"  the smaller order is that of {self.favours}"
        )


def separator_margins(w: Any, X: Any, y: Any, *, intercept: float = 0.0) -> SeparatorMargins:
    r"""The margin of a separator, measured for the perceptron and for Winnow.

    The perceptron's mistakes grow like :math:`(\|w\|_2\max\|x\|_2/\alpha)^2`, Winnow's like
    :math:`(\|w\|_1\max\|x\|_\infty/\alpha)^2\ln d`, where :math:`\alpha=\min y\,w\cdot x`. Few relevant features
    among many that are on speak for Winnow; many relevant ones of which few are on, for the perceptron. On disjunctions
    no learner that turns with its examples, as the perceptron does, can be as good (``rotation-invariant-lower``).

    Parameters
    ----------
    w : array-like of shape (n_features,)
        The separator.
    X, y : array-like
        Rows that it separates, and their two labels; the larger label is positive.
    intercept : float, default=0.0
        The weight of a constant feature of one, which then counts in all lengths.

    Returns
    -------
    SeparatorMargins

    References
    ----------
    .. [1] Littlestone (1988). Learning quickly when irrelevant attributes abound.
    .. [2] Kivinen, Warmuth & Auer (1997). The perceptron algorithm versus Winnow.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import separator_margins
    >>> margins = separator_margins(np.ones(16), np.vstack([np.eye(16), -np.eye(16)]), [1] * 16 + [0] * 16)
    >>> round(margins.euclidean, 9), round(margins.additive, 9), margins.perceptron, margins.favours
    (0.25, 0.0625, 16, 'perceptron')
    """
    rows, labels = check_X_y(X, y, dtype=np.float64)
    weights = np.asarray(w, dtype=np.float64).ravel()
    must = f"one finite number for each of {rows.shape[1]} features"
    fine = len(weights) == rows.shape[1] and bool(np.isfinite(weights).all())
    require(fine, "w", must, w)
    if intercept:
        rows = np.column_stack([rows, np.ones(len(rows))])
        weights = np.append(weights, float(intercept))
    least = float((_signs(labels) * (rows @ weights)).min())
    if least <= 0:
        raise BadData(
            "w does not separate these rows: it has no margin. Give one with y (w . x) above zero."
        )
    radius = float(np.linalg.norm(rows, axis=1).max())
    euclidean = least / (float(np.linalg.norm(weights)) * radius)
    additive = least / (float(np.abs(weights).sum()) * float(np.abs(rows).max()))
    return SeparatorMargins(
        rows=len(rows),
        features=rows.shape[1],
        euclidean=min(1.0, euclidean),
        additive=min(1.0, additive),
        perceptron=perceptron_margin_mistakes(1, min(1.0, euclidean * (1 - _SLACK))),
        perceptron_order=euclidean**-2,
        winnow_order=additive**-2 * math.log(max(2, rows.shape[1])),
    )


def _signs(labels: Array) -> Floats:
    classes = np.unique(labels)
    if len(classes) != 2:
        raise BadData(f"A separator tells two classes apart, but there are {len(classes)}.")
    return np.where(labels == classes[1], 1.0, -1.0)
