"""Random sequences whose constants are known because they were built in."""

from __future__ import annotations

import numpy as np


def separable(seed, rows=80, d=5, margin=0.1, radius=1.0):
    """Examples within a ball, labels of -1 / +1 by a unit vector, none closer to it than the margin.

    Returns X, y, and the unit vector.
    """
    rng = np.random.default_rng(seed)
    v = rng.normal(size=d)
    v /= np.linalg.norm(v)
    X = rng.normal(size=(4 * rows, d))
    X *= radius * rng.uniform(0.2, 1, size=(len(X), 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    X = X[np.abs(X @ v) >= margin][:rows]
    return X, np.where(X @ v > 0, 1, -1), v


def noisy(seed, rows=80, d=5, rate=0.2):
    """Separable examples of which some labels are wrong."""
    X, y, v = separable(seed, rows, d)
    flips = np.random.default_rng(seed + 1).random(len(y)) < rate
    return X, np.where(flips, -y, y), v


def orthonormal(d):
    """The worst case of the perceptron: every example is new, and none is like sgn(0)."""
    return np.eye(d), -np.ones(d, dtype=int)


def disjunction(seed, rows=60, d=12, k=2, ones=0.3, negated=0):
    """Boolean examples, and labels by an OR of k features, the last `negated` of them negated."""
    rng = np.random.default_rng(seed)
    relevant = rng.choice(d, k, replace=False)
    X = (rng.random((rows, d)) < ones).astype(float)
    literals = X[:, relevant].copy()
    literals[:, k - negated :] = 1 - literals[:, k - negated :]
    return X, literals.any(axis=1).astype(int), relevant
