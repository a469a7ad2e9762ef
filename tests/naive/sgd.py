"""Stochastic gradient descent, written from its definition: every weight shrunk, every average taken."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.naive.losses import LOSSES


class Run(NamedTuple):
    coef: np.ndarray
    intercept: float
    average_coef: np.ndarray
    average_intercept: float
    paid: float
    mistakes: int


def sgd(
    X, y, loss, eta0=1.0, power=0.5, alpha=0.0, constant=True, weights=None, average=1, rounds=0
):
    """One pass; `rounds` were played before, and the average is of the weights from `average` on."""
    value, slope = LOSSES[loss]
    w, b = np.zeros(X.shape[1]), 0.0
    seen, paid, mistakes = [], 0.0, 0
    weights = np.ones(len(y)) if weights is None else weights
    for x, target, weight in zip(X, y, weights, strict=True):
        if weight == 0:
            continue
        rounds += 1
        rate = eta0 / rounds**power * weight
        score = float(w @ x) + b
        paid += weight * value(score, target)
        mistakes += (1 if score >= 0 else -1) != target
        w = max(0.0, 1 - rate * alpha) * w - rate * slope(score, target) * x
        b -= rate * slope(score, target) * constant
        if rounds >= average:
            seen.append(np.append(w, b))
    mean = np.mean(seen, axis=0) if seen else np.append(w, b)
    return Run(w, b, mean[:-1], float(mean[-1]), paid, mistakes)
