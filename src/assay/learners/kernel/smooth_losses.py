"""Differentiable losses of a target and a prediction: value, slope and curvature in the prediction.

All are convex in the prediction, and so is their sum with the penalty (``convexity-rules``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from assay.errors import BadParameter
from assay.types import Array, Floats

Part = Callable[[Floats, Floats], Array]


@dataclass(frozen=True)
class SmoothLoss:
    """A loss V(y, f), convex and differentiable in the prediction f.

    Parameters
    ----------
    value, slope : callable
        V and its derivative in f, of arrays of targets and predictions.
    curvature : callable, default=None
        The second derivative, or what it is where it exists; without it the search takes more steps.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.learners.kernel import SmoothLoss
    >>> cosh = SmoothLoss(lambda y, f: np.log(np.cosh(f - y)), lambda y, f: np.tanh(f - y))
    >>> cosh.value(np.zeros(1), np.ones(1)).round(6).tolist()
    [0.433781]
    """

    value: Part
    slope: Part
    curvature: Part | None = None


def _exponential(y: Floats, f: Floats) -> Floats:
    return np.asarray(np.exp(-y * f))


SQUARED = SmoothLoss(
    lambda y, f: (y - f) ** 2, lambda y, f: 2 * (f - y), lambda y, f: np.full_like(f, 2.0)
)
LOGISTIC = SmoothLoss(
    lambda y, f: np.logaddexp(0, -y * f),
    lambda y, f: -y * expit(-y * f),
    lambda y, f: expit(y * f) * expit(-y * f),
)
EXPONENTIAL = SmoothLoss(_exponential, lambda y, f: -y * _exponential(y, f), _exponential)
SQUARED_HINGE = SmoothLoss(
    lambda y, f: np.maximum(0, 1 - y * f) ** 2,
    lambda y, f: -2 * y * np.maximum(0, 1 - y * f),
    lambda y, f: 2.0 * (y * f < 1),
)
MODIFIED_HUBER = SmoothLoss(
    lambda y, f: np.where(y * f >= -1, np.maximum(0, 1 - y * f) ** 2, -4 * y * f),
    lambda y, f: np.where(y * f >= -1, -2 * y * np.maximum(0, 1 - y * f), -4 * y),
    lambda y, f: 2.0 * ((y * f < 1) & (y * f >= -1)),
)
FOR_CLASSES = {
    "log_loss": LOGISTIC,
    "squared_hinge": SQUARED_HINGE,
    "modified_huber": MODIFIED_HUBER,
    "exponential": EXPONENTIAL,
    "squared_error": SQUARED,
}


def huber(epsilon: float) -> SmoothLoss:
    """Half the square up to epsilon, and beyond it the line that goes on."""
    return SmoothLoss(
        lambda y, f: np.where(
            np.abs(y - f) <= epsilon, (y - f) ** 2 / 2, epsilon * np.abs(y - f) - epsilon**2 / 2
        ),
        lambda y, f: np.clip(f - y, -epsilon, epsilon),
        lambda y, f: 1.0 * (np.abs(y - f) <= epsilon),
    )


def squared_epsilon_insensitive(epsilon: float) -> SmoothLoss:
    """The square of what is missed beyond epsilon."""
    return SmoothLoss(
        lambda y, f: np.maximum(0, np.abs(y - f) - epsilon) ** 2,
        lambda y, f: 2 * np.sign(f - y) * np.maximum(0, np.abs(y - f) - epsilon),
        lambda y, f: 2.0 * (np.abs(y - f) > epsilon),
    )


def smooth_loss(loss: Any, among: dict[str, SmoothLoss]) -> SmoothLoss:
    """The loss of a name, or the one given; refuses others."""
    if isinstance(loss, SmoothLoss):
        return loss
    if not isinstance(loss, str) or loss not in among:
        raise BadParameter(
            f"loss must be one of {', '.join(among)}, or a SmoothLoss, but is {loss!r}."
        )
    return among[loss]
