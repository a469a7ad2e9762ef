"""The losses that gradient boosting lowers: where it starts, how its leaves are found, and what a score costs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.compiled.common.elementary import exps, logs
from assay.compiled.ensembles import boosting_gradients as loops
from assay.compiled.ensembles.boosting_grow import EXACT_SQUARES, LATER, PACKED
from assay.types import Array, Floats

# Shares of a class that are no further from zero or one than this.
_LEAST = 2.0**-52


@dataclass(frozen=True)
class BoostingLoss:
    """A loss of scores.

    Attributes
    ----------
    name : str
    code : int
        Its number in the compiled loops; -1 for classes.
    mode : int
        How the compiled grower finds the values of leaves.
    moves : bool
        Whether it depends on the difference of score and target alone; scores then start at zero, and the first
        constant is taken from the targets, so that it costs no digits.
    constant : bool
        Whether every row has the same hessian, its weight.
    """

    name: str
    code: int
    mode: int
    moves: bool
    constant: bool


LOSSES = {
    "log_loss": BoostingLoss("log_loss", -1, PACKED, False, False),
    "squared_error": BoostingLoss("squared_error", loops.SQUARED, EXACT_SQUARES, True, True),
    "absolute_error": BoostingLoss("absolute_error", loops.ABSOLUTE, LATER, True, True),
    "quantile": BoostingLoss("quantile", loops.QUANTILE, LATER, True, True),
    "poisson": BoostingLoss("poisson", loops.POISSON, PACKED, False, False),
    "gamma": BoostingLoss("gamma", loops.GAMMA, PACKED, False, False),
}
OF_NUMBERS = tuple(name for name in LOSSES if name != "log_loss")


def weighted_quantile(numbers: Floats, weights: Floats | None, share: float) -> float:
    """The smallest of these numbers at which so large a share of the weight is reached: no constant costs less.

    Examples
    --------
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), None, 0.5)
    2.0
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([9.0, 1.0, 1.0]), 0.5)
    3.0
    """
    if weights is None:
        place = max(0, math.ceil(share * len(numbers)) - 1)
        return float(np.partition(numbers, place)[place])
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(weights[order])
    place = int(np.searchsorted(reached, share * reached[-1]))
    return float(numbers[order[min(place, len(order) - 1)]])


def start_of(
    loss: BoostingLoss, y: Array, weights: Floats | None, share: float, outputs: int
) -> Floats:
    """The constant score of each output that costs least."""
    if loss.name == "log_loss":
        classes = max(2, outputs)
        heavy = np.bincount(y.astype(np.int64), weights, minlength=classes).astype(np.float64)
        return start_of_classes(heavy, outputs)
    if loss.name in ("absolute_error", "quantile"):
        return np.array([weighted_quantile(y, weights, share)])
    return start_of_mean(loss, float(np.average(y, weights=weights)))


def start_of_classes(heavy: Floats, outputs: int) -> Floats:
    """The same for classes of which each weighs so much."""
    shares = np.clip(heavy / heavy.sum(), _LEAST, 1.0 - _LEAST)
    logarithms = logs(shares)
    if outputs == 1:
        return np.array([logarithms[1] - logarithms[0]])
    return np.asarray(logarithms - logarithms.mean())


def start_of_mean(loss: BoostingLoss, mean: float) -> Floats:
    """The same for targets of this mean."""
    return np.array([mean]) if loss.name == "squared_error" else logs(np.array([mean]))


def row_losses(loss: BoostingLoss, y: Array, score: Floats, share: float) -> Floats:
    """What each row costs, up to constants of the target; half the square for squares, as in scikit-learn."""
    f = score[0]
    if loss.name == "log_loss":
        if len(score) == 1:
            return np.asarray(np.maximum(f, 0.0) + logs(1.0 + exps(-np.abs(f))) - y * f)
        top = score.max(axis=0)
        total = np.zeros(len(top))
        for one in score:
            total += exps(one - top)
        return np.asarray(logs(total) + top - score[y.astype(np.int64), np.arange(len(y))])
    if loss.name == "squared_error":
        return np.asarray(0.5 * (y - f) ** 2)
    if loss.name == "absolute_error":
        return np.asarray(np.abs(y - f))
    if loss.name == "quantile":
        return np.asarray(np.where(f >= y, 1.0 - share, -share) * (f - y))
    e = exps(np.clip(f if loss.name == "poisson" else -f, -loops.LARGEST, loops.LARGEST))
    return np.asarray(e - y * f if loss.name == "poisson" else f + y * e)


def mean_loss(
    loss: BoostingLoss, y: Array, score: Floats, weights: Floats | None, share: float
) -> float:
    """The mean over rows."""
    costs = row_losses(loss, y, score, share)
    return float(np.average(costs, weights=weights))
