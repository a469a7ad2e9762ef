"""Support vector machines written from their duals, slowly."""

from __future__ import annotations

import numpy as np


def pairwise(K, target, lower, upper, tolerance=1e-10, most=100_000):
    """Minimise b'Kb/2 - t'b over sum(b) = 0 and the bounds: move the pair that violates most, until none does."""
    b = np.zeros(len(target))
    for _ in range(most):
        v = target - K @ b
        i = max((k for k in range(len(b)) if b[k] < upper[k]), key=lambda k: v[k])
        j = min((k for k in range(len(b)) if b[k] > lower[k]), key=lambda k: v[k])
        if v[i] - v[j] <= tolerance:
            break
        step = (v[i] - v[j]) / max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12)
        step = min(step, upper[i] - b[i], b[j] - lower[j])
        b[i] += step
        b[j] -= step
    return b


def one_by_one(X, y, cap, ridge, passes=3000):
    """Minimise |sum a y x|^2 / 2 + sum r a^2 / 2 - sum a over 0 <= a <= cap, one variable after the other."""
    a, w = np.zeros(len(y)), np.zeros(X.shape[1])
    for _ in range(passes):
        for i in range(len(y)):
            slope = y[i] * (X[i] @ w) - 1 + ridge[i] * a[i]
            new = min(max(a[i] - slope / (X[i] @ X[i] + ridge[i]), 0.0), cap[i])
            w += (new - a[i]) * y[i] * X[i]
            a[i] = new
    return a, w
