"""Stochastic gradient descent, written from its definition: every weight shrunk, every average taken."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.naive.losses import SGD_LOSSES


class Run(NamedTuple):
    coef: np.ndarray
    intercept: float
    average_coef: np.ndarray
    average_intercept: float
    paid: float
    mistakes: int


def power_rate(eta0, power):
    """The step of round t, counted from one."""
    return lambda t: eta0 / t**power


def optimal_rate(alpha):
    """Bottou's: it begins with the length of a typical weight, and goes on as 1 / (alpha t)."""
    typical = (1 / alpha**0.5) ** 0.5
    return lambda t: 1 / (alpha * (1 / (typical * alpha) + t - 1))


def sgd(
    X,
    y,
    loss,
    rate,
    alpha=0.0,
    share=1.0,
    weights=None,
    average=1,
    pull=0.0,
    sparsely=False,
    passive=0,
):
    """One pass; the average is of the weights from round `average` on, and paid is the objective's sum.

    What a weight owes of the pull it pays when its feature is seen: over sparse rows, where it is not zero.
    """
    value, slope = SGD_LOSSES[loss]
    w, b = np.zeros(X.shape[1]), 0.0
    owed, paid_off = 0.0, np.zeros(X.shape[1])
    seen, paid, mistakes = [], 0.0, 0
    weights = np.ones(len(y)) if weights is None else weights
    for t, (x, target, weight) in enumerate(zip(X, y, weights, strict=True), 1):
        score = float(w @ x) + b
        paid += value(score, target)
        if not passive:
            paid += alpha / 2 * float(w @ w) + pull * float(np.abs(w).sum())
        mistakes += (1 if score >= 0 else -1) != target
        step = -rate(t) * weight * slope(score, target)
        if passive:
            step = weight * aggressive(value(score, target), float(x @ x), rate(t), passive)
            step *= target if loss == "hinge" else np.sign(target - score)
        w = max(0.0, 1 - rate(t) * alpha) * w + step * x
        b += step * share
        owed += rate(t) * pull
        for j in np.flatnonzero(x) if sparsely else range(len(w)):
            # Everything owed so far, less what was paid towards zero on either side of it.
            before = w[j]
            if before > 0:
                w[j] = max(0.0, before - (owed + paid_off[j]))
            elif before < 0:
                w[j] = min(0.0, before + (owed - paid_off[j]))
            paid_off[j] += w[j] - before
        if t >= average:
            seen.append(np.append(w, b))
    mean = np.mean(seen, axis=0) if seen else np.append(w, b)
    return Run(w, b, mean[:-1], float(mean[-1]), paid, mistakes)


def aggressive(loss, square, most, kind):
    """How far PA-I and PA-II go."""
    if kind == 1:
        return min(most, loss / square) if square else 0.0
    return loss / (square + 1 / (2 * most))
