"""Losses of y f, y being -1 or +1: what forward stagewise modelling lowers, round by round."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from assay.types import Bools, Floats

# The largest step: its exponential, times the smallest weight, leaves a finite sum.
_LARGEST_STEP = 300.0


@dataclass(frozen=True)
class MarginLoss:
    """One loss.

    Attributes
    ----------
    value : callable
        The loss of each margin y f.
    pull : callable
        By how much the loss of each example falls as its margin grows: minus the derivative, up to a common factor.
    step : callable
        From weights, margins and where a hypothesis of values -1 and +1 is right: how much of it leaves the least
        loss. Infinite where more is always better.
    """

    value: Callable[[Floats], Floats]
    pull: Callable[[Floats], Floats]
    step: Callable[[Floats, Floats, Bools], float]


def _exponential_pull(margins: Floats) -> Floats:
    # Relative to the largest, so that nothing overflows.
    return np.asarray(np.exp(margins.min() - margins))


def _exponential_step(weights: Floats, margins: Floats, right: Bools) -> float:
    pull = weights * _exponential_pull(margins)
    missed = float(pull[~right].sum())
    if missed == 0:
        return math.inf
    return min(0.5 * math.log(float(pull[right].sum()) / missed), _LARGEST_STEP)


def _square_step(weights: Floats, margins: Floats, right: Bools) -> float:
    left = weights * (1.0 - margins)
    return float((left[right].sum() - left[~right].sum()) / weights.sum())


def _logistic_value(margins: Floats) -> Floats:
    return np.asarray(np.logaddexp(0.0, -margins))


def _logistic_pull(margins: Floats) -> Floats:
    return np.asarray(0.5 * (1.0 - np.tanh(margins / 2)))


def _logistic_step(weights: Floats, margins: Floats, right: Bools) -> float:
    if right.all():
        return math.inf
    signs = np.where(right, 1.0, -1.0)

    def slope(step: float) -> float:
        return float(np.sum(weights * signs * _logistic_pull(margins + step * signs)))

    high = 1.0
    while slope(high) > 0 and high < _LARGEST_STEP:
        high *= 2
    return high if slope(high) > 0 else float(brentq(slope, 0.0, high, xtol=1e-13))


LOSSES = {
    "exponential": MarginLoss(
        lambda margins: np.asarray(np.exp(np.minimum(-margins, 700.0))),
        _exponential_pull,
        _exponential_step,
    ),
    "logistic": MarginLoss(_logistic_value, _logistic_pull, _logistic_step),
    "square": MarginLoss(
        lambda margins: np.asarray((1.0 - margins) ** 2),
        lambda margins: np.asarray(1.0 - margins),
        _square_step,
    ),
}
